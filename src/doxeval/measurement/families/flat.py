"""Classical document measures: the run is reduced to documents and passed to ir_measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from doxeval.core.errors import MissingExtra, UsageError
from doxeval.core.facts import once
from doxeval.core.grammar import Cutoff, Expression
from doxeval.core.ragged import Ragged
from doxeval.ground.align import score_order
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.ground.need_sets import has_sets
from doxeval.measurement.base import Measure
from doxeval.measurement.families.borrowed import (
    borrow,
    compute,
    evaluator,
    grades_matter,
    ir_measures,
    may_share,
    relevance_matters,
)  # fmt: skip

if TYPE_CHECKING:
    from doxeval.measurement.families.bounds import Bounds

WELL_KNOWN = (
    "AP", "nDCG", "P", "R", "RR", "Rprec", "Bpref", "ERR", "infAP", "IPrec", "NumRet", "NumRel", "NumRelRet",
    "RBP", "SetP", "SetR", "SetF", "SetAP", "Success",
)  # fmt: skip


class DocumentMeasure(Measure):
    """A measure of ir_measures on documents.

    A document has its first rank; it is relevant with its highest grade, rounded up to a whole number, if any
    text in it is. Neither lengths nor offsets matter. A topic has a value if ir_measures gives it one: most
    measures are 0 where nothing is relevant. Measures of subtopics use aspects as subtopics.
    """

    name = "document measures"
    user = "Sees only documents: any part of a document counts as all of it."
    paper = "ir_measures"
    cutoff = "optional"
    ranks_documents = True
    reads_text = False
    no_sum = "ir_measures gives only the value"
    no_draws = "ir_measures gives only the value"

    def __init__(self, expression: Expression) -> None:
        self.expression = expression
        self.label = expression.text or str(expression)
        self.given = SimpleNamespace()
        if ir_measures() is None:
            raise MissingExtra("ir", f"{self.label} is a measure of whole documents, which")
        self.kind, self.rel = self.measure.NAME, self.measure.params.get("rel", 1)

    @cached_property
    def measure(self) -> Any:
        """The measure of ir_measures."""
        return borrow(self.expression, self.label)

    @cached_property
    def canonical(self) -> str:
        return str(self.measure)

    @cached_property
    def may_share(self) -> bool:
        """Whether it may be computed together with others."""
        return may_share(self.measure)

    @property
    def summed(self) -> bool:
        return isinstance(self.measure.aggregator(), ir_measures().SumAgg)

    @property
    def high(self) -> float:
        return float("inf") if self.summed or self.measure.NAME == "alpha_DCG" else 1.0

    @property
    def highest(self) -> int | None:
        """The highest grade that it tells from others, None for any."""
        highest: int | None = self.measure.params.get("max_rel")
        return highest

    @property
    def by_subtopic(self) -> bool:
        """Whether the measure uses subtopics."""
        return any(known.NAME == self.measure.NAME for known in ir_measures().pyndeval.SUPPORTED_MEASURES)

    @staticmethod
    def names() -> list[str]:
        """The names known to ir_measures or, if it is missing, our list of the best known ones."""
        library = ir_measures()
        if library is None:
            return list(WELL_KNOWN)
        offered = library.measures.registry.items()
        return [name for name, measure in offered if not getattr(measure, "of_doxeval", False)]

    @staticmethod
    def is_at_recall(name: str) -> bool:
        """Whether ir_measures has a measure of this name at a recall point, as IPrec is."""
        library = ir_measures()
        return (
            library is not None and getattr(library.measures.registry.get(name), "AT_PARAM", "") == "recall"
        )

    def cut(self, aligned: Aligned, rank: int) -> np.ndarray:
        if "cutoff" not in self.measure.SUPPORTED_PARAMS:
            return self.score(aligned.top(rank))
        return DocumentMeasure(replace(self.expression, cutoff=Cutoff(rank))).score(aligned)

    def prepare(self, ground: Ground) -> None:
        super().prepare(ground)
        if self.by_subtopic and ground.assessments.ranges.aspects is None:
            raise UsageError(
                f"{self.label!r}: counts subtopics, which these assessments do not have "
                "(the second column of TREC qrels, the aspects of other formats)"
            )
        most, highest = int(np.ceil(ground.pair_grade.max(initial=0))), self.highest
        if highest is not None and highest < most:
            ground.notices.add(
                f"{self.label}: grades go up to {most}; those above {highest} count as {highest}"
            )

    def ignores_grades(self, ground: Ground) -> bool:
        """Grades are whole numbers here, and many measures ask only whether they are positive."""
        whole = np.ceil(ground.pair_grade[ground.pair_grade > 0])
        return relevance_matters(self.measure, self.label) and not (
            (whole != 1).any() and grades_matter(self.measure, self.label)
        )

    def defined(self, aligned: Aligned) -> np.ndarray:
        return np.ones(len(aligned.ground.topics), dtype=bool)

    @classmethod
    def values_of_all(cls, measures: Sequence[DocumentMeasure], aligned: Aligned) -> list[np.ndarray]:
        """Compute all measures that may share one call of ir_measures together."""
        alike = tuple(measure for measure in measures if measure.may_share)
        if len(alike) > 1:
            for measure, values in zip(alike, _values(aligned, alike), strict=True):
                aligned.facts.tell(_values, values[None], (measure,))
        return super().values_of_all(measures, aligned)

    def unbounded(self, ground: Ground) -> str:
        from doxeval.measurement.families.flat_bounds import unbounded

        if self.kind == "Rprec" and has_sets(ground):
            return "bounds over alternative sets of documents are not known"
        return unbounded(self.measure, ground)

    def bounds(self, aligned: Aligned, opened: Ground) -> Bounds:
        from doxeval.measurement.families.flat_bounds import document_bounds

        return document_bounds(self.measure, self.label, aligned, opened)

    def score(self, aligned: Aligned) -> np.ndarray:
        values = self.values(aligned)
        if self.kind == "Rprec" and has_sets(aligned.ground):
            from doxeval.measurement.families.set_rprec import best_precision

            return best_precision(aligned, self.rel, values)
        return values

    def values(self, aligned: Aligned) -> np.ndarray:
        """One value per assessed topic, NaN if ir_measures gives none."""
        found: np.ndarray = _values(aligned, (self,))[0]
        return found


@once
def _values(aligned: Aligned, measures: tuple[DocumentMeasure, ...]) -> np.ndarray:
    """`values[measure, topic]`, NaN if ir_measures gives none."""
    place = {measure.canonical: at for at, measure in enumerate(measures)}
    values = np.full((len(measures), len(aligned.ground.topics)), np.nan)
    evaluator, label = _evaluator(aligned.ground, measures), measures[0].label
    for measure, found in compute(evaluator, ranked_documents(aligned), label):
        values[place[str(measure)], list(map(int, found))] = list(found.values())
    return values


@once
def _evaluator(ground: Ground, measures: tuple[DocumentMeasure, ...]) -> Any:
    """An evaluator for the measures and judgements, made once for all runs."""
    judged = judged_subtopics(ground) if measures[0].by_subtopic else judged_documents(ground)
    return evaluator([measure.measure for measure in measures], judged, measures[0].label)


@once
def judged_documents(ground: Ground) -> dict[str, dict[str, int]]:
    """Grades by topic and document, both named by their codes."""
    judged: dict[str, dict[str, int]] = {str(topic): {} for topic in range(len(ground.topics))}
    table = ground.assessments
    grades = np.ceil(ground.pair_grade).astype(np.int64).tolist()
    for topic, doc, grade in zip(table.pair_topic.tolist(), table.pair_doc.tolist(), grades, strict=True):
        judged[str(topic)][f"a{doc}"] = grade
    return judged


@once
def judged_subtopics(ground: Ground) -> list[Any]:
    """Judgements with the aspect as subtopic, one for each aspect; documents without one are irrelevant."""
    table, ranges, qrel = ground.assessments, ground.assessments.ranges, ir_measures().Qrel
    assert ranges.aspects is not None
    grades: dict[tuple[int, str], int] = {}
    for row, pair in enumerate(ranges.pair.tolist()):
        for aspect in ranges.aspects.of(row):
            grade = int(np.ceil(ranges.grade[row]))
            grades[pair, aspect] = max(grade, grades.get((pair, aspect), grade))
    known = {pair for pair, _ in grades}
    grades |= {(pair, "0"): 0 for pair in range(len(table.pair_doc)) if pair not in known}
    topic, doc = table.pair_topic, table.pair_doc
    return [
        qrel(str(topic[pair]), f"a{doc[pair]}", grade, aspect) for (pair, aspect), grade in grades.items()
    ]


@once
def ranked_documents(aligned: Aligned) -> dict[str, dict[str, float]]:
    """Documents by topic, each at its first rank; ir_measures orders by score, which falls with the rank.

    Documents that nobody judged for the topic are called by their rank: nothing else matters of them.
    """
    first = aligned.openings
    tell_other_order(aligned, first)
    pair, by_topic = aligned.pair[first], Ragged.of_rows(aligned.topic[first], len(aligned.count))
    assessed = aligned.ground.assessments.pair_doc
    names, scores = _names(aligned.ground, 1 << int(by_topic.counts.max(initial=0)).bit_length())
    judged = len(names) - len(scores)
    code = np.where(pair >= 0, assessed[pair] if len(assessed) else pair, judged + by_topic.place)
    named = list(map(names.__getitem__, code.tolist()))
    return {
        str(topic): dict(zip(named[begin:end], scores, strict=False))
        for topic, (begin, end) in enumerate(pairwise(by_topic.offset.tolist()))
        if begin < end
    }


@once
def _names(ground: Ground, ranks: int) -> tuple[list[str], list[float]]:
    """Names of the assessed documents, then of others by rank, and scores that fall; kept for all runs."""
    judged = [f"a{code}" for code in range(len(ground.assessments.docs))]
    return judged + [f"r{rank}" for rank in range(ranks)], [float(ranks - rank) for rank in range(ranks)]


def tell_other_order(aligned: Aligned, first: np.ndarray) -> None:
    """Report where trec_eval, which uses scores instead of ranks, would order documents differently."""
    run, topic = aligned.run, aligned.topic[first]
    if aligned.conventions.rank_by != "rank" or run.rank is None or run.score is None:
        return
    score = run.score[aligned.row[first]].astype(np.float32)
    if not ((np.diff(score) >= 0) & (np.diff(topic) == 0)).any():
        return
    moved = score_order(run, aligned.row[first], topic) != np.arange(len(first))
    aligned.notices.add_names(
        "{count} {topic has|topics have} documents with equal scores that trec_eval would put in another "
        "order; the rank is used (--rank-by score uses the score, as trec_eval does)",
        map(aligned.ground.topics.__getitem__, np.unique(topic[moved])), harmless=True, lasting=True,
    )  # fmt: skip
