"""Why a ``NeighbourTagger`` gives a label: the training rows that vote for it, and the features that make them near."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from tacit.estimators.evidence import Evidence
from tacit.estimators.model import Array
from tacit.neighbours.partitioned import Learner, vote
from tacit.neighbours.topk import normalise


@dataclass(frozen=True)
class Voters:
    """The training rows as voters.

    Y : (n, L) their labels
    neighbours : how many of them each learner asks
    power : of the cosines by which votes are weighted
    joint : whether similarity to the label's own vector counts beside the votes
    """

    learners: tuple[Learner, ...]
    Y: sp.csr_array
    neighbours: int
    power: float
    joint: bool
    threads: int

    def votes_by_row(self, row: sp.csr_array, column: int) -> Evidence:
        """What each training row with the label adds to its score for a row (1, d) of prepared features."""
        votes, similarities = np.zeros(self.Y.shape[0]), np.zeros(self.Y.shape[1])
        length = 0.0
        for learner in self.learners:
            votes += self._votes(learner, row) / len(self.learners)
            if self.joint:
                similarities += normalise(learner.label_scores(row))[0]
        if self.joint:
            # As in the scores: votes, and similarities to the labels' vectors, each scaled to length one.
            length = float(np.linalg.norm(votes @ self.Y))
            similarities /= np.linalg.norm(similarities) or 1.0
        voters = np.flatnonzero(votes * self._has_label(column))
        return Evidence.of(voters, votes[voters] / (length or 1.0), float(similarities[column]))

    def votes_by_feature(self, row: sp.csr_array, column: int) -> Evidence:
        """The same votes by features: each is divided among those of the row, as they make the voter near."""
        by_row, has_label = self.votes_by_row(row, column), self._has_label(column)
        by_feature, total = np.zeros(row.shape[1]), 0.0
        for learner in self.learners:
            votes = self._votes(learner, row) * has_label / len(self.learners)
            voters = np.flatnonzero(votes)
            features, shares = learner.partitions[int(learner.assign(row)[0])].shares(row, voters)
            by_feature[features] += shares @ votes[voters]
            total += votes.sum()
        by_feature *= by_row.contributions.sum() / (total or 1.0)
        rest = by_row.total - float(by_feature.sum())
        return Evidence.of(row.indices, by_feature[row.indices], rest, "likeness to the label")

    def _votes(self, learner: Learner, row: sp.csr_array) -> Array:
        """(n,) the vote of each training row, whatever labels it has."""
        everyone = sp.eye_array(self.Y.shape[0], dtype=np.float32, format="csr")
        nearest = learner.neighbours(row, min(self.neighbours, self.Y.shape[0]), self.threads)
        votes: Array = vote(*nearest, everyone, self.power).toarray()[0]
        return votes

    def _has_label(self, column: int) -> Array:
        return np.asarray(self.Y[:, [column]].toarray()).ravel()
