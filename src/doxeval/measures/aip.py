"""Average interpolated precision, the INEX measure of focused retrieval."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from doxeval.alignment.aligned import Aligned
from doxeval.measures.base import ALPHA, Measure, register
from doxeval.measures.characters import Shown, best_precision

RECALL_POINTS = [Fraction(step, 100) for step in range(101)]


@register
class AverageInterpolatedPrecision(Measure):
    """Mean of ``iP[x]`` over the 101 recall points 0, 0.01, ..., 1.

    Its mean over topics is INEX's MAiP.
    """

    name = "AiP"
    aliases = ("MAiP",)
    user = "Stops at some share of the relevant text, every share from 0 to 1 being equally likely."
    paper = "INEX 2007-10; ESR section 6.2"
    parameters = (ALPHA,)
    cutoff = "optional"
    example = "AiP"

    def score(self, topics: Aligned) -> np.ndarray:
        if self.rank is not None:
            topics = topics.top(self.rank)
        return best_precision(topics, Shown.of(topics, self.given.alpha), RECALL_POINTS).mean(axis=1)
