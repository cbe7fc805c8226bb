"""The rows of a fit, prepared in each way that the settings allow, with their feature maps."""

from functools import cache, cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.errors import InputError
from tacit.estimators.grade.columns import FEWEST_FOR_TREES, MOST_FOR_TREES, Columns, make_scaling, names_to_try
from tacit.estimators.grade.folds import selection_rows
from tacit.estimators.grade.maps import landmarks_of, make_map, make_small_map
from tacit.estimators.grade.settings import Settings, Shape, candidate_shapes
from tacit.features.feature_moments import FeatureMap

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Codes = NDArray[np.intp]

MOST_PLAIN_COLUMNS = 512
"""Up to so many columns the linear kernel takes them as its features, beyond that landmarks."""


class Rows:
    """Rows with positive weights, codes −1 where unlabelled; ``rows`` are the labelled ones that choosing looks at."""

    def __init__(self, table: Any, codes: Codes, weights: Vector, count: int, settings: Settings) -> None:
        self.table = table
        self.codes = codes
        self.weights = weights
        self.count = count
        self.settings = settings
        self.rows = selection_rows(codes, settings.seed)
        self.prepared = cache(self._prepare)

    @cached_property
    def names(self) -> list[str]:
        """Preparations of the columns to try."""
        several = self.settings.searches and self.settings.bandwidth is None
        return names_to_try(self.table, self.settings.standardize, several)

    @property
    def may_grow_trees(self) -> bool:
        """Whether trees are a candidate."""
        s = self.settings
        sparse, wide = sp.issparse(self.table), self.table.shape[1] > MOST_FOR_TREES
        if s.trees and (sparse or wide or s.solver == "stochastic" or s.features != "labelled"):
            raise InputError(
                f"trees=True needs dense X of at most {MOST_FOR_TREES} columns, features='labelled' and the exact "
                "solver; leave trees=None, or change those."
            )
        few = np.count_nonzero(self.codes >= 0) < FEWEST_FOR_TREES
        if s.trees is not None or few or sparse or wide:
            return bool(s.trees)
        return s.searches and s.loss == "auto" and s.bandwidth is None and s.class_priors is None

    @property
    def may_mix_linear(self) -> bool:
        """Whether the linear kernel's score may be added to another's."""
        s = self.settings
        return s.searches and s.loss == "auto" and s.bandwidth is None and s.class_priors is None

    @property
    def wide(self) -> bool:
        """Whether the linear kernel takes landmarks in place of columns."""
        return bool(self.table.shape[1] > MOST_PLAIN_COLUMNS)

    @property
    def width(self) -> int:
        """Features of the first map, at most."""
        shape = candidate_shapes(self.settings, self.names[0])[0]
        landmarks = self.landmarks_for(shape, self.prepared(self.names[0]))
        if landmarks is not None:
            return len(landmarks)
        return int(self.table.shape[1]) if shape.kernel == "linear" else 2 * self.settings.n_components

    def columns(self, name: str, relevance: Vector | None) -> Columns:
        """A preparation of the columns; "relevance" weights the standard one."""
        if name == "relevance":
            assert relevance is not None
            return self.prepared("standard").weighted(relevance)
        return self.prepared(name)

    def _prepare(self, name: str) -> Columns:
        s = self.settings
        scaling = make_scaling(name, self.table, self.weights)
        landmarks = None
        if s.features != "fourier" and (s.kernel != "linear" or s.features == "nystrom" or self.wide):
            seen = self.table, self.codes, self.weights
            landmarks = landmarks_of(s.features, *seen, scaling, s.n_components, s.seed)
        return Columns(name, scaling, landmarks)

    def landmarks_for(self, shape: Shape, columns: Columns) -> Matrix | None:
        """None where the linear kernel's features are the columns themselves."""
        few = self.table.shape[1] <= MOST_PLAIN_COLUMNS
        asked = self.settings.features == "nystrom" and self.settings.kernel == "linear"
        return None if shape.kernel == "linear" and few and not asked else columns.landmarks

    def map_of(self, shape: Shape, columns: Columns) -> FeatureMap:
        """The map that the model will have."""
        s, scaling = self.settings, columns.scaling
        landmarks = self.landmarks_for(shape, columns)
        return make_map(shape.kernel, s.n_components, shape.bandwidth(scaling), s.seed, scaling, landmarks)

    def small_map_of(self, shape: Shape, columns: Columns, most: int) -> FeatureMap:
        """One that selection can afford to try often."""
        s, scaling = self.settings, columns.scaling
        landmarks, size = self.landmarks_for(shape, columns), min(s.n_components, most)
        return make_small_map(shape.kernel, size, shape.bandwidth(scaling), s.seed, scaling, landmarks)
