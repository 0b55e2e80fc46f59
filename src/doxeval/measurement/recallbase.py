"""All there is for the reader to gain, given what was retrieved."""

from __future__ import annotations

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import register
from doxeval.measurement.families.exposed import ExposedMeasure
from doxeval.reader.exposure.expose import Exposure, expose


@register
class RecallBase(ExposedMeasure):
    """E[Recall-base] = E[Hits] + E[Near-misses] + E[Misses] (ESR Eq. 11).

    It is all there is as long as nothing retrieved had been reached before; a late hit shrinks it.
    """

    name = "RecallBase"
    user = "Asks how much there was to be gained from a list like this one."
    paper = "ESR Eq. 11"
    example = "RecallBase@10"

    def at_ranks(self, seen: Exposure) -> np.ndarray:
        return seen.base

    def score(self, topics: Aligned) -> np.ndarray:
        return np.where(
            topics.count > 0, super().score(topics), expose(topics, self.reader(topics.ground)).total
        )
