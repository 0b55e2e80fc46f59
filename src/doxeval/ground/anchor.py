"""Gold that follows its documents: quotes and offsets placed in them, or carried over from older versions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from doxeval.core.notices import Notices
from doxeval.ground.document_names import name_assessments
from doxeval.ground.placed_quotes import anchored, joined, words_of
from doxeval.io.placing.library import fingerprint, library_of
from doxeval.io.placing.place_quotes import in_place
from doxeval.io.read import read_assessments, read_documents
from doxeval.tables.assessments import UNKNOWN, Assessments
from doxeval.tables.documents import Documents
from doxeval.tables.quotes import AS_STATED, Hint, Pieces, Quotes
from doxeval.tables.runs import WHOLE

CONTEXT = 60
"""Characters before and after a range kept to distinguish it from others with the same words."""


def anchor(
    assessments: Any,
    documents: Any,
    *,
    old_documents: Any = None,
    assessments_format: str | None = None,
    encoding: str | None = None,
    merge: str = "",
) -> Assessments:
    """Place every quote, page and range of assessments in the documents: offsets, words and levels.

    All arguments are tables or anything their readers accept. With `old_documents`, ranges refer to these and
    are carried over. `quotes.placed` holds the outcome of each; ambiguous and lost ones are written without
    offsets. `assessments_format`, `encoding` and `merge` are as for :func:`doxeval.read_assessments`.

    >>> found = anchor([{"topic": "t", "doc": "d", "quote": "RED  button"}], {"d": "Press the red button."})
    >>> found.quotes.placed[0].outcome, found.quotes.placed[0].places
    ('letters', (((10, 20),),))
    """
    new = read_documents(documents)
    gold = read_assessments(assessments, input_format=assessments_format, encoding=encoding, merge=merge)
    notices = Notices(gold.notices)
    if old_documents is not None:
        old = read_documents(old_documents)
        gold = _carried(name_assessments(gold, old, notices), old, new, notices)
    gold = name_assessments(gold, new, notices)
    gold = anchored(gold, new, margins=True)
    if old_documents is None:
        gold = _with_words(gold, new)
    return _with_fingerprints(replace(gold, notices=notices), new)


def _carried(assessments: Assessments, old: Documents, new: Documents, notices: Notices) -> Assessments:
    """The assessments with all ranges and found quotes as quotes to find in the new documents."""
    assessments = _with_words(anchored(assessments, old), old)
    quotes = assessments.quotes
    library = library_of(old)
    if quotes is not None and quotes.placed is not None:
        hints = []
        for row, placement in enumerate(quotes.placed):
            hint = replace(quotes.hints[row], told=())
            if hint.box and not quotes.text[row]:
                hint = replace(hint, page=0, box=())
            if placement.placed and len(placement.places) == 1:
                text = library.index(placement.doc).text
                name = old.ids[placement.doc]
                same = new.codes([name])[0] >= 0 and library_of(new).holds_text(name, text)
                hint = _context(text, placement.places[0], hint, same)
            hints.append(hint)
        quotes = replace(quotes, hints=hints, placed=None)
    if assessments.nodes is not None:
        notices.add(
            "{count} judged {node is|nodes are} kept unchanged: nodes are identified by their names",
            count=len(assessments.nodes),
            harmless=True,
        )
    if beps := int((assessments.bep >= 0).sum()):
        notices.add(
            "{count} best entry {point is left out: it is a place|points are left out: they are places} in "
            "the old text",
            count=beps,
        )
    return replace(
        assessments,
        quotes=quotes,
        bep=np.full(len(assessments.bep), UNKNOWN),
        length=np.full(len(assessments.length), UNKNOWN),
        fingerprints={},
    )


def _context(text: str, pieces: Pieces, hint: Hint, same: bool) -> Hint:
    """A hint with the text around a place, and the place itself if the text is the same."""
    start, end = pieces[0][0], pieces[-1][1]
    return replace(
        hint,
        told=pieces if same else (),
        prefix=hint.prefix or text[max(0, start - CONTEXT) : start],
        suffix=hint.suffix or text[end : end + CONTEXT],
    )


def _with_words(assessments: Assessments, documents: Documents) -> Assessments:
    """The assessments with every range of a known document as a quote, placed there."""
    ranges, quotes = assessments.ranges, assessments.quotes
    codes = documents.catalogue.find(assessments.docs).codes[assessments.pair_doc[ranges.pair]]
    library = library_of(documents)
    parts = (codes >= 0) & (ranges.end < WHOLE)
    if not parts.any():
        return assessments
    by_place: dict[int, list[int]] = {}
    for row in np.flatnonzero(parts).tolist():
        by_place.setdefault(int(ranges.places[row]), []).append(row)
    first = np.array([rows[0] for rows in by_place.values()], dtype=np.int64)
    texts, hints, placed = [], [], []
    for rows in by_place.values():
        doc = int(codes[rows[0]])
        text = library.index(doc).text
        told = tuple((int(ranges.start[row]), int(ranges.end[row])) for row in rows)
        texts.append(words_of(text, told))
        hints.append(Hint(told))
        placed.append(in_place(doc, hints[-1], AS_STATED))
    more = Quotes(
        ranges.pair[first], texts, ranges.grade[first], np.zeros(len(first), dtype=np.int64), hints,
        None if ranges.aspects is None else ranges.aspects.take(first), placed,
    )  # fmt: skip
    return replace(
        assessments, ranges=ranges.take(~parts), quotes=more if quotes is None else joined(more, quotes)
    )


def _with_fingerprints(assessments: Assessments, documents: Documents) -> Assessments:
    """The assessments with the length and the fingerprint of every known document."""
    codes = documents.catalogue.find(assessments.docs).codes.tolist()
    text = library_of(documents).text
    known = {name: code for name, code in zip(assessments.docs, codes, strict=True) if code >= 0}
    length = [
        int(documents.length[code]) if code >= 0 else told
        for code, told in zip(codes, assessments.length.tolist(), strict=True)
    ]
    return replace(
        assessments,
        length=np.array(length, dtype=np.int64),
        fingerprints={name: fingerprint(text[code]) for name, code in known.items()},
    )
