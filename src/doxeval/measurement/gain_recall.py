"""Gain-recall: the share of all there is to gain."""

from __future__ import annotations

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.measurement.families.cumulated_gain import GainMeasure, gained_by_best_list, gained_by_results
from doxeval.measurement.families.terms import SumOfTerms, Terms


class GainRecall(GainMeasure, SumOfTerms):
    """xCG at k / gain of the whole best list."""

    name = "gr"
    user = "Reads k results and asks what share of all there is to gain they brought."
    paper = "Kazai, Lalmas 2005; ESR section 6"
    cutoff = "required"
    grows = True

    def defined(self, aligned: Aligned) -> np.ndarray:
        return super().defined(aligned) & (self._best(aligned) > 0)

    def terms(self, aligned: Aligned) -> Terms:
        gained, total = gained_by_results(aligned, self.gain), self._best(aligned)[aligned.topic]
        return Terms(aligned, gained, total, "worth of the result / gain of the whole best list")

    def _best(self, aligned: Aligned) -> np.ndarray:
        best, gained = gained_by_best_list(aligned.ground, self.gain)
        return best.last(gained)
