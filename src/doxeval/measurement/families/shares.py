"""Values split by result: what each result adds to the score of its topic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from doxeval.ground.aligned import Aligned


@dataclass(eq=False)
class Shares:
    """The part of its topic's value that each result of `aligned` has `added`, and the `rest` per topic.

    They add up to the value of the measure (to 1e-12, tested for every measure that has shares). The rest is
    due to no result, such as the effort of ranks past the end of a list. `meaning` says in one line what is
    added.
    """

    aligned: Aligned
    added: np.ndarray
    rest: np.ndarray
    meaning: str

    def totals(self) -> np.ndarray:
        """The value of each topic."""
        return np.bincount(self.aligned.topic, weights=self.added, minlength=len(self.rest)) + self.rest
