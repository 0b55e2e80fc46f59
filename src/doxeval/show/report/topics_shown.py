"""The topics that a report shows one by one, chosen before anything is built for them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MOST_ANSWERS = 20_000
"""The most answers of a run to a topic that a report shows one by one; each takes kilobytes to build."""


@dataclass(frozen=True, eq=False)
class Chosen:
    """The topics shown, as `rows` of all of them."""

    rows: np.ndarray
    topics: int

    @property
    def place(self) -> np.ndarray:
        """The place of each topic among those shown, -1 if it is not."""
        place = np.full(self.topics, -1, dtype=np.int64)
        place[self.rows] = np.arange(len(self.rows))
        return place

    def among(self, topics: np.ndarray) -> np.ndarray:
        """The places of these topics among those shown, in their order, without those that are not."""
        place = self.place[topics]
        return place[place >= 0]

    def told(self) -> list[str]:
        """A sentence on the topics that are not shown, if there are any."""
        if len(self.rows) == self.topics:
            return []
        return [
            f"{len(self.rows):,} of {self.topics:,} topics, evenly chosen, are shown one by one: a report "
            f"has room for {MOST_ANSWERS:,} answers of runs to topics; means, intervals, comparisons and "
            "curves are of all topics (doxeval eval --per-topic prints every value, doxeval explain shows "
            "any topic)"
        ]


def chosen(topics: int, runs: int) -> Chosen:
    """All topics or, of more than there is room for, some at even distances.

    >>> chosen(4, 2).rows.tolist(), chosen(9, 5_000).rows.tolist()
    ([0, 1, 2, 3], [0, 3, 5, 8])
    """
    most = min(topics, max(1, MOST_ANSWERS // max(1, runs)))
    return Chosen(np.linspace(0, topics - 1, most).round().astype(np.int64), topics)
