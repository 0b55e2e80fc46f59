"""Time-biased gain on text."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from doxeval.core.parameters import FINEST_STEP, Parameter
from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import ALPHA
from doxeval.measurement.families import phrases
from doxeval.measurement.families.terms import Terms
from doxeval.measurement.residual import WithResidual, most_worth, worth


class TimeBiasedGainOfText(WithResidual):
    """Sum over results of g_i * 2^(-t_i / h), g_i = the share of result i that is new relevant text.

    t_i is the time when result i is begun: the characters shown before it, repeated ones too, / `speed`. `h`
    is the time in seconds after which half of the readers have left (224 as calibrated by Smucker and
    Clarke). The speed of 24 characters a second is that of silent reading, 238 words a minute (Brysbaert
    2019) of six letters with the blank. A result takes only the time to read it, so beyond the list there may
    be any number of results of one relevant character: the residual is a bound that long results never reach.
    """

    name = "tTBG"
    user = "Reads at a steady speed, may leave at any moment, and prefers results that are all relevant."
    no_draws = phrases.EVERY_STOP
    paper = "Smucker and Clarke 2012, Eq. 1 and 8, on text"
    parameters = (
        Parameter("h", "number", 224, "seconds after which half of the readers have left",
                  low=Fraction(1, FINEST_STEP)),
        Parameter("speed", "number", 24, "characters read per second", low=Fraction(1, FINEST_STEP),
                  in_characters=True),
        ALPHA,
    )  # fmt: skip
    unit = "results"
    grows = True
    variants = ("h=10,speed=1,alpha=0.5",)

    @property
    def high(self) -> float:
        return float(1 / -np.expm1(-np.log(2) / self._half))

    @property
    def _half(self) -> float:
        """Characters after which half of the readers have left."""
        return float(self.given.h * self.given.speed)

    def _weights(self, aligned: Aligned) -> np.ndarray:
        return np.exp2(-aligned.by_topic.before(aligned.size) / self._half)

    def terms(self, aligned: Aligned) -> Terms:
        gains = self._weights(aligned) * worth(aligned, self.given.alpha)
        return Terms(aligned, aligned.cumulated(gains), 1.0, "2^(-time / h) * relevant share")

    def most(self, aligned: Aligned) -> np.ndarray:
        read = aligned.by_topic.add(self._weights(aligned) * most_worth(aligned, self.given.alpha))
        return read + np.exp2(-aligned.by_topic.sum(aligned.size) / self._half) * self.high
