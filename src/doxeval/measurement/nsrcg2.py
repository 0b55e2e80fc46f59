"""Gain by hits and near-misses against the gain somebody desires of so many ranks."""

from __future__ import annotations

from doxeval.measurement.nsrcg import NormalisedStructuralGain


class NormalisedNavigatedGain(NormalisedStructuralGain):
    """As ``NSRCG`` with CG[i] = E[Hits] + E[Near-misses], both of the first i results (ESR Eqs. 32-34).

    Eq. 32 prints the near-misses of the whole list; those of the first i results are meant.
    """

    name = "NSRCG2"
    user = "As for NSRCG, and counts what can be reached as gained."
    paper = "ESR Eqs. 32-34"
    gained = "gain"
    example = "NSRCG2(l=1,m=10)@10"
