"""Precision-recall with user modelling: the share of results read that lead to something new and ideal.

`EPRUM` is its expected form: recall reached per result read, reader by reader.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise, product

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.grammar import Expression
from doxeval.core.parameters import Parameter, choice
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.measurement.families.inside import Inside, StepsToIdeals, results_told
from doxeval.measurement.families.navigating import (
    IDEAL_ELEMENTS,
    NAV,
    RECALL,
    STRICT,
    UNIVERSE,
    WANTED,
    NavigatingMeasure,
    one_of,
    wanted_elements,
)
from doxeval.reader.consulted import consulted
from doxeval.reader.fewest import fewest_nodes
from doxeval.reader.ideal_search import check_universe, elements_in_all, precisions, traced

MOST_SCENARIOS = 36
"""Everything that can happen is listed only if it is at most this much."""


class Followed:
    """A reader followed down the list of one topic, with `unranked` elements beyond it.

    `found[i, s]` is P(F_i = s), `fewer[i, r - 1]` P(F_i < r), and `leads[i, r - 1]` the chance that the
    reader of r elements consults rank i + 1 and gets from there to an unseen one.
    """

    def __init__(self, trace: np.ndarray, unranked: int) -> None:
        self.found = trace[0]
        self.fewer = np.cumsum(trace[0], axis=1)[:, :-1]
        self.leads = np.cumsum(np.diff(trace[1], axis=0), axis=1)[:, :-1]
        ideals = self.found.shape[1] - 1
        read_beyond = self.found[-1, :-1] * (unranked + 1) / (ideals + 1 - np.arange(ideals))
        self.terms = {
            "a": self.leads.sum(axis=0),
            "b": np.cumsum(self.fewer[-1]),
            "c": self.fewer[:-1].sum(axis=0),
            "d": np.cumsum(np.cumsum(read_beyond)),
        }

    def by_recall(self, most: int) -> Inside:
        """The terms of Eq. 5 for readers of 1 to `most` ideal elements."""
        leads, read = self.terms["a"] + self.terms["b"], self.terms["c"] + self.terms["d"]
        columns = {**self.terms, "CL": leads, "C": read, "precision": leads / read}
        rows = {name: column[:most].tolist() for name, column in columns.items()}
        meaning = (
            "r: ideal elements wanted; C: expected results consulted; CL: those that lead to an unseen one",
            "CL = a (in the list) + b (beyond it), C = c + d (the same); precision = CL / C (PRUM Eq. 5)",
        )
        return Inside("recall", {"r": list(range(1, most + 1)), **rows}, meaning)

    def by_rank(self, wanted: int, results: list[str]) -> Inside:
        """The part of each rank for readers of `wanted` ideal elements; the last row is beyond the list."""
        place = wanted - 1
        read = np.append(self.fewer[:-1, place], self.terms["d"][place])
        leads = np.append(self.leads[:, place], self.terms["b"][place])
        columns = {
            "rank": [*range(1, len(results) + 1), None],
            "result": [*results, "beyond the list"],
            "consults": read.tolist(),
            "leads": leads.tolist(),
            "C": np.cumsum(read).tolist(),
            "CL": np.cumsum(leads).tolist(),
            **{f"P(F={s})": [*self.found[1:, s].tolist(), None] for s in range(wanted)},
        }
        meaning = (
            f"for r = {wanted}; consults: P(F < {wanted}) before the rank; leads: that, and an unseen ideal "
            "element is seen from there; C and CL: their sums so far",
            "P(F=s): the chance to have seen s ideal elements after the rank",
        )
        return Inside("list", columns, meaning, 2)


def scenarios(steps: StepsToIdeals, most: int, unranked: int) -> list[Inside]:
    """All ways in which the ideal elements can first be seen (Table III), if they are few."""
    firsts = [_first_seen(steps, element) for element in range(len(steps.names))]
    if math.prod(map(len, firsts)) > MOST_SCENARIOS:
        return []
    ways = list(product(*(chances.items() for chances in firsts)))
    table = np.array(
        [
            [
                math.prod(chance for _, chance in way),
                *_readers([rank for rank, _ in way], most, steps, unranked),
            ]
            for way in ways
        ]
    )
    table = np.vstack([table, table[:, 0] @ np.column_stack([np.ones(len(ways)), table[:, 1:]])])
    numbers = ["PS", *(f"{name}({r})" for r in range(1, most + 1) for name in ("CL", "C"))]
    columns = {
        "scenario": [*map(str, range(1, len(ways) + 1)), "expected"],
        **{name: [*(way[at][0] for way in ways), None] for at, name in enumerate(steps.names)},
        **dict(zip(numbers, table.T.tolist(), strict=True)),
    }
    meaning = (
        "the rank at which each ideal element is first seen, if it is, and the chance PS of that",
        "CL(r), C(r): results that lead to an unseen one, and results in all, consulted for r of them",
    )
    return [Inside("scenarios", columns, meaning)]


def _first_seen(steps: StepsToIdeals, element: int) -> dict[int | None, float]:
    """The chance of every rank at which an ideal element can first be seen; None is beyond the list."""
    mine = steps.element == element
    chances: dict[int | None, float] = {}
    gains = np.diff(np.concatenate([[0.0], steps.seen[mine], [1.0]])).tolist()
    for rank, chance in zip([*steps.rank[mine].tolist(), None], gains, strict=True):
        if chance > 0:
            chances[rank] = chances.get(rank, 0.0) + chance
    return chances


def _readers(firsts: list[int | None], most: int, steps: StepsToIdeals, unranked: int) -> list[float]:
    """CL and C of the readers of 1 to `most` elements, which are first seen at these ranks."""
    seen = sorted(rank for rank in firsts if rank is not None)
    numbers: list[float] = []
    for wanted in range(1, most + 1):
        if wanted <= len(seen):
            stop = seen[wanted - 1]
            numbers += [len({rank for rank in seen if rank <= stop}), stop]
        else:
            lacking = wanted - len(seen)
            beyond = lacking * (unranked + 1) / (len(firsts) - len(seen) + 1)
            numbers += [len(set(seen)) + lacking, steps.results + beyond]
    return numbers


class PrecisionRecallWithUserModelling(NavigatingMeasure):
    """Expected results that lead to an unseen ideal element / expected results consulted (PRUM Eq. 5).

    ``PRUM(r=2)`` is for a reader who wants two ideal elements, undefined if there are fewer;
    ``PRUM(recall=0.5)`` the largest value at a recall of at least that; ``PRUM`` the mean of the latter over
    `points` equally spaced recalls. Beyond the list the reader consults the other elements in random order.

    Eqs. 5-8 assume that first sights at one rank are independent given their number so far (Hypothesis 2.3);
    ``exact=true`` does not: P(F_{i-1} = F_i = s) is the coefficient of t^s in the product of q' + (1 - q) t
    over the ideals, q and q' being the chances to be unseen before and after rank i.
    """

    name = "PRUM"
    user = "Consults results in order, may navigate from each, and stops once r ideal elements were seen."
    paper = "PRUM Eqs. 5-8; exact=true: ours"
    parameters = (
        WANTED,
        RECALL,
        Parameter("points", "integer", 101, "number of recall levels from 0 to 1 to average over", low=2),
        Parameter("exact", "flag", False, "compute without Hypothesis 2.3"),
        NAV,
        IDEAL_ELEMENTS,
        STRICT,
        UNIVERSE,
    )
    empty_is_worst = False
    no_sum = "it divides two expectations over readers, who stop at different ranks"
    example = "PRUM(recall=0.5)"
    variants = (
        "",
        "r=1,nav=hierarchical",
        "r=1,exact=true,nav=hierarchical,universe=100",
        "points=11,ideals=cover",
        "recall=0.2,quantisation=gen",
    )

    def __init__(self, expression: Expression) -> None:
        super().__init__(expression)
        one_of(self, "r", "recall", needed=False)

    def ignores_grades(self, ground: Ground) -> bool:
        """An element is ideal or not."""
        return True

    def prepare(self, ground: Ground) -> None:
        super().prepare(ground)
        ideals = np.diff(self.elements(ground).positive.by_topic.offset)
        size = elements_in_all(ground, self.given.universe)
        if (ideals > size).any():
            topic, most = ground.topics[int(np.argmax(ideals))], int(ideals.max())
            raise UsageError(
                f"{self.label!r}: {size} elements in all cannot include the {most} ideal elements of topic "
                f"{topic!r}; give universe={most} or more"
            )

    def score(self, aligned: Aligned) -> np.ndarray:
        check_universe(aligned, self.elements(aligned.ground).positive, self.given.universe)
        levels = precisions(aligned, self.search, self.given.universe, self.given.exact)
        if self.given.r is not None:
            return levels.by_topic.at(levels.precision, self.given.r - 1, np.nan)
        best = best_from_here(levels.by_topic.offset, levels.precision)
        if self.given.recall is not None:
            return levels.by_topic.at(best, wanted_elements(levels.count, self.given.recall) - 1, np.nan)
        last = self.given.points - 1
        points = [Fraction(point, last) for point in range(self.given.points)]
        at_points = [
            levels.by_topic.at(best, wanted_elements(levels.count, point) - 1, np.nan) for point in points
        ]
        return np.stack(at_points, axis=1).mean(axis=1)

    def inside(self, aligned: Aligned, topic: int) -> list[Inside]:
        """Eq. 5 by recall and by rank, the reader's steps, and if exact all that can happen (Table III)."""
        given, levels = self.given, precisions(aligned, self.search, self.given.universe, self.given.exact)
        ideals, wanted = int(levels.count[topic]), given.r
        if given.recall is not None:
            least = int(wanted_elements(levels.count, given.recall)[topic])
            wanted = least + int(np.argmax(levels.precision[levels.by_topic.slice(topic)][least - 1 :]))
        unranked = int((elements_in_all(aligned.ground, given.universe) - consulted(aligned).results)[topic])
        followed = Followed(traced(aligned, topic, self.search, given.exact), unranked)
        steps = StepsToIdeals(aligned, topic, self.search)
        return [
            followed.by_recall(wanted or ideals),
            *([followed.by_rank(wanted, results_told(aligned, topic))] if wanted else []),
            steps.inside(),
            *(scenarios(steps, wanted or ideals, unranked) if given.exact else []),
        ]


