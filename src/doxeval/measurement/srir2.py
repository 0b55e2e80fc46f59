"""Recall of relevant text, near-misses included."""

from __future__ import annotations

from doxeval.measurement.families.exposed import RecallOfText


class NavigatedTextRecall(RecallOfText):
    """(E[Hits] + E[Near-misses]) / T_rel (ESR Eq. 31); like ``ESRR`` it can fall with the rank."""

    name = "SRiR2"
    user = "Reads the results, navigates from them, and asks how much of everything relevant they found."
    paper = "ESR Eq. 31"
    gained = "gain"
    divided_by = "total_at_ranks"
