"""Values taken apart: what each result adds to the score of its topic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from doxeval.ground.aligned import Aligned


@dataclass(eq=False)
class Shares:
    """What each result of `topics` has `added` to its topic's value, and per topic the `rest`.

    Added up they are the value of the measure (to 1e-12, tested for every measure that has shares). The rest
    is what no result stands for, such as the effort of ranks past the end of a list. `meaning` says in one
    line what is added.
    """

    topics: Aligned
    added: np.ndarray
    rest: np.ndarray
    meaning: str

    @classmethod
    def of_results(cls, topics: Aligned, added: np.ndarray, meaning: str) -> Shares:
        """Shares of results that make up the whole value."""
        return cls(topics, np.asarray(added, dtype=np.float64), np.zeros(len(topics.count)), meaning)

    def totals(self) -> np.ndarray:
        """The value of each topic."""
        return np.bincount(self.topics.topic, weights=self.added, minlength=len(self.rest)) + self.rest


def within_rank(topics: Aligned, rank: int | None) -> np.ndarray:
    """Which results stand within a cut-off in ranks."""
    place = np.arange(len(topics)) - np.repeat(topics.topic_offset[:-1], topics.count)
    return np.ones(len(topics), dtype=bool) if rank is None else place < rank


def spread(topics: Aligned, amount: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Amounts of results divided by a number of their topic, with 0/0 = 0."""
    divisor = np.asarray(below, dtype=np.float64)[topics.topic]
    return np.divide(amount, divisor, out=np.zeros(len(topics)), where=divisor != 0)


def steps(topics: Aligned, cumulated: np.ndarray) -> np.ndarray:
    """What each result adds to a column that was cumulated over the ranks of its topic."""
    opens = np.diff(topics.topic, prepend=-1) != 0
    return np.where(opens, cumulated, np.diff(cumulated, prepend=0))
