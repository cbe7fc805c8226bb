"""BlendTagger: a weighted sum of the scaled scores of several taggers."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from tacit import checks
from tacit.data.label_sets import read_labels
from tacit.data.matrix import as_csr
from tacit.estimators.concurrency import view
from tacit.estimators.evidence import Evidence
from tacit.estimators.members import NamedMembers, copied
from tacit.estimators.model import Array, Callback
from tacit.estimators.tag.blend_weights import FEWEST, choose_weights, held_out
from tacit.estimators.tag.kernel_tagger import KernelTagger
from tacit.estimators.tag.neighbour_tagger import NeighbourTagger
from tacit.estimators.tag.scorer import dense_chances
from tacit.estimators.tag.tables import BLEND
from tacit.estimators.tag.tagger import Tagger
from tacit.neighbours.topk import normalise


class BlendTagger(NamedMembers, Tagger):
    """Scores of several taggers, each row of each scaled to length one, then added (as Algorithm 4 adds two).

    Parameters
    ----------
    members : pairs of a name and a tagger, as for scikit-learn's ``VotingClassifier``, so that
        ``set_params(near__neighbours=50)`` and ``GridSearchCV`` reach inside; None for a kernel and neighbours that do
        well together
    weights : one per member; None lets a fifth of the rows choose, which are held out for it: the member that is best
        alone has 1, each other the smallest weight, 0 among them, within two standard errors of its best
    random_state : draws the rows held out, and deals rows into the folds of ``missing_labels``; the members have
        their own
    top_k, threshold : what ``predict`` returns: the best so many, or all with at least this score
    propensity_weighted : favour rare labels by the inverse of the chance that they were tagged at all
    threads, progress, callback : as everywhere; members whose own are not set take them

    Attributes
    ----------
    members_ : the fitted taggers
    history_ : their records, one after the other
    weights_ : how much each counts
    validation_ : nDCG@5 on the rows held out, of the best member and of the blend as each other one is weighed; empty
        where nothing was chosen

    >>> X = np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.1, 0.9]])
    >>> members = [("kernel", KernelTagger()), ("near", NeighbourTagger(factors=2))]
    >>> tagger = BlendTagger(members, weights=[1.0, 0.5]).fit(X, [["red"], ["red", "round"], ["blue"], ["blue"]])
    >>> tagger.predict_topk(np.array([[0.0, 2.0]]), k=1).tolist()
    [['blue']]
    """

    _learned = "members_"
    _schema = BLEND

    def __init__(
        self,
        members: Sequence[tuple[str, Tagger]] | None = None,
        *,
        weights: Sequence[float] | None = None,
        top_k: int | None = None,
        threshold: float | None = None,
        propensity_weighted: bool = False,
        random_state: int | None = 0,
        threads: int = 0,
        progress: bool | None = None,
        callback: Callback | None = None,
    ) -> None:
        self.members = members
        self.weights = weights
        self.top_k = top_k
        self.threshold = threshold
        self.propensity_weighted = propensity_weighted
        self.random_state = random_state
        self.threads = threads
        self.progress = progress
        self.callback = callback

    def default_members(self) -> list[tuple[str, Any]]:
        """A kernel, and neighbours in label space: together better than either, on most data."""
        near = NeighbourTagger("end_to_end", iterations=3, negatives=1, neighbours=40, vote_power=4.0)
        return [("kernel", KernelTagger()), ("near", near)]

    def unfitted_members(self) -> list[Tagger]:
        """Copies of the taggers that ``fit`` trains."""
        return self._copies(self.progress, self.callback)

    def _copies(self, progress: bool | None, callback: Callback | None) -> list[Tagger]:
        outer: dict[str, Any] = {"threads": self.threads, "progress": progress, "callback": callback}
        return [
            copied(tagger, f"members: {name}", Tagger, "NeighbourTagger()", **outer) for name, tagger in self._named()
        ]

    def fit(self, X: Any, Y: Any, *, labels: Iterable[Hashable] | None = None) -> Self:
        """Choose the weights that are not given, and fit every member on all rows."""
        X, Y, names, form = self._read_training(X, Y, labels)
        seed, weights, members = checks.seed(self.random_state), self._given_weights(), self.unfitted_members()
        reached: list[float] = []
        if weights is None and len(members) > 1 and np.count_nonzero(np.diff(Y.indptr)) >= FEWEST:
            weights, reached = self._try_out(X, Y, seed)
        self.members_ = [member.fit(X, Y) for member in members]
        self.weights_, self.validation_ = [1.0] * len(members) if weights is None else weights, reached
        self.history_ = [record for member in self.members_ for record in member.history_]
        self.n_features_in_ = X.shape[1]
        self._remember_labels(Y, names, form)
        return self

    def _try_out(self, X: sp.csr_array, Y: sp.csr_array, seed: int) -> tuple[list[float], list[float]]:
        """Weights by rows that are held out, and what each step reached there."""
        learned, asked = held_out(Y, seed)
        members = self._copies(False, None)
        for member in members:
            member.set_params(progress=False, callback=None).fit(X[learned], Y[learned])
        return choose_weights(members, as_csr(X[asked], "X", allow_empty=True), Y[asked])

    def partial_fit(self, X: Any, Y: Any, *, labels: Iterable[Hashable] | None = None) -> Self:
        """Let every member take in these rows, and labels and features that are new."""
        if not self.__sklearn_is_fitted__():
            return self.fit(X, Y, labels=labels)
        X = as_csr(X, "X")
        matrix, names, _ = read_labels(Y, rows=X.shape[0], names=labels, known=self.label_ids_)
        self.members_ = [view(member).partial_fit(X, matrix) for member in self.members_]
        self.n_features_in_ = X.shape[1]
        self._remember_labels(matrix, names, self._form)
        return self

    def _parts(self, X: sp.csr_array) -> list[Array]:
        """What each member adds to the scores, each (n, L)."""
        nothing = np.zeros((X.shape[0], len(self.label_ids_)), np.float32)
        return [
            np.float32(weight) * normalise(dense_chances(member, X)) if weight else nothing
            for member, weight in zip(self.members_, self.weights_)
        ]

    def block_scores(self, X: sp.csr_array) -> Array:
        return np.asarray(sum(self._parts(X)), dtype=np.float32)

    def _contributions(self, x: sp.csr_array, column: int) -> Evidence:
        names = np.array([name for name, _ in self._named()])
        return Evidence.of(names, np.array([part[0, column] for part in self._parts(x)]))

    def linear_map(self, x: sp.csr_array) -> tuple[Array, Array]:
        # The member that counts most: the first one may have the weight 0.
        features, weights = self.members_[int(np.argmax(self.weights_))].linear_map(x)
        return features, weights

    # -- to and from a model file ------------------------------------------------------------------------------

    def _state(self) -> tuple[dict[str, Any], dict[str, Any]]:
        facts, parts = self._label_state()
        return facts | {"weights": self.weights_, "validation": self.validation_}, parts | {"members": self.members_}

    def _restore(self, facts: dict[str, Any], parts: dict[str, Any]) -> None:
        self._restore_labels(facts, parts)
        self.members_ = parts["members"]
        self.weights_, self.validation_ = list(facts["weights"]), list(facts["validation"])
