"""Effort-precision: the ranks that the best list needs for a gain, relative to those of the run."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.measurement.families.cumulated_gain import (
    Gain,
    GainMeasure,
    gained_by_best_list,
    gained_by_results,
)

ROUNDING = 1e-12
Targets = Callable[[np.ndarray], np.ndarray]


class EffortPrecision(GainMeasure):
    """Ranks of the best list / ranks of the run until a share x of all gain is reached, 0 if it never is."""

    name = "ep"
    user = (
        "Reads until a share of all there is to gain is reached, and asks how much sooner it could have been."
    )
    paper = "Kazai, Lalmas 2005; ESR section 6"
    point = "required"
    no_sum = "it compares a rank of the run with a rank of the best list"
    example = "ep[0.5]"

    def score(self, aligned: Aligned) -> np.ndarray:
        point = float(self.expression.point or 0)
        return each_topic(aligned, self.gain, lambda best: best[-1:] * point)


def each_topic(aligned: Aligned, gain: Gain, targets: Targets) -> np.ndarray:
    """The mean effort-precision of each topic over target gains, which `targets` derives from the best list.

    The first rank counts for a target of 0. Sums of gains are compared up to rounding.
    """
    gained = gained_by_results(aligned, gain)
    lists, best_gained = gained_by_best_list(aligned.ground, gain)
    scores = np.full(len(aligned.count), np.nan)
    for topic in np.flatnonzero(lists.counts).tolist():
        best, run = best_gained[lists.slice(topic)], gained[aligned.by_topic.slice(topic)]
        wanted = targets(best) * (1 - ROUNDING)
        needed, best_needed = np.searchsorted(run, wanted) + 1, np.searchsorted(best, wanted) + 1
        scores[topic] = np.mean(np.where(needed <= len(run), best_needed / needed, 0.0))
    return scores
