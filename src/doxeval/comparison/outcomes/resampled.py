"""Resampled topics: intervals of concordances and of their differences, from the same draws for all.

A topic is drawn with all its runs. Draws in which all outcomes are the same are drawn again, and counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from doxeval.comparison.outcomes.cases import Cases, one_outcome, too_few
from doxeval.comparison.outcomes.pairs import OutcomePairs, pairs_apart
from doxeval.comparison.resampling import ROUNDING, count_blocks
from doxeval.core.errors import UsageError

CELLS_AT_ONCE = 1 << 16
"""Numbers of cases by draws that fit the processor's cache."""
FEWEST_DRAWS_AT_ONCE = 8
MOST_PAIRS_OF_TOPICS = 32
"""Pairs of topics for each case up to which counting pairs of cases by topics is the faster way."""
MOST_REDRAWN = 50
"""Draws with one outcome, for each draw that is wanted, after which there are too few topics."""


@dataclass
class Sample:
    """One measure on the cases `kept`: its concordance, and that in all draws.

    `tau` is Kendall's tau-b with its draws, for outcomes that are numbers.
    """

    measure: int
    kept: np.ndarray
    value: float
    drawn: np.ndarray
    tau: float | None = None
    tau_drawn: np.ndarray | None = None

    def interval(self, confidence: float) -> tuple[float | None, float | None]:
        """Percentiles of the draws; None where nothing was drawn."""
        return percentiles(self.drawn, confidence)


