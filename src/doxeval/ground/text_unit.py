"""The unit in which an evaluation counts: characters, lines, seconds of recordings, or area of pages.

In lines, everything that is defined for characters holds with the line in its place: line numbers are
offsets, so no measure has to know. Tables are converted where they meet their documents; lines become
characters exactly, characters the lines that they touch. Moments and regions are in no text, so nothing else
becomes seconds or area, nor they anything else.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.notices import Notices
from doxeval.core.strings import distinct
from doxeval.tables.line_map import LineMap, documents_in_lines
from doxeval.tables.page_cells import documents_in_area, pages_as_regions
from doxeval.tables.places import AREA, CHARACTERS, GRID, LINES, SECONDS
from doxeval.tables.runs import NOWHERE

if TYPE_CHECKING:
    from doxeval.tables.assessments import Assessments, Ranges
    from doxeval.tables.documents import Documents
    from doxeval.tables.quotes import Pieces, Quotes
    from doxeval.tables.runs import Chunks, Run

OF_TEXT = (CHARACTERS, LINES)
COUNTED_IN_LINES = "text is counted in lines (--unit)"


def unit_of(assessments: Assessments, documents: Documents | None, wanted: str | None) -> str:
    """The unit to count in: the one wanted, else that of the documents, else that of the assessments."""
    if wanted is not None:
        return wanted
    if assessments.unit not in OF_TEXT:
        return assessments.unit
    return assessments.unit if documents is None else documents.unit


def documents_in(documents: Documents, unit: str, grid: int = GRID) -> Documents:
    """The documents counted in a unit."""
    if unit == documents.unit:
        return documents
    if unit == AREA:
        return documents_in_area(documents, grid)
    if unit not in OF_TEXT:
        raise UsageError(
            f"{documents.source or 'the documents'}: hold text, but places are given in {unit}, which needs "
            "no documents; leave out --docs"
        )
    return documents.in_characters if unit == CHARACTERS else documents_in_lines(documents)


def _need_documents(what: str, found: str, wanted: str) -> UsageError:
    if not {found, wanted} <= set(OF_TEXT):
        return UsageError(
            f"{what}: places are given in {found}, but {wanted} are counted; one cannot become the other"
        )
    return UsageError(
        f"{what}: places are given in {found}, but text is counted in {wanted}; to count one as the other, "
        f"give the documents (--docs FILE), or choose --unit {found}"
    )


class Converter:
    """Converts ranges of documents between units; `lines` are those of the documents, if there are any."""

    def __init__(self, documents: Documents | None) -> None:
        plain = documents if documents is None else documents_in(documents, CHARACTERS)
        self.documents = plain
        self._lines = None if documents is None else documents.lines

    @property
    def lines(self) -> LineMap:
        """The lines of the documents."""
        if self._lines is None:
            assert self.documents is not None
            self._lines = LineMap(self.documents)
        return self._lines

    def ranges(
        self, doc: np.ndarray, start: np.ndarray, end: np.ndarray, unit: str
    ) -> tuple[np.ndarray, np.ndarray]:
        """Ranges, given in the other unit, in `unit`; those that have no place in any document are kept."""
        known = np.where(end < NOWHERE, doc, -1)
        whole = (end >= NOWHERE) & (start == 0)
        convert = self.lines.characters if unit == CHARACTERS else self.lines.lines
        found = convert(known, start, end)
        return np.where(whole, start, found[0]), found[1]


def assessments_in(assessments: Assessments, documents: Documents | None, unit: str) -> Assessments:
    """Assessments, with their documents under the names of the collection, in a unit."""
    if assessments.unit == unit:
        return assessments
    name = assessments.source or "the assessments"
    if documents is None or assessments.unit not in OF_TEXT or unit not in OF_TEXT:
        raise _need_documents(name, assessments.unit, unit)
    convert = Converter(documents)
    code = documents.codes(assessments.docs)
    ranges, optional = assessments.ranges, assessments.optional
    doc = code[assessments.pair_doc[ranges.pair]]
    lost = distinct(assessments.pair_doc[ranges.pair[(doc < 0) & (ranges.end < NOWHERE)]])
    if len(lost):
        told = ", ".join(assessments.docs[at] for at in lost[:3].tolist())
        raise UsageError(
            f"{name}: {len(lost):,} assessed documents are not among the documents given, so their "
            f"{assessments.unit} cannot be counted as {unit} ({told}{', ...' * (len(lost) > 3)})"
        )

    def converted(given: Ranges) -> Ranges:
        doc = code[assessments.pair_doc[given.pair]]
        start, end = convert.ranges(doc, given.start, given.end, unit)
        return replace(given, start=start, end=end)

    known = code >= 0
    return replace(
        assessments,
        ranges=converted(ranges),
        quotes=None if assessments.quotes is None else _quotes_in(assessments, code, convert, unit),
        optional=None if optional is None else converted(optional),
        bep=_beps(assessments, code, convert, unit),
        length=np.where(known, documents_in(documents, unit).length[code], assessments.length),
        unit=unit,
    )


def _quotes_in(assessments: Assessments, code: np.ndarray, convert: Converter, unit: str) -> Quotes:
    """The quotes with their stated places, and those where they were found, in a unit."""
    quotes = assessments.quotes
    assert quotes is not None

    def converted(pieces: Pieces, doc: int) -> Pieces:
        if doc < 0 or not pieces:
            return pieces
        start, end = np.array(pieces, dtype=np.int64).T
        start, end = convert.ranges(np.full(len(start), doc), start, end, unit)
        return tuple(zip(start.tolist(), end.tolist(), strict=True))

    docs = code[assessments.pair_doc[quotes.pair]].tolist()
    stated = zip(quotes.hints, docs, strict=True)
    hints = [replace(hint, told=converted(hint.told, doc)) for hint, doc in stated]
    placed = None
    if quotes.placed is not None:
        placed = [
            replace(place, places=tuple(converted(pieces, place.doc) for pieces in place.places))
            for place in quotes.placed
        ]
    return replace(quotes, hints=hints, placed=placed)


def _beps(assessments: Assessments, code: np.ndarray, convert: Converter, unit: str) -> np.ndarray:
    """The best entry point of each pair in a unit: the line that it is in, or its first character."""
    bep = assessments.bep
    told = bep >= 0
    doc = np.where(told, code[assessments.pair_doc], -1)
    return np.where(told, convert.ranges(doc, bep, bep + 1, unit)[0], bep)


def run_in(run: Run, documents: Documents | None, unit: str, notices: Notices, grid: int = GRID) -> Run:
    """A run, with its documents under the names of the collection, in a unit."""
    if unit == AREA:
        run = pages_as_regions(run, grid)
        if run.unit == AREA and run.grid != grid and len(run.start):
            raise UsageError(
                f"{run.source or run.name}: regions are cells of a grid of {run.grid:,}, those of the "
                f"assessments of {grid:,}; read both with the same grid (--grid)"
            )
    if run.unit == unit or not len(run.start) or (run.end >= NOWHERE).all():
        return run if run.unit == unit else replace(run, unit=unit)
    if documents is None or run.unit not in OF_TEXT or unit not in OF_TEXT:
        raise _need_documents(run.source or run.name, run.unit, unit)
    doc = documents.codes(run.docs)[run.spans.expand(run.doc)]
    unknown = (doc < 0) & (run.end < NOWHERE)
    if unknown.any():
        notices.add(
            f"{{count}} {{result is in a document that is|results are in documents that are}} not among "
            f"those given; {{its|their}} {run.unit} count as {unit}",
            *(run.where(row) for row in distinct(run.spans.row[unknown])[:3].tolist()),
            count=len(distinct(run.spans.row[unknown])),
            lasting=True,
        )
    start, end = Converter(documents).ranges(doc, run.start, run.end, unit)
    if run.span_offset is None:
        return replace(run, start=start, end=end, unit=unit)
    from doxeval.io.formats.row_places import merge_by_row

    offset, start, end = merge_by_row(run.spans.row, start, end, len(run))
    return replace(run, start=start, end=end, span_offset=offset, unit=unit)


def chunks_in(chunks: Chunks, documents: Documents | None, unit: str) -> Chunks:
    """Chunks in a unit; those of unknown documents are left as they are."""
    if chunks.unit == unit:
        return chunks
    if documents is None or chunks.unit not in OF_TEXT or unit not in OF_TEXT:
        raise _need_documents(chunks.source or "the chunks", chunks.unit, unit)
    found = documents.catalogue.find(chunks.docs).codes
    start, end = Converter(documents).ranges(found[chunks.doc], chunks.start, chunks.end, unit)
    return replace(chunks, start=start, end=end, unit=unit)


def note_unit(unit: str, chosen: bool, notices: Notices, grid: int = GRID) -> None:
    """Say under every table that something else than characters is counted."""
    if unit == LINES:
        why = "" if chosen else ", as assessments and runs give lines only"
        notices.add(f"{COUNTED_IN_LINES}{why}", harmless=True, lasting=True)
    elif unit == SECONDS:
        notices.add("documents are measured in seconds, to the microsecond", harmless=True, lasting=True)
    elif unit == AREA:
        notices.add(
            f"pages are measured in area, in cells of 1/{grid} of their width and height",
            harmless=True,
            lasting=True,
        )
