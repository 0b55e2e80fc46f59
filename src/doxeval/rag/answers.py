"""Answers of retrievers of any framework: text, its document, and the place it claims.

LangChain documents, LlamaIndex nodes, Haystack documents, chunks of Docling, results of Chroma and LanceDB,
frames, dicts and plain strings are recognised by their attributes; no framework is imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from itertools import islice
from typing import Any

from doxeval import UsageError
from doxeval.core.errors import DoxevalError
from doxeval.io.placing.claims import DOCLING, as_mapping, claim_of
from doxeval.io.placing.place_chunks import END_KEYS, SOURCES, START_KEYS, TEXTS, Chunk


class RetrieverFailed(Exception):
    """A failure inside a retriever; `problem` is what it raised."""

    def __init__(self, problem: Exception) -> None:
        super().__init__(str(problem))
        self.problem = problem


@contextmanager
def in_their_code() -> Iterator[None]:
    """Around every call of a retriever, and every step through what it returns: its failures are marked."""
    try:
        yield
    except (DoxevalError, RetrieverFailed):
        raise
    except Exception as problem:
        raise RetrieverFailed(problem) from problem


NEIGHBOURS = {"before": "prev_node", "after": "next_node"}
"""The attributes of a node of LlamaIndex that refer to the nodes around it."""


def answers_in(returned: Any, topic: str, most: int) -> list[Any]:
    """The first answers that a retriever returned for a topic; an error if they are not a list."""
    if is_frame_like(returned):
        return rows_of_frame(returned)[:most]
    if isinstance(returned, Mapping):
        return _in_mapping(returned, topic)[:most]
    with in_their_code():
        for method in ("to_list", "to_pylist"):
            if callable(listed := getattr(returned, method, None)):
                return [*listed()][:most]
        if hasattr(returned, "source_nodes"):
            return list(returned.source_nodes)[:most]
        if isinstance(returned, Iterable) and not isinstance(returned, str | bytes):
            return list(islice(returned, most))
    found = "one text" if isinstance(returned, str | bytes) else type(returned).__name__
    raise UsageError(
        f"a retriever returned {found} for {topic!r}; expected a list of chunks, empty if there is nothing"
    )


def _in_mapping(returned: Mapping[str, Any], topic: str) -> list[Any]:
    """The answers of Haystack (under `documents`, perhaps of one component) and of Chroma (in columns)."""
    documents = returned.get("documents")
    if "ids" in returned and "metadatas" in returned:
        return _of_chroma(returned)
    if isinstance(documents, list | tuple):
        return list(documents)
    inner = [part for part in returned.values() if isinstance(part, Mapping)]
    found = [part for part in inner if "documents" in part] or (inner if len(returned) == 1 else [])
    if len(found) == 1:
        return _in_mapping(found[0], topic)
    raise UsageError(
        f"a retriever returned one dict for {topic!r}, with {', '.join(map(repr, returned)) or 'nothing'}; "
        "expected a list of chunks (or a dict with such a list as 'documents')"
    )


def _of_chroma(returned: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The results of one question, which Chroma returns as columns of lists."""
    size = len(returned["ids"][0]) if returned["ids"] else 0
    columns = {key: (returned.get(key) or [[None] * size])[0] for key in ("documents", "metadatas")}
    return [
        {"text": text or "", "metadata": metadata or {}}
        for text, metadata in zip(columns["documents"], columns["metadatas"], strict=True)
    ]


def is_frame_like(value: Any) -> bool:
    """Whether this is a polars or pandas frame."""
    return hasattr(value, "columns") and (hasattr(value, "to_dicts") or hasattr(value, "to_dict"))


def rows_of_frame(frame: Any) -> list[dict[str, Any]]:
    """The rows of a polars or pandas frame."""
    rows = frame.to_dicts() if hasattr(frame, "to_dicts") else frame.to_dict("records")
    return [{key: value for key, value in row.items() if not _is_missing(value)} for row in rows]


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and value != value)