def best_from_here(offset: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The largest value from each recall on, topic by topic."""
    best = values.copy()
    for first, last in pairwise(offset):
        best[first:last] = np.maximum.accumulate(best[first:last][::-1])[::-1]
    return best


class ExpectedPrumMeasure(NavigatingMeasure):
    """E[least ranks for r ideal elements / first rank with r of them seen], 0 for readers who never do.

    The mean over readers of each reader's ratio, where PRUM takes the ratio of two means; and no reader looks
    beyond the list. ``EPRUM(recall=0.5)`` is r = max(1, ceil(0.5 |I|)), not interpolated. The papers give no
    formula beyond a footnote of ESR, which can be read in two ways. ``ideal=list``: the best list is that of
    the r elements themselves, so a result that shows several of them may raise the value above 1.
    ``ideal=fewest``: it is the fewest nodes that show r of them for certain, possibly by navigation.
    """

    name = "EPRUM"
    user = "Consults and navigates like PRUM's reader; each reader's r is divided by the ranks they needed."
    paper = "ESR footnote 11; PRUM section 2"
    parameters = (
        *(WANTED, RECALL, NAV, IDEAL_ELEMENTS, STRICT),
        choice("ideal", "list fewest", "the best list: the r elements, or the fewest nodes that show them"),
    )
    no_sum = "every reader stops at a different rank, and the value is a mean over readers"
    example = "EPRUM(recall=0.5)"
    variants = (
        "r=1,nav=hierarchical",
        "r=1,ideals=cover",
        "recall=1,quantisation=gen",
        "recall=1,ideal=fewest,nav=t2i(tolerance=0)",
    )

    @property
    def high(self) -> float:
        """One result may show all r elements, which are any number for a share of them."""
        return math.inf if self.given.r is None else float(self.given.r)

    def __init__(self, expression: Expression) -> None:
        super().__init__(expression)
        one_of(self, "r", "recall", needed=True)

    def ignores_grades(self, ground: Ground) -> bool:
        """An element is ideal or not."""
        return True

    def prepare(self, ground: Ground) -> None:
        super().prepare(ground)
        if self.given.ideal == "fewest":
            fewest_nodes(ground, self.search)

    def score(self, aligned: Aligned) -> np.ndarray:
        levels = precisions(aligned, self.search, None, False)
        expected = levels.expected
        if self.given.ideal == "fewest":
            expected = expected * fewest_nodes(aligned.ground, self.search) / (levels.by_topic.place + 1)
        if self.given.r is not None:
            return levels.by_topic.at(expected, self.given.r - 1, np.nan)
        return levels.by_topic.at(expected, wanted_elements(levels.count, self.given.recall) - 1, np.nan)
