"""Placing chunks in the documents.

A chunk is placed where its metadata says, if the document has the same text there; offsets may count from the
beginning of its page. Otherwise its text is searched for, and finally the largest part of it that is in the
document: what was added to it (a header, a title, a summary) is in no document. Among several occurrences the
page, box, element, section or offset that its metadata state decides, or the chunks before and after it; if
nothing does, the first occurrence is used, with a notice. A chunk that is not found stays in the list as
irrelevant text of its length.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from doxeval.core.errors import DoxevalError
from doxeval.core.notices import EXAMPLES_KEPT, Notices
from doxeval.core.phrases import counted, percent
from doxeval.io.placing.claims import NOTHING, Claim
from doxeval.io.placing.library import Library, library_of
from doxeval.io.placing.pages import PageNumbers
from doxeval.io.placing.place_quotes import holds
from doxeval.io.placing.text_index import ONLY_LETTERS, Match, TextIndex
from doxeval.tables.documents import Documents
from doxeval.tables.quotes import IN_PLACE, LEVELS, Extent
from doxeval.tables.runs import NO_DOCUMENT

if TYPE_CHECKING:
    from doxeval.io.documents.page_layout import Layout

SOURCES = (
    "doc", "doc_id", "document_id", "source", "file_path", "file_name", "filename", "path", "url",
    "source_id",
)  # fmt: skip
"""Keys of metadata that may name the document; the first present is used."""

TEXTS = ("text", "page_content", "content")
START_KEYS = ("start", "start_index", "start_char_idx", "split_idx_start")
END_KEYS = ("end", "end_index", "end_char_idx")
"""Keys of a chunk or its metadata for its content and its place."""

LONGEST_EXAMPLE = 40

ELSEWHERE = "{is from a document that is|are from documents that are} not among those given"
MISPLACED = "{is|are} not where {its|their} metadata says; {it was|they were} searched for"
OFF_PAGE = (
    "{is|are} not on the page that {its|their} metadata says; {it was|they were} searched for elsewhere"
)
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

    `claim` is what else is said about its place.
    """

    text: str
    names: tuple[str, ...] = ()
    start: int = -1
    end: int = -1
    score: float | None = None
    claim: Claim = NOTHING


class _Place(NamedTuple):
    """The place of a chunk, how certain it is, its text that is in no document, and what to report.

    `rivals` are all its possible places, if nothing has decided yet.
    """

    doc: int
    start: int
    end: int
    level: str = ""
    added: str = ""
    unclear: tuple[str, ...] = ()
    rivals: tuple[Extent, ...] = ()


class PlacedChunks(NamedTuple):
    """Chunks as columns: `docs` is the table behind the codes `doc`; `added` is None if nothing was added."""

    docs: list[str]
    doc: np.ndarray
    start: np.ndarray
    end: np.ndarray
    added: np.ndarray | None


