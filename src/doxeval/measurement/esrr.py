"""Recall of a reader who navigates."""

from __future__ import annotations

import numpy as np

from doxeval.measurement.base import register
from doxeval.measurement.families.exposed import ExposedMeasure
from doxeval.reader.exposure.changes import Exposure


@register
class StructuralRecall(ExposedMeasure):
    """(E[Hits] + E[Near-misses]) / E[Recall-base] (ESR Eq. 14).

    It can fall with the rank: a result reached before is retrieved too late and takes its own share away.
    """

    name = "ESRR"
    user = "Navigates from the first k results and asks what share of all there is to gain was seen."
    paper = "ESR Eq. 14"
    relevance = "binary"
    adds = "the expected hits and near-misses"
    example = "ESRR@10"

    @property
    def high(self) -> float:
        return 1.0

    def terms_of(self, seen: Exposure) -> tuple[np.ndarray, np.ndarray | float]:
        return seen.gain, seen.base
