"""A simulation: readers of a run do what measures say of them, and the measures score what they saw.

A measure rests on facts about its readers, such as what they have seen after each rank. Its formula computes
the expectation of these; here readers draw them, one by one, and the measure is given their mean instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from math import inf
from typing import Any, NamedTuple

import numpy as np

from doxeval import UsageError
from doxeval.core.facts import Facts
from doxeval.core.ragged import quotient
from doxeval.extend import Aligned, Measure
from doxeval.lab.simulation.crowd import GROUPS, NEVER, Crowd, chances_of, half_samples
from doxeval.lab.simulation.exposed import chances_from, new_to_readers, seen_by, share_held
from doxeval.measurement.erru import ExpectedRatioOfRelevantUnits, chance_seen
from doxeval.measurement.families.cumulated_gain import Gain, GainMeasure, gained_by_results
from doxeval.measurement.mean import Mean
from doxeval.measurement.near_miss_reader import ExposedMeasure
from doxeval.measurement.prum import ExpectedPrumMeasure, PrecisionRecallWithUserModelling
from doxeval.measurement.sr import StructuralRelevance, new_relevance
from doxeval.reader.consulted import consulted, result_nodes, ties
from doxeval.reader.exposure.expose import expose, sizes_of
from doxeval.reader.exposure.meetings import Exposure, Reader
from doxeval.reader.ideal_search import Precisions, Search, elements_in_all, precisions
from doxeval.reader.navigation.model import Array, navigation_of


def simulated_first_sights(aligned: Aligned, topic: int, search: Search, crowd: Crowd, place: Array) -> Array:
    """The place at which each reader first sees each ideal element of a topic, NEVER if at none.

    `place` is that of each result, for all or for each reader. A node leads on once, from its first place.
    """
    elements, model = search.elements(aligned.ground), navigation_of(aligned.ground, search.nav)
    trees, rows = result_nodes(aligned), aligned.by_topic.slice(topic)
    lists, at = trees.nodes.take(np.arange(len(aligned))[rows])
    spot = np.stack([trees.doc[rows][lists.row], trees.node[at]])
    (doc, node), copy = np.unique(spot, axis=1, return_inverse=True)
    places = np.full((len(doc), *place.shape[:-1]), NEVER)
    np.minimum.at(places, copy.ravel(), place.T[lists.row])
    pair = np.zeros(len(doc), dtype=np.int64)
    pair[copy.ravel()] = aligned.pair[rows][lists.row]
    letters = elements.coverage_at(pair, node) if model.minds_coverage else None
    ideals, wanted = elements.positive, elements.positive.by_topic.slice(topic)
    sights = np.full((len(crowd), wanted.stop - wanted.start), NEVER)
    for column, ideal in zip(sights.T, range(wanted.start, wanted.stop), strict=True):
        there = np.full(len(doc), ideals.doc[ideal]), np.full(len(doc), ideals.node[ideal])
        chances = chances_of(model, doc, node, *there, letters)
        chances[:, (doc == there[0]) & (node == there[1])] = 1.0
        column[:] = crowd.first_reached(model, chances, places.T)
    return sights


def searches(aligned: Aligned, search: Search, universe: int | None, crowd: Crowd) -> Array:
    """For readers who want r = 1, 2, ... ideal elements, means of each group: `[group, column, element]`.

    The columns are the results that led to something new, the results consulted, and r / the rank at which
    the r-th was seen, 0 where it never was. Beyond the list the other elements come in random order.
    """
    by_topic = search.elements(aligned.ground).positive.by_topic
    unranked = elements_in_all(aligned.ground, universe) - consulted(aligned).results
    columns = np.zeros((GROUPS, 3, by_topic.items))
    for topic, ranks in enumerate(aligned.count.tolist()):
        sights = np.sort(
            simulated_first_sights(aligned, topic, search, crowd, np.arange(1, ranks + 1)), axis=1
        )
        seen, wanted = sights < NEVER, 1 + np.arange(sights.shape[1])
        leads = np.cumsum(seen & (np.diff(sights, axis=1, prepend=0) > 0), axis=1)
        expected = np.where(seen, wanted / sights, 0.0)
        for reader, found in enumerate(seen.sum(axis=1).tolist()):
            left = len(wanted) - found
            places = crowd.random.choice(max(unranked[topic], left), size=left, replace=False)
            sights[reader, found:] = ranks + 1 + np.sort(places)
            leads[reader, found:] += np.arange(1, left + 1)
        for column, values in enumerate((leads, sights, expected)):
            for at, value in zip(range(by_topic.items)[by_topic.slice(topic)], values.T, strict=True):
                columns[:, column, at] = crowd.mean(value)
    return columns


def sights_with_ties(aligned: Aligned, search: Search, crowd: Crowd) -> list[Array]:
    """First sights of each topic by readers who read tied results each in an order of their own."""
    tie, sights = ties(aligned), []
    for topic in range(len(aligned.count)):
        rows = aligned.by_topic.slice(topic)
        drawn = tie.first[rows] + crowd.random.random((len(crowd), rows.stop - rows.start))
        place = np.argsort(np.argsort(drawn, axis=1), axis=1)
        sights.append(simulated_first_sights(aligned, topic, search, crowd, place))
    return sights


def gained_by(aligned: Aligned, gain: Gain, crowd: Crowd) -> Array:
    """The mean gain of each group after each result: `[group, result]`.

    Those who get to an element for the first time gain what no result has shown of it so far; results that
    show it later are worth less to them.
    """
    own, around = gain.parts(aligned)
    gains, model = np.tile(own, (GROUPS, 1)), navigation_of(aligned.ground, gain.nav)
    aims, shown = around or (None, None)
    for aim in range(0 if aims is None else len(aims.node)):
        assert aims is not None and shown is not None
        pair, doc, node = int(aims.pair[aim]), int(aims.doc[aim]), int(aims.node[aim])
        rows = aligned.by_topic.slice(aligned.ground.assessments.pair_topic[pair])
        here = np.arange(rows.start, rows.stop)
        if not model.crosses:
            here = here[aligned.pair[here] == pair]
        trees = result_nodes(aligned)
        chances = chances_from(model, aligned, trees, here, doc, np.array([node]), "esr")
        for step, result in enumerate(here.tolist()):
            if aligned.pair[result] == pair and node in trees.node[trees.nodes.slice(result)]:
                chances[:, step] = share_held(aligned, result, doc, node)
        there = crowd.there_after(
            crowd.first_reached(model, chances, here - rows.start), rows.stop - rows.start
        )
        before = np.hstack([np.zeros((GROUPS, 1)), there])[:, :-1]
        of_aim = np.flatnonzero(shown.aim == aim)
        taken, known, outer = np.zeros((3, rows.stop - rows.start))
        for column, amount in ((taken, shown.taken), (known, shown.known), (outer, shown.around)):
            np.add.at(column, shown.result[of_aim] - rows.start, amount[of_aim])
        left = np.maximum(1.0 - np.cumsum(taken), 0.0)
        left_before = np.append(1.0, left[:-1])
        gains[:, rows] += (there - before) * left * aims.worth[aim] - before * (known + outer * left_before)
    return np.stack([aligned.cumulated(row) for row in gains])


VISITS = ("independent", "persistent")


class Estimate(NamedTuple):
    """The value of each topic by the simulated readers, and its standard error; NaN if there is no value."""

    mean: Array
    error: Array


class SimulatedFact(NamedTuple):
    """A fact about readers: the function and arguments that find it, and how it is made of groups' means."""

    find: Callable[..., Any]
    key: tuple[Any, ...]
    groups: Array
    make: Callable[[Array], Any]


