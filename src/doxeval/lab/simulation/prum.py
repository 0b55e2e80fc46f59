"""Simulated readers of PRUM, EPRUM and ERRU: they consult results, navigate at random, and stop."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.random import Generator as Random

from doxeval.core.errors import UsageError
from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import Measure
from doxeval.measurement.eprum import ExpectedPrumMeasure
from doxeval.measurement.erru import ExpectedRatioOfRelevantUnits, relevance
from doxeval.measurement.families.navigating import NavigatingMeasure, wanted_elements
from doxeval.measurement.prum import PrecisionRecallWithUserModelling
from doxeval.reader.consulted import consulted, ties
from doxeval.reader.fewest import fewest_nodes
from doxeval.reader.search import Chances, Search, elements_in_all
from doxeval.reader.units import tree_of

NEVER = np.iinfo(np.int64).max


class Estimate(NamedTuple):
    """The mean over the simulated readers of each topic, and its standard error; NaN if there is no value."""

    mean: np.ndarray
    error: np.ndarray


def simulate(measure: Measure, topics: Aligned, readers: int = 1000, seed: int = 0) -> Estimate:
    """Simulate readers of a run and score what they met; for PRUM this agrees with the exact formula.

    PRUM is simulated for a number of elements (``PRUM(r=2)``), as no reader interpolates.
    """
    if isinstance(measure, PrecisionRecallWithUserModelling) and measure.given.r is not None:
        play = _play_prum
    elif isinstance(measure, ExpectedPrumMeasure):
        play = _play_eprum
    elif isinstance(measure, ExpectedRatioOfRelevantUnits):
        play = _play_erru
    else:
        raise UsageError(
            f"readers of {measure.label} cannot be simulated; try PRUM(r=2), EPRUM(r=2) or ERRU@10"
        )
    random = np.random.default_rng(seed)
    defined = measure.defined(topics)
    played = [
        play(measure, topics, topic, readers, random) if defined[topic] else (np.nan, np.nan)
        for topic in range(len(topics.count))
    ]
    return Estimate(*np.array(played, dtype=np.float64).reshape(-1, 2).T)


def _steps_of(chances: Chances, topics: Aligned, topic: int) -> slice:
    first, last = topics.topic_offset[topic], topics.topic_offset[topic + 1]
    return slice(*np.searchsorted(chances.result, [first, last]).tolist())


def first_sights(topics: Aligned, topic: int, search: Search, readers: int, random: Random) -> np.ndarray:
    """For each reader and ideal element of a topic, the rank at which it is first seen, or NEVER."""
    ideals = search.elements(topics.ground).positive
    chances = search.chances(topics)
    steps = _steps_of(chances, topics, topic)
    rank = chances.result[steps] - topics.topic_offset[topic] + 1
    element = chances.element[steps] - ideals.topic_offset[topic]
    found = np.full((readers, int(ideals.by_topic.counts[topic])), NEVER)
    for step in range(len(rank)):
        goes = random.random(readers) < chances.chance[steps][step]
        found[goes, element[step]] = np.minimum(found[goes, element[step]], rank[step])
    return found


def _play_prum(
    measure: NavigatingMeasure, topics: Aligned, topic: int, readers: int, random: Random
) -> tuple[float, float]:
    """Results that led to something new / results consulted, both summed over the readers."""
    wanted = measure.given.r
    sights = np.sort(first_sights(topics, topic, measure.search, readers, random), axis=1)
    ideals = sights.shape[1]
    if wanted > ideals:
        return np.nan, np.nan
    stop = sights[:, wanted - 1]
    new = np.diff(sights, axis=1, prepend=0) > 0
    leading = (new & (sights <= stop[:, None]) & (sights < NEVER)).sum(axis=1)
    seen = (sights < NEVER).sum(axis=1)
    consulted_ranks = np.where(stop < NEVER, stop, topics.count[topic])
    unranked = elements_in_all(topics.ground, measure.given.universe) - consulted(topics).results[topic]
    for reader in np.flatnonzero(stop == NEVER):
        places = np.sort(random.choice(unranked, size=ideals - seen[reader], replace=False))
        lacking = wanted - seen[reader]
        consulted_ranks[reader] += places[lacking - 1] + 1
        leading[reader] += lacking
    ratio = leading.mean() / consulted_ranks.mean()
    spread = np.std(leading - ratio * consulted_ranks, ddof=1) / consulted_ranks.mean()
    return float(ratio), float(spread / np.sqrt(readers))


def _play_eprum(
    measure: NavigatingMeasure, topics: Aligned, topic: int, readers: int, random: Random
) -> tuple[float, float]:
    """Ranks needed in the best list / ranks needed here, for each reader; 0 for those who never get there."""
    sights = np.sort(first_sights(topics, topic, measure.search, readers, random), axis=1)
    ideals = sights.shape[1]
    wanted = measure.given.r
    if wanted is None:
        wanted = int(wanted_elements(np.array([ideals]), measure.given.recall)[0])
    if wanted > ideals:
        return np.nan, np.nan
    stop, best = sights[:, wanted - 1], wanted
    if measure.given.ideal == "fewest":
        ideals_of = measure.search.elements(topics.ground).positive.by_topic
        best = int(fewest_nodes(topics.ground, measure.search)[ideals_of.first[topic] + wanted - 1])
    return _mean_and_error(np.where(stop < NEVER, best / np.minimum(stop, NEVER - 1), 0.0))


def _play_erru(
    measure: NavigatingMeasure, topics: Aligned, topic: int, readers: int, random: Random
) -> tuple[float, float]:
    """Relevant units seen / relevant units expected; ties are read in random order."""
    search = measure.search
    units = search.elements(topics.ground).positive
    of_topic = units.by_topic.slice(topic)
    chance = relevance(topics.ground, measure.given.ideals, measure.given.quantisation)[of_topic]
    if chance.sum() == 0:
        return np.nan, np.nan
    chances = search.chances(topics)
    steps = _steps_of(chances, topics, topic)
    listed = _listed(topics, topic, measure.rank, readers, random)
    seen = np.zeros((readers, len(chance)), dtype=bool)
    for row, element, step in zip(
        chances.row[steps], chances.element[steps], chances.chance[steps], strict=True
    ):
        seen[:, element - of_topic.start] |= listed(row) & (random.random(readers) < step)
    relevant = random.random((readers, len(chance))) < chance
    return _mean_and_error((seen & relevant).sum(axis=1) / chance.sum())


def _listed(
    topics: Aligned, topic: int, rank: int | None, readers: int, random: Random
) -> Callable[[int], np.ndarray]:
    """A function that returns which readers meet a consulted node, given by its row, within the rank."""
    read, tie = consulted(topics), ties(topics)
    first, last = topics.topic_offset[topic], topics.topic_offset[topic + 1]
    place = np.tile(np.arange(first, last, dtype=np.float64), (readers, 1))
    shuffled = tie.first[first:last] + tie.size[first:last] * random.random((readers, last - first))
    tied = tie.size[first:last] > 1
    place[:, tied] = shuffled[:, tied]
    inside = np.argsort(np.argsort(place, axis=1), axis=1) < (rank or NEVER)
    node = tree_of(topics.ground).rows(read.doc, read.node)
    of_topic = np.flatnonzero(topics.topic[read.result] == topic)

    def listed(row: int) -> np.ndarray:
        copies = of_topic[node[of_topic] == node[row]]
        return np.asarray(inside[:, read.result[copies] - first].any(axis=1))

    return listed


def _mean_and_error(values: np.ndarray) -> tuple[float, float]:
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values)))
