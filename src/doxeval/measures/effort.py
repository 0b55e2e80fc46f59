"""What the measures of cumulated effort share (Effort section 4.2)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from doxeval.alignment.aligned import Aligned
from doxeval.errors import UsageError
from doxeval.grammar import Call, Expression
from doxeval.measures.base import Measure
from doxeval.measures.document_lists import relevant_documents
from doxeval.parameters import Parameter
from doxeval.reading_effort.opened import open_documents
from doxeval.reading_effort.orders import ORDERS, STARTS
from doxeval.reading_effort.score import score_named

PARAMETERS = (
    Parameter("screen", "integer", None, "characters on a screen; 300 unless given", low=1),
    Parameter("order", "choice", None, "the order of reading; natural unless given", choices=tuple(ORDERS)),
    Parameter(
        "start", "choice", None, "where unretrieved text is begun; top unless given", choices=tuple(STARTS)
    ),
    Parameter(
        "scale",
        "text",
        None,
        "efforts of the screens, then of an irrelevant document; 1/2/3/4/5 unless given",
    ),
    Parameter("score", "call", Call("LE"), "the effort score of a document"),
)


class EffortMeasure(Measure):
    """Effort down a list of documents; its own parameters are handed to the effort score."""

    parameters = PARAMETERS
    cutoff = "required"
    higher_is_better = False
    normalised: ClassVar[bool] = True

    def __init__(self, expression: Expression) -> None:
        super().__init__(expression)
        call = self.given.score
        own = [(key, value) for key, value in expression.call.arguments if key != "score"]
        own = [(key or "screen", value) for key, value in own]
        if twice := {key for key, _ in own} & {key for key, _ in call.arguments}:
            raise UsageError(f"{self.label!r}: {', '.join(sorted(twice))} is given twice")
        self.document_score = score_named(Call(call.name, (*call.arguments, *own)), self.label, effort=True)

    @property
    def high(self) -> float:
        return float("inf")

    def steps(self, topics: Aligned) -> Steps:
        """What every rank adds to the cumulated effort."""
        opened = open_documents(topics)
        effort = self.document_score(opened)
        least, most = self.document_score.low, self.document_score.high
        relevant = relevant_documents(topics.ground)
        if not self.normalised:
            relevant = np.full(len(relevant), np.iinfo(np.int64).max)
        return Steps(opened.topic_offset, effort, relevant, least, most, self.rank)


class Steps:
    """ES_j / IE_j - 1 at every rank j up to the cut-off, past the end of a list with ES = NR.

    IE_j is the least effort for the first Trel ranks, then NR (`relevant` is Trel per topic). Without a
    cut-off in ranks the depth is the length of the list, or Trel where that is larger.
    """

    def __init__(
        self,
        offset: np.ndarray,
        effort: np.ndarray,
        relevant: np.ndarray,
        least: float,
        most: float,
        depth: int | None,
    ) -> None:
        self.retrieved = np.diff(offset)
        self.topic = np.repeat(np.arange(len(self.retrieved)), self.retrieved)
        self.rank = np.arange(len(effort)) - np.repeat(offset[:-1], self.retrieved) + 1
        self.relevant = relevant
        self.waste = most / least - 1
        ideal = np.where(self.rank <= relevant[self.topic], least, most)
        self.added = effort / ideal - 1
        unlimited = np.where(
            relevant < np.iinfo(np.int64).max, np.maximum(self.retrieved, relevant), self.retrieved
        )
        self.depth = unlimited if depth is None else np.full(len(self.retrieved), depth)

    def _weighted(self, weights: np.ndarray) -> np.ndarray:
        return np.bincount(self.topic, weights=weights * self.added, minlength=len(self.retrieved))

    @property
    def _padded(self) -> tuple[np.ndarray, np.ndarray]:
        """First and last rank past the end of the list at which something relevant is still missed."""
        first = self.retrieved + 1
        return first, np.maximum(np.minimum(self.depth, self.relevant), first - 1)

    def total(self) -> np.ndarray:
        """Sum up to the depth: CE[i] or NCE[i]."""
        first, last = self._padded
        within = self.rank <= self.depth[self.topic]
        return self._weighted(within.astype(np.float64)) + self.waste * (last - first + 1)

    def average(self) -> np.ndarray:
        """Mean of the sums up to every rank: (1/i) sum over j of (i - j + 1)(ES_j / IE_j - 1)."""
        first, last = self._padded
        remaining = np.maximum(self.depth[self.topic] - self.rank + 1, 0)
        missed = (last - first + 1) * (2 * self.depth - first - last + 2) / 2
        return (self._weighted(remaining) + self.waste * missed) / np.maximum(self.depth, 1)
