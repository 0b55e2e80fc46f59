"""The measures of documents asked for most, computed from columns in place of ir_measures.

They give what ir_measures gives, to the last digits, for every form that `FORMULAS` has; any other form of
them, and any other measure, is left to :mod:`doxeval.measurement.families.flat`. A document is relevant if
its grade, rounded up, is at least `rel`; topics with nothing relevant and topics without results have 0.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from doxeval.core.facts import once
from doxeval.core.grammar import Expression
from doxeval.core.quick_class import dataclass
from doxeval.core.ragged import Ragged, quotient, sums_by
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.measurement.base import OF_DOCUMENTS
from doxeval.measurement.families.borrowed import LARGEST_WHOLE, borrow
from doxeval.measurement.families.flat import DocumentMeasure, tell_other_order

UNJUDGED = -(1 << 62)
PATIENCE = 0.8
DEEPEST = 1000
"""The usual persistence of RBP, and the ranks that its weights are spread over (cwl_eval)."""


@dataclass(eq=False)
class Ranked:
    """Documents by topic, in the order of their first results, with their grades and the ground truth."""

    ground: Ground
    by_topic: Ragged
    grade: np.ndarray

    def found(self, rel: int, cutoff: int | None) -> tuple[np.ndarray, np.ndarray]:
        """The topic and the rank of the relevant documents, those within the cut-off."""
        rows = np.flatnonzero(self.grade >= rel)
        topic, rank = self.by_topic.row[rows], self.by_topic.place[rows] + 1
        return (topic, rank) if cutoff is None else (topic[rank <= cutoff], rank[rank <= cutoff])

    def number(self, rel: int, cutoff: int | None) -> np.ndarray:
        """The number of relevant documents of each topic within the cut-off."""
        return np.bincount(self.found(rel, cutoff)[0], minlength=len(self.by_topic))

    def add(self, topic: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Sums of values by topic."""
        return sums_by(topic, values, len(self.by_topic))


@once
def ranked(aligned: Aligned) -> Ranked:
    """The documents of a run, each at its first rank."""
    first = aligned.openings
    tell_other_order(aligned, first)
    pair = aligned.pair[first]
    grade = np.append(whole_grades(aligned.ground), UNJUDGED)[pair]
    return Ranked(aligned.ground, Ragged.of_rows(aligned.topic[first], len(aligned.count)), grade)


@once
def whole_grades(ground: Ground) -> np.ndarray:
    """The grade of each assessed document, rounded up."""
    return np.ceil(ground.pair_grade).astype(np.int64)


@once
def relevant(ground: Ground, rel: int) -> np.ndarray:
    """The number of relevant documents of each topic."""
    return np.bincount(
        ground.assessments.pair_topic[whole_grades(ground) >= rel], minlength=len(ground.topics)
    )


@once
def ideal_gain(ground: Ground, cutoff: int | None) -> np.ndarray:
    """The discounted gain of each topic's documents in the order of their grades."""
    topic, grade = ground.assessments.pair_topic, whole_grades(ground)
    order = np.lexsort((-grade, topic))
    lists = Ragged.of_rows(topic[order], len(ground.topics))
    return discounted(Ranked(ground, lists, grade[order]), cutoff)


def discounted(lists: Ranked, cutoff: int | None) -> np.ndarray:
    """The sum of grades above 0, each divided by log2(rank + 1)."""
    rows = np.flatnonzero(lists.grade > 0)
    rank = lists.by_topic.place[rows] + 1
    if cutoff is not None:
        rows, rank = rows[rank <= cutoff], rank[rank <= cutoff]
    return lists.add(lists.by_topic.row[rows], lists.grade[rows] / np.log2(rank + 1.0))


def precision(lists: Ranked, rel: int, cutoff: int | None, p: float) -> np.ndarray:
    """The share of relevant documents in the first k."""
    assert cutoff is not None
    return lists.number(rel, cutoff) / cutoff


def recall(lists: Ranked, rel: int, cutoff: int | None, p: float) -> np.ndarray:
    """The share of the relevant documents that is in the first k."""
    return quotient(lists.number(rel, cutoff), relevant(lists.ground, rel))


def average_precision(lists: Ranked, rel: int, cutoff: int | None, p: float) -> np.ndarray:
    """The mean over all relevant documents of the precision at their ranks."""
    topic, rank = lists.found(rel, cutoff)
    so_far = Ragged.of_rows(topic, len(lists.by_topic)).place + 1
    return quotient(lists.add(topic, so_far / rank), relevant(lists.ground, rel))


def ndcg(lists: Ranked, rel: int, cutoff: int | None, p: float) -> np.ndarray:
    """The discounted gain, divided by that of the ideal order."""
    return quotient(discounted(lists, cutoff), ideal_gain(lists.ground, cutoff))


def reciprocal_rank(lists: Ranked, rel: int, cutoff: int | None, p: float) -> np.ndarray:
    """One divided by the rank of the first relevant document."""
    topic, rank = lists.found(rel, cutoff)
    values = np.zeros(len(lists.by_topic))
    values[topic[::-1]] = 1 / rank[::-1]
    return values


def success(lists: Ranked, rel: int, cutoff: int | None, p: float) -> np.ndarray:
    """1 if any of the first k documents is relevant, else 0."""
    return (lists.number(rel, cutoff) > 0).astype(float)


