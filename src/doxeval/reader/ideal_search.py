"""The chances to get from what a reader consults to what they look for: one row per possible step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.facts import once
from doxeval.core.grammar import Call
from doxeval.core.keys import first_of_equals
from doxeval.core.ragged import Ragged
from doxeval.ground.aligned import Aligned, ByTopic
from doxeval.ground.ground import Ground
from doxeval.kernels.ideals_seen import follow
from doxeval.reader.consulted import Consulted, consulted
from doxeval.reader.exposure.meeting_chances import blocks_of, branch_mates
from doxeval.reader.navigation.model import Navigation, navigation_for
from doxeval.reader.node_trees import Trees
from doxeval.reader.units_sought import Elements, assessed_elements, tree_of


@dataclass(eq=False)
class Chances:
    """Steps from consulted nodes to ideal elements, sorted by result.

    `row` is the consulted node's row in :class:`Consulted`, `result` its result, `element` the index of the
    element among the ideals, `chance` p(element; node) > 0, which is 1 for the node itself. A node
    contributes its chances once, where it is first consulted: the list is a set (PRUM section 2.1).
    """

    row: np.ndarray
    result: np.ndarray
    element: np.ndarray
    chance: np.ndarray


@dataclass(frozen=True)
class Search:
    """The search of a navigating reader: `ideals` and `quantisation` as for elements, and a model."""

    nav: Call
    ideals: str
    quantisation: str

    def elements(self, ground: Ground) -> Elements:
        """The assessed elements, including worthless ones."""
        return assessed_elements(ground, self.ideals, self.quantisation)

    def chances(self, aligned: Aligned) -> Chances:
        """All steps from the results of a run to ideal elements."""
        return _chances(aligned, self)


@once
def _chances(aligned: Aligned, search: Search) -> Chances:
    read, model = consulted(aligned), navigation_for(aligned, search.nav)
    elements = search.elements(aligned.ground)
    ideals = elements.positive
    steps = (
        _across(aligned, read, elements, ideals, model)
        if model.crosses
        else _within(aligned.ground, read, elements, ideals, model)
    )
    return _along(aligned, read, ideals, model, steps) if model.minds_list else steps


def _along(aligned: Aligned, read: Consulted, ideals: Elements, model: Navigation, steps: Chances) -> Chances:
    """The steps with the chances of a model that minds the list; an element in the list is always seen."""
    row, element = steps.row, steps.element
    away = (read.doc[row] != ideals.doc[element]) | (read.node[row] != ideals.node[element])
    order = np.flatnonzero(away)[np.argsort(element[away], kind="stable")]
    by_element = Ragged.of_rows(element[order], len(ideals))
    chance = steps.chance.copy()
    rank = aligned.by_topic.place[steps.result[order]] + 1
    chance[order] = model.along(by_element, rank, chance[order])
    return replace(steps, chance=chance)


def _within(
    ground: Ground, read: Consulted, elements: Elements, ideals: Elements, model: Navigation
) -> Chances:
    """Steps inside documents: every consulted node with the ideal elements that it may lead to."""
    held = np.append(ideals.by_pair.counts, 0)[read.pair]
    rows = np.flatnonzero(read.fresh & (held > 0))
    parts = []
    for row, element in _met(ground, read, rows, ideals, model):
        letters = elements.coverage_at(read.pair[row], read.node[row]) if model.minds_coverage else None
        source, target = read.node[row], ideals.node[element]
        chance = np.ones(len(row))
        other = source != target
        chance[other] = model.chance(
            read.doc[row][other], source[other], target[other], None if letters is None else letters[other]
        )
        parts.append(_possible(read, row, element, chance))
    return _joined(parts)


def _met(
    ground: Ground, read: Consulted, rows: np.ndarray, ideals: Elements, model: Navigation
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Consulted nodes and ideal elements that a step may connect, by index, in blocks."""
    if model.leads == "anywhere":
        for part in blocks_of(ideals.by_pair.counts[read.pair[rows]]):
            met, element = ideals.by_pair.take(read.pair[rows[part]])
            yield met.expand(rows[part]), element
        return
    nodes = Trees.single(read.doc[rows], read.node[rows])
    climb = model.leads == "branch"
    at, element = branch_mates(ground.documents, nodes, read.pair[rows], ideals.trees, ideals.pair, climb)
    order = np.lexsort((element, at))
    yield rows[at[order]], element[order]


