"""What retrievers return, whatever made them: text, the document it is from, and where it says it stands.

LangChain documents, LlamaIndex nodes, dicts and plain strings are known by what they have; neither framework
is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from doxeval.core.errors import UsageError
from doxeval.io.place import Chunk

SOURCES = ("doc", "doc_id", "document_id", "source", "file_path", "file_name", "filename", "path", "url")
"""Where a chunk's metadata may name its document, the first that is there."""


def chunk_of(answer: Any) -> Chunk:
    """A retriever's answer as a chunk."""
    score = None
    if isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[1], int | float):
        answer, score = answer
    if isinstance(answer, str):
        return Chunk(answer, score=score)
    if isinstance(answer, Mapping):
        return _of_mapping(answer, score)
    if hasattr(answer, "page_content"):
        return _of_langchain(answer, score)
    if hasattr(answer, "node") or hasattr(answer, "start_char_idx"):
        return _of_llama_index(answer, score)
    raise UsageError(
        f"a retriever returned {type(answer).__name__!r}; expected text, a dict with doc, start and end "
        "or text, a LangChain document or a LlamaIndex node"
    )


def _of_mapping(answer: Mapping[str, Any], score: float | None) -> Chunk:
    metadata = answer.get("metadata") or {}
    text = answer.get("text") or answer.get("page_content") or answer.get("content") or ""
    start = answer.get("start", metadata.get("start_index", -1))
    end = answer.get("end", start + len(text) if start >= 0 and text else -1)
    return Chunk(text, _names({**metadata, **answer}), start, end, answer.get("score", score))


def _of_langchain(document: Any, score: float | None) -> Chunk:
    """`start_index` is what LangChain's splitters write with add_start_index=True."""
    start = document.metadata.get("start_index", -1)
    start = start if isinstance(start, int) and start >= 0 else -1
    end = start + len(document.page_content) if start >= 0 else -1
    return Chunk(document.page_content, _names(document.metadata), start, end, score)


def _of_llama_index(answer: Any, score: float | None) -> Chunk:
    """A node, or a node with its score; its source document's id names the document too."""
    node = getattr(answer, "node", answer)
    start, end = getattr(node, "start_char_idx", None), getattr(node, "end_char_idx", None)
    if start is None or end is None:
        start = end = -1
    names = _names(node.metadata)
    source = getattr(node, "ref_doc_id", None)
    return Chunk(
        getattr(node, "text", ""),
        (*names, source) if source else names,
        start,
        end,
        getattr(answer, "score", score),
    )


def _names(metadata: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(metadata[key]) for key in SOURCES if metadata.get(key))


def asker(retriever: Any) -> Callable[[str], Any]:
    """How to ask a retriever: LangChain's `invoke`, LlamaIndex's `retrieve`, or the callable itself."""
    for method in ("invoke", "retrieve", "similarity_search"):
        if callable(found := getattr(retriever, method, None)):
            return found
    if callable(retriever):
        return retriever
    raise UsageError(
        f"{type(retriever).__name__!r} cannot be asked: expected a LangChain or LlamaIndex retriever, "
        "or a function from a question to a list of chunks"
    )
