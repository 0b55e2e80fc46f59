"""Answers given as quotes, with their words or as boxes on pages: placed in their documents, or reported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.notices import Notices
from doxeval.core.phrases import agreeing
from doxeval.core.progress import each
from doxeval.ground.quote_report import told_of_quotes
from doxeval.io.placing.library import fingerprint, library_of
from doxeval.io.placing.place_quotes import in_place, place_quote, placed_by_neighbours
from doxeval.tables.assessments import UNKNOWN, Assessments, Ranges, build_assessments
from doxeval.tables.documents import Documents
from doxeval.tables.labels import Labels
from doxeval.tables.quotes import AS_STATED, BOX, JOINT, LOST, Extent, Hint, Pieces, Placement, Quotes
from doxeval.tables.runs import WHOLE, Names

if TYPE_CHECKING:
    from doxeval.io.documents.page_layout import Layout

PARTS = ("ranges", "nodes", "quotes", "optional")
"""The tables of assessments whose rows refer to pairs."""


def words_of(text: str, pieces: Pieces) -> str:
    """The text in some ranges, joined by an ellipsis."""
    return JOINT.join(text[start:end] for start, end in pieces)


class Boxes:
    """Boxes in documents read from files; one layout is kept at a time."""

    def __init__(self, documents: Documents) -> None:
        self.documents = documents
        self._doc = -1
        self._layout: Layout | None = None

    def place(self, doc: int, hint: Hint) -> tuple[Placement, str]:
        """The text in a box, as one place in pieces, and its words; lost if it has no text."""
        if self._layout is None or self._doc != doc:
            self._doc, self._layout = doc, self._read(doc)
        left, bottom, right, top = hint.box
        found = tuple(self._layout.ranges(hint.page, (left, bottom, right, top)))
        if not found or self.documents.text is None:
            return Placement(LOST, doc), ""
        return Placement(BOX, doc, (found,), 1.0, 1.0), words_of(self.documents.text[doc], found)

    def _read(self, doc: int) -> Layout:
        documents = self.documents
        if documents.files is not None and Path(file := documents.files[doc]).is_file():
            from doxeval.io.read import read_layout

            layout = read_layout(file)
            if layout.end.max(initial=0) <= documents.length[doc]:
                return layout
        raise UsageError(
            f"answers in document {documents.ids[doc]!r} are boxes, but the positions of its text on its "
            "pages are unknown; give PDF files or Docling JSON (--docs FOLDER), not an index or an archive, "
            "or place the boxes in them first: doxeval anchor GOLD --docs FOLDER -o NEW_GOLD"
        )


RANGES = "{count} {range is a place|ranges are places}"
STALE = (
    "{count} {document has|documents have} changed since places in {it|them} were marked; quotes are "
    "searched for again"
)


def resolve_quotes(
    assessments: Assessments, documents: Documents | None, by_name: bool = False
) -> Assessments:
    """The assessments with every quote turned into its ranges; anything uncertain is reported.

    Ranges that come with their words are quotes too. Quotes that are not found, or found in several places
    without a hint as to which is meant, are left out; their documents count as assessed. Without the text of
    documents, quotes are assumed to be at their stated places; or, `by_name`, those without one say only that
    their document is relevant, whose length is then unknown, so that no measure of text takes them for all of
    it.
    """
    if by_name and documents is None and assessments.quotes is not None:
        assessments = _named_alone(assessments)
    if documents is not None and documents.text is not None:
        assessments = anchored(assessments, documents)
        if assessments.quotes is None:
            return assessments
        quotes = assessments.quotes
        assessments = replace(assessments, notices=told_of_quotes(assessments, documents))
    elif assessments.quotes is not None:
        quotes = _as_told(assessments, documents)
    else:
        return assessments
    placed = replace(assessments, ranges=_with_quotes(assessments.ranges, quotes), quotes=None)
    return _without_unnamed(placed) if "" in placed.docs else placed


def anchored(
    assessments: Assessments,
    documents: Documents,
    margins: bool = False,
    known: Mapping[int, Placement] = MappingProxyType({}),
) -> Assessments:
    """The assessments with the outcome of each quote; quotes get the document they were found in.

    Ranges that come with their words become quotes with a stated place. `known` are the outcomes of quotes
    that need not be searched for.
    """
    assessments = _words_as_quotes(_without_marks(assessments, documents))
    quotes = assessments.quotes
    if quotes is None:
        return assessments
    library, boxes = library_of(documents), Boxes(documents)
    codes = documents.catalogue.find(assessments.docs).codes
    same = _unchanged(assessments, documents)
    doc = assessments.pair_doc[quotes.pair]
    unnamed = np.array([not name for name in assessments.docs], dtype=bool)[doc]
    placed, texts = [Placement(LOST)] * len(quotes), list(quotes.text)
    for row in each(np.argsort(doc, kind="stable").tolist(), "looking for quotes"):
        code, hint = int(codes[doc[row]]), quotes.hints[row]
        if row in known:
            placed[row] = known[row]
        elif hint.told and code in same:
            placed[row] = in_place(code, hint)
        elif hint.told and not library.has_text(code):
            placed[row] = in_place(code, hint, AS_STATED)
        elif code >= 0 and hint.box and not quotes.text[row]:
            placed[row], texts[row] = boxes.place(code, hint)
        elif code >= 0 or unnamed[row]:
            placed[row] = place_quote(library, code, quotes.text[row], hint, margins)
    quotes = replace(quotes, text=texts, placed=placed_by_neighbours(library, texts, quotes.hints, placed))
    return _under_found_names(replace(assessments, quotes=quotes), documents)


def _without_marks(assessments: Assessments, documents: Documents) -> Assessments:
    """The assessments with offsets that do not count the byte order marks of the documents' files."""
    if not assessments.counts_mark or documents.marked is None:
        return assessments
    ranges, codes = assessments.ranges, documents.catalogue.find(assessments.docs).codes
    marked = ((codes >= 0) & documents.marked[codes])[assessments.pair_doc[ranges.pair]]
    start = np.maximum(ranges.start - marked, 0)
    end = np.where(ranges.end < WHOLE, np.maximum(ranges.end - marked, 0), ranges.end)
    return replace(assessments, ranges=replace(ranges, start=start, end=end), counts_mark=False)


