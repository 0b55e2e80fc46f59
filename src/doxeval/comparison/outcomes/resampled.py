"""Resampled topics: intervals of concordances, and of their differences, from the same draws for all measures.

A topic is drawn with all its runs. Draws in which all outcomes are the same are drawn again, and counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from doxeval.comparison.outcomes.cases import Cases, one_outcome, too_few
from doxeval.comparison.outcomes.pairs import OutcomePairs, pairs_apart
from doxeval.comparison.resampling import ROUNDING, count_blocks
from doxeval.core.errors import UsageError

CELLS_AT_ONCE = 1 << 16
"""Numbers of cases by draws that fit the processor's cache."""
FEWEST_DRAWS_AT_ONCE = 8
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

    Outcomes must differ in every draw among the cases that each measure, and each pair of measures, has; those
    with too few cases are not drawn for.
    """

    def __init__(self, cases: Cases, draws: int, seed: int) -> None:
        self.cases, self.draws, self.redrawn = cases, draws, 0
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

    def blocks(self, cases: int) -> Iterator[tuple[slice, np.ndarray]]:
        """Draws in blocks for a number of cases: which, and their counts."""
        step = max(FEWEST_DRAWS_AT_ONCE, CELLS_AT_ONCE // max(1, cases))
        for first in range(0, self._counts.shape[1], step):
            draws = slice(first, first + step)
            yield draws, self._counts[:, draws].astype(np.float64)

    def sample(self, measure: int, kept: np.ndarray, drawn: bool = True) -> Sample:
        """A measure on some cases; draws in which their outcomes do not differ have no value there."""
        some, numbers = self.cases.where(kept), not self.cases.yes_no
        pairs = OutcomePairs(some.values[measure], some.outcome)
        value, tau = (one[0] for one in _coefficients(pairs, some, measure, np.ones((len(some.topics), 1))))
        draws = self.draws if drawn else 0
        found, taus = np.full(draws, np.nan), np.full(draws, np.nan)
        for block, counts in self.blocks(len(some)) if drawn else ():
            found[block], taus[block] = _coefficients(pairs, some, measure, counts, numbers)
        return Sample(measure, kept, float(value), found, *((float(tau), taus) if numbers else ()))


def _coefficients(
    pairs: OutcomePairs, cases: Cases, measure: int, counts: np.ndarray, with_tau: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """Concordance and Kendall's tau-b for each draw of topics; NaN where all outcomes, or values, are equal.

    tau-b is (concordant - discordant pairs) / root of (pairs not tied in value x pairs not tied in outcome).
    """
    apart = pairs_apart(cases.outcome, cases.topic, counts)
    higher = pairs.weighted(cases.topic, counts)
    nothing = np.full(len(apart), np.nan)
    concordance = np.divide(higher, apart, out=nothing.copy(), where=apart > 0)
    if not with_tau:
        return concordance, nothing
    root = np.sqrt(apart * pairs_apart(cases.values[measure], cases.topic, counts))
    return concordance, np.divide(2 * higher - apart, root, out=nothing, where=root > 0)


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
class Difference:
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


def differences(sampler: Sampler, samples: Sequence[Sample], confidence: float) -> list[Difference]:
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
        part if np.array_equal(part.kept, kept) else sampler.sample(part.measure, kept) for part in (one, other)
    )
    return left, right


def _banded(cases: Cases, pair: tuple[int, int, int, float, float], q: float) -> Difference:
    one, other, number, difference, error = pair
    width = q * error if error > ROUNDING else None
    known = difference == difference
    return Difference(
        cases.measures[one],
        cases.measures[other],
        number,
        difference if known else None,
        difference - width if width is not None and known else None,
        difference + width if width is not None and known else None,
        width,
    )
