"""Effort-precision: the ranks the best list needs for a gain, against those the run needs."""

from __future__ import annotations

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import register
from doxeval.measurement.families.cumulated_gain import Gain, GainMeasure

ROUNDING = 1e-12


@register
class EffortPrecision(GainMeasure):
    """Ranks of the best list / ranks of the run until a share x of all gain is reached, 0 if it never is."""

    name = "ep"
    user = "Reads until a share of all there is to gain is reached, and asks how early that could have been."
    paper = "Kazai, Lalmas 2005; ESR section 6"
    point = "required"
    example = "ep[0.5]"

    @property
    def high(self) -> float:
        """A run may gain faster than the best list that is chosen element by element."""
        return float("inf")

    def score(self, topics: Aligned) -> np.ndarray:
        point = float(self.expression.point or 0)
        return each_topic(topics, self.gain, lambda best: best[-1:] * point)


def each_topic(topics: Aligned, gain: Gain, targets) -> np.ndarray:  # type: ignore[no-untyped-def]
    """Per topic the mean effort-precision over target gains, made by `targets` from those of the best list.

    The first rank counts for a target of 0. Sums of gains are compared up to rounding.
    """
    gained = gain.of_results(topics)
    offset, best_gained = gain.of_best_list(topics.ground)
    scores = np.full(len(topics.count), np.nan)
    for topic in np.flatnonzero(np.diff(offset)):
        best = best_gained[offset[topic] : offset[topic + 1]]
        run = gained[topics.topic_offset[topic] : topics.topic_offset[topic + 1]]
        wanted = targets(best) * (1 - ROUNDING)
        needed, best_needed = np.searchsorted(run, wanted) + 1, np.searchsorted(best, wanted) + 1
        scores[topic] = np.mean(np.where(needed <= len(run), best_needed / needed, 0.0))
    return scores
