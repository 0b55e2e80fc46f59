"""INST on text."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from doxeval.core.parameters import Parameter
from doxeval.core.ragged import Ragged
from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import ALPHA
from doxeval.measurement.families import phrases
from doxeval.measurement.families.terms import Terms
from doxeval.measurement.residual import WithResidual, most_worth, worth


class InstOfText(WithResidual):
    """Sum over ranks of W(i) * g_i, g_i = the share of result i that is new relevant text.

    The reader goes on from rank i with the chance C(i) = ((i + T + T_i - 1) / (i + T + T_i))^2, where T_i is
    T less the gain up to i; W(i) is the chance to read result i, as a share of all results read. Past the end
    of the list nothing is gained, and the chances to go on there are summed to infinity: with A = 2T + the
    gains missed so far, the sum of (A / (A + j))^2 over j = 0, 1, ... is A^2 times the trigamma function.
    """

    name = "tINST"
    user = "Wants T results' worth of relevant text, and is more patient the more of it is still missing."
    no_draws = phrases.EVERY_STOP
    paper = "Bailey, Moffat, Scholer and Thomas 2015 (INST), on text"
    parameters = (
        Parameter("T", "number", 1, "the relevant text wanted, in results' worth", low=Fraction(1, 2)),
        ALPHA,
    )
    variants = ("T=3", "T=0.5,alpha=0.5")

    def terms(self, aligned: Aligned) -> Terms:
        gain = worth(aligned, self.given.alpha)
        read, next_read, missed = self._reading(aligned.by_topic, gain)
        total = aligned.cumulated(read) + next_read * _tail_of_nothing(missed)
        return Terms(aligned, aligned.cumulated(read * gain), total, "chance to be read * relevant share")

    def _reading(self, lists: Ragged, gain: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """For each result the chance that it is read, that its successor is, and A = 2T + gains missed."""
        missed = 2 * float(self.given.T) + lists.cumulate(1.0 - gain)
        on = np.square(1.0 - 1.0 / missed)
        after = lists.cumulate(on, np.multiply)
        return lists.previous(after, 1.0), after, missed

    def most(self, aligned: Aligned) -> np.ndarray:
        """The value if everything unjudged and everything that follows is relevant, with the same reading."""
        lists, gain = aligned.by_topic, most_worth(aligned, self.given.alpha)
        read, next_read, missed = self._reading(lists, gain)
        last = np.where(lists.counts > 0, lists.last(missed), 2 * float(self.given.T))
        tail = np.where(lists.counts > 0, lists.last(next_read), 1.0) / (1.0 - np.square(1.0 - 1.0 / last))
        return (lists.add(read * gain) + tail) / (lists.add(read) + tail)


def _tail_of_nothing(missed: np.ndarray) -> np.ndarray:
    """The mean number of further results read if none of them is worth anything."""
    from scipy.special import polygamma

    return np.square(missed) * polygamma(1, missed)
