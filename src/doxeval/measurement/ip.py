"""Precision of the text shown: at a rank, within a budget, or interpolated at a recall point."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import ALPHA, Measure, register
from doxeval.measurement.families.characters import Shown, best_precision, needed_gain, precision
from doxeval.measurement.families.shares import Shares, spread, steps, within_rank


@register
class CharacterPrecision(Measure):
    """Share of the text shown that is relevant.

    ``iP@r`` = (sum of rsize over the first r results) / (sum of their sizes), with rsize = rel - (1 - alpha)
    times the relevant text that was shown before (ESR Eqs. 15, 16). ``iP[x]`` is the largest such precision
    at a rank where recall is at least x, 0 where x is never reached; recall is compared in integers.

    What chunk evaluation calls *precision* is ``iP@k``.

    References: Kamps et al., INEX 2007 evaluation measures; ESR section 6.2.
    """

    name = "iP"
    user = "Reads the results in order, each to its end, and asks how much of the reading was worth it."
    paper = "ESR Eqs. 15, 16 (HiXEval); INEX 2007-10 for iP[x]"
    parameters = (ALPHA,)
    cutoff = "optional"
    point = "optional"
    example = "iP@10"

    def score(self, topics: Aligned) -> np.ndarray:
        shown = Shown.of(topics, self.given.alpha)
        if self.expression.point is not None:
            return best_precision(topics, shown, [self.expression.point])[:, 0]
        return topics.last(precision(shown), self.rank)

    def shares(self, topics: Aligned) -> Shares:
        shown = Shown.of(topics, self.given.alpha)
        read = self._read_for_point(topics, shown) if self.expression.point is not None else None
        within = within_rank(topics, self.rank) if read is None else read
        size = np.bincount(topics.topic, weights=np.where(within, steps(topics, shown.size), 0),
                           minlength=len(topics.count))  # fmt: skip
        gain = np.where(within, steps(topics, shown.gain), 0)
        return Shares.of_results(
            topics, spread(topics, gain, shown.scale * size), "relevant text gained / all text shown"
        )

    def _read_for_point(self, topics: Aligned, shown: Shown) -> np.ndarray:
        """The results up to the rank whose precision is the value of iP[x]; none where x is never reached."""
        assert self.expression.point is not None
        needed = needed_gain(topics, shown, [self.expression.point])[:, 0]
        value = precision(shown)
        read = np.zeros(len(topics), dtype=bool)
        for topic, (first, after) in enumerate(pairwise(topics.topic_offset.tolist())):
            reached = np.flatnonzero(shown.gain[first:after] >= needed[topic]) + first
            if len(reached):
                read[first : reached[np.argmax(value[reached])] + 1] = True
        return read
