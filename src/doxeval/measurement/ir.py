"""Recall of the relevant text."""

from __future__ import annotations

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import ALPHA, Measure, register
from doxeval.measurement.families.characters import Shown, ratio
from doxeval.measurement.families.shares import Shares, spread, steps, within_rank


@register
class CharacterRecall(Measure):
    """Share of the relevant text that has been shown.

    ``iR@r`` = (sum of rsize over the first r results) / T_rel (ESR Eq. 17). With alpha > 0 repeated text is
    paid again and the value may exceed 1. What chunk evaluation calls *recall* is ``iR@k``.
    """

    name = "iR"
    user = "Reads the results in order and asks how much of all relevant text has been seen."
    paper = "ESR Eq. 17 (HiXEval)"
    parameters = (ALPHA,)
    cutoff = "optional"
    grows = True
    example = "iR@10"

    @property
    def high(self) -> float:
        return float("inf") if self.given.alpha > 0 else 1.0

    def score(self, topics: Aligned) -> np.ndarray:
        shown = Shown.of(topics, self.given.alpha)
        return ratio(topics.last(shown.gain, self.rank), shown.scale * topics.ground.total_relevant)

    def shares(self, topics: Aligned) -> Shares:
        shown = Shown.of(topics, self.given.alpha)
        gain = np.where(within_rank(topics, self.rank), steps(topics, shown.gain), 0)
        added = spread(topics, gain, shown.scale * topics.ground.total_relevant)
        return Shares.of_results(topics, added, "relevant text gained / all relevant text")