def _words_as_quotes(assessments: Assessments) -> Assessments:
    """The assessments with the ranges that come with their words as quotes, one for each place."""
    ranges = assessments.ranges
    if ranges.words is None:
        return assessments
    first = np.flatnonzero(ranges.words != "")
    of_place = {int(place): at for at, place in enumerate(ranges.places[first].tolist())}
    quote = np.array([of_place.get(place, -1) for place in ranges.places.tolist()], dtype=np.int64)
    told: list[list[Extent]] = [[] for _ in first]
    for row in np.flatnonzero(quote >= 0).tolist():
        told[quote[row]].append((int(ranges.start[row]), int(ranges.end[row])))
    more = Quotes(
        ranges.pair[first], ranges.words[first].tolist(), ranges.grade[first],
        np.zeros(len(first), dtype=np.int64), [Hint(tuple(pieces)) for pieces in told],
        None if ranges.aspects is None else ranges.aspects.take(first),
        labels=None if ranges.labels is None else ranges.labels.take(first),
    )  # fmt: skip
    quotes = more if assessments.quotes is None else joined(more, assessments.quotes)
    return replace(assessments, ranges=replace(ranges, words=None).take(quote < 0), quotes=quotes)


def joined(first: Quotes, second: Quotes) -> Quotes:
    """The quotes of two tables as one."""
    both = first.placed is not None and second.placed is not None
    return Quotes(
        np.append(first.pair, second.pair), [*first.text, *second.text], np.append(first.grade, second.grade),
        np.append(first.line, second.line), [*first.hints, *second.hints],
        Names.joined((first.aspects, len(first)), (second.aspects, len(second))),
        [*(first.placed or ()), *(second.placed or ())] if both else None,
        Labels.joined((first.labels, len(first)), (second.labels, len(second))),
    )  # fmt: skip


