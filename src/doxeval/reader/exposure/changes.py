"""Exposure of a kind of reader after every rank, and the changes by each result."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from doxeval.core.grammar import Call
from doxeval.core.ragged import Ragged
from doxeval.ground.by_topic import ByTopic


@dataclass(frozen=True)
class Reader:
    """Everything that decides what is seen: the navigation model and the treatment of relevance and trees.

    `hit` and `overlap` concern assessed trees: which of them are hits (ESR Eq. 6 or its footnote 6), and
    whether their text that earlier results have shown counts as new (ESR Eq. 8) or as repeated (ESR 7.5).
    """

    navigation: Call
    mode: str
    rel: str
    alpha: Fraction
    tree: str
    size: str
    hit: str = "identical"
    overlap: str = "new"


@dataclass(eq=False)
class Exposure(ByTopic):
    """Per topic and rank, cumulated: E[Hits], E[Near-misses], E[Misses] (ESR Eqs. 8-10) and text shown.

    Columns are in the order of the aligned results, `by_topic`; `total` is all there is to gain in each topic
    (T_rel).
    """

    by_topic: Ragged
    hits: np.ndarray
    near: np.ndarray
    misses: np.ndarray
    size: np.ndarray
    total: np.ndarray

    @property
    def gain(self) -> np.ndarray:
        """Hits and near-misses."""
        return self.hits + self.near

    @property
    def base(self) -> np.ndarray:
        """E[Recall-base] (ESR Eq. 11)."""
        return self.hits + self.near + self.misses

    @property
    def total_at_ranks(self) -> np.ndarray:
        """The topic's total, at each of its ranks."""
        return self.by_topic.expand(self.total)


@dataclass(eq=False)
class Changes:
    """The changes of hits, near-misses and misses by each result, and the total of each topic."""

    hits: np.ndarray
    near: np.ndarray
    misses: np.ndarray
    total: np.ndarray

    @classmethod
    def mean(cls, parts: Iterable[tuple[float, Changes]], results: int, total: np.ndarray) -> Changes:
        """The weighted sum over several kinds of readers."""
        mean = cls(np.zeros(results), np.zeros(results), np.zeros(results), total)
        for weight, part in parts:
            mean.hits += weight * part.hits
            mean.near += weight * part.near
            mean.misses += weight * part.misses
        return mean
