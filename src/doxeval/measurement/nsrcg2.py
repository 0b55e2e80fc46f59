"""Gain by hits and near-misses relative to the gain desired within a number of ranks."""

from __future__ import annotations

from doxeval.measurement.nsrcg import NormalisedStructuralGain


class NormalisedNavigatedGain(NormalisedStructuralGain):
    """Like ``NSRCG`` with CG[i] = E[Hits] + E[Near-misses], both of the first i results (ESR Eqs. 32-34).

    Eq. 32 prints the near-misses of the whole list; those of the first i results are meant.
    """

    name = "NSRCG2"
    user = "Like the reader of NSRCG, but also counts what they can reach from the results as gained."
    paper = "ESR Eqs. 32-34"
    gained = "gain"
    example = "NSRCG2(l=1,m=10)@10"
