"""Precision of a list whose late hits may be old news."""

from __future__ import annotations

import numpy as np

from doxeval.measurement.base import register
from doxeval.measurement.families.characters import ratio
from doxeval.measurement.families.exposed import SharePerRank
from doxeval.reader.exposure.expose import Exposure


@register
class StructuralPrecision(SharePerRank):
    """E[Hits] / k (ESR Eq. 13); past the end of the list k is still the cut-off."""

    name = "ESRP"
    user = "Consults k results and asks how many of them were relevant and new."
    paper = "ESR Eq. 13"
    relevance = "binary"
    counts = "hits"
    example = "ESRP@10"

    def at_ranks(self, seen: Exposure) -> np.ndarray:
        return ratio(seen.hits, seen.rank)
