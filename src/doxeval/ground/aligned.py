"""A run aligned with the ground truth: results per topic, in reading order, on clipped ranges.

Its conventions say how it is interpreted, including where official scorers differ.
"""

from __future__ import annotations

from dataclasses import field, replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.facts import Facts, kept, once
from doxeval.core.grammar import Cutoff
from doxeval.core.notices import Notices
from doxeval.core.options import ConventionOptions, check_names, defaults
from doxeval.core.phrases import counted
from doxeval.core.quick_class import dataclass
from doxeval.core.ragged import Ragged
from doxeval.ground.ground import Ground
from doxeval.ground.seen import Stretches, cut_into_stretches
from doxeval.kernels.stretches import first_in_group, show_ranges
from doxeval.tables.line_map import line_count
from doxeval.tables.places import CHARACTERS, LINES
from doxeval.tables.runs import Run

OFFICIAL = {"repeated": "full", "past_end": "cutoff", "official": False}
USUAL_CONVENTIONS = {**defaults(ConventionOptions), "rank_by": "rank", **OFFICIAL}


class Conventions(SimpleNamespace):
    """Choices that apply to all measures of an evaluation: those of :class:`ConventionOptions` and three.

    `repeated`: the cost in denominators of text shown again, its size (`"full"`) or, in relevant documents,
    nothing (`"free"`, as in INEX's thorough task). `past_end`: gP past the end of a list divides by the
    `"cutoff"`, or keeps the `"last"` value. `official`: the figures are those of the task's official scorer.

    >>> Conventions(depth=5).depth, Conventions().rank_by
    (5, 'rank')
    """

    def __init__(self, **given: Any) -> None:
        check_names(given, USUAL_CONVENTIONS, "a convention")
        super().__init__(**USUAL_CONVENTIONS | given)

    def but(self, **changes: Any) -> Conventions:
        """The same with some changes."""
        return Conventions(**vars(self) | changes)


class ByTopic:
    """Rows grouped `by_topic`, with the topic and the rank of each."""

    by_topic: Ragged

    @property
    def count(self) -> np.ndarray:
        """The number of rows of each topic."""
        return self.by_topic.counts

    @property
    def topic(self) -> np.ndarray:
        """The topic of each row."""
        return self.by_topic.row

    @property
    def rank(self) -> np.ndarray:
        """The position of each row in the list of its topic, from 1."""
        return self.by_topic.place + 1


STEPS_A_RANGE = 100
"""The mean number of earlier ranges to compare with each, beyond which text is cut into stretches instead."""


