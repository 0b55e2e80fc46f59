"""Rank-biased precision on text."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from doxeval.core.parameters import share
from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import ALPHA
from doxeval.measurement.families import phrases
from doxeval.measurement.families.terms import Terms
from doxeval.measurement.residual import WithResidual, most_worth, worth


class RankBiasedPrecisionOfText(WithResidual):
    """(1 - p) * sum over ranks of p^(i - 1) * g_i, g_i = the share of result i that is new relevant text.

    Repeated relevant text is worth `alpha` of new text. Results beyond the list could add p^n.
    """

    name = "tRBP"
    user = "Goes from each result to the next with probability p, and prefers results that are all relevant."
    no_draws = phrases.EVERY_STOP
    paper = "Moffat and Zobel 2008, Eq. 4, on text"
    parameters = (share("p", Fraction(4, 5), "the chance to read the next result too"), ALPHA)
    grows = True
    variants = ("p=0.5,alpha=0.3", "p=1", "p=0")

    def _weights(self, aligned: Aligned) -> np.ndarray:
        return float(1 - self.given.p) * np.power(float(self.given.p), aligned.by_topic.place)

    def terms(self, aligned: Aligned) -> Terms:
        gains = self._weights(aligned) * worth(aligned, self.given.alpha)
        return Terms(aligned, aligned.cumulated(gains), 1.0, "(1 - p) p^(rank - 1) * relevant share")

    def most(self, aligned: Aligned) -> np.ndarray:
        read = aligned.by_topic.add(self._weights(aligned) * most_worth(aligned, self.given.alpha))
        return read + np.power(float(self.given.p), aligned.count)