def place_chunks(
    chunks: Sequence[Chunk], where: Sequence[str], documents: Documents, notices: Notices, run: str,
    layout_of: Callable[[str], Layout] | None = None,
) -> PlacedChunks:  # fmt: skip
    """The places of the chunks of a run; `where` describes each chunk in words.

    `layout_of` reads the layout of a file; without it boxes decide nothing.
    """
    placing = _Placing(chunks, documents, layout_of)
    places = decided_by_neighbours(chunks, [placing.place(chunk) for chunk in chunks])
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

    def __init__(
        self, chunks: Sequence[Chunk], documents: Documents, layout_of: Callable[[str], Layout] | None
    ) -> None:
        self.library: Library = library_of(documents)
        self.files, self.layout_of = documents.files, layout_of
        self._layouts: dict[int, Layout | None] = {}
        self.length = documents.length.tolist()
        self.known: dict[tuple[str, int, int, int, Claim], _Place] = {}
        self._indices: dict[tuple[int, Extent], TextIndex] = {}
        called = {chunk.names for chunk in chunks}
        names = list(dict.fromkeys(name for of_one in called for name in of_one))
        found = documents.catalogue.find(names)
        self.doubtful = found.doubtful
        code = dict(zip(names, found.codes.tolist(), strict=True))
        renamed = {names[at] for at in found.renamed}
        self.doc = {of_one: _document_named(of_one, code, renamed) for of_one in called}
        self.pages = PageNumbers(self.library, self._certain(chunks))

    def _certain(self, chunks: Sequence[Chunk]) -> Iterator[tuple[Claim, int, Extent]]:
        """The places of chunks that state a page and occur once in their document."""
        for chunk in dict.fromkeys(chunk._replace(score=None) for chunk in chunks):
            doc, claim = self.doc[chunk.names], chunk.claim
            if doc >= 0 and (claim.page is not None or claim.label) and self.library.pages(doc):
                _, places = self.library.index(doc).places(chunk.text)
                if len(places) == 1:
                    yield claim, doc, places[0]

    def place(self, chunk: Chunk) -> _Place:
        """The place of one chunk."""
        doc = self.doc[chunk.names]
        key = (chunk.text, doc if doc >= 0 or not chunk.names else -2, chunk.start, chunk.end, chunk.claim)
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = self._find(chunk, doc)
        return found

    def _find(self, chunk: Chunk, doc: int) -> _Place:
        if doc < 0:
            return _nowhere(chunk, ELSEWHERE) if chunk.names else self._anywhere(chunk)
        page = self.pages.extents(doc, chunk.claim)
        origin = page[0][0] if page else 0
        if (stated := self._stated(chunk, doc, page)) is not None:
            return stated
        unclear = (MISPLACED,) if chunk.start >= 0 else ()
        level, places = self._places(doc, chunk, page)
        if places and page and not any(_overlap(place, page) for place in places):
            unclear = (*unclear, OFF_PAGE)
        if places:
            places = self._fitting(doc, chunk, places, origin)
            rivals = tuple(places) if len(places) > 1 else ()
            return _Place(doc, *places[0], level, unclear=unclear, rivals=rivals)
        if extent := self.library.extent_of_nodes(doc, chunk.claim.nodes):
            part = TextIndex(self.library.index(doc).text[slice(*extent)]).largest_part(chunk.text)
            return _Place(doc, *extent, IN_PLACE, _text_added(chunk.text, part), unclear)
        return self._part(chunk, [doc], page, unclear)

    def _stated(self, chunk: Chunk, doc: int, page: list[Extent]) -> _Place | None:
        """The place that offsets state, in the document or on the page stated, if the text is there."""
        if chunk.start < 0:
            return None
        text, length = self.library.index(doc).text, self.length[doc]
        for origin in dict.fromkeys([*(begin for begin, _ in page), 0]):
            start, end = origin + chunk.start, min(origin + chunk.end, length)
            there = text[start:end] if chunk.text else ""
            if (there == chunk.text or holds(there, chunk.text)) and (
                not page or not chunk.text or _overlap((start, end), page)
            ):
                return _Place(doc, start, end, IN_PLACE)
        return None

    def _places(self, doc: int, chunk: Chunk, page: list[Extent]) -> tuple[str, list[Extent]]:
        """The places of a chunk's text on the page stated, or else in the whole document, and their level."""
        for extent in page:
            index = self._indices.setdefault(
                (doc, extent), TextIndex(self.library.index(doc).text[slice(*extent)])
            )
            level, places = index.places(chunk.text)
            if places:
                return level, [(extent[0] + start, extent[0] + end) for start, end in places]
        level, places = self.library.index(doc).places(chunk.text)
        return level, [place for place in places if _overlap(place, page)] or places

    def _fitting(self, doc: int, chunk: Chunk, places: list[Extent], origin: int) -> list[Extent]:
        """The places that fit what else is stated: boxes, elements, the section, and then the offset."""
        for extents in self._parts(doc, chunk.claim) if len(places) > 1 else ():
            places = [place for place in places if _overlap(place, extents)] or places
        if len(places) > 1 and chunk.start >= 0:
            away = [abs(start - origin - chunk.start) for start, _ in places]
            places = [place for place, far in zip(places, away, strict=True) if far == min(away)]
        return places

    def _parts(self, doc: int, claim: Claim) -> Iterator[list[Extent]]:
        """The parts of a document in which a chunk is said to be."""
        yield from ([extent] for extent in [self.library.extent_of_nodes(doc, claim.nodes)] if extent)
        yield from (extents for box in claim.boxes if (extents := self._in_box(doc, box)))
        yield from (extents for title in claim.sections if (extents := self.library.section(doc, title)))

    def _in_box(self, doc: int, box: tuple[float, ...]) -> list[Extent]:
        """The ranges of the text in a box on a page; empty if the positions of the text are unknown."""
        if doc not in self._layouts:
            self._layouts[doc] = None
            if self.layout_of is not None and self.files is not None:
                with suppress(DoxevalError):
                    self._layouts[doc] = self.layout_of(self.files[doc])
        layout, (page, left, bottom, right, top) = self._layouts[doc], box
        return [] if layout is None else layout.ranges(int(page), (left, bottom, right, top))

    def _anywhere(self, chunk: Chunk) -> _Place:
        """The place of a chunk that names no document."""
        whole, likely = self.library.holders(chunk.text)
        found = [(one, *self.library.index(one).places(chunk.text)) for one in whole]
        places = [(one, level, place) for one, level, of_one in found for place in of_one]
        if places:
            one, level, place = min(places, key=lambda place: LEVELS.index(place[1]))
            return _Place(one, *place, level, unclear=(REPEATED,) if len(places) > 1 else ())
        return self._part(chunk, [*whole, *likely], [], (), NOT_FOUND_ANYWHERE)

    def _part(
        self,
        chunk: Chunk,
        docs: list[int],
        page: list[Extent],
        unclear: tuple[str, ...],
        lost: str = NOT_FOUND,
    ) -> _Place:
        """The place of the largest part of a chunk, on the page stated if it is there."""
        for doc, (start, end) in ((doc, extent) for doc in docs for extent in page):
            match = TextIndex(self.library.index(doc).text[start:end]).largest_part(chunk.text)
            if match is not None:
                place = (start + match.start, start + match.end)
                return _Place(doc, *place, LEVELS[3], _text_added(chunk.text, match), unclear)
        parts = [(doc, self.library.index(doc).largest_part(chunk.text)) for doc in docs]
        doc, match = max(parts, key=lambda part: part[1].same if part[1] else 0, default=(-1, None))
        if match is None:
            return _nowhere(chunk, *unclear, lost)
        return _Place(doc, match.start, match.end, LEVELS[3], _text_added(chunk.text, match), unclear)


