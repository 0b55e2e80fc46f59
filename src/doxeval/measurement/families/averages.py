"""Means over the 101 recall points 0, 0.01, ..., 1 of the precision a reader may have at or beyond each."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.measurement.families.exposed import ExposedMeasure, best_at
from doxeval.reader.exposure.expose import Exposure, expose


class AverageOverRecall(ExposedMeasure):
    """Mean over the recall points of the largest value at a rank that reaches the point, 0 where none does.

    Recall may fall with the rank; a point once reached stays reached.
    """

    @abstractmethod
    def recall(self, seen: Exposure) -> np.ndarray:
        """Recall at every rank."""

    def score(self, topics: Aligned) -> np.ndarray:
        seen = expose(topics, self.reader(topics.ground))
        return best_at(seen, self.recall(seen), self.at_ranks(seen), self.rank).mean(axis=1)
