"""What the measures of near misses share: their reader's parameters, and the exposure they look at."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from doxeval.core.grammar import Call
from doxeval.core.parameters import Parameter
from doxeval.ground.aligned import Aligned
from doxeval.ground.conventions import Conventions
from doxeval.ground.ground import Ground
from doxeval.kernels.exposure import best_reaching
from doxeval.measurement.base import ALPHA, Measure
from doxeval.measurement.families.characters import ratio
from doxeval.measurement.families.needs import require
from doxeval.measurement.families.shares import Shares, spread, steps, within_rank
from doxeval.reader.exposure.expose import Exposure, Reader, expose, navigation_of
from doxeval.reader.navigation.base import NAVIGATIONS

NAV = Parameter(
    "nav", "call", Call("none"), "how the reader navigates; 'doxeval navigations' lists the models",
    choices=NAVIGATIONS,
)  # fmt: skip
REL = Parameter(
    "rel", "choice", "auto", "what something relevant is worth",
    choices=("auto", "grade", "binary", "length", "specificity"),
)  # fmt: skip
SIZE = Parameter(
    "size", "choice", "sum", "whether nested nodes of a tree count twice", choices=("sum", "union")
)
TREE = Parameter(
    "tree", "choice", "esr", "navigation between trees: ESR Eq. 4 or SR Theorem 4.3", choices=("esr", "sr")
)
MODE = Parameter(
    "mode", "choice", "auto", "whether assessed trees or relevant text are to be seen",
    choices=("auto", "trees", "text"),
)  # fmt: skip
LAST_POINT = 100
NEARLY = 1e-12
"""Recall is a sum of floating-point numbers: a point is reached when it is missed by no more than this."""


class ExposedMeasure(Measure):
    """A measure over E[Hits], E[Near-misses], E[Misses] and E[Recall-base] of one reader (ESR section 5).

    Node values are taken as they are (mode=trees, rel=grade); highlighted ranges are taken as text, a
    character being worth 1 or, where `relevance` is binary, a whole highlight. `counts` is the column that
    the value is proportional to, `hits` or `gain`, where it is to one: then it is a sum over results.
    """

    parameters: ClassVar[tuple[Parameter, ...]] = (NAV, REL, SIZE, ALPHA, TREE, MODE)
    relevance: ClassVar[str] = "length"
    counts: ClassVar[str] = ""
    cutoff = "optional"

    def reader(self, ground: Ground) -> Reader:
        """The reader that the parameters and the assessments describe."""
        given = self.given
        judged = ground.assessments.nodes is not None
        mode = given.mode if given.mode != "auto" else ("trees" if judged else "text")
        rel = given.rel
        if rel == "auto":
            rel = "grade" if judged and mode == "trees" else self.relevance
        return Reader(given.nav, mode, rel, given.alpha, given.tree, given.size)

    def prepare(self, ground: Ground, conventions: Conventions = Conventions()) -> None:  # noqa: B008
        super().prepare(ground, conventions)
        reader = self.reader(ground)
        navigation_of(ground, reader.navigation)
        if reader.mode == "trees":
            require(self.label, "tree", ground)

    def defined(self, topics: Aligned) -> np.ndarray:
        return expose(topics, self.reader(topics.ground)).total > 0

    @property
    def high(self) -> float:
        return float("inf")

    def curve(self, topics: Aligned) -> np.ndarray:
        """The measure's value at every rank: a column in the order of the aligned results."""
        return self.at_ranks(expose(topics, self.reader(topics.ground)))

    @abstractmethod
    def at_ranks(self, seen: Exposure) -> np.ndarray:
        """The value after each result."""

    def score(self, topics: Aligned) -> np.ndarray:
        return topics.last(self.curve(topics), self.rank)

    def shares(self, topics: Aligned) -> Shares | None:
        if not self.counts or self.expression.point is not None:
            return None
        column = getattr(expose(topics, self.reader(topics.ground)), self.counts)
        within = within_rank(topics, self.rank)
        worth = steps(topics, column) * self.score(topics)[topics.topic]
        added = spread(topics, np.where(within, worth, 0), topics.last(column, self.rank))
        found = {"hits": "expected hits", "gain": "expected hits and near-misses"}[self.counts]
        return Shares.of_results(topics, added, f"the result's part of the {found}")


class SharePerRank(ExposedMeasure):
    """A measure that divides by the rank, and so by the cut-off where a list is shorter."""

    def score(self, topics: Aligned) -> np.ndarray:
        values = super().score(topics)
        return values if self.rank is None else values * np.minimum(topics.count, self.rank) / self.rank


def best_at(seen: Exposure, recall: np.ndarray, value: np.ndarray, rank: int | None = None) -> np.ndarray:
    """Per topic and recall point 0, 0.01, ..., 1 the largest value at a rank with at least that recall.

    0 where the point is not reached (within the first `rank` results).
    """
    reached = np.minimum(np.floor(LAST_POINT * (recall + NEARLY)).astype(np.int64), LAST_POINT)
    if rank is not None:
        reached = np.where(seen.rank <= rank, reached, -1)
    return best_reaching(seen.topic_offset, reached, value, LAST_POINT + 1)


def best_from(seen: Exposure, recall: np.ndarray, value: np.ndarray, point: float) -> np.ndarray:
    """Per topic the largest value at a rank whose recall is at least `point`, else 0."""
    reached = np.where(recall + NEARLY >= point, 0, -1)
    return best_reaching(seen.topic_offset, reached, value, 1)[:, 0]


def recall_with_navigation(seen: Exposure) -> np.ndarray:
    """SRiR2 at every rank (ESR Eq. 31)."""
    return ratio(seen.gain, seen.total_at_ranks)


def recall_of_base(seen: Exposure) -> np.ndarray:
    """ESRR at every rank (ESR Eq. 14)."""
    return ratio(seen.gain, seen.base)