def percentiles(drawn: np.ndarray | None, confidence: float) -> tuple[float | None, float | None]:
    """The interval between percentiles of the draws that have a value; None if there are none."""
    known = np.zeros(0) if drawn is None else drawn[~np.isnan(drawn)]
    if not len(known):
        return None, None
    low, high = np.quantile(known, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


class Sampler:
    """Draws topics once for all that is looked at; `redrawn` counts draws in which outcomes did not differ.

    Outcomes must differ in every draw among the cases that each measure, and each pair of measures, has; not
    among those that are too few.
    """

    def __init__(self, cases: Cases, draws: int, seed: int) -> None:
        self.cases, self.draws, self.redrawn = cases, draws, 0
        self._pairs: dict[bytes, np.ndarray] = {}
        masks = {mask.tobytes(): mask for mask in masks_of(cases)}
        self._counts = self._drawn([mask for mask in masks.values() if not too_few(cases.where(mask))], seed)

    def _drawn(self, masks: Sequence[np.ndarray], seed: int) -> np.ndarray:
        """`counts[topic, draw]`, as small integers."""
        topics = len(self.cases.topics)
        if not self.draws:
            return np.zeros((topics, 0), dtype=np.uint8)
        parts, wanted = [], self.draws
        for block in count_blocks(self.draws * MOST_REDRAWN, topics, seed):
            counts = block.T
            good = np.ones(counts.shape[1], dtype=bool)
            for mask in masks:
                some = self.cases.where(mask)
                good &= pairs_differ(some, counts)
            taken = np.flatnonzero(good)[:wanted]
            seen = counts.shape[1] if len(taken) < wanted else int(taken[-1]) + 1
            self.redrawn += seen - len(taken)
            parts.append(counts[:, taken].astype(np.uint8))
            wanted -= len(taken)
            if not wanted:
                return np.concatenate(parts, axis=1)
        raise UsageError("too few topics: in nearly all resamples of them, all outcomes are the same")

    def sample(self, measure: int, kept: np.ndarray, draws: int | None = None) -> Sample:
        """A measure on some cases; draws in which their outcomes do not differ have no value there.

        All draws are used, or the first ones.
        """
        some, numbers = self.cases.where(kept), not self.cases.yes_no
        pairs = OutcomePairs(some.values[measure], some.outcome)
        once = np.ones((len(some.topics), 1))
        apart = pairs_apart(some.outcome, some.topic, once)
        value = _share(pairs.weighted(some.topic, once), apart)
        counts = self._counts[:, :draws]
        higher = _drawn_pairs(pairs, some, counts)
        drawn_apart = self._apart(some, kept)[:draws]
        drawn = _share(higher, drawn_apart)
        if not numbers:
            return Sample(measure, kept, float(value[0]), drawn)
        roots = [
            np.sqrt(number * _in_blocks(some, part, partial(pairs_apart, some.values[measure], some.topic)))
            for number, part in ((apart, once), (drawn_apart, counts))
        ]
        tau = _share(2 * pairs.weighted(some.topic, once) - apart, roots[0])
        return Sample(
            measure, kept, float(value[0]), drawn, float(tau[0]), _share(2 * higher - drawn_apart, roots[1])
        )

    def _apart(self, some: Cases, kept: np.ndarray) -> np.ndarray:
        """How many pairs have different outcomes in each draw; computed once for the same cases."""
        key = kept.tobytes()
        if key not in self._pairs:
            self._pairs[key] = _in_blocks(some, self._counts, partial(pairs_apart, some.outcome, some.topic))
        return self._pairs[key]


def _drawn_pairs(pairs: OutcomePairs, cases: Cases, counts: np.ndarray) -> np.ndarray:
    """Pairs with the higher value in each draw, by topics where these are few for the number of cases."""
    topics = len(cases.topics)
    if topics**2 > MOST_PAIRS_OF_TOPICS * len(cases):
        return _in_blocks(cases, counts, partial(pairs.weighted, cases.topic))
    between = pairs.between(cases.topic, topics)
    return _in_blocks(cases, counts, lambda block: np.einsum("ij,ij->j", between @ block, block))


def _in_blocks(cases: Cases, counts: np.ndarray, work: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """The results of `work` for each draw, for as many draws at once as fit the processor's cache."""
    step = max(FEWEST_DRAWS_AT_ONCE, CELLS_AT_ONCE // max(1, len(cases)))
    found = np.empty(counts.shape[1])
    for first in range(0, counts.shape[1], step):
        draws = slice(first, first + step)
        found[draws] = work(counts[:, draws].astype(np.float64))
    return found


def _share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """The quotient; NaN where there is nothing to divide by."""
    return np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0)


def masks_of(cases: Cases) -> Iterator[np.ndarray]:
    """The cases on which measures, and pairs of measures, are looked at."""
    distinct = np.unique(cases.defined, axis=0)
    for first, mask in enumerate(distinct):
        yield mask
        for other in distinct[first + 1 :]:
            yield mask & other


def pairs_differ(cases: Cases, counts: np.ndarray) -> np.ndarray:
    """Whether outcomes differ among the cases of each draw of topics."""
    seen = (counts > 0).astype(np.float64)
    lowest = np.full(len(cases.topics), np.inf)
    highest = np.full(len(cases.topics), -np.inf)
    np.minimum.at(lowest, cases.topic, cases.outcome)
    np.maximum.at(highest, cases.topic, cases.outcome)
    if cases.yes_no:
        return ((highest == 1) @ seen > 0) & ((lowest == 0) @ seen > 0)
    there = seen > 0
    least = np.where(there, lowest[:, None], np.inf).min(axis=0)
    return np.asarray(np.where(there, highest[:, None], -np.inf).max(axis=0) > least)


@dataclass(frozen=True)
class MeasureDifference:
    """The first measure's concordance minus the second's, where both are defined, with its simultaneous band.

    `least` is the smallest difference that the band could have told from 0.
    """

    measure: str
    other: str
    cases: int
    difference: float | None
    low: float | None
    high: float | None
    least: float | None

    @property
    def told_apart(self) -> bool:
        """Whether 0 is outside the band."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


def differences(sampler: Sampler, samples: Sequence[Sample], confidence: float) -> list[MeasureDifference]:
    """The differences between all pairs of measures, with a band that holds for all of them at once.

    The band is difference +- q se, where q is the quantile of the largest |d* - d| / se over pairs, d* being
    the differences in the draws and se their standard deviation; pairs with se 0 are left out.
    """
    cases, found = sampler.cases, []
    largest = np.zeros(sampler.draws)
    for first, one in enumerate(samples):
        for other in samples[first + 1 :]:
            shared = cases.where(one.kept & other.kept)
            if one_outcome(shared) or (sampler.draws and too_few(shared)):
                found.append((one.measure, other.measure, len(shared), float("nan"), float("nan")))
                continue
            left, right = _on_the_same(sampler, one, other)
            error, difference = float("nan"), left.value - right.value
            if sampler.draws > 1:
                drawn = left.drawn - right.drawn
                error = float(np.std(drawn, ddof=1))
                if error > ROUNDING:
                    np.maximum(largest, np.abs(drawn - difference) / error, out=largest)
            found.append((one.measure, other.measure, int(left.kept.sum()), difference, error))
    q = float(np.quantile(largest, confidence)) if sampler.draws > 1 else float("nan")
    return [_banded(cases, pair, q) for pair in found]


def _on_the_same(sampler: Sampler, one: Sample, other: Sample) -> tuple[Sample, Sample]:
    """Two measures on the cases where both are defined."""
    kept = one.kept & other.kept
    left, right = (
        part if np.array_equal(part.kept, kept) else sampler.sample(part.measure, kept)
        for part in (one, other)
    )
    return left, right


def _banded(cases: Cases, pair: tuple[int, int, int, float, float], q: float) -> MeasureDifference:
    one, other, number, difference, error = pair
    width = q * error if error > ROUNDING else None
    known = difference == difference
    return MeasureDifference(
        cases.measures[one],
        cases.measures[other],
        number,
        difference if known else None,
        difference - width if width is not None and known else None,
        difference + width if width is not None and known else None,
        width,
    )
