"""All there is for the reader to gain, given what was retrieved."""

from __future__ import annotations

from doxeval.measurement.families.exposed import AllThereIs


class RecallBase(AllThereIs):
    """E[Recall-base] = E[Hits] + E[Near-misses] + E[Misses] (ESR Eq. 11).

    It is all there is unless something retrieved had been reached before; a late hit shrinks it.
    """

    name = "RecallBase"
    user = "Asks how much there was to gain from a list like this one."
    paper = "ESR Eq. 11"
    unit = "gain"
    empty_is_worst = False
    gained = "base"
