"""Structural relevance: the relevance of retrieved trees, less redundancy; in all, and per rank."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import ClassVar

import numpy as np

from doxeval.core.facts import once
from doxeval.core.parameters import choice
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.measurement.families import phrases
from doxeval.measurement.families.expectations import redundant_trees
from doxeval.measurement.families.inside import Inside
from doxeval.measurement.families.navigating import NAV
from doxeval.measurement.families.terms import SumOfTerms, Terms
from doxeval.measurement.near_miss_reader import REL
from doxeval.reader.exposure.meetings import Reader
from doxeval.reader.exposure.redundancy import inferred_relevance, redundancy
from doxeval.reader.navigation.model import navigation_of
from doxeval.reader.units_sought import assessed_trees

TREE_RULE = choice("tree", "sr esr", "navigation between trees: SR Theorem 4.3 or ESR Eq. 4")
INFER = choice(
    "infer", "mean size max none", "how to derive a tree's relevance from its nodes; none: not at all"
)


class StructuralRelevance(SumOfTerms):
    """Sum over the results of rel(t_i) * (1 - p(t_i; R_{i-1})) (SR Eq. 1).

    A tree's relevance is as assessed, else the mean of that of its nodes (SR Eq. 9). Highlighted ranges
    make every node relevant by its specificity, relevant characters / characters.
    """

    name = "SR"
    question = phrases.NEAR_MISSES
    draws = phrases.WHERE_TO
    user = "Reads trees one after the other and values what navigating from earlier ones had not yet shown."
    paper = "SR Eqs. 1, 3, 9, Theorem 4.3"
    parameters = (NAV, REL, TREE_RULE, INFER)
    grows = True
    needs = frozenset({"tree"})
    unit = "gain"
    by_rank: ClassVar[bool] = False
    variants = (
        "nav=hierarchical,tree=esr",
        "rel=binary,infer=max",
        "rel=specificity,infer=size,nav=hierarchical",
    )

    @classmethod
    def auto(cls) -> dict[str, str]:
        return {"rel": "the grade of judged nodes, the specificity of nodes with highlighted text"}

    @property
    def high(self) -> float:
        """Grades have no limit; a share of relevance is at most 1 per result."""
        if self.given.rel not in ("binary", "specificity"):
            return math.inf
        return 1.0 if self.by_rank else math.inf if self.rank is None else float(self.rank)

    def prepare(self, ground: Ground) -> None:
        super().prepare(ground)
        navigation_of(ground, self.given.nav)

    def reads_highlights(self, ground: Ground) -> bool:
        """Only if there are no judged nodes, which are used as they are."""
        return ground.assessments.nodes is None

    def defined(self, aligned: Aligned) -> np.ndarray:
        units = assessed_trees(aligned.ground)
        return (
            np.bincount(aligned.ground.assessments.pair_topic[units.pair], minlength=len(aligned.count)) > 0
        )

    def ignores_grades(self, ground: Ground) -> bool:
        return self.reader(ground).rel != "grade"

    def reader(self, ground: Ground) -> Reader:
        """The reader of trees; its `size` says how the relevance of trees is inferred."""
        rel = self.given.rel
        if rel == "auto":
            rel = "grade" if ground.assessments.nodes is not None else "specificity"
        return Reader(self.given.nav, "trees", rel, Fraction(0), self.given.tree, self.given.infer)

    def inside(self, aligned: Aligned, topic: int) -> list[Inside]:
        """rel(t_i) and p(t_i; R_{i-1}) of every result, and p(t_i; t_j) from every result before it."""
        aligned = aligned.top(self.rank)
        reader, here = self.reader(aligned.ground), aligned.by_topic.slice(topic)
        return redundant_trees(aligned, reader, here, new_relevance(aligned, reader)[here])

    def terms(self, aligned: Aligned) -> Terms:
        gained = aligned.cumulated(new_relevance(aligned, self.reader(aligned.ground)))
        meaning = "the tree's relevance, less redundancy"
        return Terms(aligned, gained, 1.0, meaning, by_rank=self.by_rank)


@once
def new_relevance(aligned: Aligned, reader: Reader) -> np.ndarray:
    """The relevance added by each result."""
    gain = inferred_relevance(aligned, reader.rel, reader.size)
    chosen = np.flatnonzero(gain > 0)
    gain[chosen] *= 1.0 - redundancy(aligned, reader, chosen)
    return gain


class StructuralRelevancePrecision(StructuralRelevance):
    """SR / k (SR Example 6.1); past the end of the list k is still the cut-off."""

    name = "SRP"
    user = "Consults k trees and asks how much new relevance each brought on average."
    paper = "SR Example 6.1 (it has no equation number); ESR Eq. 12"
    grows = False
    unit = "share"
    by_rank = True
