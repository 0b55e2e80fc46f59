"""Structural relevance per rank."""

from __future__ import annotations

from doxeval.measurement.sr import StructuralRelevance


class StructuralRelevancePrecision(StructuralRelevance):
    """SR / k (SR Example 6.1); past the end of the list k is still the cut-off."""

    name = "SRP"
    user = "Consults k trees and asks how much new relevance each brought on average."
    paper = "SR Example 6.1 (it has no equation number); ESR Eq. 12"
    grows = False
    unit = "share"
    by_rank = True
