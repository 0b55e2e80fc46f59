"""Novelty and discounts on needs."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from doxeval.core.parameters import share
from doxeval.ground.aligned import Aligned
from doxeval.measurement.families import chance, questions
from doxeval.measurement.families.answers import PART, best_gains, discount, gains_of_results
from doxeval.measurement.families.terms import SumOfTerms, Terms


class AlphaNormalisedGain(SumOfTerms):
    """Discounted gain, with needs worth less each time they are met / that of the best list of places.

    A result covers a need if it alone shows `part` of the text of one of its places. Its gain is the sum over
    these needs of (1 - alpha) ^ (results before it that cover the need), divided by log2(1 + rank). The best
    list has the places themselves as results, ranked greedily (the shortest first among equals), up to the
    cut-off in ranks if there is one. A long result that covers several places at once can beat it: the value
    may exceed 1.
    """

    name = "alphanDCG"
    question = questions.NEEDS
    user = "Goes down the list with waning patience, and cares less for a need each time it has been met."
    no_draws = chance.DISCOUNT
    paper = "Clarke et al. 2008, on needs and text"
    parameters = (share("alpha", Fraction(1, 2), "share of a need's worth lost each time it is met"), PART)
    variants = ("alpha=0", "alpha=1", "alpha=0.3,part=0.5")

    @property
    def high(self) -> float:
        return float("inf")

    def _best(self, aligned: Aligned, rank: int | np.ndarray | None) -> np.ndarray:
        """For each result the gain of its topic's best list: at a rank, at one rank each, or at its end."""
        lists, gained = best_gains(aligned.ground, self.given.part, self.given.alpha)
        depth = lists.counts[aligned.topic] if rank is None else np.minimum(lists.counts[aligned.topic], rank)
        return np.where(depth > 0, np.append(gained, 0.0)[lists.first[aligned.topic] + depth - 1], 0.0)

    def terms(self, aligned: Aligned) -> Terms:
        gains = gains_of_results(aligned, self.given.part, self.given.alpha) / discount(aligned.rank)
        meaning = "needs covered, discounted / gain of the best list of places"
        return Terms(aligned, aligned.cumulated(gains), self._best(aligned, self.rank), meaning)

    def at_ranks(self, aligned: Aligned) -> np.ndarray:
        return replace(self.terms(aligned), total=self._best(aligned, aligned.rank)).at_ranks()
