"""Precision of the text shown, near-misses included."""

from __future__ import annotations

import math

from doxeval.measurement.srip import StructuralTextPrecision


class NavigatedTextPrecision(StructuralTextPrecision):
    """(E[Hits] + E[Near-misses]) / sum of the results' sizes (ESR Eq. 30).

    What is reached counts, but not the text on the way: near-misses can lift it above 1.
    """

    name = "SRiP2"
    user = "Reads the results, navigates from them, and compares all they found with the text retrieved."
    paper = "ESR Eq. 30"
    gained = "gain"
    divided_by = "size"

    @property
    def high(self) -> float:
        return math.inf
