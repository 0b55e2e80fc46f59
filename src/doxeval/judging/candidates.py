"""Candidates for a pool: open passages of all runs, with the runs that show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from doxeval import Documents
from doxeval.core.keys import amount_within, key_width, keys, overlaps
from doxeval.core.strings import distinct
from doxeval.extend import Aligned, Ground, Ragged
from doxeval.ground.open_text import assessed_pairs, cut_out_highlights, open_text, text_shown, with_open_text
from doxeval.judging.growing import grown
from doxeval.tables.runs import NOWHERE

Ranges = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Pairs, starts and ends."""


@dataclass(eq=False)
class RunText:
    """The text that one run shows: ranges of open pairs at ranks, and the size of all its text per topic.

    `whole` says which ranges are all the text of their document.
    """

    name: str
    pair: np.ndarray
    start: np.ndarray
    end: np.ndarray
    rank: np.ndarray
    size: np.ndarray
    whole: np.ndarray


@dataclass(eq=False)
class Candidates:
    """Passages by pair of `open`, which is open text as ground truth, sorted and without overlap.

    They are cut wherever a result begins or ends, so that what some runs show can be judged without the rest.
    """

    open: Ground
    pair: np.ndarray
    start: np.ndarray
    end: np.ndarray
    runs: list[RunText]

    def __len__(self) -> int:
        return len(self.pair)

    @property
    def characters(self) -> np.ndarray:
        """The length of each."""
        return self.end - self.start

    @cached_property
    def topic(self) -> np.ndarray:
        """The topic of each."""
        return self.open.assessments.pair_topic[self.pair]

    @property
    def doc(self) -> np.ndarray:
        """The document of each, a code of those of `open`."""
        return self.open.assessments.pair_doc[self.pair]

    def keys(self, *ranges: np.ndarray) -> tuple[np.ndarray, ...]:
        """Begin and end of the passages, and of ranges given as pair, start and end, as keys of one width."""
        width = key_width(self.end, ranges[2])
        pair, start, end = ranges
        return (
            keys(pair, start, width), keys(pair, end, width),
            keys(self.pair, self.start, width), keys(self.pair, self.end, width),
        )  # fmt: skip

    def shown_by(self, run: RunText) -> tuple[np.ndarray, np.ndarray]:
        """All meetings of a run's ranges with passages: rows of the run's ranges, and passages."""
        return overlaps(*self.keys(run.pair, run.start, run.end))

    @cached_property
    def best_rank(self) -> np.ndarray:
        """The first rank at which any run shows something of each passage."""
        best = np.full(len(self), np.iinfo(np.int64).max)
        for run in self.runs:
            row, passage = self.shown_by(run)
            np.minimum.at(best, passage, run.rank[row])
        return best

    @cached_property
    def showing(self) -> np.ndarray:
        """How many runs show something of each passage as a part of its document, not as all of it."""
        count = np.zeros(len(self), dtype=np.int64)
        for run in self.runs:
            row, passage = self.shown_by(run)
            count[distinct(passage[~run.whole[row]])] += 1
        return count

    @cached_property
    def shares(self) -> np.ndarray:
        """`shares[run, passage]`: what the passage, if relevant, would add to a run's ``iP`` of its topic."""
        return np.array([self._amount(run) / self._shown(run) for run in self.runs]).reshape(
            len(self.runs), -1
        )

    @cached_property
    def swing(self) -> np.ndarray:
        """By how much judgements of each passage could change the difference of two runs in ``iP``."""
        one, other = self.runs
        amounts = self._amount(one), self._amount(other)
        both = amounts[0] + amounts[1] - self._amount(one, other)
        worth = 1 / self._shown(one), 1 / self._shown(other)
        alone = (amounts[0] - both) * worth[0] + (amounts[1] - both) * worth[1]
        return alone + both * np.abs(worth[0] - worth[1])

    def _shown(self, run: RunText) -> np.ndarray:
        return np.maximum(run.size[self.topic], 1)

    def _amount(self, *runs: RunText) -> np.ndarray:
        """Characters of each passage that any of some runs shows."""
        pair, start, end = (
            np.concatenate([getattr(run, name) for run in runs]) for name in ("pair", "start", "end")
        )
        by_pair, start, end = Ragged.gathered(pair, len(self.open.assessments.pair_doc), start, end)
        by_pair, start, end = by_pair.merge(start, end)
        begin, stop, first, after = self.keys(by_pair.row, start, end)
        return amount_within(first, after, begin, stop)


def find_candidates(ground: Ground, runs: Sequence[Aligned], assessed: str, how: str) -> Candidates:
    """The open text that aligned runs show, each stretch once, grown and without what is judged."""
    opened = open_text(ground, map(text_shown, runs), assessed)
    table, documents = opened.assessments, ground.documents
    doc = np.full(len(table.docs), -1) if documents is None else documents.codes(table.docs)
    ends = _ends_of_text(documents, doc)[:, table.pair_doc]
    texts = [_text_of(run, opened, ends) for run in runs]
    columns = (np.concatenate([getattr(text, name) for text in texts]) for name in ("pair", "start", "end"))
    pair, start, end = columns
    by_pair, start, end = Ragged.gathered(pair, len(table.pair_doc), start, end)
    start, end = grown(how, documents, doc[table.pair_doc], by_pair, start, end)
    cuts = by_pair.row, start, end
    order = np.lexsort((start, by_pair.row))
    united, first, after = by_pair.merge(start[order], end[order])
    known = assessed_pairs(ground, table.pair_topic, table.pair_doc, table.docs)
    pieces = cut_out_highlights(ground, known, united, first, after)
    return Candidates(opened, *_cut_at(pieces, cuts), texts)


def _cut_at(pieces: Ranges, marks: Ranges) -> Ranges:
    """Pieces, cut wherever a mark begins or ends."""
    width = key_width(pieces[2], marks[2])
    begin, stop = (keys(pieces[0], place, width) for place in pieces[1:])
    cuts = distinct(np.concatenate([begin, stop, *(keys(marks[0], place, width) for place in marks[1:])]))
    inside = amount_within(cuts[:-1], cuts[1:], begin, stop) > 0
    first, after = cuts[:-1][inside], cuts[1:][inside]
    return first // width, first % width, first % width + after - first


def _ends_of_text(documents: Documents | None, doc: np.ndarray) -> np.ndarray:
    """The start and end of each document's text, without white space; nowhere if it is unknown."""
    ends = np.full((2, len(doc)), NOWHERE, dtype=np.int64)
    if documents is None:
        return ends
    known = np.flatnonzero(doc >= 0)
    ends[0, known], ends[1, known] = 0, documents.length[doc[known]]
    if documents.text is not None and documents.lines is None:
        for at in known.tolist():
            text = documents.text[doc[at]]
            ends[:, at] = len(text) - len(text.lstrip()), len(text.rstrip())
    return ends


def _text_of(aligned: Aligned, opened: Ground, ends: np.ndarray) -> RunText:
    result = aligned.result
    pair = with_open_text(aligned, opened).pair[result]
    shown = (pair >= 0) & (aligned.end > aligned.start) & (aligned.start < NOWHERE)
    pair, start, end = pair[shown], aligned.start[shown], aligned.end[shown]
    whole = (start <= ends[0, pair]) & (end >= ends[1, pair])
    return RunText(
        aligned.run.name, pair, start, end, aligned.rank[result][shown],
        aligned.by_topic.sum(aligned.size), whole,
    )  # fmt: skip
