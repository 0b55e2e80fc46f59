"""Means over the 101 recall points 0, 0.01, ..., 1 of the best precision at or beyond each."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import Measure, Presence
from doxeval.measurement.families.terms import Shares

POINT_COUNT = 101


class MeanOverRecall(Measure):
    """Mean over the recall points of the largest value at a rank that reaches the point, 0 if none does.

    Recall may fall with the rank; a point that was reached stays reached.
    """

    cutoff: ClassVar[Presence] = "optional"

    @abstractmethod
    def best(self, aligned: Aligned) -> np.ndarray:
        """For each topic and recall point, the largest value from where it is reached."""

    @abstractmethod
    def reached(self, aligned: Aligned) -> np.ndarray:
        """The number of recall points that each result reaches."""

    def looked_at(self, aligned: Aligned) -> Aligned:
        """The list up to the cut-off."""
        return aligned.top(self.rank)

    def score(self, aligned: Aligned) -> np.ndarray:
        return self.best(self.looked_at(aligned)).mean(axis=1)

    def shares(self, aligned: Aligned) -> Shares:
        aligned = self.looked_at(aligned)
        best, reached = self.best(aligned), self.reached(aligned)
        so_far = np.zeros((len(best), POINT_COUNT + 1))
        np.cumsum(best, axis=1, out=so_far[:, 1:])
        lists = aligned.topic * (POINT_COUNT + 1)
        furthest = np.maximum.accumulate(reached + lists) - lists
        gained = so_far[aligned.topic, furthest]
        added = gained - np.where(aligned.by_topic.place > 0, np.roll(gained, 1), 0.0)
        meaning = "best value from here on, for each recall point first reached at this rank, / 101"
        return Shares(aligned, added / POINT_COUNT, np.zeros(len(best)), meaning)

    at_ranks = Measure.at_ranks
