"""Gain-recall: the share of all there is to gain."""

from __future__ import annotations

import math

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import register
from doxeval.measurement.families.characters import ratio
from doxeval.measurement.families.cumulated_gain import GainMeasure, gained_at


@register
class GainRecall(GainMeasure):
    """xCG at k / what the whole best list gains."""

    name = "gr"
    user = "Reads k results and asks which share of all there is to gain they brought."
    paper = "Kazai, Lalmas 2005; ESR section 6"
    cutoff = "required"
    grows = True
    example = "gr@10"

    @property
    def high(self) -> float:
        """Results that are not in the best list may gain more than it holds."""
        return math.inf

    def score(self, topics: Aligned) -> np.ndarray:
        best = gained_at(self.gain.of_best_list(topics.ground), None)
        return np.where(best > 0, ratio(topics.last(self.gain.of_results(topics), self.rank), best), np.nan)
