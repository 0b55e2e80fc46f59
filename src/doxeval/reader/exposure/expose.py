"""The exposure of a run under one reader: hits, near-misses, misses and recall-base after every rank."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.facts import once
from doxeval.core.grammar import Call
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.reader.navigation.base import Navigation, navigation_named

if TYPE_CHECKING:
    from doxeval.reader.exposure.units import Units

DUST = 1e-12
"""Sums of differences leave dust where nothing should be: less than this share of all there is."""


@dataclass(frozen=True)
class Reader:
    """Everything that decides what is seen: the navigation model and how relevance and trees are taken."""

    navigation: Call
    mode: str
    rel: str
    alpha: Fraction
    tree: str
    size: str

    def __post_init__(self) -> None:
        if self.mode == "text" and self.rel == "specificity":
            raise UsageError("rel=specificity is for nodes; text mode knows length, grade and binary")


@dataclass(eq=False)
class Exposure:
    """Per topic and rank, cumulated: E[Hits], E[Near-misses], E[Misses] (ESR Eqs. 8-10) and text shown.

    Columns are in the order of the aligned results, topic t having rows `topic_offset[t]` to
    `topic_offset[t + 1]`; `total` is per topic, all there is to gain (T_rel).
    """

    topic_offset: np.ndarray
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
    def rank(self) -> np.ndarray:
        """The rank of each result, from 1."""
        count = np.diff(self.topic_offset)
        return np.arange(1, len(self.hits) + 1) - np.repeat(self.topic_offset[:-1], count)

    @property
    def total_at_ranks(self) -> np.ndarray:
        """The topic's total, at each of its ranks."""
        return np.repeat(self.total, np.diff(self.topic_offset))


@dataclass(eq=False)
class Changes:
    """What each result adds to hits, near-misses and misses, and the total there is per topic."""

    hits: np.ndarray
    near: np.ndarray
    misses: np.ndarray
    total: np.ndarray

    @classmethod
    def mean(cls, parts: Iterable[tuple[float, Changes]], results: int, total: np.ndarray) -> Changes:
        """The weighted sum of what several kinds of readers see."""
        mean = cls(np.zeros(results), np.zeros(results), np.zeros(results), total)
        for weight, part in parts:
            mean.hits += weight * part.hits
            mean.near += weight * part.near
            mean.misses += weight * part.misses
        return mean


def navigation_of(ground: Ground, call: Call) -> Navigation:
    """The navigation model, made once for all runs."""
    return ground.shared(("navigation", call), lambda: navigation_named(call, ground.documents))


def assessed(ground: Ground) -> Units:
    """The assessed trees, made once for all runs."""
    from doxeval.reader.exposure.units import assessed_units

    return ground.shared("assessed trees", lambda: assessed_units(ground))


@once
def expose(topics: Aligned, reader: Reader) -> Exposure:
    """What this reader has seen of this run after every rank."""
    model = navigation_of(topics.ground, reader.navigation)
    tell_once(topics, model)
    return cumulate(topics, changes_of(topics, reader, model), sizes_of(topics, reader))


def changes_of(topics: Aligned, reader: Reader, model: Navigation) -> Changes:
    """What each result changes for this reader."""
    if reader.mode == "trees":
        from doxeval.reader.exposure.trees import changes_in_trees

        return changes_in_trees(topics, reader, model)
    from doxeval.reader.exposure.text import changes_in_text

    return changes_in_text(topics, reader, model)


def sizes_of(topics: Aligned, reader: Reader) -> np.ndarray:
    """What each result gives to read."""
    if reader.mode == "text":
        return topics.size
    from doxeval.reader.exposure.trees import sizes_of_results

    return sizes_of_results(topics, reader.size)


def cumulate(topics: Aligned, changes: Changes, size: np.ndarray) -> Exposure:
    """What the changes add up to, rank by rank."""
    total = np.repeat(changes.total, topics.count)
    return Exposure(
        topics.topic_offset,
        _dusted(topics.cumulated(changes.hits), total),
        _dusted(topics.cumulated(changes.near), total),
        _dusted(total + topics.cumulated(changes.misses), total),
        topics.cumulated(size),
        changes.total,
    )


def _dusted(values: np.ndarray, total: np.ndarray) -> np.ndarray:
    return np.where(values > DUST * total, values, 0.0)


def tell_once(topics: Aligned, model: Navigation) -> None:
    """Hand on what the model noticed in its files."""

    def tell() -> bool:
        topics.notices.extend(model.notices)
        return True

    topics.shared(("told", model.call), tell)
