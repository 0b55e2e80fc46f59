"""Precision of a list in which late hits may already be known."""

from __future__ import annotations

from doxeval.measurement.families.exposed import ExposedMeasure


class StructuralPrecision(ExposedMeasure):
    """E[Hits] / k (ESR Eq. 13); past the end of the list k is still the cut-off."""

    name = "ESRP"
    user = "Consults k results and asks how many of them were relevant and new."
    paper = "ESR Eq. 13"
    relevance = "binary"
    by_rank = True
