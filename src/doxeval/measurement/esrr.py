"""Recall of a reader who navigates."""

from __future__ import annotations

from doxeval.measurement.families.exposed import ExposedMeasure


class StructuralRecall(ExposedMeasure):
    """(E[Hits] + E[Near-misses]) / E[Recall-base] (ESR Eq. 14).

    It can fall with the rank: a result that was reached before comes too late and loses its share.
    """

    name = "ESRR"
    user = "Navigates from the first k results and asks what share of all there is to gain they have seen."
    paper = "ESR Eq. 14"
    relevance = "binary"
    gained = "gain"
    divided_by = "base"

    @property
    def high(self) -> float:
        return 1.0
