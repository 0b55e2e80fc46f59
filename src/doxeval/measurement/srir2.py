"""Recall of relevant text, near-misses included."""

from __future__ import annotations

import numpy as np

from doxeval.measurement.base import register
from doxeval.measurement.families.exposed import RecallOfText
from doxeval.reader.exposure.changes import Exposure


@register
class NavigatedTextRecall(RecallOfText):
    """(E[Hits] + E[Near-misses]) / T_rel (ESR Eq. 31); like ``ESRR`` it can fall with the rank."""

    name = "SRiR2"
    user = "Reads the results, navigates from them, and asks how much of everything relevant was found."
    paper = "ESR Eq. 31"
    adds = "the expected hits and near-misses"
    example = "SRiR2@10"

    def terms_of(self, seen: Exposure) -> tuple[np.ndarray, np.ndarray | float]:
        return seen.gain, seen.total_at_ranks
