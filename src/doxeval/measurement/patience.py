"""Readers who tire, on text: rank-biased precision, INST, the U-measure and time-biased gain."""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction
from typing import Any

import numpy as np

from doxeval.core.parameters import FINEST_STEP, Parameter, share
from doxeval.core.ragged import Ragged, quotient
from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import ALPHA
from doxeval.measurement.families import phrases
from doxeval.measurement.families.terms import Terms
from doxeval.measurement.residual import WithResidual, most_worth, unjudged, worth
from doxeval.reader.effort.arrivals import Arrivals, arrivals


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
    from doxeval.core.scipy_here import special

    return np.square(missed) * special.polygamma(1, missed)


LARGEST_EXACT = 10**8
"""The largest L for which the sums of the U-measure are exact integers."""


class UMeasureOfText(WithResidual):
    """Sum over newly read relevant characters of max(0, 1 - x / L) / all relevant characters of the topic.

    x is the number of characters read before on the trail, repeated ones too; relevant text counts when it is
    first read. After L characters nothing counts any more (132,000 as in Sakai and Dou). The largest possible
    value has all missing relevant text right after the list; of the unjudged text as much is relevant, in
    reading order, as raises the mean over all relevant characters.
    """

    name = "tU"
    user = "Reads down the list, and finds what follows worth a little less with every character read."
    no_draws = phrases.DISCOUNT
    paper = "Sakai and Dou 2013, Eq. 1 and 2, on text"
    parameters = (
        Parameter(
            "L",
            "integer",
            132_000,
            "characters after which nothing counts any more",
            low=1,
            high=10**14,
            in_characters=True,
        ),
    )
    grows = True
    variants = ("L=50",)

    def _decayed(self, before: Any, length: Any) -> Any:
        """2L times the sum of max(0, 1 - x / L) over `length` characters after those before: an integer."""
        worth_it = np.clip(self._last - before, 0, length)
        return worth_it * (2 * (self._last - before) - worth_it + 1)

    @property
    def _last(self) -> int | float:
        """L; a floating-point number if sums would not fit into 64 bits, as where a unit has many grains."""
        return int(self.given.L) if self.given.L <= LARGEST_EXACT else float(self.given.L)

    def _gained(self, aligned: Aligned, met: Arrivals) -> np.ndarray:
        gained = np.zeros(len(aligned), dtype=np.result_type(type(self._last)))
        np.add.at(gained, aligned.result[met.span], self._decayed(met.shown, met.length))
        return gained

    def terms(self, aligned: Aligned) -> Terms:
        gained = aligned.cumulated(self._gained(aligned, arrivals(aligned)))
        total = 2 * self._last * aligned.ground.total_relevant[aligned.topic]
        return Terms(aligned, gained, total, "new relevant characters, decayed / all relevant characters")

    def most(self, aligned: Aligned) -> np.ndarray:
        met, total = arrivals(aligned), aligned.ground.total_relevant
        missing = total - np.bincount(met.topic, weights=met.length, minlength=len(total)).astype(np.int64)
        gained = aligned.last(aligned.cumulated(self._gained(aligned, met)))
        gained += self._decayed(aligned.by_topic.sum(aligned.size), missing)
        best = quotient(gained, 2 * self._last * total)
        likely = arrivals(unjudged(aligned))
        by_topic = Ragged.of_rows(likely.topic, len(total))
        for topic in np.flatnonzero((by_topic.counts > 0) & (total > 0)).tolist():
            here = by_topic.slice(topic)
            best[topic] = self._best_mean(
                int(gained[topic]),
                int(total[topic]),
                likely.shown[here].tolist(),
                likely.length[here].tolist(),
            )
        return best

    def _best_mean(self, gained: int, count: int, before: list[int], length: list[int]) -> float:
        """The largest mean of `count` worths that add up to `gained` and any worths of the stretches.

        Worths fall along the trail, so the first ones raise the mean and the others lower it.
        """

        def lowers(place: int) -> bool:
            so_far = gained + int(self._decayed(start, place))
            return int(self._decayed(start + place, 1)) * (count + place) <= so_far

        for start, many in zip(before, length, strict=True):
            taken = bisect_left(range(many), True, key=lowers)
            gained, count = gained + int(self._decayed(start, taken)), count + taken
            if taken < many:
                break
        return gained / (2 * self.given.L * count)


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
