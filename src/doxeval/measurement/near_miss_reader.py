"""Shared by the measures of near misses: the parameters of their reader, and the exposure they use."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import ClassVar

import numpy as np

from doxeval.core.parameters import Parameter, choice
from doxeval.core.ragged import quotient
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.measurement.base import ALPHA
from doxeval.measurement.families import phrases
from doxeval.measurement.families.expectations import by_rank, by_tree
from doxeval.measurement.families.inside import Inside
from doxeval.measurement.families.navigating import NAV
from doxeval.measurement.families.terms import SumOfTerms, Terms
from doxeval.reader.exposure.expose import check_reader, expose
from doxeval.reader.exposure.meetings import Exposure, Reader
from doxeval.reader.navigation.model import navigation_of

REL = choice("rel", "auto grade binary length specificity", "the worth of something relevant")
SIZE_OF_TREES = choice("size", "sum union", "whether nested nodes of a tree count twice")
TREE = choice("tree", "esr sr", "navigation between trees: ESR Eq. 4 or SR Theorem 4.3")
HIT = choice(
    "hit", "identical certain", "of trees: a hit is retrieved as it is, or seen with certainty (p = 1)"
)
OVERLAP = choice(
    "overlap", "new repeated", "of trees: how text of a hit counts that earlier results have shown"
)
MODE = choice("mode", "auto trees text", "whether the reader looks for assessed trees or relevant text")
NEARLY = 1e-12
"""Tolerance for recall, a sum of floating-point numbers: a point missed by no more than this is reached."""


class ExposedMeasure(SumOfTerms):
    """A measure over E[Hits], E[Near-misses], E[Misses] and E[Recall-base] of one reader (ESR section 5).

    Judged nodes are treated as trees (mode=trees), whose worth is given by `relevance_of_nodes`: their grade
    (1 if none is given), or the characters in their nodes (ESR 6.2, 6.3), scaled by a code's specificity.
    Highlighted ranges are treated as text, with a worth of 1 per character or, if `relevance` is binary, per
    highlight. `gained` names the numerator of :meth:`fraction`, `divisor` its denominator and the meaning of
    that; `by_rank` divides by the rank too, past the end of the list by the cut-off.
    """

    question = phrases.NEAR_MISSES
    draws = phrases.WHERE_TO
    parameters: ClassVar[tuple[Parameter, ...]] = (NAV, REL, SIZE_OF_TREES, ALPHA, TREE, MODE, HIT, OVERLAP)
    relevance: ClassVar[str] = "length"
    relevance_of_nodes: ClassVar[str] = "grade"
    gained: ClassVar[str] = "hits"
    divisor: ClassVar[tuple[str, str] | None] = None
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

    def ignores_grades(self, ground: Ground) -> bool:
        return self.reader(ground).rel != "grade"

    def prepare(self, ground: Ground) -> None:
        super().prepare(ground)
        reader = self.reader(ground)
        check_reader(reader, navigation_of(ground, reader.navigation))
        if reader.mode == "trees":
            self.require("tree", ground)

    def looked_at(self, aligned: Aligned) -> Aligned:
        """The first results, if sums do not depend on how later results cut the text."""
        reader = self.reader(aligned.ground)
        return super().looked_at(aligned) if reader.mode == "trees" or reader.rel == "length" else aligned

    def exposure(self, aligned: Aligned) -> Exposure:
        """The exposure of a run to this reader."""
        return expose(aligned, self.reader(aligned.ground))

    def defined(self, aligned: Aligned) -> np.ndarray:
        return self.exposure(aligned).total > 0

    @property
    def high(self) -> float:
        """No limit: what is seen may be worth any number of characters or grades."""
        return math.inf

    @abstractmethod
    def fraction(self, seen: Exposure) -> tuple[np.ndarray, np.ndarray | float]:
        """Numerator and denominator at every rank."""

    def terms(self, aligned: Aligned) -> Terms:
        fraction = self.fraction(self.exposure(aligned))
        return Terms(
            aligned, *fraction, f"the result's part of the expected {self.gained}", by_rank=self.by_rank
        )

    def beside(self, aligned: Aligned) -> dict[str, np.ndarray]:
        """Further columns of the expectations by rank: what the measure makes of them."""
        if self.divisor is None:
            return {}
        return {self.divisor[0]: np.asarray(self.fraction(self.exposure(aligned))[1])}

    def remarks(self, aligned: Aligned, topic: int) -> tuple[str, ...]:
        """The meaning of these columns."""
        return () if self.divisor is None else (": ".join(self.divisor),)

    def inside(self, aligned: Aligned, topic: int) -> list[Inside]:
        """Expectations by rank with the value there and, in mode=trees, those of every assessed tree."""
        aligned = aligned.top(self.rank)
        reader = self.reader(aligned.ground)
        beside = self.beside(aligned) | {f"{self.name}@k": self.at_ranks(aligned)}
        expected = by_rank(aligned, topic, reader, beside, self.remarks(aligned, topic))
        return [expected, by_tree(aligned, topic, reader)] if reader.mode == "trees" else [expected]


def recall_with_navigation(seen: Exposure) -> np.ndarray:
    """SRiR2 at every rank (ESR Eq. 31)."""
    return quotient(seen.gain, seen.total_at_ranks)


def recall_of_base(seen: Exposure) -> np.ndarray:
    """ESRR at every rank (ESR Eq. 14)."""
    return quotient(seen.gain, seen.base)
