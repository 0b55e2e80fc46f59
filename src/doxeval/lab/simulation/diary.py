"""What simulated readers have seen of one topic after every rank."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doxeval.lab.simulation.crowd import GROUPS, Crowd
from doxeval.reader.navigation.base import Array


@dataclass(eq=False)
class Diary:
    """Hits, near-misses and misses of each group after each rank of a topic: `[group, rank]`."""

    hits: Array
    near: Array
    misses: Array

    @property
    def ranks(self) -> int:
        """The number of ranks."""
        return self.hits.shape[1]

    def note(self, crowd: Crowd, reached: Array, worth: float, shown: Array, new: float = 1.0) -> None:
        """Note a unit of which ranks show parts, a share of each `new`, and that readers reached."""
        there, everyone = crowd.there_after(reached, self.ranks), crowd.mean(1.0)[:, None]
        before = np.hstack([np.zeros((GROUPS, 1)), there])[:, : self.ranks]
        hidden = worth * (1.0 - np.minimum(np.cumsum(shown) / worth, 1.0))
        self.hits += new * np.cumsum(shown * (everyone - before), axis=1)
        self.near += hidden * there
        self.misses += hidden * (everyone - there)

    def note_again(self, crowd: Crowd, rank: int, worth: float) -> None:
        """Note that a rank repeats something that readers value so much."""
        self.hits[:, rank:] += crowd.mean(worth)[:, None]
