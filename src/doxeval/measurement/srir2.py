"""Recall of relevant text, near-misses included."""

from __future__ import annotations

import numpy as np

from doxeval.measurement.base import register
from doxeval.measurement.families.exposed import ExposedMeasure, recall_with_navigation
from doxeval.reader.exposure.expose import Exposure


@register
class NavigatedTextRecall(ExposedMeasure):
    """(E[Hits] + E[Near-misses]) / T_rel (ESR Eq. 31); like ``ESRR`` it can fall with the rank."""

    name = "SRiR2"
    user = "Reads the results, navigates from them, and asks how much of everything relevant was found."
    paper = "ESR Eq. 31"
    counts = "gain"
    example = "SRiR2@10"

    @property
    def high(self) -> float:
        return float("inf") if self.given.alpha > 0 else 1.0

    def at_ranks(self, seen: Exposure) -> np.ndarray:
        return recall_with_navigation(seen)
