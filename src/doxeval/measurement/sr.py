"""Structural relevance: the relevance of retrieved trees, less what is redundant."""

from __future__ import annotations

import numpy as np

from doxeval.core.parameters import Parameter
from doxeval.ground.aligned import Aligned
from doxeval.ground.conventions import Conventions
from doxeval.ground.ground import Ground
from doxeval.measurement.base import Measure, register
from doxeval.measurement.families.exposed import NAV, REL
from doxeval.measurement.families.shares import Shares, within_rank
from doxeval.reader.exposure.expose import Reader, assessed, navigation_of
from doxeval.reader.exposure.redundancy import inferred_relevance, redundancy

TREE = Parameter(
    "tree", "choice", "sr", "navigation between trees: SR Theorem 4.3 or ESR Eq. 4", choices=("sr", "esr")
)
INFER = Parameter(
    "infer", "choice", "mean", "a tree's relevance from its nodes'; none: as assessed only",
    choices=("mean", "size", "max", "none"),
)  # fmt: skip


@register
class StructuralRelevance(Measure):
    """Sum over the results of rel(t_i) * (1 - p(t_i; R_{i-1})) (SR Eq. 1).

    A tree's relevance is what was assessed for it, else the mean of its nodes' (SR Eq. 9). Highlighted ranges
    make nodes relevant by specificity.
    """

    name = "SR"
    user = "Reads trees one after the other and values of each what navigating from the others had not shown."
    paper = "SR Eqs. 1, 3, 9, Theorem 4.3"
    parameters = (NAV, REL, TREE, INFER)
    cutoff = "optional"
    grows = True
    needs = frozenset({"tree"})
    example = "SR@10"

    @property
    def high(self) -> float:
        return float("inf")

    def prepare(self, ground: Ground, conventions: Conventions = Conventions()) -> None:  # noqa: B008
        super().prepare(ground, conventions)
        navigation_of(ground, self.given.nav)

    def defined(self, topics: Aligned) -> np.ndarray:
        units = assessed(topics.ground)
        return np.bincount(topics.ground.assessments.pair_topic[units.pair], minlength=len(topics.count)) > 0

    def gains(self, topics: Aligned) -> np.ndarray:
        """What each result adds."""
        given = self.given
        rel = given.rel
        if rel == "auto":
            rel = "grade" if topics.ground.assessments.nodes is not None else "specificity"
        reader = Reader(given.nav, "trees", rel, 0, given.tree, given.infer)  # type: ignore[arg-type]

        def make() -> np.ndarray:
            gain = inferred_relevance(topics, rel, given.infer)
            chosen = np.flatnonzero(gain > 0)
            gain[chosen] *= 1.0 - redundancy(topics, reader, chosen)
            return gain

        return topics.shared(("structural relevance", reader), make)

    def curve(self, topics: Aligned) -> np.ndarray:
        """The value at every rank."""
        return topics.cumulated(self.gains(topics))

    def shares(self, topics: Aligned) -> Shares:
        added = np.where(within_rank(topics, self.rank), self.gains(topics), 0.0)
        return Shares.of_results(topics, added, "the tree's relevance, less what is redundant")

    def score(self, topics: Aligned) -> np.ndarray:
        return topics.last(self.curve(topics), self.rank)
