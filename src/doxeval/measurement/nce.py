"""Normalised cumulated effort."""

from __future__ import annotations

from doxeval.measurement.families.effort import EffortMeasure


class NormalisedCumulatedEffort(EffortMeasure):
    """Effort beyond that of an ideal list: NCE[i] = sum over j <= i of (ES(d_j) / IE[j] - 1).

    IE is the least effort for as many ranks as there are relevant documents, then NR. After those ranks a
    relevant document lowers the sum. Ranks past the end of the list count as irrelevant documents.
    """

    name = "NCE"
    user = "Opens i documents, scrolls in each until relevant text appears, and compares with an ideal list."
    paper = "Effort section 4.2.2"
    example = "NCE(screen=300)@10"
