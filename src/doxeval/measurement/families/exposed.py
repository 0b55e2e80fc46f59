"""Shared by the measures of near misses: the parameters of their reader, and the exposure they use."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np

from doxeval.core.grammar import Call
from doxeval.core.parameters import Parameter, choice
from doxeval.core.ragged import quotient
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.measurement.base import ALPHA
from doxeval.measurement.families import chance, questions
from doxeval.measurement.families.characters import most_repeated
from doxeval.measurement.families.expectations import by_rank, by_tree
from doxeval.measurement.families.inside import Inside
from doxeval.measurement.families.needs import require
from doxeval.measurement.families.terms import SumOfTerms, Terms
from doxeval.reader.exposure.changes import Exposure, Reader
from doxeval.reader.exposure.expose import check_reader, expose
from doxeval.reader.models import navigation_of
from doxeval.reader.navigation.base import NAVIGATIONS

NAV = Parameter(
    "nav", "call", Call("none"), "how the reader navigates; 'doxeval navigations' lists the models",
    choices=NAVIGATIONS,
)  # fmt: skip
REL = choice("rel", "auto grade binary length specificity", "the worth of something relevant")
SIZE = choice("size", "sum union", "whether nested nodes of a tree count twice")
TREE = choice("tree", "esr sr", "navigation between trees: ESR Eq. 4 or SR Theorem 4.3")
HIT = choice(
    "hit", "identical certain", "of trees: a hit is retrieved as it is, or seen with certainty (p = 1)"
)
OVERLAP = choice(
    "overlap", "new repeated", "of trees: how text of a hit counts that earlier results have shown"
)
MODE = choice("mode", "auto trees text", "whether the reader looks for assessed trees or relevant text")
Gained = Literal["hits", "near", "misses", "gain", "base"]
IN_WORDS: dict[Gained, str] = {
    "hits": "hits", "near": "near-misses", "misses": "misses", "gain": "hits and near-misses",
    "base": "recall-base",
}  # fmt: skip
NEARLY = 1e-12
"""Tolerance for recall, a sum of floating-point numbers: a point missed by no more than this is reached."""


class ExposedMeasure(SumOfTerms):
    """A measure over E[Hits], E[Near-misses], E[Misses] and E[Recall-base] of one reader (ESR section 5).

    Judged nodes are treated as trees (mode=trees), whose worth is given by `relevance_of_nodes`: their grade
    (1 if none is given), or the characters in their nodes (ESR 6.2, 6.3), scaled by a code's specificity.
    Highlighted ranges are treated as text, with a worth of 1 per character or, if `relevance` is binary, per
    highlight. `gained` and `divided_by` name columns of the exposure; `by_rank` divides by the rank too, past
    the end of the list by the cut-off.
    """

    question = questions.NEAR_MISSES
    draws = chance.WHERE_TO
    parameters: ClassVar[tuple[Parameter, ...]] = (NAV, REL, SIZE, ALPHA, TREE, MODE, HIT, OVERLAP)
    relevance: ClassVar[str] = "length"
    relevance_of_nodes: ClassVar[str] = "grade"
    gained: ClassVar[Gained] = "hits"
    divided_by: ClassVar[Literal["", "size", "base", "total_at_ranks"]] = ""
    by_rank: ClassVar[bool] = False
    variants: ClassVar[tuple[str, ...]] = (
        "nav=hierarchical",
        "alpha=0.5",
        "mode=trees,nav=hierarchical,size=union",
        "mode=trees,nav=hierarchical,tree=sr,rel=length",
        "nav=readon(mean=20),rel=grade",
        "mode=trees,nav=t2i(tolerance=20),hit=certain",
        "mode=trees,nav=hierarchical,overlap=repeated,alpha=0.5",
    )

    @classmethod
    def auto(cls) -> dict[str, str]:
        return {
            "rel": f"{cls.relevance_of_nodes} of judged nodes, {cls.relevance} of highlighted text",
            "mode": "trees if nodes were judged, text if ranges were highlighted",
        }

    def reader(self, ground: Ground) -> Reader:
        """The reader that the parameters and the assessments describe."""
        given = self.given
        judged = ground.assessments.nodes is not None
        mode = given.mode if given.mode != "auto" else ("trees" if judged else "text")
        rel = given.rel
        if rel == "auto":
            rel = self.relevance_of_nodes if judged and mode == "trees" else self.relevance
        return Reader(given.nav, mode, rel, given.alpha, given.tree, given.size, given.hit, given.overlap)

    def reads_highlights(self, ground: Ground) -> bool:
        return self.reader(ground).mode == "text"

    def prepare(self, ground: Ground) -> None:
        super().prepare(ground)
        reader = self.reader(ground)
        check_reader(reader, navigation_of(ground, reader.navigation))
        if reader.mode == "trees":
            require(self.label, "tree", ground)

    def looked_at(self, aligned: Aligned) -> Aligned:
        """The first results, if sums do not depend on how later results cut the text."""
        reader = self.reader(aligned.ground)
        return super().looked_at(aligned) if reader.mode == "trees" or reader.rel == "length" else aligned

    def defined(self, aligned: Aligned) -> np.ndarray:
        return expose(aligned, self.reader(aligned.ground)).total > 0

    @property
    def high(self) -> float:
        """No limit: what is seen may be worth any number of characters or grades."""
        return math.inf

    def total(self, seen: Exposure) -> np.ndarray | float:
        """The divisor of the gain after each result."""
        return getattr(seen, self.divided_by) if self.divided_by else 1.0

    def terms(self, aligned: Aligned) -> Terms:
        seen = expose(aligned, self.reader(aligned.ground))
        meaning = f"the result's part of the expected {IN_WORDS[self.gained]}"
        return Terms(aligned, getattr(seen, self.gained), self.total(seen), meaning, by_rank=self.by_rank)

    def beside(self, aligned: Aligned) -> dict[str, np.ndarray]:
        """Further columns of the expectations by rank: what the measure makes of them."""
        seen, below = expose(aligned, self.reader(aligned.ground)), self.divided_by
        sizes = {"size": "text", "total_at_ranks": "T_rel"}
        return {sizes[below]: getattr(seen, below)} if below in sizes else {}

    def remarks(self, aligned: Aligned, topic: int) -> tuple[str, ...]:
        """The meaning of these columns."""
        meant = {"size": "text: characters shown", "total_at_ranks": "T_rel: all there is to gain"}
        return (meant[self.divided_by],) if self.divided_by in meant else ()

    def inside(self, aligned: Aligned, topic: int) -> list[Inside]:
        """Expectations by rank with the value there and, in mode=trees, those of every assessed tree."""
        aligned = aligned if self.rank is None else aligned.top(self.rank)
        reader = self.reader(aligned.ground)
        beside = self.beside(aligned) | {f"{self.name}@k": self.at_ranks(aligned)}
        expected = by_rank(aligned, topic, reader, beside, self.remarks(aligned, topic))
        return [expected, by_tree(aligned, topic, reader)] if reader.mode == "trees" else [expected]


class RecallOfText(ExposedMeasure):
    """A share of all there is to gain, all of which every result may repeat."""

    relevance_of_nodes = "length"

    @property
    def high(self) -> float:
        return most_repeated(float(self.given.alpha), self.rank)


class AllThereIs(ExposedMeasure):
    """A measure that begins with all there is to gain, and changes with every result."""

    def terms(self, aligned: Aligned) -> Terms:
        everything = expose(aligned, self.reader(aligned.ground)).total
        return replace(super().terms(aligned), start=everything, empty=everything)


def recall_with_navigation(seen: Exposure) -> np.ndarray:
    """SRiR2 at every rank (ESR Eq. 31)."""
    return quotient(seen.gain, seen.total_at_ranks)


def recall_of_base(seen: Exposure) -> np.ndarray:
    """ESRR at every rank (ESR Eq. 14)."""
    return quotient(seen.gain, seen.base)
