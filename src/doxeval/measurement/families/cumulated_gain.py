"""Shared by the xCG family: the gains of a run's results, and of the best list that the assessments allow."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from doxeval.core.facts import once
from doxeval.core.grammar import Call
from doxeval.core.parameters import Parameter, choice, share
from doxeval.core.ragged import Ragged, quotient, sums_by
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.kernels.tree_gains import best_on_paths, element_gains, greedy_texts
from doxeval.measurement.families import phrases
from doxeval.measurement.families.looking_around import (
    Aims,
    ShownParts,
    aims_in_text,
    navigated,
    shown_in_text,
)
from doxeval.measurement.families.navigating import NAV, QUANTISATION, ElementMeasure
from doxeval.reader.consulted import Consulted, consulted
from doxeval.reader.navigation.model import navigation_of
from doxeval.reader.quantisation import quantisation_named
from doxeval.reader.recall_base import chosen_on_paths, text_base
from doxeval.reader.units_sought import Elements, ancestors_among, assessed_elements, tree_of

NO_LIMIT = 1 << 40
PATHS = "paths"
GAIN_PARAMETERS = (
    share("alpha", 1, "how much overlap is punished: at 1, text seen before is worth nothing"),
    choice(
        "ideal", f"greedy sort {PATHS}",
        "the best list: always the best next element, all by value, or the best of every path",
    ),
    QUANTISATION,
    Parameter(
        "ideals", "text", PATHS,
        "nodes that cap the gain inside them: the best of every path, or those valued by a quantisation",
    ),
    NAV,
)  # fmt: skip


@dataclass(frozen=True)
class Gain:
    """The worth of an element to a reader, and the elements of the best list.

    For judged nodes: PRUM C.3, with its cap. Highlights: (relevant - alpha * relevant seen) / size. From
    there, readers navigate to what is best on every path.
    """

    alpha: Fraction
    ideal: str
    quantisation: str
    ideals: str
    nav: Call

    def of_each(self, aligned: Aligned) -> np.ndarray:
        """The gain of each result of a run."""
        own, around = self.parts(aligned)
        return own if around is None else own + navigated(aligned, self.nav, *around)

    def parts(self, aligned: Aligned) -> tuple[np.ndarray, tuple[Aims, ShownParts] | None]:
        """The gain of each result itself, and what readers look for from there, with its parts shown."""
        nodes = aligned.ground.assessments.nodes is not None
        return self._of_nodes(aligned) if nodes else self._of_texts(aligned)

    @property
    def navigates(self) -> bool:
        """Whether the reader goes anywhere from a result."""
        return self.nav.name != "none"

    def _of_texts(self, aligned: Aligned) -> tuple[np.ndarray, tuple[Aims, ShownParts] | None]:
        alpha, seen_before = float(self.alpha), aligned.relevant - aligned.fresh
        gains = quotient(aligned.relevant - alpha * seen_before, aligned.size)
        if not self.navigates:
            return gains, None
        aims, aim_of_base = aims_in_text(aligned.ground)
        return gains, (aims, shown_in_text(aligned, aims, aim_of_base, alpha))

    def _of_nodes(self, aligned: Aligned) -> tuple[np.ndarray, tuple[Aims, ShownParts] | None]:
        elements = self.judged(aligned.ground)
        read = consulted(aligned)
        row = np.flatnonzero(np.append(elements.by_pair.counts, 0)[read.pair] > 0)
        row = row[np.argsort(read.pair[row], kind="stable")]
        share = _shares_of_results(aligned, read)[row]
        gains = self._walk(aligned.ground, read.pair[row], read.node[row], share, -1)
        own = sums_by(read.result[row], gains, len(aligned))
        if not self.navigates:
            return own, None
        value = np.append(elements.value, 0.0)[elements.find(read.pair[row], read.node[row])]
        new = np.maximum(gains - (1.0 - float(self.alpha)) * value * share, 0.0)
        aims = self._aims(aligned.ground)
        return own, (aims, _shown_nodes(aligned, read, row, gains, new, aims))

    def _aims(self, ground: Ground) -> Aims:
        """The ideal elements, the outermost of those inside each other."""
        elements = self.judged(ground)
        ideal = elements.select(_capping(ground, self.quantisation, self.ideals) & (elements.value > 0))
        outermost = ideal.select(ancestors_among(ground, ideal) < 0)
        return Aims(outermost.doc, outermost.node, outermost.pair, outermost.value)

    def judged(self, ground: Ground) -> Elements:
        """The judged nodes, by the quantisation."""
        return assessed_elements(ground, "judged", self.quantisation)

    def _walk(
        self, ground: Ground, pair: np.ndarray, node: np.ndarray, share: np.ndarray, limit: int
    ) -> np.ndarray:
        """Gains of nodes shown in order (or taken best first, up to a limit), by judged pair."""
        documents, elements = tree_of(ground), self.judged(ground)
        held = np.flatnonzero(elements.by_pair.counts)
        return element_gains(
            documents.node_offset,
            documents.parent,
            _node_sizes(ground),
            ground.doc_index[ground.assessments.pair_doc[held]],
            np.append(elements.pair_offset[held], len(elements)),
            elements.node,
            elements.value,
            _capping(ground, self.quantisation, self.ideals).view(np.uint8),
            np.append(np.searchsorted(pair, held), len(pair)),
            node,
            share,
            float(self.alpha),
            limit,
        )

    def of_best_list(self, ground: Ground, limit: int) -> tuple[Ragged, np.ndarray]:
        """The gain of each topic's best list after each element, correct up to `limit` elements."""
        best = self._best_texts if ground.assessments.nodes is None else self._best_elements
        pairs, gains = best(ground, limit)
        topic = pairs.expand(ground.assessments.pair_topic)
        order = np.lexsort((np.arange(len(gains)), -_least_so_far(pairs, gains), topic))
        order = order[gains[order] > 0]
        topics = Ragged.of_rows(topic[order], len(ground.topics))
        return topics, topics.cumulate(gains[order])

    def _best_texts(self, ground: Ground, limit: int) -> tuple[Ragged, np.ndarray]:
        """Gains of the nodes with relevant text, pair by pair."""
        base, pairs = text_base(ground), Ragged(text_base(ground).pair_offset)
        if self.ideal == "greedy":
            columns = (base.pair_offset, base.above, base.relevant, base.size)
            return pairs, greedy_texts(*columns, float(self.alpha), limit)
        value = base.relevant / base.size
        if self.ideal == PATHS:
            value = np.where(best_on_paths(base.pair_offset, base.above, value), value, 0.0)
        return pairs, _falling(pairs, value)

    def _best_elements(self, ground: Ground, limit: int) -> tuple[Ragged, np.ndarray]:
        """Gains of the judged nodes, pair by pair; only of ideal ones if these are named."""
        elements = self.judged(ground)
        useful = elements.value > 0
        if self.ideals != PATHS:
            useful &= _capping(ground, self.quantisation, self.ideals)
        base = elements.select(useful)
        if self.ideal == "greedy":
            return base.by_pair, self._walk(ground, base.pair, base.node, np.ones(len(base)), limit)
        value = base.value
        if self.ideal == PATHS:
            value = np.where(chosen_on_paths(ground, base), value, 0.0)
        return base.by_pair, _falling(base.by_pair, value)


