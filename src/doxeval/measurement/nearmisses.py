"""What was not retrieved but may be reached by navigating from what was."""

from __future__ import annotations

import numpy as np

from doxeval.measurement.base import register
from doxeval.measurement.families.exposed import ExposedMeasure
from doxeval.reader.exposure.changes import Exposure


@register
class NearMisses(ExposedMeasure):
    """E[Near-misses]: the value of what was not retrieved times the chance to get there (ESR Eq. 10)."""

    name = "NearMisses"
    user = "Counts what can be reached from the results although none of them shows it."
    paper = "ESR Eq. 10"
    unit = "gain"
    adds = "the expected near-misses"
    example = "NearMisses@10"

    def terms_of(self, seen: Exposure) -> tuple[np.ndarray, np.ndarray | float]:
        return seen.near, 1.0
