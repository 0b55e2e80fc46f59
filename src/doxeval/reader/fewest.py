"""The fewest nodes that show r ideal elements for certain: the best list in EPRUM's other reading."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.facts import once
from doxeval.core.ragged import Ragged
from doxeval.ground.ground import Ground
from doxeval.reader.ideal_search import Search
from doxeval.reader.navigation.model import CERTAIN_FROM, navigation_of
from doxeval.reader.units_sought import Elements, tree_of

MOST_STEPS = 10_000_000
"""The most pairs of a node and an ideal element that are computed; more are refused."""
MOST_COMBINED = 16
"""The most nodes that show some of the same elements to try in all combinations; more are refused."""


@once
def fewest_nodes(ground: Ground, search: Search) -> np.ndarray:
    """m(r) at every recall r = 1, 2, ... of every topic (ESR footnote 11, SR section 2).

    The least number of nodes whose chances of 1, themselves included, show r ideal elements.
    """
    ideals = search.elements(ground).positive
    crosses = navigation_of(ground, search.nav).crosses
    groups, owner = (ideals.by_topic, ideals.topic) if crosses else (ideals.by_pair, ideals.pair)
    node, element = _certain_steps(ground, search, ideals, crosses)
    order = np.lexsort((element, node, owner[element]))
    node, element = node[order], element[order]
    shown = Ragged.of_runs(owner[element] * (1 + int(node.max(initial=0))) + node)
    sets: list[set[int]] = [set() for _ in range(len(groups))]
    for row in range(len(shown)):
        held = element[shown.slice(row)]
        group = int(owner[held[0]])
        sets[group].add(sum(1 << int(at - groups.first[group]) for at in held))
    best: list[list[int]] = [[0] for _ in range(len(ideals.by_topic))]
    topic_of_group = np.arange(len(best)) if crosses else ground.assessments.pair_topic
    for group in np.flatnonzero(groups.counts).tolist():
        topic = int(topic_of_group[group])
        best[topic] = _joined(best[topic], most_shown(sets[group], ground.topics[topic]))
    wanted = np.split(ideals.by_topic.place + 1, ideals.by_topic.offset[1:-1])
    return np.concatenate([np.searchsorted(shown, r) for shown, r in zip(best, wanted, strict=True)])


def _certain_steps(
    ground: Ground, search: Search, ideals: Elements, crosses: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Every node (its row among all) and the ideal elements that it shows for certain."""
    documents, model = tree_of(ground), navigation_of(ground, search.nav)
    if model.minds_list:
        raise UsageError(f"ideal=fewest asks for nodes in no order, but {model.call} depends on the list")
    every = np.full(len(ideals), len(documents.parent))
    met = Ragged.of_counts(every if crosses else documents.nodes.counts[ideals.doc])
    if met.items > MOST_STEPS:
        raise UsageError(
            f"ideal=fewest needs {met.items:,} pairs of a node and an ideal element, more than the "
            f"limit of {MOST_STEPS:,}; use ideal=list"
        )
    element, target_doc = met.row, met.expand(ideals.doc)
    row = met.place if crosses else met.place + documents.node_offset[target_doc]
    doc = documents.nodes.row[row] if crosses else target_doc
    source, target = row - documents.node_offset[doc], met.expand(ideals.node)
    letters = search.elements(ground).coverage_at(met.expand(ideals.pair), source)
    chance = model.chance_between(doc, source, target_doc, target, letters)
    sure = (chance >= CERTAIN_FROM) | (row == documents.rows(target_doc, target))
    return row[sure], element[sure]


def most_shown(sets: Iterable[int], where: str = "") -> list[int]:
    """The most elements that 0, 1, 2, ... nodes can show; a node is given as the bit set of what it shows.

    >>> most_shown([0b0111, 0b0011, 0b1100, 0b10000])
    [0, 3, 4, 5]
    """
    best = [0]
    for part in _components(_maximal(sets)):
        if len(part) > MOST_COMBINED:
            raise UsageError(
                f"topic {where!r}: {len(part)} nodes show some of the same ideal elements, more than the "
                f"limit of {MOST_COMBINED} for ideal=fewest; use ideal=list"
            )
        unions = [0]
        for one in part:
            unions += [union | one for union in unions]
        shown = [0] * (len(part) + 1)
        for chosen, union in enumerate(unions):
            shown[chosen.bit_count()] = max(shown[chosen.bit_count()], union.bit_count())
        best = _joined(best, shown)
    return best


def _maximal(sets: Iterable[int]) -> list[int]:
    """The sets that are not part of another."""
    kept: list[int] = []
    for one in sorted(set(sets), key=int.bit_count, reverse=True):
        if not any(one | other == other for other in kept):
            kept.append(one)
    return kept


def _components(sets: Iterable[int]) -> list[list[int]]:
    """Sets grouped if they share something, directly or through others."""
    parts: list[tuple[int, list[int]]] = []
    for one in sets:
        touched = [part for part in parts if part[0] & one]
        parts = [part for part in parts if not part[0] & one]
        union, members = one, [one]
        for held, others in touched:
            union, members = union | held, members + others
        parts.append((union, members))
    return [members for _, members in parts]


def _joined(one: list[int], other: list[int]) -> list[int]:
    """The most that nodes of both parts can show together; nodes that show nothing more are left out."""
    shown = np.zeros(len(one) + len(other) - 1, dtype=np.int64)
    for count, more in enumerate(other):
        here = slice(count, count + len(one))
        shown[here] = np.maximum(shown[here], np.array(one) + more)
    return [
        0,
        *(
            after
            for before, after in zip(shown[:-1].tolist(), shown[1:].tolist(), strict=True)
            if after > before
        ),
    ]
