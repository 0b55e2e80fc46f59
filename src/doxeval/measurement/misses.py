"""The relevant material neither retrieved nor reached."""

from __future__ import annotations

from doxeval.measurement.families.exposed import AllThereIs


class Misses(AllThereIs):
    """E[Misses]: the value of what was not retrieved times the chance not to get there (ESR Eq. 9)."""

    name = "Misses"
    user = "Counts what they never see, however they navigate."
    paper = "ESR Eq. 9"
    higher_is_better = False
    unit = "gain"
    gained = "misses"
