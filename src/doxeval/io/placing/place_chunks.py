"""Placing chunks in the documents.

A chunk is placed where its metadata says, if the document has the same text there. Otherwise its text is
searched for, and finally the largest part of it that is in the document: what was added to it (a header, a
title, a summary) is in no document. A chunk that occurs several times is placed at the first occurrence, with
a notice; one that is not found stays in the list as irrelevant text of its length.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from doxeval.core.notices import EXAMPLES_KEPT, Notices
from doxeval.core.phrases import counted, percent
from doxeval.io.placing.library import Library, library_of
from doxeval.io.placing.place_quotes import holds
from doxeval.io.placing.text_index import ONLY_LETTERS, Match, TextIndex
from doxeval.tables.documents import Documents
from doxeval.tables.quotes import IN_PLACE, LEVELS
from doxeval.tables.runs import NO_DOCUMENT

SOURCES = (
    "doc", "doc_id", "document_id", "source", "file_path", "file_name", "filename", "path", "url",
    "source_id",
)  # fmt: skip
"""Keys of metadata that may name the document; the first present is used."""

TEXTS = ("text", "page_content", "content")
STARTS = ("start", "start_index", "start_char_idx", "split_idx_start")
ENDS = ("end", "end_index", "end_char_idx")
"""Keys of a chunk or its metadata for its content and its place."""

LONGEST_EXAMPLE = 40

ELSEWHERE = "{is from a document that is|are from documents that are} not among those given"
MISPLACED = "{is|are} not where {its|their} metadata says; {it was|they were} searched for"
REPEATED = "{occurs|occur} several times; the first place is used"
NOT_FOUND = "{was|were} not found in {its|their} document and {counts|count} as irrelevant"
NOT_FOUND_ANYWHERE = "{was|were} not found in any document and {counts|count} as irrelevant"
LOST_CHUNKS = (ELSEWHERE, NOT_FOUND, NOT_FOUND_ANYWHERE)
"""Reasons why a chunk counts as irrelevant, whatever it holds."""
WAY_OF_LEVEL = {
    IN_PLACE: "where stated", LEVELS[0]: "exactly", LEVELS[1]: "but for white space",
    LEVELS[2]: "by letters", LEVELS[3]: "in part or approximately",
}  # fmt: skip


class Chunk(NamedTuple):
    """One retrieved piece: `names` are possible names of its document, -1 is an unknown place.

    `nodes` are the names of the document's nodes from which it was made.
    """

    text: str
    names: tuple[str, ...] = ()
    start: int = -1
    end: int = -1
    score: float | None = None
    nodes: tuple[str, ...] = ()


class _Place(NamedTuple):
    """The place of a chunk, how certain it is, its text that is in no document, and what to report."""

    doc: int
    start: int
    end: int
    level: str = ""
    added: str = ""
    unclear: tuple[str, ...] = ()


class PlacedChunks(NamedTuple):
    """Chunks as columns: `docs` is the table behind the codes `doc`; `added` is None if nothing was added."""

    docs: list[str]
    doc: np.ndarray
    start: np.ndarray
    end: np.ndarray
    added: np.ndarray | None


def place_chunks(
    chunks: Sequence[Chunk], where: Sequence[str], documents: Documents, notices: Notices, run: str
) -> PlacedChunks:
    """The places of the chunks of a run; `where` describes each chunk in words."""
    placing = _Placing(chunks, documents)
    places = [placing.place(chunk) for chunk in chunks]
    _note_placing(chunks, where, places, placing.doubtful, notices, run)
    columns = np.array([place[:3] for place in places], dtype=np.int64).reshape(-1, 3)
    code, start, end = np.ascontiguousarray(columns.T)
    codes, first, doc = np.unique(code, return_index=True, return_inverse=True)
    order = np.argsort(first)
    added = [place.added for place in places]
    return PlacedChunks(
        [documents.ids[code] if code >= 0 else NO_DOCUMENT for code in codes[order].tolist()],
        np.argsort(order)[doc].astype(np.int32),
        start,
        end,
        np.array(added, dtype=object) if any(added) else None,
    )


class _Placing:
    """Finds chunks in a collection; equal ones are searched for once."""

    def __init__(self, chunks: Sequence[Chunk], documents: Documents) -> None:
        self.library: Library = library_of(documents)
        self.length = documents.length.tolist()
        self.known: dict[tuple[str, int, int, int, tuple[str, ...]], _Place] = {}
        called = {chunk.names for chunk in chunks}
        names = list(dict.fromkeys(name for of_one in called for name in of_one))
        found = documents.catalogue.find(names)
        self.doubtful = found.doubtful
        code = dict(zip(names, found.codes.tolist(), strict=True))
        renamed = {names[at] for at in found.renamed}
        self.doc = {of_one: _document_named(of_one, code, renamed) for of_one in called}

    def place(self, chunk: Chunk) -> _Place:
        """The place of one chunk."""
        doc = self.doc[chunk.names]
        key = (chunk.text, doc if doc >= 0 or not chunk.names else -2, chunk.start, chunk.end, chunk.nodes)
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = self._find(chunk, doc)
        return found

    def _find(self, chunk: Chunk, doc: int) -> _Place:
        text, start, end = chunk.text, chunk.start, chunk.end
        if doc < 0 and chunk.names:
            return _nowhere(chunk, ELSEWHERE)
        misplaced: tuple[str, ...] = ()
        if doc >= 0 and start >= 0:
            there = self.library.index(doc).text[start:end] if text else ""
            if there == text or holds(there, text):
                return _Place(doc, start, min(end, self.length[doc]), IN_PLACE)
            misplaced = (MISPLACED,)
        whole, likely = self.library.holders(text) if doc < 0 else ([doc], [])
        found = [(one, *self.library.index(one).places(text)) for one in whole]
        places = [(one, level, place) for one, level, of_one in found for place in of_one]
        if places:
            one, level, place = min(places, key=lambda place: LEVELS.index(place[1]))
            unclear = (*misplaced, REPEATED) if len(places) > 1 else misplaced
            return _Place(one, *place, level, unclear=unclear)
        if doc >= 0 and (extent := self.library.extent_of_nodes(doc, chunk.nodes)):
            part = TextIndex(self.library.index(doc).text[slice(*extent)]).largest_part(text)
            return _Place(doc, *extent, IN_PLACE, _text_added(text, part), misplaced)
        parts = [(one, self.library.index(one).largest_part(text)) for one in (*whole, *likely)]
        best = max(parts, key=lambda part: part[1].same if part[1] else 0, default=(-1, None))
        if best[1] is None:
            return _nowhere(chunk, *misplaced, NOT_FOUND_ANYWHERE if doc < 0 else NOT_FOUND)
        match = best[1]
        return _Place(best[0], match.start, match.end, LEVELS[3], _text_added(text, match), misplaced)


def _text_added(text: str, match: Match | None) -> str:
    """The text before and after the part that is in a document."""
    return text[: match.first] + text[match.last :] if match else ""


def _document_named(names: tuple[str, ...], code: dict[str, int], renamed: set[str]) -> int:
    """The document with one of the names: the first that is its own name, else the first known."""
    known = [name for name in names if code[name] >= 0]
    best = next((name for name in known if name not in renamed), known[0] if known else None)
    return -1 if best is None else code[best]


def _nowhere(chunk: Chunk, *why: str) -> _Place:
    """A result as long as the chunk, in no document of the collection."""
    return _Place(-1, 0, len(chunk.text) or max(0, chunk.end - chunk.start), unclear=why)


def _note_placing(
    chunks: Sequence[Chunk], where: Sequence[str], places: Sequence[_Place], doubtful: Sequence[str],
    notices: Notices, run: str,
) -> None:  # fmt: skip
    """Report how chunks were placed, what was unclear, and how much of the run that is."""
    total = len(chunks)
    unclear: dict[str, list[int]] = {}
    for row, place in enumerate(places):
        for what in place.unclear:
            unclear.setdefault(what, []).append(row)
    for what, rows in unclear.items():
        notices.add(
            f"{run}: {{count}} of {counted(total, 'chunk')} ({percent(len(rows) / total, 1)}) {what}"
            f"{ONLY_LETTERS if what in (NOT_FOUND, NOT_FOUND_ANYWHERE) else ''}",
            *(doubtful if what == ELSEWHERE else ()),
            *(f"{where[row]}: {_example_of(chunks[row], what)!r}" for row in rows[:EXAMPLES_KEPT]),
            count=len(rows),
            lasting=what in LOST_CHUNKS,
        )
    counts = Counter(place.level for place in places)
    ways = [f"{counts[level]:,} {way}" for level, way in WAY_OF_LEVEL.items() if counts[level]]
    if set(counts) - {IN_PLACE, ""}:
        placed = total - counts[""]
        notices.add(
            f"{run}: {placed:,} of {counted(total, 'chunk')} placed: {', '.join(ways)}", harmless=True
        )
    if rows := [row for row, place in enumerate(places) if place.added]:
        size, all_of_it = (
            sum(len(places[row].added) for row in rows),
            sum(len(chunk.text) for chunk in chunks),
        )
        notices.add(
            f"{run}: {{count}} of {counted(total, 'chunk')} {{has|have}} text that is not in {{its|their}} "
            f"document; {counted(size, 'character')} ({percent(size / all_of_it, 1)}) of irrelevant text "
            "shown (not with --added free)",
            *(f"{where[row]}: {_shortened_example(places[row].added)!r}" for row in rows[:EXAMPLES_KEPT]),
            count=len(rows),
            harmless=True,
            lasting=True,
        )


def _example_of(chunk: Chunk, what: str) -> str:
    return _shortened_example(chunk.names[0] if what == ELSEWHERE else chunk.text)


def _shortened_example(text: str) -> str:
    return text if len(text) <= LONGEST_EXAMPLE else text[:LONGEST_EXAMPLE] + "..."
