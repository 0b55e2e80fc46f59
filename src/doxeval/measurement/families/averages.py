"""Means over the 101 recall points 0, 0.01, ..., 1 of the best precision at or beyond each."""

from __future__ import annotations

from abc import abstractmethod
from itertools import pairwise
from typing import ClassVar

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import Measure, Part
from doxeval.measurement.families.shares import Shares

POINTS = 101


class MeanOverRecall(Measure):
    """Mean over the recall points of the largest value at a rank that reaches the point, 0 if none does.

    Recall may fall with the rank; a point that was reached stays reached.
    """

    cutoff: ClassVar[Part] = "optional"

    @abstractmethod
    def best(self, topics: Aligned) -> np.ndarray:
        """For each topic and recall point, the largest value from where it is reached."""

    @abstractmethod
    def reached(self, topics: Aligned) -> np.ndarray:
        """The number of recall points that each result reaches."""

    def looked_at(self, topics: Aligned) -> Aligned:
        """The list up to the cut-off."""
        return topics if self.rank is None else topics.top(self.rank)

    def score(self, topics: Aligned) -> np.ndarray:
        return self.best(self.looked_at(topics)).mean(axis=1)

    def shares(self, topics: Aligned) -> Shares:
        topics = self.looked_at(topics)
        best, reached = self.best(topics), self.reached(topics)
        so_far = np.zeros((len(best), POINTS + 1))
        np.cumsum(best, axis=1, out=so_far[:, 1:])
        added = np.zeros(len(topics))
        for topic, (first, after) in enumerate(pairwise(topics.by_topic.offset.tolist())):
            gained = so_far[topic][np.maximum.accumulate(reached[first:after])]
            added[first:after] = np.diff(gained, prepend=0.0)
        meaning = "best value from here on, for each recall point first reached at this rank, / 101"
        return Shares(topics, added / POINTS, np.zeros(len(best)), meaning)

    at_ranks = Measure.at_ranks
