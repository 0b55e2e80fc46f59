"""U-measure on text."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

import numpy as np

from doxeval.core.parameters import Parameter
from doxeval.core.ragged import Ragged, quotient
from doxeval.ground.aligned import Aligned
from doxeval.measurement.families import phrases
from doxeval.measurement.families.terms import Terms
from doxeval.measurement.residual import WithResidual, unjudged
from doxeval.reader.effort.arrivals import Arrivals, arrivals

LARGEST = 10**8
"""The largest L for which sums are exact integers."""


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
        last = self.given.L if self._is_exact else float(self.given.L)
        worth_it = np.clip(last - before, 0, length)
        return worth_it * (2 * (last - before) - worth_it + 1)

    @property
    def _is_exact(self) -> bool:
        """Whether sums fit into 64 bits: not where a unit of text has a million grains."""
        return bool(self.given.L <= LARGEST)

    def _gained(self, aligned: Aligned, met: Arrivals) -> np.ndarray:
        gained = np.zeros(len(aligned), dtype=np.int64 if self._is_exact else np.float64)
        np.add.at(gained, aligned.result[met.span], self._decayed(met.shown, met.length))
        return gained

    def terms(self, aligned: Aligned) -> Terms:
        gained = aligned.cumulated(self._gained(aligned, arrivals(aligned)))
        total = 2 * self.given.L * aligned.ground.total_relevant[aligned.topic]
        return Terms(aligned, gained, total, "new relevant characters, decayed / all relevant characters")

    def most(self, aligned: Aligned) -> np.ndarray:
        met, total = arrivals(aligned), aligned.ground.total_relevant
        missing = total - np.bincount(met.topic, weights=met.length, minlength=len(total)).astype(np.int64)
        gained = aligned.last(aligned.cumulated(self._gained(aligned, met)))
        gained += self._decayed(aligned.by_topic.sum(aligned.size), missing)
        best = quotient(gained, 2 * self.given.L * total)
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
