"""The linear kernel's feature map: the scaled columns themselves."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.features.scaling import Scaling


class LinearFeatures:
    """φ(x) = (x − mean) / scale, so that ⟨φ(x), φ(x')⟩ is the linear kernel of scaled rows."""

    def __init__(self, scaling: Scaling) -> None:
        self.scaling = scaling

    @property
    def size(self) -> int:
        return len(self.scaling.mean)

    def transform(self, rows: Any) -> NDArray[np.float64]:
        """(n, d) → (n, d), dense."""
        return self.scaling.dense(rows)
