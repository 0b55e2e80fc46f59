"""Classical document measures: the run is folded to documents and handed to ir_measures."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from doxeval.core.errors import MissingExtra, UsageError
from doxeval.core.facts import once
from doxeval.core.grammar import Cutoff, Expression
from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import Measure

WELL_KNOWN = (
    "AP", "nDCG", "P", "R", "RR", "Rprec", "Bpref", "ERR", "infAP", "IPrec", "NumRet", "NumRel", "NumRelRet",
    "RBP", "SetP", "SetR", "SetF", "SetAP", "Success",
)  # fmt: skip


def _ir_measures() -> Any:
    try:
        import ir_measures
    except ImportError:
        return None
    return ir_measures


class DocumentMeasure(Measure):
    """A measure of ir_measures on documents.

    A document stands at its first rank (its score is minus that rank, since ir_measures looks at scores
    only); it is relevant with its highest grade, rounded to a whole number, if any text in it is.
    """

    name = "document measures"
    user = "Sees documents only: any part of a document stands for all of it."
    paper = "ir_measures"
    cutoff = "optional"
    no_sum = "ir_measures gives the value alone"

    def __init__(self, expression: Expression) -> None:
        self.expression = expression
        self.label = expression.text
        self.given = SimpleNamespace()
        library = _ir_measures()
        if library is None:
            raise MissingExtra("ir", f"{self.label} is a measure of whole documents, which")
        try:
            self.measure = library.parse_measure(str(expression))
        except (ValueError, NameError, AttributeError, KeyError, SyntaxError, TypeError) as problem:
            raise UsageError(f"{self.label!r}: ir_measures does not understand it: {problem}") from None

    @property
    def canonical(self) -> str:
        return str(self.measure)

    @classmethod
    def knows(cls, expression: Expression) -> bool:
        """Whether ir_measures (or, where it is missing, our list of its best known names) has this name."""
        return expression.call.name in cls.names()

    @staticmethod
    def names() -> list[str]:
        """The names ir_measures offers."""
        library = _ir_measures()
        return list(WELL_KNOWN) if library is None else list(library.measures.registry)

    def cut(self, topics: Aligned, rank: int) -> np.ndarray:
        if "cutoff" not in self.measure.SUPPORTED_PARAMS:
            return self.score(topics.top(rank))
        return DocumentMeasure(replace(self.expression, cutoff=Cutoff(rank))).score(topics)

    def score(self, topics: Aligned) -> np.ndarray:
        judgements, rankings = fold_to_documents(topics)
        values = np.zeros(len(topics.ground.topics))
        for metric in _ir_measures().iter_calc([self.measure], judgements, rankings):
            values[int(metric.query_id)] = metric.value
        return values


@once
def fold_to_documents(topics: Aligned) -> tuple[list[Any], list[Any]]:
    """Judgements and rankings of documents, as ir_measures wants them, topics named by their code."""
    library = _ir_measures()
    ground = topics.ground
    grade = np.zeros(len(ground.assessments.pair_doc))
    np.maximum.at(grade, ground.unit_pair, ground.unit_grade)
    judgements = [
        library.Qrel(str(topic), f"a{doc}", int(np.ceil(value)))
        for topic, doc, value in zip(
            ground.assessments.pair_topic, ground.assessments.pair_doc, grade, strict=True
        )
    ]
    key = topics.topic * max(1, len(topics.run.docs)) + topics.doc
    first = np.sort(np.unique(key, return_index=True)[1])
    rankings = []
    for at in first:
        pair = topics.pair[at]
        doc = f"a{ground.assessments.pair_doc[pair]}" if pair >= 0 else f"r{topics.doc[at]}"
        position = at - topics.topic_offset[topics.topic[at]] + 1
        rankings.append(library.ScoredDoc(str(topics.topic[at]), doc, -float(position)))
    return judgements, rankings