def _fingerprinted(assessments: Assessments, documents: Documents) -> dict[int, bool]:
    """The documents with a fingerprint in the assessments, and whether their text is still the same."""
    if documents.text is None or not assessments.fingerprints:
        return {}
    names = list(assessments.fingerprints)
    codes = documents.catalogue.find(names).codes.tolist()
    return {
        code: fingerprint(documents.text[code]) == assessments.fingerprints[name]
        for name, code in zip(names, codes, strict=True)
        if code >= 0
    }


def _unchanged(assessments: Assessments, documents: Documents) -> set[int]:
    return {code for code, same in _fingerprinted(assessments, documents).items() if same}


def refuse_stale(assessments: Assessments, documents: Documents, notices: Notices) -> None:
    """Report documents that changed since places in them were marked; refuse places without words."""
    changed = [code for code, same in _fingerprinted(assessments, documents).items() if not same]
    if not changed:
        return
    notices.add_names(STALE, (documents.ids[code] for code in changed), lasting=True)
    codes = documents.catalogue.find(assessments.docs).codes
    wordless = _words_as_quotes(assessments).ranges
    doc = codes[assessments.pair_doc[wordless.pair]]
    stale = np.isin(doc, changed) & (wordless.end < WHOLE)
    if stale.any():
        raise UsageError(
            f"{assessments.source or 'the assessments'}: {agreeing(RANGES, int(stale.sum()))} in documents "
            f"that have changed since ({documents.ids[int(doc[stale][0])]}), and no quote says what text was "
            "there; carry them over: doxeval anchor GOLD --from OLD_DOCS --docs NEW_DOCS -o NEW_GOLD"
        )


def _named_alone(assessments: Assessments) -> Assessments:
    """The assessments with quotes that have no place as whole documents of unknown length.

    They are unchanged if a quote names no document.
    """
    quotes = assessments.quotes
    assert quotes is not None
    doc = assessments.pair_doc[quotes.pair]
    placeless = np.array([not hint.told for hint in quotes.hints], dtype=bool)
    if not all(assessments.docs[code] for code in doc.tolist()):
        return assessments
    hints = [hint if hint.told else replace(hint, told=((0, WHOLE),)) for hint in quotes.hints]
    length = assessments.length.copy()
    length[doc[placeless]] = UNKNOWN
    return replace(assessments, quotes=replace(quotes, hints=hints), length=length)


def _as_told(assessments: Assessments, documents: Documents | None) -> Quotes:
    """The quotes at their stated places; an error if they have none."""
    quotes = assessments.quotes
    assert quotes is not None
    if not all(hint.told for hint in quotes.hints):
        raise UsageError(
            f"{assessments.source or 'the assessments'}: answers are given as quotes"
            + (
                "; the documents that hold them are needed (--docs FILE)"
                if documents is None
                else ", but the documents were stored without text; give the documents themselves"
            )
        )
    return replace(quotes, placed=[Placement(AS_STATED, places=(hint.told,)) for hint in quotes.hints])


def _under_found_names(assessments: Assessments, documents: Documents) -> Assessments:
    """The assessments, with quotes under the names of the documents that they were found in."""
    quotes = assessments.quotes
    assert quotes is not None and quotes.placed is not None
    names = [assessments.docs[doc] for doc in assessments.pair_doc[quotes.pair].tolist()]
    codes = documents.catalogue.find(assessments.docs).codes[assessments.pair_doc[quotes.pair]].tolist()
    moved = {
        row: documents.ids[placement.doc]
        for row, placement in enumerate(quotes.placed)
        if placement.doc >= 0 and placement.doc != codes[row] and documents.ids[placement.doc] != names[row]
    }
    return reassigned(assessments, {"quotes": moved}) if moved else assessments


