"""What was neither retrieved nor reached."""

from __future__ import annotations

import numpy as np

from doxeval.measurement.base import register
from doxeval.measurement.families.exposed import AllThereIs
from doxeval.reader.exposure.changes import Exposure


@register
class Misses(AllThereIs):
    """E[Misses]: the value of what was not retrieved times the chance not to get there (ESR Eq. 9)."""

    name = "Misses"
    user = "Counts what stays unseen, however the reader navigates."
    paper = "ESR Eq. 9"
    higher_is_better = False
    unit = "gain"
    adds = "the expected misses"
    example = "Misses@10"

    def terms_of(self, seen: Exposure) -> tuple[np.ndarray, np.ndarray | float]:
        return seen.misses, 1.0
