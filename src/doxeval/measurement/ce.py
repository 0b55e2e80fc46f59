"""Cumulated effort."""

from __future__ import annotations

from doxeval.measurement.families.effort import EffortMeasure


class CumulatedEffort(EffortMeasure):
    """Effort wasted down the list: CE[i] = sum over j <= i of (ES(d_j) / minES - 1).

    The -1 is inside the sum (ambiguous in print). Ranks past the end of the list count as
    irrelevant documents.
    """

    name = "CE"
    user = "Opens i documents and scrolls in each until relevant text appears; the least effort is free."
    paper = "Effort section 4.2.2"
    normalised = False
    grows = True
    example = "CE(screen=300)@10"
