"""Means over the 101 recall points 0, 0.01, ..., 1 of the precision a reader may have at or beyond each."""

from __future__ import annotations

from abc import abstractmethod
from itertools import pairwise
from typing import ClassVar

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.kernels.exposure import best_reaching
from doxeval.measurement.base import Measure, Part
from doxeval.measurement.families.exposed import NEARLY, ExposedMeasure, recall_with_navigation
from doxeval.measurement.families.shares import Shares
from doxeval.reader.exposure.changes import Exposure
from doxeval.reader.exposure.expose import expose

POINTS = 101


class MeanOverRecall(Measure):
    """Mean over the recall points of the largest value at a rank that reaches the point, 0 where none does.

    Recall may fall with the rank; a point once reached stays reached.
    """

    cutoff: ClassVar[Part] = "optional"

    @abstractmethod
    def best(self, topics: Aligned) -> np.ndarray:
        """Per topic and recall point the largest value from where it is reached."""

    @abstractmethod
    def reached(self, topics: Aligned) -> np.ndarray:
        """How many recall points each result reaches."""

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
        for topic, (first, after) in enumerate(pairwise(topics.topic_offset.tolist())):
            gained = so_far[topic][np.maximum.accumulate(reached[first:after])]
            added[first:after] = np.diff(gained, prepend=0.0)
        meaning = "best value from here on, at each recall point that this rank is the first to reach, / 101"
        return Shares(topics, added / POINTS, np.zeros(len(best)), meaning)

    at_ranks = Measure.at_ranks


class AverageOverRecall(MeanOverRecall, ExposedMeasure):
    """Such a mean of what an exposed measure gives at every rank."""

    def recall(self, seen: Exposure) -> np.ndarray:
        """Recall at every rank: SRiR2 unless told otherwise."""
        return recall_with_navigation(seen)

    def looked_at(self, topics: Aligned) -> Aligned:
        """All of the list: exposure is found once for all cut-offs."""
        return topics

    def reached(self, topics: Aligned) -> np.ndarray:
        seen = expose(topics, self.reader(topics.ground))
        reached = np.floor((POINTS - 1) * (self.recall(seen) + NEARLY)).astype(np.int64) + 1
        return np.where(seen.rank <= (self.rank or len(topics)), np.minimum(reached, POINTS), 0)

    def best(self, topics: Aligned) -> np.ndarray:
        values = self.terms(topics).at_ranks()
        return best_reaching(topics.topic_offset, self.reached(topics) - 1, values, POINTS)