def reassigned(assessments: Assessments, moved: Mapping[str, Mapping[int, str]]) -> Assessments:
    """The assessments with some ranges, nodes and quotes in other documents, by their rows.

    Documents that nothing is left in are no longer assessed; those that nothing was in before are.
    """
    codes = {name: code for code, name in enumerate(assessments.docs)}
    topic, doc = assessments.pair_topic.tolist(), assessments.pair_doc.tolist()
    parts = {part: table for part in PARTS if (table := getattr(assessments, part)) is not None}
    before, after = (np.zeros(0, dtype=np.int64),) * 2
    for part, table in parts.items():
        pair = table.pair.copy()
        for row, name in moved.get(part, {}).items():
            topic.append(topic[pair[row]])
            doc.append(codes.setdefault(name, len(codes)))
            pair[row] = len(doc) - 1
        before, after = np.append(before, table.pair), np.append(after, pair)
        parts[part] = replace(table, pair=pair)
    size = len(assessments.pair_doc)
    kept = np.ones(len(doc), dtype=bool)
    kept[np.setdiff1d(before, after)] = False
    kept[:size] |= assessments.bep >= 0
    place = np.cumsum(kept) - 1
    names, used = list(codes), np.array(doc, dtype=np.int64)[kept]
    left, doc_of_pair = np.unique(used, return_inverse=True)
    added = np.full(len(doc) - size, UNKNOWN)
    built = build_assessments(
        assessments.topics,
        [names[code] for code in left.tolist()],
        np.array(topic, dtype=np.int64)[kept],
        doc_of_pair,
        **{part: replace(table, pair=place[table.pair]) for part, table in parts.items()},
        length=np.concatenate([assessments.length[assessments.pair_doc], added])[kept],
        bep=np.concatenate([assessments.bep, added])[kept],
        floor=None if assessments.floor is None else np.append(assessments.floor, 0 * added)[kept],
    )
    return replace(
        assessments, docs=built.docs, pair_offset=built.pair_offset, pair_doc=built.pair_doc, bep=built.bep,
        length=built.length, floor=built.floor, **{part: getattr(built, part) for part in parts},
    )  # fmt: skip


def _without_unnamed(assessments: Assessments) -> Assessments:
    """The assessments without the placeholder document of quotes that named none."""
    docs = list(assessments.docs)
    unnamed = docs.index("")
    kept = assessments.pair_doc != unnamed
    pair = np.cumsum(kept) - 1
    code = assessments.pair_doc[kept]
    ranges, nodes, floor = assessments.ranges, assessments.nodes, assessments.floor
    return replace(
        assessments,
        docs=docs[:unnamed] + docs[unnamed + 1 :],
        pair_offset=assessments.by_topic.keep_items(kept).offset,
        pair_doc=np.where(code > unnamed, code - 1, code).astype(np.int32),
        bep=assessments.bep[kept],
        length=np.delete(assessments.length, unnamed),
        ranges=replace(ranges, pair=pair[ranges.pair]),
        nodes=None if nodes is None else replace(nodes, pair=pair[nodes.pair]),
        floor=None if floor is None else floor[kept],
    )


def _with_quotes(ranges: Ranges, quotes: Quotes) -> Ranges:
    """Append the ranges of placed quotes; pieces are one place, alternatives one need."""
    assert quotes.placed is not None
    ways = [
        (row, pieces)
        for row, placement in enumerate(quotes.placed)
        if placement.placed
        for pieces in placement.places
    ]
    found = [(row, place, *extent) for place, (row, pieces) in enumerate(ways) for extent in pieces]
    row, place, start, end = np.ascontiguousarray(np.array(found, dtype=np.int64).reshape(-1, 4).T)
    aspects = _needs(quotes)
    in_pieces = any(len(pieces) > 1 for _, pieces in ways)
    return ranges.with_more(
        Ranges(
            quotes.pair[row], start, end, quotes.grade[row], None if aspects is None else aspects.take(row),
            place if in_pieces else None,
            labels=None if quotes.labels is None else quotes.labels.take(row),
        )
    )  # fmt: skip


def _needs(quotes: Quotes) -> Names | None:
    """The needs of each quote; one with alternative places is at least a need of its own."""
    assert quotes.placed is not None
    if not any(placement.any_of for placement in quotes.placed):
        return quotes.aspects
    own = [quotes.aspects.of(row) if quotes.aspects is not None else [] for row in range(len(quotes))]
    return Names.of_lists(
        names or ([f"any place of quote {line}"] if placement.any_of else [])
        for names, placement, line in zip(own, quotes.placed, quotes.line.tolist(), strict=True)
    )
