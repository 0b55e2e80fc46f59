"""Average interpolated precision, the INEX measure of focused retrieval."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import ALPHA, Measure, register
from doxeval.measurement.families.characters import Shown, best_precision, needed_gain
from doxeval.measurement.families.shares import Shares

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
        topics = self._looked_at(topics)
        return best_precision(topics, Shown.of(topics, self.given.alpha), RECALL_POINTS).mean(axis=1)

    def _looked_at(self, topics: Aligned) -> Aligned:
        return topics if self.rank is None else topics.top(self.rank)

    def shares(self, topics: Aligned) -> Shares:
        topics = self._looked_at(topics)
        shown = Shown.of(topics, self.given.alpha)
        best = best_precision(topics, shown, RECALL_POINTS)
        needed = needed_gain(topics, shown, RECALL_POINTS)
        added = np.zeros(len(topics))
        for topic, (first, after) in enumerate(pairwise(topics.topic_offset.tolist())):
            reached_at = first + np.searchsorted(shown.gain[first:after], needed[topic])
            reached = reached_at < after
            np.add.at(added, reached_at[reached], best[topic][reached] / len(RECALL_POINTS))
        meaning = (
            "best precision from here on, at each recall point that this rank is the first to reach, / 101"
        )
        return Shares.of_results(topics, added, meaning)