@once
def gained_by_results(aligned: Aligned, gain: Gain) -> np.ndarray:
    """The gain of a run after each result."""
    return aligned.cumulated(gain.of_each(aligned))


def gained_by_best_list(ground: Ground, gain: Gain, limit: int = NO_LIMIT) -> tuple[Ragged, np.ndarray]:
    """The gain of each topic's best list after each element, correct up to `limit` elements.

    Its elements are what readers look for, so nobody navigates from them.
    """
    return _best_list(ground, replace(gain, nav=Call("none")), limit)


@once
def _best_list(ground: Ground, gain: Gain, limit: int) -> tuple[Ragged, np.ndarray]:
    return gain.of_best_list(ground, limit)


@once
def _capping(ground: Ground, quantisation: str, ideals: str) -> np.ndarray:
    """Whether each judged element is ideal; nothing inside them gains more than they do."""
    elements = assessed_elements(ground, "judged", quantisation)
    if ideals != PATHS:
        named = assessed_elements(ground, "judged", ideals, by_code=True)
        return np.append(named.value, 0.0)[named.find(elements.pair, elements.node)] > 0
    ideal = elements.value > 0
    ideal[ideal] = chosen_on_paths(ground, elements.positive)
    return ideal


@once
def _node_sizes(ground: Ground) -> np.ndarray:
    """The length of every node of the collection."""
    documents = tree_of(ground)
    length = documents.end - documents.start if documents.node_length is None else documents.node_length
    return np.ascontiguousarray(length, dtype=np.float64)


