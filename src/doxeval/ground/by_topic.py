"""Rows listed topic by topic."""

from __future__ import annotations

import numpy as np

from doxeval.core.ragged import Ragged


class ByTopic:
    """Rows grouped `by_topic`, with the topic and the rank of each."""

    by_topic: Ragged

    @property
    def count(self) -> np.ndarray:
        """The number of rows of each topic."""
        return self.by_topic.counts

    @property
    def topic(self) -> np.ndarray:
        """The topic of each row."""
        return self.by_topic.row

    @property
    def rank(self) -> np.ndarray:
        """The position of each row in the list of its topic, from 1."""
        return self.by_topic.place + 1
