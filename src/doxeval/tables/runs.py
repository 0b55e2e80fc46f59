"""Runs: ranked results of one system, as columns.

A result is one or more ranges of a document, or a set of its nodes, or the whole document. Columns are in
the order of the file; the alignment puts them in reading order.

A node is named by its id or its path. A passage between two places in the tree (INEX: paths, perhaps with
``/text()[n].offset`` at the end) can be resolved only with the document: it has the name
``passage:START..END``, and becomes a range where names are looked up in documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from doxeval.core.notices import Notices
from doxeval.core.phrases import counted
from doxeval.core.quick_class import dataclass
from doxeval.core.ragged import Ragged
from doxeval.core.strings import encode, merge_tables
from doxeval.tables.file_text import FileText
from doxeval.tables.glimpse import FirstRows, Glimpsed, clipped, ranges_shown
from doxeval.tables.places import CHARACTERS, GRID

if TYPE_CHECKING:
    from doxeval.tables.steps import Steps

WHOLE = 1 << 62
"""The end of a range that reaches to the end of its document, wherever that is."""

NOWHERE = 1 << 41
"""An offset beyond every document: the start of passages that could not be located."""
UNFOUND_SIZE = 18
"""The length of such a passage, as counted by the official scorer of INEX."""

NO_DOCUMENT = "(not among the documents)"
"""The document of results whose text is in none of those given."""

PASSAGE, ENCLOSING = "passage:", "enclosing:"


def passage_name(start: str, end: str) -> str:
    """The name of the passage from one place in the tree to another."""
    return f"{PASSAGE}{start}..{end}"


def passage_points(name: str) -> tuple[str, str] | None:
    """The two places in the name of a passage; None for the name of a node.

    >>> passage_points("passage:/a[1]/p[1]../a[1]/p[2]/text()[1].30"), passage_points("/a[1]")
    (('/a[1]/p[1]', '/a[1]/p[2]/text()[1].30'), None)
    """
    if not name.startswith(PASSAGE) or ".." not in name:
        return None
    start, _, end = name[len(PASSAGE) :].partition("..")
    return start, end


def enclosing_name(first: int, last: int) -> str:
    """The name of the smallest named node around some lines, counted from 1, both included."""
    return f"{ENCLOSING}{first}-{last}"


def enclosed_lines(name: str) -> tuple[int, int] | None:
    """The lines in such a name; None for the name of a node.

    >>> enclosed_lines(enclosing_name(3, 4)), enclosed_lines("/a[1]")
    ((3, 4), None)
    """
    first, dash, last = name.removeprefix(ENCLOSING).partition("-")
    known = name.startswith(ENCLOSING) and dash and first.isdecimal() and last.isdecimal()
    return (int(first), int(last)) if known else None


@dataclass(eq=False)
class Names:
    """Several strings for each row: row i has `codes[offset[i]:offset[i + 1]]`, each an entry of `table`."""

    table: list[str]
    offset: np.ndarray
    codes: np.ndarray

    @classmethod
    def of_lists(cls, lists: Iterable[Iterable[str]]) -> Names:
        """The strings of each list as a row."""
        known = [list(names) for names in lists]
        table, codes = encode(name for names in known for name in names)
        return cls(table, Ragged.of_counts([len(names) for names in known]).offset, codes)

    @classmethod
    def none(cls, rows: int) -> Names:
        """Rows without any strings."""
        return cls([], np.zeros(rows + 1, dtype=np.int64), np.zeros(0, dtype=np.int32))

    @classmethod
    def joined(cls, *parts: tuple[Names | None, int]) -> Names | None:
        """Concatenate names, each with its number of rows; parts without names have empty rows."""
        if all(names is None for names, _ in parts):
            return None
        filled = [names or cls.none(size) for names, size in parts]
        table, codes = merge_tables([names.table for names in filled])
        new = [code[names.codes] for code, names in zip(codes, filled, strict=True)]
        counts = np.concatenate([names.rows.counts for names in filled])
        return cls(table.tolist(), Ragged.of_counts(counts).offset, np.concatenate(new))

    @property
    def rows(self) -> Ragged:
        """The strings of each row."""
        return Ragged(self.offset)

    def of(self, row: int) -> list[str]:
        """The strings of one row."""
        return [self.table[code] for code in self.codes[self.rows.slice(row)]]

    def take(self, rows: np.ndarray) -> Names:
        """The strings of some rows, by index in the order given, or by a mask."""
        if rows.dtype == bool:
            if rows.all():
                return self
            rows = np.flatnonzero(rows)
        taken, at = self.rows.take(rows)
        return Names(self.table, taken.offset, self.codes[at])


@dataclass(eq=False)
class Run(Glimpsed):
    """The results of one system. `topic` and `doc` are codes of `topics` and `docs`.

    If every result has exactly one range, `span_offset` is None and row i has range i; otherwise row i has
    ranges `span_offset[i]` to `span_offset[i + 1]`. A row with `nodes` has no ranges of its own. A row with a
    non-empty text in `texts` has a place only once that is found in the documents; `claims` is then what is
    said about its place (a :class:`~doxeval.io.placing.claims.Claim` for each row). A topic without rows was
    asked, and nothing was returned. `added` is further text of results that is in no document, `own` text of
    them that the system wrote itself. If these are only some topics of a run, `reach` says how far the whole
    run reaches into each document. Ranges count in `unit`, regions on a `grid`. `written` is what the file
    says, if it was kept for an official scorer. A trajectory has `steps`, and in `step` the row of the step
    that showed each result. Where results are text and regions, `apart` is the same run in area: results of
    either kind are empty in the other. `aliases` are other names by which its topics may be assessed.
    `parameters` say how it was made, or what it took.
    """

    name: str
    topics: list[str]
    docs: Sequence[str]
    topic: np.ndarray
    doc: np.ndarray
    start: np.ndarray
    end: np.ndarray
    span_offset: np.ndarray | None = None
    rank: np.ndarray | None = None
    score: np.ndarray | None = None
    nodes: Names | None = None
    texts: list[str] | None = None
    claims: Sequence[Any] | None = None
    added: np.ndarray | None = None
    own: np.ndarray | None = None
    tag: str = ""
    line: np.ndarray | None = None
    reach: np.ndarray | None = None
    unit: str = CHARACTERS
    grid: int = GRID
    source: str = ""
    notices: Notices = field(default_factory=Notices)
    written: FileText | None = None
    steps: Steps | None = None
    step: np.ndarray | None = None
    apart: Run | None = None
    aliases: Mapping[str, Sequence[str]] | None = None
    parameters: dict[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.topic)

    def __repr__(self) -> str:
        steps = "" if self.steps is None else f"{counted(len(self.steps), 'step')}, "
        return (
            f"<Run {self.name!r}: {steps}{counted(len(self), 'result')}, "
            f"{counted(len(self.topics), 'topic')}, {counted(len(self.docs), 'document')}>"
        )

    def _first_rows(self, count: int) -> FirstRows:
        rows = []
        for row in range(min(count, len(self))):
            place = ranges_shown(self.spans_of(row))
            if self.texts is not None and self.texts[row]:
                place = clipped(self.texts[row])
            elif self.nodes is not None:
                place = ", ".join(self.nodes.of(row)) or place
            rank = "" if self.rank is None else f"{self.rank[row]:g}"
            score = "" if self.score is None else f"{self.score[row]:g}"
            rows.append([self.topics[self.topic[row]], rank, self.docs[self.doc[row]], place, score])
        return ["topic", "rank", "document", self.unit, "score"], rows, len(self), "results"

    @property
    def spans(self) -> Ragged:
        """The ranges of each result."""
        return Ragged.of_optional(self.span_offset, len(self))

    def spans_of(self, row: int) -> list[tuple[int, int]]:
        """The ranges of one result, as given."""
        at = self.spans.slice(row)
        return list(zip(self.start[at].tolist(), self.end[at].tolist(), strict=True))

    def take(self, rows: np.ndarray) -> Run:
        """Some results, by index in the order given, or by a mask; ranks and scores are as they were."""
        if rows.dtype == bool:
            if rows.all():
                return self
            rows = np.flatnonzero(rows)
        spans, at = self.spans.take(rows)
        nodes = self.nodes.take(rows) if self.nodes is not None else None
        picked = rows.tolist()
        columns: dict[str, Any] = {
            name: None if (column := getattr(self, name)) is None else column[rows]
            for name in ("rank", "score", "line", "added", "own", "step")
        }
        return replace(
            self, topic=self.topic[rows], doc=self.doc[rows], start=self.start[at], end=self.end[at],
            span_offset=None if self.span_offset is None else spans.offset,
            nodes=nodes if nodes is not None and len(nodes.codes) else None,
            texts=None if self.texts is None else [self.texts[row] for row in picked],
            claims=None if self.claims is None else [self.claims[row] for row in picked],
            **columns,
        )  # fmt: skip

    def write(self, target: str | Path, **options: Any) -> None:
        """Write the run in the format named, or by the target's suffix; see :func:`doxeval.write_run`."""
        import doxeval

        doxeval.write_run(self, target, **options)

    def where(self, row: int) -> str:
        """The place of a result in its file, for messages: `file:line`."""
        if self.line is None:
            return f"{self.source or self.name}: result {row + 1}"
        return f"{self.source}:{self.line[row]}"


def no_results(name: str) -> Run:
    """A run without any results."""
    nothing, codes = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
    return Run(name, [], [], codes, codes, nothing, nothing, rank=nothing, score=np.zeros(0))


@dataclass(eq=False)
class Chunks(Glimpsed):
    """Ranges `[start, end)` of documents; `doc` holds codes of `docs`; ranges count in `unit`."""

    docs: Sequence[str]
    doc: np.ndarray
    start: np.ndarray
    end: np.ndarray
    source: str = ""
    unit: str = CHARACTERS
    notices: Notices = field(default_factory=Notices)

    def __len__(self) -> int:
        return len(self.doc)

    def __repr__(self) -> str:
        return f"<Chunks: {counted(len(self), 'chunk')}, {counted(len(self.docs), 'document')}>"

    def _first_rows(self, count: int) -> FirstRows:
        first = zip(
            self.doc[:count].tolist(), self.start[:count].tolist(), self.end[:count].tolist(), strict=True
        )
        rows = [[self.docs[doc], ranges_shown([(start, end)])] for doc, start, end in first]
        return ["document", self.unit], rows, len(self), "chunks"
