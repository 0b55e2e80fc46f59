"""Simulated readers of the ESR measures: from each result they may or may not go to relevant text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.facts import Facts
from doxeval.ground.aligned import Aligned
from doxeval.lab.simulation.prum import Estimate
from doxeval.measurement.families.exposed import ExposedMeasure
from doxeval.reader.exposure.changes import Changes, Reader
from doxeval.reader.exposure.expose import changes_of, cumulate, expose, sizes_of
from doxeval.reader.exposure.reading_on import changes_by_distance, gaps_of
from doxeval.reader.exposure.text_mode import encounters_of_text
from doxeval.reader.exposure.tree_mode import encounters_of_trees
from doxeval.reader.models import navigation_of
from doxeval.reader.navigation.base import Array, Navigation
from doxeval.reader.navigation.distance import DistanceNavigation

GROUPS = 20
VISITS = ("independent", "persistent")


def simulate(
    measure: ExposedMeasure, topics: Aligned, readers: int = 1000, seed: int = 0, visits: str = "independent"
) -> Estimate:
    """Simulate groups of readers, score what each group saw, and return the mean and its standard error.

    `visits="independent"`: every result is a new chance to get to a place (ESR Eq. 5). `"persistent"`: a
    reader decides once about each place and goes there from the first result that leads there well enough;
    the chance that they got there is then that of the best result, not the noisy-or.
    """
    if visits not in VISITS:
        raise UsageError(f"visits must be {' or '.join(VISITS)}, not {visits!r}")
    topics = measure.read(topics)
    reader = measure.reader(topics.ground)
    model = navigation_of(topics.ground, reader.navigation)
    if model.parts or reader.alpha or reader.overlap != "new":
        raise UsageError(
            f"{measure.label}: readers can be simulated only with alpha = 0, overlap=new and without mixtures"
        )
    play = _by_distance if reader.mode == "text" and model.by_distance else _by_meetings
    random = np.random.default_rng(seed)
    each = max(1, readers // GROUPS)
    formula = changes_of(topics, reader, model)
    values = []
    for _ in range(GROUPS):
        changes = play(topics, reader, model, each, random, visits)
        changes.total = formula.total
        played = cumulate(topics, changes, sizes_of(topics, reader))
        with replace(topics, facts=Facts()) as seen:
            seen.facts.tell(expose, played, reader)
            values.append(measure.value_of(seen))
    column = np.array(values)
    return Estimate(column.mean(axis=0), column.std(axis=0, ddof=1) / np.sqrt(GROUPS))


def _by_meetings(
    topics: Aligned, reader: Reader, model: Navigation, readers: int, random: np.random.Generator, visits: str
) -> Changes:
    """At every meeting each reader goes or does not go from the result to the unit."""
    encounter = encounters_of_trees if reader.mode == "trees" else encounters_of_text
    changes = [np.zeros(len(topics)) for _ in range(3)]
    for encounters in encounter(topics, reader, model):
        meetings, count = encounters.meetings, encounters.meetings.by_unit.counts
        unseen = np.ones((readers, len(count)), dtype=bool)
        mind = random.random((readers, len(count))) if visits == "persistent" else None
        hidden = encounters.worth.copy()
        share = np.ones(len(count))
        for step in range(int(count.max(initial=0))):
            unit = np.flatnonzero(count > step)
            at = meetings.by_unit.first[unit] + step
            result, shown = meetings.result[at], encounters.shown[at]
            throw = random.random((readers, len(unit))) if mind is None else mind[:, unit]
            unseen[:, unit] &= throw >= meetings.chance[at]
            rest, left = hidden[unit] - shown, unseen[:, unit].mean(axis=0)
            np.add.at(changes[0], result, shown * share[unit])
            np.add.at(changes[1], result, rest * (1 - left) - hidden[unit] * (1 - share[unit]))
            np.add.at(changes[2], result, rest * left - hidden[unit] * share[unit])
            hidden[unit], share[unit] = rest, left
    hits, near, misses = changes
    return Changes(hits, near, misses, np.zeros(len(topics.count)))


def _by_distance(
    topics: Aligned, reader: Reader, model: Navigation, readers: int, random: np.random.Generator, visits: str
) -> Changes:
    """Each reader reads on into each gap from both ends, up to a certain point."""
    if visits != "independent":
        raise UsageError(
            f"readers of {model.call} read on from the nearest text; their visits must be independent"
        )
    assert isinstance(model, DistanceNavigation)
    each = (
        (1 / readers, changes_by_distance(topics, reader, model, _reading_on(topics, model, random)))
        for _ in range(readers)
    )
    return Changes.mean(each, len(topics), np.zeros(len(topics.count)))


def _reading_on(
    topics: Aligned, model: DistanceNavigation, random: np.random.Generator
) -> Callable[..., np.ndarray]:
    """One reader, who is more or less eager to read on into each gap, forward and backward."""
    gaps = gaps_of(topics)[1].shape[1]
    ahead, back = random.random(gaps), random.random(gaps)

    def seen(gap: Array, first: Array, last: Array, start: Array, end: Array, length: Array) -> Array:
        span = end - 1 - start
        forward = np.where(start > 0, _reach(model, ahead[gap], span, True, length), -1)
        backward = np.where(
            (end < length) & model.reads_back, _reach(model, back[gap], span, False, length), -1
        )
        before = np.maximum(0, np.minimum(last, start + forward + 1) - first)
        after = np.maximum(0, last - np.maximum(first, end - 1 - backward))
        both = np.maximum(0, np.minimum(last, start + forward + 1) - np.maximum(first, end - 1 - backward))
        return before + after - both

    return seen


def _reach(model: DistanceNavigation, eager: Array, span: Array, forward: bool, length: Array) -> Array:
    """The widest gap that each reader crosses: chances fall with the gap, so it is found by bisection."""
    low, high = np.full(len(eager), -1), span.copy()
    way = np.full(len(eager), forward)
    while (open_ := low < high).any():
        middle = np.where(open_, (low + high + 1) // 2, low)
        over = model.of_gap(np.maximum(middle, 0), way, length) > eager
        low = np.where(open_ & over, middle, low)
        high = np.where(open_ & ~over, middle - 1, high)
    return low