class GainMeasure(ElementMeasure):
    """A measure of the worth of results relative to the best list described by its parameters."""

    draws = phrases.WHERE_TO
    parameters: ClassVar[tuple[Parameter, ...]] = GAIN_PARAMETERS
    variants: ClassVar[tuple[str, ...]] = (
        "alpha=0.5",
        "ideal=sort,quantisation=strict",
        "ideal=paths,ideals=strict",
        "nav=hierarchical",
        "nav=readon(mean=20),alpha=0.5",
    )

    @property
    def high(self) -> float:
        """Values have no limit, and a run may gain more, or sooner, than a list chosen element by element."""
        return math.inf

    def prepare(self, ground: Ground) -> None:
        super().prepare(ground)
        if self.given.ideals != PATHS:
            quantisation_named(self.given.ideals)
        navigation_of(ground, self.given.nav)

    def elements(self, ground: Ground) -> Elements:
        return self.gain.judged(ground)

    @property
    def gain(self) -> Gain:
        """The worth of an element to the reader."""
        given = self.given
        ideal = getattr(given, "ideal", "greedy")
        return Gain(Fraction(given.alpha), ideal, given.quantisation, given.ideals, given.nav)


def _shares_of_results(aligned: Aligned, read: Consulted) -> np.ndarray:
    """The share of each consulted node in its result, by length; equal for nodes without text."""
    length = tree_of(aligned.ground).lengths(read.doc, read.node).astype(np.float64)
    whole = sums_by(read.result, length, len(aligned))[read.result]
    nodes = np.bincount(read.result, minlength=len(aligned))[read.result]
    return np.where(whole > 0, quotient(length, whole), 1.0 / nodes)


def _shown_nodes(
    aligned: Aligned, read: Consulted, row: np.ndarray, gains: np.ndarray, new: np.ndarray, aims: Aims
) -> ShownParts:
    """The parts of aims in consulted nodes, which gain `gains`, of which `new` for what was not yet seen.

    An aim is seen with every node around it; its part in such a node's gain is that of its size.
    """
    by_pair = Ragged.of_rows(aims.pair, len(aligned.ground.assessments.pair_doc))
    met, aim = by_pair.take(read.pair[row])
    node, target, doc = met.expand(read.node[row]), aims.node[aim], aims.doc[aim]
    keep = np.flatnonzero(tree_of(aligned.ground).nested(doc, node, target))
    node, target, aim, read_row = node[keep], target[keep], aim[keep], met.row[keep]
    size, first = _node_sizes(aligned.ground), tree_of(aligned.ground).node_offset[doc[keep]]
    around, part = node < target, quotient(size[first + target], size[first + node])
    taken = np.where(node <= target, 1.0, quotient(gains[read_row], aims.worth[aim]))
    known = np.where(around, 0.0, new[read_row])
    return ShownParts(
        aim, read.result[row[read_row]], taken, known, np.where(around, new[read_row] * part, 0.0)
    )


def _falling(groups: Ragged, values: np.ndarray) -> np.ndarray:
    """The values of every group, largest first."""
    return values[np.lexsort((-values, groups.row))]


def _least_so_far(groups: Ragged, gains: np.ndarray) -> np.ndarray:
    """For each gain the smallest of its group so far.

    A gain can come only after those before it in its group, so lists of groups, each best first, merge into
    one that is best first by this key.
    """
    least = gains.copy()
    for step in range(1, int(groups.counts.max(initial=0))):
        rows = groups.first[groups.counts > step] + step
        least[rows] = np.minimum(least[rows], least[rows - 1])
    return least
