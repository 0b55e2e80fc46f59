"""Splitters of other libraries, and plain functions, as ways to cut documents.

A splitter of LangChain, LlamaIndex or chonkie is recognised by its methods; no library is imported that it
does not come from. What it returns for a text are its pieces in order, each of which is located in the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from doxeval import Chunks, Documents, Notices, UsageError
from doxeval.core.phrases import counted
from doxeval.core.values import is_number
from doxeval.io.placing.place_chunks import Chunk, place_chunks
from doxeval.rag.answers import RetrieverFailed, chunk_of, in_their_code

METHODS = ("split_text", "chunk")
"""The methods that split one text: of LangChain and LlamaIndex, and of chonkie."""


def split_all(documents: Documents, splitter: Any) -> Chunks:
    """The chunks that a splitter makes of all documents, where they are in these."""
    if documents.text is None:
        raise UsageError("chunks are cut from text; give documents with their text")
    split, notices = _function_of(splitter), Notices()
    label = getattr(splitter, "__name__", type(splitter).__name__)
    pieces: list[Chunk] = []
    where: list[str] = []
    for doc, text in zip(documents.ids, documents.text, strict=True):
        found = [_piece(one, text, doc) for one in _pieces(split, text, doc)]
        pieces += _in_order(found, text, doc)
        where += [f"{doc}, chunk {at}" for at in range(1, len(found) + 1)]
    placed = place_chunks(pieces, where, documents, notices, label)
    if placed.added is not None:
        notices.add_names(
            f"{label}: {{count}} {{chunk has|chunks have}} text that is in no document; its size is not "
            "counted",
            [place for place, added in zip(where, placed.added.tolist(), strict=True) if added],
            lasting=True,
        )
    kept = placed.end > placed.start
    return Chunks(
        placed.docs, placed.doc[kept], placed.start[kept].astype(np.int64), placed.end[kept].astype(np.int64),
        notices=notices,
    )  # fmt: skip


def _function_of(splitter: Any) -> Callable[[str], Any]:
    """The function from a text to its pieces that a splitter is or has."""
    for name in METHODS:
        if callable(method := getattr(splitter, name, None)):
            return method
    if hasattr(splitter, "get_nodes_from_documents"):
        return lambda text: splitter.get_nodes_from_documents([_as_llama_index(text)])
    if callable(splitter) and not isinstance(splitter, type):
        return splitter
    raise UsageError(
        f"documents are cut by a word, as in 'paragraph', a splitter of LangChain, LlamaIndex or chonkie, or "
        f"a function from a text to its pieces; not by {type(splitter).__name__}"
    )


def _as_llama_index(text: str) -> Any:
    from llama_index.core.schema import Document

    return Document(text=text)


def _pieces(split: Callable[[str], Any], text: str, doc: str) -> list[Any]:
    """The pieces that a splitter returns for one document."""
    try:
        with in_their_code():
            found = split(text)
            if isinstance(found, Iterable) and not isinstance(found, str | bytes | dict):
                return list(found)
    except RetrieverFailed as failure:
        problem = failure.problem
        raise UsageError(f"{doc}: the splitter failed: {type(problem).__name__}: {problem}") from problem
    raise UsageError(f"{doc}: the splitter returned {type(found).__name__}; expected a list of pieces")


def _piece(piece: Any, text: str, doc: str) -> Chunk:
    """A piece of a text, in the form of what retrievers return."""
    if isinstance(piece, tuple) and len(piece) == 2 and all(map(is_number, piece)):
        start, end = (int(place) for place in piece)
        if not 0 <= start <= end <= len(text):
            raise UsageError(
                f"{doc}: a piece from {start} to {end} does not lie in its {counted(len(text), 'character')}"
            )
        return Chunk(text[start:end], start=start, end=end)
    if hasattr(piece, "start_index") and hasattr(piece, "end_index") and hasattr(piece, "text"):
        piece = {"text": piece.text, "start": piece.start_index, "end": piece.end_index}
    return chunk_of(piece)


def _in_order(pieces: list[Chunk], text: str, doc: str) -> list[Chunk]:
    """Pieces with their document; of equal texts each is the next that begins and ends after the last one."""
    found, begun, reached = [], -1, 0
    for piece in pieces:
        if piece.start < 0 and piece.text:
            place = text.find(piece.text, max(begun + 1, reached - len(piece.text) + 1))
            if place >= 0:
                piece = piece._replace(start=place, end=place + len(piece.text))
        begun, reached = (piece.start, piece.end) if piece.start >= 0 else (begun, reached)
        found.append(piece._replace(names=(doc,)))
    return found
