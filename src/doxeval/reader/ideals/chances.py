"""How likely a reader gets from what he consults to what he hopes to find: one row a step that may happen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.grammar import Call
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.kernels.prum import follow
from doxeval.reader.exposure.expose import navigation_of, tell_once
from doxeval.reader.exposure.grouping import expand
from doxeval.reader.ideals.consulted import Consulted, consulted
from doxeval.reader.ideals.elements import Elements, assessed_elements, tree_of
from doxeval.reader.navigation.base import Navigation


@dataclass(eq=False)
class Chances:
    """Steps from consulted nodes to ideal elements, sorted by result.

    `row` is the consulted node's row in :class:`Consulted`, `result` its result, `element` the place of the
    element among the ideals, `chance` p(element; node) > 0, which is 1 for the node itself. A node gives its
    chances once, where it is first consulted: the list is a set (PRUM section 2.1).
    """

    row: np.ndarray
    result: np.ndarray
    element: np.ndarray
    chance: np.ndarray


@dataclass(frozen=True)
class Search:
    """What a navigating reader looks for, `ideals` and `quantisation` as for elements, and how."""

    nav: Call
    ideals: str
    quantisation: str

    def elements(self, ground: Ground) -> Elements:
        """The assessed elements, worthless ones too."""
        return assessed_elements(ground, self.ideals, self.quantisation)

    def chances(self, topics: Aligned) -> Chances:
        """All steps from the results of a run to ideal elements, found once."""
        return topics.shared(("chances", self), lambda: self._find(topics))

    def _find(self, topics: Aligned) -> Chances:
        ground, read = topics.ground, consulted(topics)
        model = navigation_of(ground, self.nav)
        tell_once(topics, model)
        ideals = self.elements(ground).positive
        if model.crosses:
            return _across(topics, read, ideals, model)
        return _within(read, self.elements(ground), ideals, model)


def _within(read: Consulted, elements: Elements, ideals: Elements, model: Navigation) -> Chances:
    """Steps inside documents: every consulted node with every ideal element of its document."""
    held = np.append(np.diff(ideals.pair_offset), 0)[read.pair]
    row = np.flatnonzero(read.fresh & (held > 0))
    owner, element = expand(ideals.pair_offset[read.pair[row]], held[row])
    judged = elements.find(read.pair[row], read.node[row])
    letters = np.where(judged >= 0, elements.coverage[judged] if len(elements) else "N", "N")[owner]
    row = row[owner]
    source, target = read.node[row], ideals.node[element]
    chance = np.ones(len(row))
    other = source != target
    chance[other] = model.chance(read.doc[row][other], source[other], target[other], letters[other])
    return _possible(read, row, element, chance)


def _across(topics: Aligned, read: Consulted, ideals: Elements, model: Navigation) -> Chances:
    """Steps that may leave the document: every consulted node with every ideal element of its topic."""
    parts = []
    topic_of_row = topics.topic[read.result]
    first_row = np.searchsorted(topic_of_row, np.arange(len(topics.count) + 1))
    for topic in range(len(topics.count)):
        rows = np.arange(first_row[topic], first_row[topic + 1])
        rows = rows[read.fresh[rows]]
        wanted = np.arange(ideals.topic_offset[topic], ideals.topic_offset[topic + 1])
        row, element = np.repeat(rows, len(wanted)), np.tile(wanted, len(rows))
        same = (read.doc[row] == ideals.doc[element]) & (read.node[row] == ideals.node[element])
        chance = model.chance_between(
            read.doc[row], read.node[row], ideals.doc[element], ideals.node[element]
        )
        parts.append(_possible(read, row, element, np.where(same, 1.0, chance)))
    columns = ("row", "result", "element", "chance")
    return Chances(*(np.concatenate([getattr(part, column) for part in parts]) for column in columns))


def _possible(read: Consulted, row: np.ndarray, element: np.ndarray, chance: np.ndarray) -> Chances:
    useful = chance > 0
    row = row[useful]
    return Chances(row, read.result[row], element[useful], chance[useful])


@dataclass(eq=False)
class Precisions:
    """PRUM and EPRUM at every recall: those of topic t at r = 1, 2, ... begin at `offset[t]`."""

    offset: np.ndarray
    precision: np.ndarray
    expected: np.ndarray

    @property
    def ideals(self) -> np.ndarray:
        """How many ideal elements each topic has."""
        return np.diff(self.offset)


def precisions(topics: Aligned, search: Search, universe: int | None, exact: bool) -> Precisions:
    """Follow the reader down the list of every topic, once for all recalls (PRUM Eqs. 5-8)."""
    return topics.shared(
        ("precisions", search, universe, exact), lambda: _follow(topics, search, universe, exact)
    )


def _follow(topics: Aligned, search: Search, universe: int | None, exact: bool) -> Precisions:
    ideals = search.elements(topics.ground).positive
    rank, element, miss, topic = changes(topics, search)
    precision, expected = follow(
        ideals.topic_offset,
        np.searchsorted(topic, np.arange(len(topics.count) + 1)),
        rank,
        element - ideals.topic_offset[topic],
        miss,
        topics.count,
        elements_in_all(topics.ground, universe) - consulted(topics).results,
        exact,
    )
    return Precisions(ideals.topic_offset, precision, expected)


def changes(topics: Aligned, search: Search) -> tuple[np.ndarray, ...]:
    """Rank, ideal element, chance to miss it, and topic, wherever a result may show an ideal element."""
    steps = search.chances(topics)
    order = np.lexsort((steps.element, steps.result))
    result, element, miss = steps.result[order], steps.element[order], 1.0 - steps.chance[order]
    begins = np.ones(len(order), dtype=bool)
    begins[1:] = (np.diff(result) != 0) | (np.diff(element) != 0)
    if not begins.all():
        miss = np.multiply.reduceat(miss, np.flatnonzero(begins))
        result, element = result[begins], element[begins]
    topic = topics.topic[result]
    return result - topics.topic_offset[topic] + 1, element, miss, topic


def elements_in_all(ground: Ground, universe: int | None) -> int:
    """|X|: how many elements there are to consult."""
    return universe if universe is not None else len(tree_of(ground).parent)


def check_universe(topics: Aligned, ideals: Elements, universe: int | None) -> None:
    """Refuse a universe that has no room for the results and the ideal elements nobody retrieved."""
    read, size = consulted(topics), elements_in_all(topics.ground, universe)
    known = np.flatnonzero(read.fresh & (read.pair >= 0))
    found = ideals.find(read.pair[known], read.node[known]) >= 0
    retrieved = np.bincount(topics.topic[read.result[known[found]]], minlength=len(topics.count))
    missing = np.diff(ideals.topic_offset) - retrieved
    short = np.flatnonzero(size - read.results < missing)
    if len(short):
        raise UsageError(
            f"topic {topics.ground.topics[short[0]]!r}: {size} elements in all cannot hold the "
            f"{read.results[short[0]]} different results of {topics.run.name!r} and the {missing[short[0]]} "
            f"ideal elements it lacks; give universe={int((read.results + missing).max())} or more"
        )
