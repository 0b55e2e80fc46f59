"""Results given as text: where they stand in their documents."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.notices import Notices
from doxeval.core.strings import encode
from doxeval.tables.runs import Run

if TYPE_CHECKING:
    from doxeval.tables.documents import Documents


def place_texts(run: Run, documents: Documents | None, notices: Notices) -> Run:
    """The run with every result that is a text put where that stands; others as they are."""
    if run.texts is None:
        return run
    from doxeval.io.formats.places import merge_by_row
    from doxeval.io.place import Chunk, place_chunks

    name = run.source or run.name
    if documents is None:
        raise UsageError(
            f"{name}: results are given as text; the documents they stand in are needed (--docs FILE)"
        )
    rows = [row for row, text in enumerate(run.texts) if text]
    own = [run.docs[code] for code in run.doc.tolist()]
    chunks = [Chunk(run.texts[row], (own[row],) if own[row] else ()) for row in rows]
    placed = place_chunks(chunks, [run.where(row) for row in rows], documents, notices, name)
    for row, place in zip(rows, placed, strict=True):
        own[row] = place["doc"]
    kept = np.ones(len(run), dtype=bool)
    kept[rows] = False
    used = kept[run.spans.row]
    spans = [(row, *span) for row, place in zip(rows, placed, strict=True) for span in place["spans"]]
    more = np.array(spans, dtype=np.int64).reshape(-1, 3)
    offset, start, end = merge_by_row(
        np.concatenate([run.spans.row[used], more[:, 0]]),
        np.concatenate([run.start[used], more[:, 1]]),
        np.concatenate([run.end[used], more[:, 2]]),
        len(run),
    )
    docs, doc = encode(own)
    one_each = bool((np.diff(offset) == 1).all())
    return replace(
        run, docs=docs, doc=doc, start=start, end=end, span_offset=None if one_each else offset, texts=None
    )