def _overlap(place: Extent, extents: Sequence[Extent]) -> bool:
    return any(place[0] < end and place[1] > start for start, end in extents)


def decided_by_neighbours(chunks: Sequence[Chunk], places: Sequence[_Place]) -> list[_Place]:
    """The places, with those of repeated texts decided by the chunks before and after them."""
    numbered: dict[int, dict[tuple[int, ...], Extent]] = {}
    named: dict[str, Extent] = {}
    for chunk, place in zip(chunks, places, strict=True):
        if place.doc >= 0 and place.level and not place.rivals:
            if (order := _order(chunk)) is not None:
                numbered.setdefault(place.doc, {})[order] = (place.start, place.end)
            if chunk.claim.own:
                named[chunk.claim.own] = (place.start, place.end)
    return [
        place if not place.rivals else _between(chunk, place, numbered.get(place.doc, {}), named)
        for chunk, place in zip(chunks, places, strict=True)
    ]


def _order(chunk: Chunk) -> tuple[int, ...] | None:
    """The position of a chunk in its document: its number, or its page and the offset on it."""
    claim = chunk.claim
    if claim.order is not None:
        return (claim.order,)
    return (claim.page, chunk.start) if claim.page is not None and chunk.start >= 0 else None


def _between(
    chunk: Chunk, place: _Place, numbered: dict[tuple[int, ...], Extent], named: dict[str, Extent]
) -> _Place:
    """The only possible place between the chunks around it, or the one next to the chunk right before it."""
    rivals, order = list(place.rivals), _order(chunk)
    if order is not None:
        after = max((at[0] for number, at in numbered.items() if number < order), default=-1)
        before = min((at[0] for number, at in numbered.items() if number > order), default=1 << 62)
        rivals = [rival for rival in rivals if after <= rival[0] <= before] or rivals
    previous = named.get(chunk.claim.before)
    following = named.get(chunk.claim.after)
    if order is not None and len(order) == 1:
        previous = previous or numbered.get((order[0] - 1,))
        following = following or numbered.get((order[0] + 1,))
    if len(rivals) > 1 and previous is not None:
        rivals = [min(rivals, key=lambda rival: abs(rival[0] - previous[1]))]
    elif len(rivals) > 1 and following is not None:
        rivals = [min(rivals, key=lambda rival: abs(rival[1] - following[0]))]
    unclear = place.unclear if len(rivals) == 1 else (*place.unclear, REPEATED)
    return place._replace(start=rivals[0][0], end=rivals[0][1], unclear=unclear, rivals=())


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
