r"""The lines of documents: from characters to lines and back.

Only ``\n`` ends a line. A last line without one counts all the same; an empty document has no lines. Lines
are numbered from 0 here, so that a range of lines is ``[first, last + 1)``. Places past the end of a document
keep their distance to it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from doxeval.core.errors import UsageError

if TYPE_CHECKING:
    from doxeval.tables.documents import Documents

StartsAndEnds = tuple[np.ndarray, np.ndarray]


def line_ends(text: str) -> np.ndarray:
    r"""The place after each line of a text.

    >>> line_ends("a\r\n\nend").tolist(), line_ends("").tolist()
    ([3, 4, 7], [])
    """
    lines = text.split("\n")
    ends = np.cumsum(np.fromiter(map(len, lines), dtype=np.int64, count=len(lines)) + 1)
    return ends[:-1] if not lines[-1] else np.append(ends[:-1], len(text))


def line_count(text: str) -> int:
    """The number of lines of a text."""
    return text.count("\n") + bool(text) - text.endswith("\n")


class LineMap:
    """The lines of a collection's documents, found when they are first asked for."""

    def __init__(self, documents: Documents) -> None:
        if documents.text is None:
            raise UsageError(
                f"{documents.source or 'the documents'}: counting lines needs the documents' text; "
                "index them with it"
            )
        self.documents = documents
        self._ends: dict[int, np.ndarray] = {}

    def ends(self, doc: int) -> np.ndarray:
        """The place after each line of a document."""
        found = self._ends.get(doc)
        if found is None:
            assert self.documents.text is not None
            found = self._ends[doc] = line_ends(self.documents.text[doc])
        return found

    def characters(self, doc: np.ndarray, start: np.ndarray, end: np.ndarray) -> StartsAndEnds:
        """The characters of ranges of lines, with the ends of the lines."""
        return self._mapped(doc, start, end, _characters)

    def lines(self, doc: np.ndarray, start: np.ndarray, end: np.ndarray) -> StartsAndEnds:
        """The lines that ranges of characters share a character with; an empty range has none."""
        return self._mapped(doc, start, end, lines_touched)

    def _mapped(
        self,
        doc: np.ndarray,
        start: np.ndarray,
        end: np.ndarray,
        of_one: Callable[[np.ndarray, np.ndarray, np.ndarray], StartsAndEnds],
    ) -> StartsAndEnds:
        start, end = start.astype(np.int64, copy=True), end.astype(np.int64, copy=True)
        order = np.argsort(doc, kind="stable")
        order = order[np.searchsorted(doc[order], 0) :]
        known, first = np.unique(doc[order], return_index=True)
        for code, (begin, stop) in zip(known.tolist(), pairwise([*first, len(order)]), strict=True):
            rows = order[begin:stop]
            start[rows], end[rows] = of_one(self.ends(code), start[rows], end[rows])
        return start, end


def _characters(ends: np.ndarray, start: np.ndarray, end: np.ndarray) -> StartsAndEnds:
    bounds = np.append(0, ends)
    return _place(bounds, start), np.maximum(_place(bounds, end), _place(bounds, start))


def _place(bounds: np.ndarray, line: np.ndarray) -> np.ndarray:
    """The first character of each line; past the last line as far as the line is."""
    last = len(bounds) - 1
    return bounds[np.minimum(line, last)] + np.maximum(line - last, 0)


def lines_touched(ends: np.ndarray, start: np.ndarray, end: np.ndarray) -> StartsAndEnds:
    """The lines, given by their ends, that ranges of characters share a character with."""
    length = int(ends[-1]) if len(ends) else 0
    first = np.searchsorted(ends, start, side="right") + np.maximum(start - length, 0)
    after = np.searchsorted(ends, end, side="left") + 1
    after = np.where(end > length, len(ends) + (end - length), after)
    return first, np.where(end > start, after, first)


def documents_in_lines(documents: Documents) -> Documents:
    """The same documents counted in lines: lengths, and the lines that each node touches.

    A line shared by siblings belongs to the first of them. The text stays with the documents in characters
    (`in_characters`).
    """
    lines = LineMap(documents)
    count = np.array([len(lines.ends(doc)) for doc in range(len(documents))], dtype=np.int64)
    start, end = documents.start.copy(), documents.end.copy()
    for doc in range(len(documents)):
        rows = documents.nodes.slice(doc)
        found = lines_touched(lines.ends(doc), documents.start[rows], documents.end[rows])
        start[rows], end[rows] = _apart(documents.parent[rows], *found)
    return replace(documents, length=count, start=start, end=end, node_length=None, text=None, lines=lines)


def _apart(parent: np.ndarray, start: np.ndarray, end: np.ndarray) -> StartsAndEnds:
    """Extents of nodes, in document order, cut so that siblings do not overlap and children stay inside."""
    begins, stops = start.tolist(), end.tolist()
    free = list(begins)
    for node, above in enumerate(parent.tolist()):
        if above >= 0:
            begins[node] = min(max(begins[node], free[above]), stops[above])
            stops[node] = max(min(stops[node], stops[above]), begins[node])
            free[above] = max(free[above], stops[node])
        free[node] = begins[node]
    return np.array(begins, dtype=np.int64), np.array(stops, dtype=np.int64)
