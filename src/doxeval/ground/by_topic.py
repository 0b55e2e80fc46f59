"""Rows that are listed topic by topic."""

from __future__ import annotations

import numpy as np

from doxeval.core.ragged import Ragged


class ByTopic:
    """What has rows `by_topic` knows the topic and the rank of each."""

    by_topic: Ragged

    @property
    def topic_offset(self) -> np.ndarray:
        """Where each topic's rows begin, and where the last one's end."""
        return self.by_topic.offset

    @property
    def count(self) -> np.ndarray:
        """How many rows each topic has."""
        return self.by_topic.counts

    @property
    def topic(self) -> np.ndarray:
        """The topic of each row."""
        return self.by_topic.row

    @property
    def rank(self) -> np.ndarray:
        """The place of each row in its topic's list, from 1."""
        return self.by_topic.place + 1
