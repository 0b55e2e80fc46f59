"""Precision of the text shown, near-misses included."""

from __future__ import annotations

import numpy as np

from doxeval.measurement.base import register
from doxeval.measurement.families.characters import ratio
from doxeval.measurement.srip import StructuralTextPrecision
from doxeval.reader.exposure.expose import Exposure


@register
class NavigatedTextPrecision(StructuralTextPrecision):
    """(E[Hits] + E[Near-misses]) / sum of the results' sizes (ESR Eq. 30).

    What is reached counts, the text on the way does not: near-misses can lift it above 1.
    """

    name = "SRiP2"
    user = "Reads the results, navigates from them, and sets all that was found against the text retrieved."
    paper = "ESR Eq. 30"
    counts = "gain"
    example = "SRiP2@10"

    def at_ranks(self, seen: Exposure) -> np.ndarray:
        return ratio(seen.gain, seen.size)
