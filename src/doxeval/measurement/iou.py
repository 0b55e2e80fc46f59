"""Intersection over union of what was shown and what is relevant."""

from __future__ import annotations

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import ALPHA, Measure, register
from doxeval.measurement.families.characters import Shown, ratio
from doxeval.measurement.families.shares import Shares, spread, steps, within_rank


@register
class IntersectionOverUnion(Measure):
    """gain / (sum of sizes + T_rel - gain), gain and sizes as in ``iP@k``.

    Text shown twice stands twice in the sum of sizes: overlapping chunks pay for it. This is the *iou* of
    chunk evaluation.
    """

    name = "IoU"
    user = (
        "Puts the first k results into a context window and asks how close that is to just the relevant text."
    )
    paper = "chunk evaluation (token-wise intersection over union), in characters"
    parameters = (ALPHA,)
    cutoff = "optional"
    example = "IoU@5"

    @property
    def high(self) -> float:
        return float("inf") if self.given.alpha > 0 else 1.0

    def score(self, topics: Aligned) -> np.ndarray:
        shown = Shown.of(topics, self.given.alpha)
        gain, size = topics.last(shown.gain, self.rank), topics.last(shown.size, self.rank)
        return ratio(gain, shown.scale * (size + topics.ground.total_relevant) - gain)

    def shares(self, topics: Aligned) -> Shares:
        shown = Shown.of(topics, self.given.alpha)
        gain, size = topics.last(shown.gain, self.rank), topics.last(shown.size, self.rank)
        below = shown.scale * (size + topics.ground.total_relevant) - gain
        gain = np.where(within_rank(topics, self.rank), steps(topics, shown.gain), 0)
        meaning = "relevant text gained / (all text shown + relevant text missed)"
        return Shares.of_results(topics, spread(topics, gain, below), meaning)