def r_precision(lists: Ranked, rel: int, cutoff: int | None, p: float) -> np.ndarray:
    """The share of relevant documents among as many as are relevant."""
    total, (topic, rank) = relevant(lists.ground, rel), lists.found(rel, None)
    return quotient(np.bincount(topic[rank <= total[topic]], minlength=len(total)), total)


def binary_preference(lists: Ranked, rel: int, cutoff: int | None, p: float) -> np.ndarray:
    """How rarely documents judged irrelevant are before relevant ones; a grade below 0 is no judgement."""
    total, irrelevant = relevant(lists.ground, rel), relevant(lists.ground, 0) - relevant(lists.ground, rel)
    rows = np.flatnonzero(lists.grade >= rel)
    topic = lists.by_topic.row[rows]
    before = lists.by_topic.before((lists.grade >= 0) & (lists.grade < rel))[rows]
    missed = quotient(np.minimum(before, total[topic]), np.minimum(irrelevant, total)[topic])
    return quotient(lists.add(topic, 1 - missed), total)


def rank_biased(lists: Ranked, rel: int, cutoff: int | None, p: float) -> np.ndarray:
    """Relevant documents, each with the chance that a reader who goes on with the chance p comes to it."""
    topic, rank = lists.found(rel, DEEPEST)
    weight = p ** np.arange(DEEPEST)
    return lists.add(topic, (weight / weight.sum())[rank - 1])


class Formula(NamedTuple):
    """A function, whether it takes a cut-off, and whether it tells grades above `rel` apart."""

    values: Callable[[Ranked, int, int | None, float], np.ndarray]
    cutoff: str
    takes: tuple[str, ...] = ("rel",)
    needs: tuple[str, ...] = ()
    graded: bool = False


FORMULAS = {
    "P": Formula(precision, "required"),
    "R": Formula(recall, "required"),
    "AP": Formula(average_precision, "optional"),
    "nDCG": Formula(ndcg, "optional", takes=(), graded=True),
    "RR": Formula(reciprocal_rank, "optional"),
    "Success": Formula(success, "required"),
    "Rprec": Formula(r_precision, "none"),
    "Bpref": Formula(binary_preference, "none"),
    "RBP": Formula(rank_biased, "none", takes=("rel", "p"), needs=("rel",)),
}
"""The measures by name, each in the forms that it has here."""


def ranked_measure(expression: Expression) -> RankedMeasure | None:
    """The measure of an expression, if it is in a form computed here; None if it is left to ir_measures."""
    name, given = OF_DOCUMENTS.get(expression.call.name), dict(expression.call.arguments)
    if name is None or expression.point is not None or len(given) < len(expression.call.arguments):
        return None
    formula = FORMULAS[name]
    cutoff = expression.cutoff
    if cutoff is None:
        fits = formula.cutoff != "required"
    else:
        whole = cutoff.unit in ("ranks", "documents") and cutoff.amount == int(cutoff.amount)
        fits = formula.cutoff != "none" and whole and 1 <= cutoff.amount < LARGEST_WHOLE
    if not fits or set(given) - set(formula.takes) or set(formula.needs) - set(given):
        return None
    rel, p = given.get("rel", Fraction(1)), given.get("p", Fraction(1))
    if not isinstance(rel, Fraction) or not isinstance(p, Fraction) or rel.denominator != 1:
        return None
    return RankedMeasure(expression, name) if 1 <= rel < LARGEST_WHOLE and 0 <= p <= 1 else None


class RankedMeasure(DocumentMeasure):
    """A measure of documents that needs no ir_measures."""

    def __init__(self, expression: Expression, kind: str) -> None:
        self.expression = expression
        self.label = expression.text or str(expression)
        self.given = SimpleNamespace()
        self.kind = kind
        self.formula = FORMULAS[kind]
        arguments: dict[str, Any] = dict(expression.call.arguments)
        self.rel, self.p = int(arguments.get("rel", 1)), float(arguments.get("p", PATIENCE))

    @cached_property
    def measure(self) -> Any:
        """The same measure of ir_measures, for what is not computed here."""
        return borrow(self.expression, self.label)

    @cached_property
    def canonical(self) -> str:
        told = {"rel": (self.rel, 1 if "rel" not in self.formula.needs else None), "p": (self.p, PATIENCE)}
        shown = [f"{name}={told[name][0]!r}" for name, _ in self.expression.call.arguments
                 if told[name][0] != told[name][1]]  # fmt: skip
        return f"{self.kind}({','.join(shown)})"[: None if shown else -2] + f"@{self.rank}" * bool(self.rank)

    may_share = summed = by_subtopic = False
    high, highest = 1.0, None

    def cut(self, aligned: Aligned, rank: int) -> np.ndarray:
        if self.formula.cutoff == "none":
            return self.score(aligned.top(rank))
        return self.formula.values(ranked(aligned), self.rel, rank, self.p)

    def ignores_grades(self, ground: Ground) -> bool:
        grades = whole_grades(ground)
        return self.rel == 1 and not (self.formula.graded and (grades[grades > 0] != 1).any())

    def values(self, aligned: Aligned) -> np.ndarray:
        return self.formula.values(ranked(aligned), self.rel, self.rank, self.p)
