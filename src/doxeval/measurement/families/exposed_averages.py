"""Means over recall of exposed measures; separate from others, which need no model of exposure."""

from __future__ import annotations

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.kernels.exposure import best_reaching
from doxeval.measurement.families.averages import POINTS, MeanOverRecall
from doxeval.measurement.families.exposed import NEARLY, ExposedMeasure, recall_with_navigation
from doxeval.reader.exposure.changes import Exposure
from doxeval.reader.exposure.expose import expose


class AverageOverRecall(MeanOverRecall, ExposedMeasure):
    """The mean over recall points of an exposed measure's values at all ranks."""

    def recall(self, seen: Exposure) -> np.ndarray:
        """Recall at every rank; by default SRiR2."""
        return recall_with_navigation(seen)

    def looked_at(self, aligned: Aligned) -> Aligned:
        """The whole list: exposure is computed once for all cut-offs."""
        return aligned

    def reached(self, aligned: Aligned) -> np.ndarray:
        seen = expose(aligned, self.reader(aligned.ground))
        reached = np.floor((POINTS - 1) * (self.recall(seen) + NEARLY)).astype(np.int64) + 1
        return np.where(seen.rank <= (self.rank or len(aligned)), np.minimum(reached, POINTS), 0)

    def best(self, aligned: Aligned) -> np.ndarray:
        values = self.terms(aligned).at_ranks()
        return best_reaching(aligned.by_topic.offset, self.reached(aligned) - 1, values, POINTS)
