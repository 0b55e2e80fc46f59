"""Agreement within topics: of runs on the same topic with different outcomes, which has the higher value."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from doxeval.comparison.outcomes.cases import Cases
from doxeval.comparison.outcomes.pairs import OutcomePairs
from doxeval.comparison.outcomes.resampled import CELLS_AT_ONCE
from doxeval.comparison.resampling import monte_carlo_p, reaches


def within_topics(cases: Cases, measure: int) -> tuple[int, int, int]:
    """Pairs of runs of one topic with different outcomes: the better one's value is higher, lower, equal."""
    some = cases.where(cases.defined[measure])
    pairs = OutcomePairs(some.values[measure], some.outcome, some.topic)
    return pairs.higher, pairs.lower, pairs.equal


def permutation_p(cases: Cases, draws: int, seed: int) -> list[float | None]:
    """For each measure the two-sided p-value of the hypothesis that outcomes within a topic are exchangeable.

    The statistic is the number of pairs where the better outcome has the higher value minus that where it has
    the lower one. If outcomes are numbers, it is the sum over topics of products of centred ranks, as in
    Spearman's coefficient; of outcomes that are yes or no, both are the same. None if no topic has different
    outcomes.
    """
    found: list[float | None] = [None] * len(cases.measures)
    defined = cases.defined
    for mask in np.unique(defined, axis=0):
        at = np.flatnonzero((defined == mask).all(axis=1))
        some = _with_differences(cases.where(mask))
        if not len(some) or not draws:
            continue
        size = np.bincount(some.topic)[some.topic]
        weight = np.array([signs_within(some.values[one], some.topic) for one in at]) / size
        outcome = signs_within(some.outcome, some.topic)
        seen = np.abs(weight @ outcome)
        hits = np.zeros(len(at), dtype=np.int64)
        for drawn in permuted_within(outcome, some.topic, draws, seed):
            hits += reaches(np.abs(weight @ drawn.T), seen[:, None]).sum(axis=1)
        for one, p in zip(at.tolist(), monte_carlo_p(hits, draws).tolist(), strict=True):
            found[one] = p
    return found


def signs_within(values: np.ndarray, topic: np.ndarray) -> np.ndarray:
    """For each case how many cases of its topic have a lower value, minus how many have a higher one.

    >>> signs_within(np.array([3, 1, 1, 5]), np.array([0, 0, 0, 1])).tolist()
    [2.0, -1.0, -1.0, 0.0]
    """
    order = np.lexsort((values, topic))
    v, t = values[order], topic[order]
    new_topic = np.concatenate([[True], t[1:] != t[:-1]])
    new = new_topic | np.concatenate([[True], v[1:] != v[:-1]])
    start, tie = np.flatnonzero(new), np.cumsum(new) - 1
    end = np.append(start[1:], len(v))
    first = np.flatnonzero(new_topic)
    group = np.cumsum(new_topic) - 1
    last = np.append(first[1:], len(v))
    signs = np.empty(len(values))
    signs[order] = (start[tie] - first[group]) - (last[group] - end[tie])
    return signs


def permuted_within(outcome: np.ndarray, topic: np.ndarray, draws: int, seed: int) -> Iterator[np.ndarray]:
    """Outcomes in random order within each topic, a row per draw; cases are sorted by topic."""
    random = np.random.default_rng([seed, 7])
    first = np.flatnonzero(np.concatenate([[True], topic[1:] != topic[:-1]]))
    size = np.diff(np.append(first, len(topic)))
    alike = [first[size == one][:, None] + np.arange(one) for one in np.unique(size)]
    step = max(1, CELLS_AT_ONCE // max(1, len(topic)))
    for done in range(0, draws, step):
        rows = np.empty((min(step, draws - done), len(topic)))
        for places in alike:
            order = np.argsort(random.random((len(rows), *places.shape)), axis=2)
            rows[:, places] = np.take_along_axis(outcome[places][None], order, axis=2)
        yield rows


def _with_differences(cases: Cases) -> Cases:
    """The cases of topics with different outcomes, which alone matter, sorted by topic."""
    low = np.full(len(cases.topics), np.inf)
    high = np.full(len(cases.topics), -np.inf)
    np.minimum.at(low, cases.topic, cases.outcome)
    np.maximum.at(high, cases.topic, cases.outcome)
    some = cases.where((high > low)[cases.topic])
    return some.where(np.argsort(some.topic, kind="stable"))
