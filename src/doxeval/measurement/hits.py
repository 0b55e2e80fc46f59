"""The relevant material retrieved, less what the reader had seen before."""

from __future__ import annotations

from doxeval.measurement.families.exposed import ExposedMeasure


class Hits(ExposedMeasure):
    """E[Hits]: the value of what was retrieved times the chance not to have reached it before (ESR Eq. 8)."""

    name = "Hits"
    user = "Counts what a result itself shows, unless navigating from earlier results had already shown it."
    paper = "ESR Eq. 8"
    grows = True
    unit = "gain"