def _across(
    aligned: Aligned, read: Consulted, elements: Elements, ideals: Elements, model: Navigation
) -> Chances:
    """Steps that may leave the document: every consulted node with every ideal element of its topic."""
    parts = []
    topic_of_row = aligned.topic[read.result]
    first_row = np.searchsorted(topic_of_row, np.arange(len(aligned.count) + 1))
    for topic in range(len(aligned.count)):
        rows = np.arange(first_row[topic], first_row[topic + 1])
        rows = rows[read.fresh[rows]]
        wanted = np.arange(len(ideals))[ideals.by_topic.slice(topic)]
        row, element = np.repeat(rows, len(wanted)), np.tile(wanted, len(rows))
        same = (read.doc[row] == ideals.doc[element]) & (read.node[row] == ideals.node[element])
        letters = elements.coverage_at(read.pair[row], read.node[row]) if model.minds_coverage else None
        chance = model.chance_between(
            read.doc[row], read.node[row], ideals.doc[element], ideals.node[element], letters
        )
        parts.append(_possible(read, row, element, np.where(same, 1.0, chance)))
    return _joined(parts)


def _joined(parts: Sequence[Chances]) -> Chances:
    columns = ("row", "result", "element", "chance")
    return Chances(*(np.concatenate([getattr(part, column) for part in parts]) for column in columns))


def _possible(read: Consulted, row: np.ndarray, element: np.ndarray, chance: np.ndarray) -> Chances:
    useful = chance > 0
    row = row[useful]
    return Chances(row, read.result[row], element[useful], chance[useful])


@dataclass(eq=False)
class Precisions(ByTopic):
    """PRUM and EPRUM `by_topic` at every recall r = 1, 2, ..., up to the number of ideals."""

    by_topic: Ragged
    precision: np.ndarray
    expected: np.ndarray


@once
def precisions(aligned: Aligned, search: Search, universe: int | None, exact: bool) -> Precisions:
    """Follow the reader down the list of every topic, once for all recalls (PRUM Eqs. 5-8)."""
    ideals = search.elements(aligned.ground).positive
    rank, element, miss, topic = first_sights(aligned, search)
    precision, expected = follow(
        ideals.by_topic.offset,
        np.searchsorted(topic, np.arange(len(aligned.count) + 1)),
        rank,
        element - ideals.by_topic.offset[topic],
        miss,
        aligned.count,
        elements_in_all(aligned.ground, universe) - consulted(aligned).results,
        exact,
    )
    return Precisions(ideals.by_topic, precision, expected)


def traced(aligned: Aligned, topic: int, search: Search, exact: bool) -> np.ndarray:
    """One topic's way through PRUM's terms, as :func:`doxeval.kernels.ideals_seen.follow` writes it.

    `[0, i, s]` is P(F_i = s), `[1, i, s]` the sum of P(F_{j-1} = s, F_j > s) over the ranks j up to i.
    """
    ideals = search.elements(aligned.ground).positive
    rank, element, miss, of_topic = first_sights(aligned, search)
    here = of_topic == topic
    count, results = int(ideals.by_topic.counts[topic]), aligned.count[topic : topic + 1]
    trace = np.zeros((2, int(results[0]) + 1, count + 1))
    follow(
        np.array([0, count]),
        np.array([0, np.count_nonzero(here)]),
        rank[here],
        element[here] - ideals.by_topic.offset[topic],
        miss[here],
        results,
        np.zeros(1, dtype=np.int64),
        exact,
        trace,
    )
    return trace


def first_sights(aligned: Aligned, search: Search) -> tuple[np.ndarray, ...]:
    """Rank, ideal element, chance to miss it, and topic, wherever a result may show an ideal element."""
    steps = search.chances(aligned)
    order = np.lexsort((steps.element, steps.result))
    result, element, miss = steps.result[order], steps.element[order], 1.0 - steps.chance[order]
    begins = first_of_equals(result, element)
    if not begins.all():
        miss = np.multiply.reduceat(miss, np.flatnonzero(begins))
        result, element = result[begins], element[begins]
    topic = aligned.topic[result]
    return result - aligned.by_topic.offset[topic] + 1, element, miss, topic


def elements_in_all(ground: Ground, universe: int | None) -> int:
    """|X|: the number of elements there are to consult."""
    if universe is not None:
        return universe
    return len(tree_of(ground).parent) - (0 if ground.cuts is None else ground.cuts.copied_nodes)


def check_universe(aligned: Aligned, ideals: Elements, universe: int | None) -> None:
    """Refuse a universe too small for the results and the ideal elements that were not retrieved."""
    read, size = consulted(aligned), elements_in_all(aligned.ground, universe)
    rows = np.flatnonzero(read.fresh & (read.pair >= 0))
    found = ideals.find(read.pair[rows], read.node[rows]) >= 0
    retrieved = np.bincount(aligned.topic[read.result[rows[found]]], minlength=len(aligned.count))
    missing = ideals.by_topic.counts - retrieved
    short = np.flatnonzero(size - read.results < missing)
    if len(short):
        raise UsageError(
            f"topic {aligned.ground.topics[short[0]]!r}: {size} elements in all cannot include the "
            f"{read.results[short[0]]} distinct results of {aligned.run.name!r} and the {missing[short[0]]} "
            f"ideal elements it lacks; give universe={int((read.results + missing).max())} or more"
        )
