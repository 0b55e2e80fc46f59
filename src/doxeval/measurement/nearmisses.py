"""The relevant material that was not retrieved but can be reached from what was."""

from __future__ import annotations

from doxeval.measurement.families.exposed import ExposedMeasure


class NearMisses(ExposedMeasure):
    """E[Near-misses]: the value of what was not retrieved times the chance to get there (ESR Eq. 10)."""

    name = "NearMisses"
    user = "Counts what they can reach from the results although none of them shows it."
    paper = "ESR Eq. 10"
    unit = "gain"
    gained = "near"