@dataclass(eq=False)
class Aligned(ByTopic):
    """Results of the assessed topics, `by_topic`, in order.

    `row` is the position in the run's own columns, `doc` a code of the run's documents, `pair` the assessed
    pair a result belongs to (-1: its document was not assessed for the topic). Ranges `start`, `end` are
    sorted and disjoint within a result; `spans` groups them. `nodes` holds nodes by result if results are
    nodes. `added` holds texts that results show before their ranges and that are in no document, if there are
    any. `endless` are the documents retrieved whole although their length is unknown; they have no text.
    `official` holds the figures of the task's official scorer, if it is followed to the letter.
    """

    ground: Ground
    run: Run
    by_topic: Ragged
    row: np.ndarray
    doc: np.ndarray
    pair: np.ndarray
    start: np.ndarray
    end: np.ndarray
    spans: Ragged
    doc_length: np.ndarray
    present: np.ndarray
    nodes: tuple[Ragged, np.ndarray] | None = None
    notices: Notices = field(default_factory=Notices)
    conventions: Conventions = field(default_factory=Conventions)
    added: np.ndarray | None = None
    endless: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    official: Any = None
    facts: Facts = field(default_factory=Facts)

    def __len__(self) -> int:
        return len(self.row)

    def require_lengths(self, what: str) -> None:
        """Raise an error if whole documents of unknown length were retrieved."""
        if len(self.endless):
            shown = ", ".join(self.run.docs[doc] for doc in self.endless[:3])
            shown += ", ..." * (len(self.endless) > 3)
            raise UsageError(
                f"{self.run.source or self.run.name}: {what} needs text, but the length of "
                f"{counted(len(self.endless), 'document')} retrieved whole is unknown ({shown}); "
                "give the documents (--docs FILE)"
            )

    @property
    def article(self) -> np.ndarray:
        """A number for each pair of topic and document."""
        return self.topic * max(1, len(self.run.docs)) + self.doc

    @kept
    def openings(self) -> np.ndarray:
        """The results that are the first of their topic in their document."""
        return first_in_group(self.by_topic.offset, self.doc, len(self.run.docs))

    @property
    def first_of_article(self) -> np.ndarray:
        """For each result, the first result of its topic in the same document."""
        _, first, article = np.unique(self.article, return_index=True, return_inverse=True)
        return first[article]

    @property
    def result(self) -> np.ndarray:
        """The result each range belongs to."""
        return self.spans.row

    @kept
    def size(self) -> np.ndarray:
        """The amount of text that each result shows, in the unit of the evaluation."""
        return self.spans.sum(self.end - self.start) + self.added_size

    @kept
    def added_size(self) -> np.ndarray:
        """The amount of text that each result shows and no document holds."""
        if self.added is None:
            return np.zeros_like(self.row, dtype=np.int64)
        if self.ground.unit not in (CHARACTERS, LINES):
            raise UsageError(
                f"{self.run.source or self.run.name}: results show added text, which has no "
                f"{self.ground.unit}"
            )
        size = len if self.ground.unit == CHARACTERS else line_count
        return np.fromiter(map(size, self.added), dtype=np.int64, count=len(self))

    @kept
    def cost(self) -> np.ndarray:
        """The characters that each result adds to denominators: its size, unless repeated text is free."""
        if self.conventions.repeated == "full":
            return self.size
        shown = self.stretches.first >= 0
        first, length = self.stretches.first, self.stretches.end - self.stretches.start
        unseen = np.bincount(first[shown], weights=length[shown], minlength=len(self)).astype(np.int64)
        in_relevant = (self.pair >= 0) & (self.ground.pair_relevant[self.pair] > 0)
        return np.where(in_relevant, unseen + self.added_size, self.size)

    @kept
    def stretches(self) -> Stretches:
        """Relevant text cut at every boundary of a result, with the first result to show each piece."""
        return cut_into_stretches(self)

    @property
    def relevant(self) -> np.ndarray:
        """Relevant characters in each result, seen before or not."""
        return self._shown[0]

    @property
    def fresh(self) -> np.ndarray:
        """Relevant characters that each result is the first to show."""
        return self._shown[1]

    @kept
    def _shown(self) -> tuple[np.ndarray, np.ndarray]:
        """Relevant characters in each result, and those it is the first to show.

        Computed from lists of earlier ranges or, if these grow long, by cutting the text into stretches.
        """
        most_steps = STEPS_A_RANGE * len(self.start)
        shown = show_ranges(self.result, self.pair, self.start, self.end, *self.ground.relevant, most_steps)
        if shown is not None:
            return shown
        stretches = self.stretches
        return self.spans.sum(stretches.relevant_in_span), stretches.first_shown(len(self))

    @property
    def has_shown(self) -> bool:
        """Whether it is known already what each result shows."""
        return "_shown" in vars(self)

    def cumulated(self, values: np.ndarray) -> np.ndarray:
        """Sums of a column over the ranks so far, restarting at each topic."""
        return self.by_topic.cumulate(values)

    def last(self, values: np.ndarray, rank: int | None = None) -> np.ndarray:
        """For each topic the value at `rank`, or at the end of a shorter list; 0 for an empty one."""
        return self.by_topic.last(values, rank)

    def within(self, budget: Cutoff) -> Aligned:
        """The same results cut where the reader's budget ends."""
        from doxeval.ground.budget import cut_to_budget

        return cut_to_budget(self, budget)

    def ending_before(self, budget: Cutoff) -> np.ndarray:
        """Whether each topic has results, but fewer than fill the reader's budget."""
        from doxeval.ground.budget import ends_before

        return ends_before(self, budget)

    def top(self, rank: int | None) -> Aligned:
        """Only the first `rank` results of each topic; None: all."""
        return self if rank is None or (self.count <= rank).all() else _top(self, rank)

    def close(self) -> None:
        """Drop everything cached about this run."""
        self.facts.close()

    def select(self, keep: np.ndarray) -> Aligned:
        """Only the results marked in `keep`, in the same order."""
        if keep.all():
            return self
        return self.rearranged(np.flatnonzero(keep), self.by_topic.keep_items(keep))

    def rearranged(self, results: np.ndarray, by_topic: Ragged) -> Aligned:
        """Some results in another order."""
        spans, at = self.spans.take(results)
        nodes = self.nodes
        if nodes is not None:
            rows, places = nodes[0].take(results)
            nodes = (rows, nodes[1][places])
        return replace(
            self, by_topic=by_topic, row=self.row[results], doc=self.doc[results], pair=self.pair[results],
            start=self.start[at], end=self.end[at], spans=spans, nodes=nodes,
            added=None if self.added is None else self.added[results], facts=Facts(),
        )  # fmt: skip


@once
def _top(aligned: Aligned, rank: int) -> Aligned:
    return aligned.select(aligned.by_topic.place < rank)