class Simulation:
    """Simulated readers of a run, the same for all measures that share them, at any cut-off."""

    def __init__(
        self, measures: Sequence[Measure], aligned: Aligned, readers: int = 1000, seed: int = 0,
        visits: str = "independent",
    ) -> None:  # fmt: skip
        if visits not in VISITS:
            raise UsageError(f"visits must be {' or '.join(VISITS)}, not {visits!r}")
        self._measures, self._aligned = measures, aligned
        self._readers, self._seed, self._persistent = readers, seed, visits == "persistent"
        self._walked: dict[Any, Any] = {}

    def estimate(self, measure: Measure) -> Estimate:
        """The value of a measure for the mean of all readers; its error from balanced half-samples."""
        if not measure.draws:
            raise UsageError(f"{measure.label}: readers cannot be simulated: {measure.no_draws}")
        aligned = self._read(measure)
        facts, values = list(self._facts(measure, aligned)), []
        for some in [np.ones(GROUPS, dtype=bool), *half_samples()]:
            with closing(replace(aligned, facts=Facts())) as seen:
                for fact in facts:
                    seen.facts.tell(fact.find, fact.make(fact.groups[some].mean(axis=0)), *fact.key)
                values.append(measure.where_defined(measure.score(seen), seen))
        return Estimate(values[0], np.sqrt(np.square(np.array(values[1:]) - values[0]).mean(axis=0)))

    def _read(self, measure: Measure) -> Aligned:
        """The results that can affect the measure at the deepest of the cut-offs asked for."""
        alike = [m for m in self._measures if (m.call, m.counts_in) == (measure.call, measure.counts_in)]
        alike = alike if measure.counts_in == "ranks" else []
        return max([*alike, measure], key=lambda m: m.rank or inf).read(self._aligned)

    def _facts(self, measure: Measure, aligned: Aligned) -> Iterator[SimulatedFact]:
        ranks: Sequence[int | None] = [measure.rank]
        if isinstance(measure, Mean):
            measure, ranks = measure.measure, range(1, (measure.rank or 0) + 1)
        if isinstance(measure, ExposedMeasure):
            reader = measure.reader(aligned.ground)
            groups = self._walk(seen_by, aligned, reader)
            yield SimulatedFact(expose, (reader,), groups, partial(_exposure, aligned, reader))
        elif isinstance(measure, StructuralRelevance):
            reader = measure.reader(aligned.ground)
            yield SimulatedFact(
                new_relevance, (reader,), self._walk(new_to_readers, aligned, reader), np.asarray
            )
        elif isinstance(measure, PrecisionRecallWithUserModelling | ExpectedPrumMeasure):
            universe = getattr(measure.given, "universe", None)
            groups = self._walk(searches, aligned, measure.search, universe)
            key = measure.search, universe, getattr(measure.given, "exact", False)
            yield SimulatedFact(precisions, key, groups, partial(_precisions, aligned, measure))
        elif isinstance(measure, GainMeasure):
            groups = self._walk(gained_by, aligned, measure.gain)
            yield SimulatedFact(gained_by_results, (measure.gain,), groups, np.asarray)
        elif isinstance(measure, ExpectedRatioOfRelevantUnits):
            sights = self._walk(sights_with_ties, aligned, measure.search)
            crowd = self._crowd()
            for rank in ranks:
                units = [crowd.mean(unit < (rank or aligned.count.max())) for of in sights for unit in of.T]
                yield SimulatedFact(
                    chance_seen, (measure.search, rank), np.array(units).reshape(-1, GROUPS).T, np.asarray
                )

    def _crowd(self) -> Crowd:
        return Crowd.of(self._readers, self._seed, self._persistent)

    def _walk(self, walk: Callable[..., Any], aligned: Aligned, *asked: Any) -> Any:
        """Everything that the readers of a walk saw; they walk once."""
        key = walk, id(aligned), asked
        if key not in self._walked:
            self._walked[key] = walk(aligned, *asked, self._crowd())
        return self._walked[key]


def _exposure(aligned: Aligned, reader: Reader, means: Array) -> Exposure:
    hits, near, misses = means
    size = aligned.cumulated(sizes_of(aligned, reader))
    return Exposure(aligned.by_topic, hits, near, misses, size, expose(aligned, reader).total)


def _precisions(aligned: Aligned, measure: Any, means: Array) -> Precisions:
    leads, consulted, expected = means
    by_topic = measure.search.elements(aligned.ground).positive.by_topic
    return Precisions(by_topic, quotient(leads, consulted), expected)
