"""Precision of the text shown, hits only."""

from __future__ import annotations

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import register
from doxeval.measurement.families.characters import ratio
from doxeval.measurement.families.exposed import ExposedMeasure, best_from, recall_with_navigation
from doxeval.reader.exposure.expose import Exposure, expose


@register
class StructuralTextPrecision(ExposedMeasure):
    """E[Hits] / sum of the results' sizes (ESR Eq. 18); ``SRiP[x]`` the largest from recall SRiR2 = x on.

    In text mode without navigation it is ``iP``.
    """

    name = "SRiP"
    user = "Reads the results and asks how much of the reading was relevant and not yet reached before."
    paper = "ESR Eq. 18"
    point = "optional"
    counts = "hits"
    example = "SRiP@10"

    def at_ranks(self, seen: Exposure) -> np.ndarray:
        return ratio(seen.hits, seen.size)

    def score(self, topics: Aligned) -> np.ndarray:
        if self.expression.point is None:
            return super().score(topics)
        seen = expose(topics, self.reader(topics.ground))
        return best_from(
            seen, recall_with_navigation(seen), self.at_ranks(seen), float(self.expression.point)
        )
