"""Retrieved chunks and questions as tools write them: objects of any of the usual shapes, or plain texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from doxeval.io.formats.messages import question_in
from doxeval.io.formats.other_tools import Line
from doxeval.io.placing.place_chunks import SOURCES, TEXTS

LISTS = (
    "documents",
    "context",
    "contexts",
    "retrieved_contexts",
    "source_documents",
    "nodes",
    "chunks",
    "results",
)
"""Keys of the list of chunks in an output."""


def question_asked(value: Any) -> str:
    """The question in an input, which must have one.

    >>> question_asked({"question": "Why?"}), question_asked([{"role": "user", "content": "Why?"}])
    ('Why?', 'Why?')
    """
    question = question_in(value)
    if not question:
        raise ValueError("a question is missing")
    return question


def listed_chunks(value: Any) -> list[Any]:
    """The list of chunks in an output: itself, or under one of the usual keys."""
    if isinstance(value, Mapping):
        value = next((value[key] for key in LISTS if isinstance(value.get(key), list)), None)
    if not isinstance(value, list):
        raise TypeError("a list of retrieved documents is missing")
    return value


def chunk_line(chunk: Any) -> Line:
    """A chunk as keys of a native line: its text and the name of its document, as far as it has them.

    An empty text is none.

    >>> chunk_line({"id": "c7", "page_content": "Tea is hot.", "metadata": {"source": "tea.md"}})
    {'text': 'Tea is hot.', 'doc': 'tea.md'}
    """
    if isinstance(chunk, str):
        return {"text": chunk} if chunk.strip() else {}
    if isinstance(chunk.get("node"), Mapping):
        chunk = chunk["node"]
    if isinstance(chunk.get("document"), Mapping):
        chunk = chunk["document"]
    metadata = chunk.get("metadata")
    told = metadata if isinstance(metadata, Mapping) else {}
    names = (*(told.get(key) for key in SOURCES), *(chunk.get(key) for key in (*SOURCES, "id")))
    name = next((str(name) for name in names if isinstance(name, str | int) and str(name)), "")
    held = [chunk[key] for key in TEXTS if isinstance(chunk.get(key), str)]
    line = next(({"text": text} for text in held if text.strip()), {})
    if not line and not name and not held:
        raise KeyError("text or name of a retrieved document")
    return line | ({"doc": name} if name else {})


def distinct_questions(lines: Iterator[Line], again: list[str]) -> Iterator[Line]:
    """The lines of each question, those of the first record that asks it; others are added to `again`."""
    first: dict[str, Any] = {}
    for line in lines:
        if first.setdefault(line["topic"], line["line"]) == line["line"]:
            yield line
        elif line["topic"] not in again:
            again.append(line["topic"])
