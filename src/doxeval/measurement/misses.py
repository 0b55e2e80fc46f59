"""What was neither retrieved nor reached."""

from __future__ import annotations

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import register
from doxeval.measurement.families.exposed import ExposedMeasure
from doxeval.reader.exposure.expose import Exposure, expose


@register
class Misses(ExposedMeasure):
    """E[Misses]: the value of what was not retrieved times the chance not to get there (ESR Eq. 9)."""

    name = "Misses"
    user = "Counts what stays unseen, however the reader navigates."
    paper = "ESR Eq. 9"
    higher_is_better = False
    example = "Misses@10"

    def at_ranks(self, seen: Exposure) -> np.ndarray:
        return seen.misses

    def score(self, topics: Aligned) -> np.ndarray:
        return np.where(
            topics.count > 0, super().score(topics), expose(topics, self.reader(topics.ground)).total
        )
