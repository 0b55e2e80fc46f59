"""One run aligned with the ground truth: results in reading order, per topic, on clipped ranges."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TypeVar

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.facts import Facts
from doxeval.core.grammar import Cutoff
from doxeval.core.notices import Notices
from doxeval.ground.conventions import Conventions
from doxeval.ground.ground import Ground
from doxeval.ground.seen import Stretches, cut_into_stretches
from doxeval.tables.runs import Run

T = TypeVar("T")


@dataclass(eq=False)
class Aligned:
    """Results of the assessed topics: topic t has rows `topic_offset[t]` to `topic_offset[t + 1]`, in order.

    `row` is the place in the run's own columns, `doc` a code of the run's documents, `pair` the assessed
    pair a result belongs to (-1: its document was not assessed for the topic). Ranges `start`, `end` are
    sorted and disjoint within a result; `span_offset` groups them (None: one each). `nodes` holds
    `(offset, node)` where results are nodes. `endless` are the documents retrieved as a whole although
    nothing says how long they are; they have no text.
    """

    ground: Ground
    run: Run
    topic_offset: np.ndarray
    row: np.ndarray
    doc: np.ndarray
    pair: np.ndarray
    start: np.ndarray
    end: np.ndarray
    span_offset: np.ndarray | None
    doc_length: np.ndarray
    present: np.ndarray
    nodes: tuple[np.ndarray, np.ndarray] | None = None
    notices: Notices = field(default_factory=Notices)
    conventions: Conventions = Conventions()  # noqa: RUF009
    endless: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    facts: Facts = field(default_factory=Facts)

    def __len__(self) -> int:
        return len(self.row)

    def require_lengths(self, what: str) -> None:
        """An error where whole documents were retrieved of which no length is known."""
        if len(self.endless):
            shown = ", ".join(self.run.docs[doc] for doc in self.endless[:3])
            shown += ", ..." * (len(self.endless) > 3)
            raise UsageError(
                f"{self.run.source or self.run.name}: {what} looks at text, and {len(self.endless):,} "
                f"documents retrieved as a whole have no known length ({shown}); "
                "give them (--docs FILE)"
            )

    @cached_property
    def count(self) -> np.ndarray:
        """How many results each topic has."""
        return np.diff(self.topic_offset)

    @cached_property
    def topic(self) -> np.ndarray:
        """The topic of each result."""
        return np.repeat(np.arange(len(self.count)), self.count)

    @cached_property
    def result(self) -> np.ndarray:
        """The result each range belongs to."""
        if self.span_offset is None:
            return np.arange(len(self.start))
        return np.repeat(np.arange(len(self.row)), np.diff(self.span_offset))

    def spans_of(self, results: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where the ranges of some results begin, and how many each has."""
        if self.span_offset is None:
            return results, np.ones(len(results), dtype=np.int64)
        return self.span_offset[results], np.diff(self.span_offset)[results]

    def per_result(self, span_values: np.ndarray) -> np.ndarray:
        """Sums of a column over ranges, for each result."""
        if self.span_offset is None:
            return span_values
        total = np.zeros(len(span_values) + 1, dtype=span_values.dtype)
        np.cumsum(span_values, out=total[1:])
        return total[self.span_offset[1:]] - total[self.span_offset[:-1]]

    @cached_property
    def size(self) -> np.ndarray:
        """Characters each result shows."""
        return self.per_result(self.end - self.start)

    @cached_property
    def cost(self) -> np.ndarray:
        """Characters each result adds to denominators: its size, unless repeated text is free."""
        if self.conventions.repeated == "full":
            return self.size
        shown = self.stretches.first >= 0
        first, length = self.stretches.first, self.stretches.end - self.stretches.start
        unseen = np.bincount(first[shown], weights=length[shown], minlength=len(self)).astype(np.int64)
        in_relevant = (self.pair >= 0) & (self.ground.pair_relevant[self.pair] > 0)
        return np.where(in_relevant, unseen, self.size)

    @cached_property
    def stretches(self) -> Stretches:
        """Relevant text cut at every boundary of a result, with the result that shows each piece first."""
        return cut_into_stretches(self)

    @cached_property
    def relevant(self) -> np.ndarray:
        """Relevant characters in each result, seen before or not."""
        return self.per_result(self.stretches.relevant_in_span)

    @cached_property
    def fresh(self) -> np.ndarray:
        """Relevant characters that each result is the first to show."""
        return self.stretches.first_shown(len(self))

    def cumulated(self, values: np.ndarray) -> np.ndarray:
        """Sums of a column over the ranks so far, starting anew at each topic.

        A topic's sums of fractions owe nothing to the topics before it, not even how they are rounded.
        """
        if values.dtype.kind == "f":
            bounds = self.topic_offset.tolist()
            sums = [np.cumsum(values[begin:end]) for begin, end in pairwise(bounds) if end > begin]
            return np.concatenate(sums) if sums else values
        total = np.cumsum(values)
        first = self.topic_offset[:-1]
        before = np.where(first > 0, total[np.maximum(first, 1) - 1], 0) if len(total) else first
        return total - np.repeat(before, self.count)

    def last(self, values: np.ndarray, rank: int | None = None) -> np.ndarray:
        """Per topic the value at `rank`, or at the end of a shorter list; 0 for an empty one."""
        depth = self.count if rank is None else np.minimum(self.count, rank)
        at = self.topic_offset[:-1] + depth - 1
        return np.where(depth > 0, values[np.where(depth > 0, at, 0)] if len(values) else 0, 0)

    def within(self, budget: Cutoff) -> Aligned:
        """The same results cut where the reader's budget ends; made once for all measures that share it."""
        from doxeval.ground.budget import cut_to_budget

        return self.shared(budget, lambda: cut_to_budget(self, budget))

    def top(self, rank: int) -> Aligned:
        """Only the first `rank` results of each topic."""
        position = np.arange(len(self)) - np.repeat(self.topic_offset[:-1], self.count)
        return self.shared(("top", rank), lambda: self.select(position < rank))

    def shared(self, key: Hashable, make: Callable[[], T]) -> T:
        """What several measures need, made once for this run."""
        return self.facts.recall(key, make)

    def __enter__(self) -> Aligned:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of what was found out about this run."""
        self.facts.close()

    def select(self, keep: np.ndarray) -> Aligned:
        """Only the results marked in `keep`, in the same order."""
        if keep.all():
            return self
        spans = keep[self.result]
        kept_before = np.concatenate([[0], np.cumsum(keep)])
        nodes = self.nodes
        if nodes is not None:
            sizes = np.diff(nodes[0])
            nodes = (np.concatenate([[0], np.cumsum(sizes[keep])]), nodes[1][np.repeat(keep, sizes)])
        offset = self.span_offset
        if offset is not None:
            offset = np.concatenate([[0], np.cumsum(np.diff(offset)[keep])])
        return replace(
            self, topic_offset=kept_before[self.topic_offset], row=self.row[keep], doc=self.doc[keep],
            pair=self.pair[keep], start=self.start[spans], end=self.end[spans], span_offset=offset,
            nodes=nodes, facts=Facts(),
        )  # fmt: skip
