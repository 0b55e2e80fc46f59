"""Results given as text: find them in their documents."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.notices import Notices
from doxeval.core.strings import encode
from doxeval.tables.runs import WHOLE, Run

if TYPE_CHECKING:
    from doxeval.io.placing.claims import Claim
    from doxeval.tables.documents import Documents


def place_texts(run: Run, documents: Documents | None, notices: Notices) -> Run:
    """The run with every result given as text placed in its document; others are unchanged."""
    if run.texts is None:
        return run
    from doxeval.io.formats.places import merge_by_row
    from doxeval.io.placing.chunks import Chunk, place_chunks

    name = run.source or run.name
    if documents is None:
        raise UsageError(
            f"{name}: results are given as text; the documents that hold it are needed (--docs FILE)"
        )
    rows = [row for row, text in enumerate(run.texts) if text]
    own = [run.docs[code] for code in run.doc.tolist()]
    chunks = [
        Chunk(run.texts[row], (own[row],) if own[row] else (), *_told(run, row), claim=_claim(run, row))
        for row in rows
    ]
    placed = place_chunks(chunks, [run.where(row) for row in rows], documents, notices, name)
    added = [""] * len(run)
    for at, row in enumerate(rows):
        own[row] = placed.docs[placed.doc[at]]
        added[row] = placed.added[at] if placed.added is not None else ""
    used = np.ones(len(run), dtype=bool)
    used[rows] = False
    used = used[run.spans.row]
    offset, start, end = merge_by_row(
        np.concatenate([run.spans.row[used], np.array(rows, dtype=np.int64)]),
        np.concatenate([run.start[used], placed.start]),
        np.concatenate([run.end[used], placed.end]),
        len(run),
    )
    docs, doc = encode(own)
    one_each = bool((np.diff(offset) == 1).all())
    return replace(
        run, docs=docs, doc=doc, start=start, end=end, span_offset=None if one_each else offset, texts=None,
        claims=None, added=np.array(added, dtype=object) if any(added) else run.added,
    )  # fmt: skip


def _told(run: Run, row: int) -> tuple[int, int]:
    """The stated place of a text; -1 if there is none."""
    spans = run.spans_of(row)
    return spans[0] if len(spans) == 1 and spans[0][1] < WHOLE else (-1, -1)


def _claim(run: Run, row: int) -> Claim:
    """What else is said about the place of a text."""
    from doxeval.io.placing.claims import NOTHING

    return NOTHING if run.claims is None else run.claims[row]
