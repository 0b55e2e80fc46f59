"""The text of documents, for measures that count or compare words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.phrases import agreeing
from doxeval.tables.line_map import line_ends
from doxeval.tables.places import LINES

if TYPE_CHECKING:
    from doxeval.ground.aligned import Aligned
    from doxeval.ground.ground import Ground

NOT_GIVEN = "{count} retrieved {document is|documents are} not among the documents given"


def require_text(ground: Ground, what: str) -> Sequence[str]:
    """The texts of the documents; an error if there are none. `what` says who needs them."""
    documents = None if ground.documents is None else ground.documents.in_characters
    if documents is None or documents.text is None:
        raise UsageError(f"{what} the documents' text; give the documents (--docs FILE)")
    return documents.text


def piece_of(ground: Ground, text: str, start: int, end: int) -> str:
    """The part of a document's text from `start` to `end`, counted in the unit of the evaluation."""
    if ground.unit == LINES:
        bounds = [0, *line_ends(text).tolist()]
        start, end = (bounds[min(place, len(bounds) - 1)] for place in (start, end))
    return text[start:end]


def retrieved_texts(aligned: Aligned, what: str) -> Iterator[tuple[int, str]]:
    """Every retrieved document, by its code in the run, with its text; an error if one has none."""
    texts, documents = require_text(aligned.ground, what), aligned.ground.documents
    assert documents is not None
    retrieved = np.unique(aligned.doc)
    index = documents.codes([aligned.run.docs[doc] for doc in retrieved])
    if (index < 0).any():
        missing = [aligned.run.docs[doc] for doc in retrieved[index < 0]]
        raise UsageError(
            f"{what} the documents' text, but {agreeing(NOT_GIVEN, len(missing))} "
            f"({', '.join(missing[:3])}{', ...' if len(missing) > 3 else ''})"
        )
    for doc, row in zip(retrieved.tolist(), index.tolist(), strict=True):
        yield doc, texts[row]
