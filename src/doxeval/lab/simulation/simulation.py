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
from doxeval.lab.simulation.crowd import GROUPS, Crowd, half_samples
from doxeval.lab.simulation.exposed import seen_by
from doxeval.lab.simulation.gains import gained_by
from doxeval.lab.simulation.searching import searches, sights_with_ties
from doxeval.lab.simulation.trees import new_to_readers
from doxeval.measurement.eprum import ExpectedPrumMeasure
from doxeval.measurement.erru import ExpectedRatioOfRelevantUnits, chance_seen
from doxeval.measurement.families.cumulated_gain import GainMeasure, gained_by_results
from doxeval.measurement.mean import Mean
from doxeval.measurement.near_miss_reader import ExposedMeasure
from doxeval.measurement.prum import PrecisionRecallWithUserModelling
from doxeval.measurement.sr import StructuralRelevance, new_relevance
from doxeval.reader.exposure.expose import expose, sizes_of
from doxeval.reader.exposure.meetings import Exposure, Reader
from doxeval.reader.ideal_search import Precisions, precisions
from doxeval.reader.navigation.base import Array

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
        """What the readers of a walk saw; they walk once."""
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
