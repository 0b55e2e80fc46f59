"""Precision of the text shown, near-misses included."""

from __future__ import annotations

import math

import numpy as np

from doxeval.measurement.base import register
from doxeval.measurement.srip import StructuralTextPrecision
from doxeval.reader.exposure.changes import Exposure


@register
class NavigatedTextPrecision(StructuralTextPrecision):
    """(E[Hits] + E[Near-misses]) / sum of the results' sizes (ESR Eq. 30).

    What is reached counts, the text on the way does not: near-misses can lift it above 1.
    """

    name = "SRiP2"
    user = "Reads the results, navigates from them, and sets all that was found against the text retrieved."
    paper = "ESR Eq. 30"
    adds = "the expected hits and near-misses"
    example = "SRiP2@10"

    @property
    def high(self) -> float:
        return math.inf

    def terms_of(self, seen: Exposure) -> tuple[np.ndarray, np.ndarray | float]:
        return seen.gain, seen.size
