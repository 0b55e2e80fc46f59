"""Passages grown to boundaries at which a reader can begin and end: of sentences, or of nodes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from doxeval import Documents, UsageError
from doxeval.core.progress import each
from doxeval.extend import Ragged
from doxeval.rag.chunk import SENTENCE, matches

Extents = tuple[np.ndarray, np.ndarray]


def _by_sentence(documents: Documents, doc: int, start: np.ndarray, end: np.ndarray) -> Extents:
    """From the start of the sentence that a passage begins in to the end of that in which it ends."""
    if documents.text is None:
        raise UsageError("passages are extended to sentences of the text; give documents with their text")
    begins, ends = np.array(matches(SENTENCE, documents.text[doc]), dtype=np.int64).reshape(-1, 2).T
    first = np.searchsorted(ends, start, side="right")
    last = np.searchsorted(begins, end, side="left") - 1
    return np.minimum(start, np.append(begins, start.max(initial=0))[first]), np.maximum(
        end, np.append(ends, 0)[last]
    )


def _by_node(documents: Documents, doc: int, start: np.ndarray, end: np.ndarray) -> Extents:
    """From the start of the deepest node that a passage begins in to the end of that in which it ends."""
    docs = np.full(len(start), doc)
    first, _ = documents.extent(doc, documents.deepest(docs, start, start + 1))
    _, last = documents.extent(doc, documents.deepest(docs, end - 1, end))
    return np.minimum(start, first), np.maximum(end, last)


GROWTHS: dict[str, Callable[[Documents, int, np.ndarray, np.ndarray], Extents] | None] = {
    "sentence": _by_sentence, "node": _by_node, "none": None,
}  # fmt: skip


def grown(
    how: str, documents: Documents | None, doc: np.ndarray, pairs: Ragged, start: np.ndarray, end: np.ndarray
) -> Extents:
    """Ranges by pair, moved outwards; `doc` is the document of each pair, -1 if it is not known.

    A document is looked through once, for all topics.
    """
    grow = GROWTHS[how]
    if grow is None:
        return start, end
    if documents is None:
        raise UsageError(f"passages are extended to a {how} of their documents; give the documents (--docs)")
    start, end = start.copy(), end.copy()
    of_range = doc[pairs.row]
    known = np.flatnonzero(of_range >= 0)
    by_doc, ranges = Ragged.gathered(of_range[known], len(documents), known)
    for code in each(np.flatnonzero(by_doc.counts).tolist(), "extending passages"):
        rows = ranges[by_doc.slice(code)]
        start[rows], end[rows] = grow(documents, code, start[rows], end[rows])
    return start, end