def chunk_of(answer: Any) -> Chunk:
    """A retriever's answer as a chunk."""
    score = None
    if isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[1], int | float):
        answer, score = answer
    if isinstance(answer, str):
        return Chunk(answer, score=score)
    if isinstance(answer, Mapping):
        more = _mapping(answer.get("metadata") or answer.get("meta"))
        return _chunk({**more, **answer} if more else answer, score)
    if hasattr(answer, "page_content"):
        return _chunk({**_mapping(answer.metadata), "text": answer.page_content}, score)
    if hasattr(answer, "text") and hasattr(getattr(answer, "meta", None), "doc_items"):
        return _chunk({"text": answer.text, DOCLING: answer.meta}, score)
    if hasattr(answer, "node") or hasattr(answer, "start_char_idx"):
        return _of_llama_index(answer, score)
    if hasattr(answer, "content") and hasattr(answer, "meta"):
        told = {**_mapping(answer.meta), "text": answer.content or ""}
        return _chunk(told, getattr(answer, "score", score))
    raise UsageError(
        f"a retriever returned {type(answer).__name__!r}; expected text, a dict with doc, start and end "
        "or text, a LangChain or Haystack document, or a LlamaIndex node"
    )


def _of_llama_index(answer: Any, score: float | None) -> Chunk:
    """A node, or a node with its score; its source document's id names the document too."""
    node = getattr(answer, "node", answer)
    told = {"start": getattr(node, "start_char_idx", None), "end": getattr(node, "end_char_idx", None)}
    chunk = _chunk(
        {**_mapping(node.metadata), **told, "text": getattr(node, "text", "")},
        getattr(answer, "score", score),
    )
    source = getattr(node, "ref_doc_id", None)
    around = {key: getattr(getattr(node, name, None), "node_id", None) for key, name in NEIGHBOURS.items()}
    claim = chunk.claim._replace(
        own=str(getattr(node, "node_id", None) or ""),
        before=str(around["before"] or ""),
        after=str(around["after"] or ""),
    )
    return chunk._replace(names=(*chunk.names, source) if source else chunk.names, claim=claim)


def _mapping(metadata: Any) -> Mapping[str, Any]:
    """The metadata of an answer; an error if it is something else."""
    if metadata is not None and not isinstance(metadata, Mapping):
        raise UsageError(
            f"a retriever returned {type(metadata).__name__!r} as metadata of a chunk; expected a mapping"
        )
    return metadata or {}


@lru_cache(maxsize=1024)
def _known_keys(keys: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The keys that hold a text, a start, an end and names of the document, the best first."""
    return tuple(
        tuple(key for key in wanted if key in keys) for wanted in (TEXTS, START_KEYS, END_KEYS, SOURCES)
    )


def _chunk(fields: Mapping[str, Any], score: float | None) -> Chunk:
    """A chunk from its fields, under any of the known keys."""
    texts, starts, ends, sources = _known_keys(tuple(fields))
    text = ""
    for key in texts:
        if fields[key] and isinstance(fields[key], str):
            text = fields[key]
            break
    start, end = _offset(fields, starts), _offset(fields, ends)
    if start >= 0 and end < 0 and text:
        end = start + len(text)
    if not 0 <= start <= end:
        start = end = -1
    names = tuple([str(fields[key]) for key in sources if fields[key] and not _is_missing(fields[key])])
    if DOCLING in fields and (filename := (as_mapping(fields[DOCLING]).get("origin") or {}).get("filename")):
        names += (str(filename),)
    return Chunk(text, names, start, end, fields.get("score", score), claim_of(fields))


def _offset(told: Mapping[str, Any], keys: tuple[str, ...]) -> int:
    """The first offset under one of the keys; -1 if there is none."""
    for key in keys:
        value = told[key]
        if not _is_missing(value):
            break
    else:
        return -1
    if type(value) is int:
        return max(-1, value)
    try:
        if isinstance(value, bool) or int(value) != float(value):
            raise ValueError
        return max(-1, int(value))
    except (TypeError, ValueError, OverflowError):
        raise UsageError(
            f"a chunk has {value!r} as {key!r}; expected a whole number of characters, or None"
        ) from None
