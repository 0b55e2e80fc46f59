"""Recall of relevant text, hits only."""

from __future__ import annotations

from doxeval.measurement.families.exposed import RecallOfText


class StructuralTextRecall(RecallOfText):
    """E[Hits] / T_rel (ESR Eq. 19), T_rel the value of everything relevant.

    In text mode without navigation it is ``iR``; with alpha > 0 repetition can lift it above 1.
    """

    name = "SRiR"
    user = "Reads the results and asks how much of everything relevant was shown before they got there."
    paper = "ESR Eq. 19"
    grows = True
    divided_by = "total_at_ranks"
