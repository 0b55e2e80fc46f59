"""Pairs of cases with different outcomes: in how many the better outcome has the higher value.

The share of such pairs, with ties of values at one half, is the area under the ROC curve if outcomes are yes
or no (Mann and Whitney, 1947), and the index of concordance if they are numbers (Harrell et al., 1982).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Level:
    """The pairs whose outcomes differ first in one bit of their ranks: each of `high` with a part of `low`.

    `low` is in order of the values. Of it, those from `first` to before `below` have a lower value than the
    case in `high`, those up to before `upto` the same one, and those up to before `last` a higher one.
    """

    low: np.ndarray
    high: np.ndarray
    first: np.ndarray
    below: np.ndarray
    upto: np.ndarray
    last: np.ndarray


class OutcomePairs:
    """All pairs of cases with different outcomes, within strata if there are any, in order of the values.

    Outcomes are compared by the bits of their ranks, so that a number of cases takes that number of steps, or
    for outcomes that are numbers that many times the logarithm of how many there are.

    >>> pairs = OutcomePairs(np.array([0.1, 0.4, 0.4, 0.9]), np.array([0, 0, 1, 1]))
    >>> pairs.higher, pairs.equal, pairs.lower
    (3, 1, 0)
    """

    def __init__(self, values: np.ndarray, outcomes: np.ndarray, stratum: np.ndarray | None = None) -> None:
        rank = np.unique(values, return_inverse=True)[1]
        outcome = np.unique(outcomes, return_inverse=True)[1]
        within = np.zeros(len(rank), dtype=np.int64) if stratum is None else stratum.astype(np.int64)
        bits = int(outcome.max(initial=0)).bit_length()
        self.levels = [_level(rank, outcome, within, bit) for bit in range(bits)]

    @property
    def higher(self) -> int:
        """The number of pairs in which the better outcome has the higher value."""
        return sum(int((level.below - level.first).sum()) for level in self.levels)

    @property
    def equal(self) -> int:
        """The number of pairs of equal values."""
        return sum(int((level.upto - level.below).sum()) for level in self.levels)

    @property
    def lower(self) -> int:
        """The number of pairs in which the better outcome has the lower value."""
        return sum(int((level.last - level.upto).sum()) for level in self.levels)

    def weighted(self, topic: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """Pairs with the higher value, and half of those with equal values, for each draw of topics.

        `topic` is the topic of each case, `counts[topic, draw]` how often it was drawn; a pair counts as
        often as its cases can be combined.
        """
        total = np.zeros(counts.shape[1])
        for level in self.levels:
            halves = _halves(level, topic, counts)
            total += np.einsum("ij,ij->j", halves, counts[topic[level.high]]) / 2
        return total

    def between(self, topic: np.ndarray, topics: int) -> np.ndarray:
        """The same pairs by the topics of their better and their worse case.

        For draws `counts` their number is then the sum of ``counts * (between @ counts)`` over topics.
        """
        total = np.zeros((topics, topics))
        for level in self.levels:
            np.add.at(total, topic[level.high], _halves(level, topic, np.eye(topics)) / 2)
        return total


def _halves(level: Level, topic: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """For each case in `high` twice the number of those with a lower value, and once that of equal ones."""
    below = np.zeros((len(level.low) + 1, counts.shape[1]))
    np.cumsum(counts[topic[level.low]], axis=0, out=below[1:])
    halves = below[level.below]
    halves += below[level.upto]
    if level.first.any():
        halves -= 2 * below[level.first]
    return halves


def _level(rank: np.ndarray, outcome: np.ndarray, stratum: np.ndarray, bit: int) -> Level:
    """The pairs of one bit: outcomes of a stratum that agree in all bits above it and differ in this one."""
    above = outcome >> (bit + 1)
    group = np.unique(stratum * (int(above.max(initial=0)) + 1) + above, return_inverse=True)[1]
    width = int(rank.max(initial=0)) + 1
    key = group * width + rank
    upper = (outcome >> bit & 1).astype(bool)
    low, high = (part[np.argsort(key[part], kind="stable")] for part in map(np.flatnonzero, (~upper, upper)))
    keys, start = key[low], group[high] * width
    return Level(
        low,
        high,
        np.searchsorted(keys, start, "left"),
        np.searchsorted(keys, key[high], "left"),
        np.searchsorted(keys, key[high], "right"),
        np.searchsorted(keys, start + width, "left"),
    )


def pairs_apart(codes: np.ndarray, topic: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """How many pairs of cases have different values, for each draw of topics; see :class:`OutcomePairs`.

    >>> pairs_apart(np.array([5.0, 5.0, 7.0]), np.array([0, 1, 2]), np.array([[1, 0], [1, 2], [1, 1]]))
    array([2., 2.])
    """
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    sizes = np.add.reduceat(counts[topic[order]].astype(np.float64), starts, axis=0)
    return (sizes.sum(axis=0) ** 2 - (sizes**2).sum(axis=0)) / 2
