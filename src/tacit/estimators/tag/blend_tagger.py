"""BlendTagger: several taggers, whose scores are scaled alike and added."""

from collections.abc import Hashable, Iterable
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from tacit.errors import InputError
from tacit.estimators.concurrency import view
from tacit.estimators.model import Array, Callback
from tacit.estimators.tag.factor_tagger import FactorTagger
from tacit.estimators.tag.neighbour_tagger import NeighbourTagger
from tacit.estimators.tag.scorer import dense_chances
from tacit.estimators.tag.tables import BLEND
from tacit.estimators.tag.tagger import Tagger
from tacit.neighbours.topk import normalise

_TAGGERS: dict[str, type[Tagger]] = {"neighbour": NeighbourTagger, "factor": FactorTagger}

DEFAULT: tuple[dict[str, Any], ...] = (
    {
        "tagger": "neighbour",
        "method": "end_to_end",
        "iterations": 3,
        "negatives": 1,
        "neighbours": 40,
        "vote_power": 4.0,
    },
    {"tagger": "factor", "loss": "square"},
)
"""Neighbours are right most often with their first label, factors with the next ones."""


class BlendTagger(Tagger):
    """Scores of several taggers, each row of each scaled to length one, then added (as Algorithm 4 adds two).

    Parameters
    ----------
    members : one dictionary per tagger: ``"tagger"`` is ``"neighbour"`` or ``"factor"``, ``"weight"`` its share (1 by
        default), all else its parameters; None for a neighbour and a factor tagger that do well together
    top_k, threshold, propensity_weighted : see ``NeighbourTagger``

    Attributes
    ----------
    members_ : the fitted taggers

    >>> X = np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.1, 0.9]])
    >>> members = [{"tagger": "neighbour", "factors": 2}, {"tagger": "factor", "factors": 2, "weight": 0.5}]
    >>> tagger = BlendTagger(members).fit(X, [["red"], ["red", "round"], ["blue"], ["blue"]])
    >>> tagger.predict_topk(np.array([[0.0, 2.0]]), k=1).tolist()
    [['blue']]
    """

    _learned = "members_"
    _schema = BLEND

    def __init__(
        self,
        members: Iterable[dict[str, Any]] | None = None,
        top_k: int | None = None,
        threshold: float | None = None,
        propensity_weighted: bool = False,
        random_state: int = 0,
        threads: int = 0,
        progress: bool | None = None,
        callback: Callback | None = None,
    ) -> None:
        self.members = members
        self.top_k = top_k
        self.threshold = threshold
        self.propensity_weighted = propensity_weighted
        self.random_state = random_state
        self.threads = threads
        self.progress = progress
        self.callback = callback

    def _make_members(self) -> list[Any]:
        made = []
        for member in self._given():
            kind = member.get("tagger")
            if kind not in _TAGGERS:
                raise InputError(f"members: 'tagger' must be one of {', '.join(_TAGGERS)}, not {kind!r}.")
            tagger = _TAGGERS[kind]()
            known = set(tagger.get_params())
            own = {name: value for name, value in member.items() if name not in {"tagger", "weight"}}
            unknown = sorted(set(own) - known)
            if unknown:
                raise InputError(f"members: a {kind} tagger has no parameter {unknown[0]!r}.")
            run = {name: getattr(self, name) for name in ("random_state", "threads", "progress", "callback")}
            made.append(tagger.set_params(**(run | own)))
        return made

    def _given(self) -> list[dict[str, Any]]:
        given = list(DEFAULT if self.members is None else self.members)
        if not given:
            raise InputError("members must name at least one tagger.")
        return given

    def fit(self, X: Any, Y: Any, *, labels: Iterable[Hashable] | None = None) -> Self:
        """Fit every member on the same data."""
        X, Y, names, form = self._read_training(X, Y, labels)
        self.members_ = [member.fit(X, Y) for member in self._make_members()]
        self.history_ = [record for member in self.members_ for record in member.history_]
        self.n_features_in_ = X.shape[1]
        self._remember_labels(Y, names, form)
        return self

    def partial_fit(self, X: Any, Y: Any, *, labels: Iterable[Hashable] | None = None) -> Self:
        """Let every member take in these rows, and labels and features that are new."""
        from tacit.data.label_sets import read_labels
        from tacit.data.matrix import as_csr

        if not self.__sklearn_is_fitted__():
            return self.fit(X, Y, labels=labels)
        X = as_csr(X, "X")
        matrix, names, _ = read_labels(Y, rows=X.shape[0], names=labels, known=self.labels_)
        self.members_ = [view(member).partial_fit(X, matrix) for member in self.members_]
        self.n_features_in_ = X.shape[1]
        self._remember_labels(matrix, names, self._form)
        return self

    def block_scores(self, X: sp.csr_array) -> Array:
        total = np.zeros((X.shape[0], len(self.labels_)), dtype=np.float32)
        for member, given in zip(self.members_, self._given()):
            total += np.float32(given.get("weight", 1.0)) * normalise(dense_chances(member, X))
        return total

    def linear_map(self, x: sp.csr_array) -> tuple[Array, Array]:
        features, weights = self.members_[0].linear_map(x)
        return features, weights

    # -- to and from a model file ------------------------------------------------------------------------------

    def _state(self) -> tuple[dict[str, Any], dict[str, Any]]:
        facts, parts = self._label_state()
        return facts, parts | {"members": self.members_}

    def _restore(self, facts: dict[str, Any], parts: dict[str, Any]) -> None:
        self._restore_labels(facts, parts)
        self.members_ = parts["members"]
