"""ragas evaluation sets (JSON Lines, JSON, CSV): questions with what was retrieved and the references.

Rows have `user_input`, `retrieved_contexts` (texts, the best first), `reference_contexts` (texts), and
perhaps `retrieved_context_ids` and `reference_context_ids`; in CSV files lists are Python literals. A row is
a topic, named by its question. As a run: the contexts, under their ids. As assessments: the reference
contexts, each a quote from the document of its id, or without references the `reference` answer. Texts are
compared with ``--docs retrieved``; without documents only ids are.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from doxeval.io.formats.csv_fields import csv_records
from doxeval.io.formats.other_tools import Line, ToolFile, assessments_format, ranked, run_format
from doxeval.io.formats.retrieved_chunks import distinct_questions, question_asked
from doxeval.io.source import UTF8_MARK

LISTS = ("retrieved_contexts", "reference_contexts", "retrieved_context_ids", "reference_context_ids")
AGAIN = "{count} {question is|questions are} asked in several rows; the first row of each counts"
EMPTY = "{count} {context is|contexts are} empty and left out"
ONLY_ANSWERS = (
    "{count} {question has|questions have} no reference contexts: the words of the reference answer are "
    "looked for instead"
)


def sniff_run(head: bytes) -> bool:
    """Objects or columns with a user's input and what was retrieved."""
    return _names(head, b"retrieved_contexts", b"retrieved_context_ids")


def sniff_assessments(head: bytes) -> bool:
    """Objects or columns with a user's input and references."""
    return _names(head, b"reference_contexts", b"reference_context_ids", b"reference")


def _names(head: bytes, *keys: bytes) -> bool:
    if head.startswith((b"{", b"[")):
        return b'"user_input"' in head and any(b'"%s"' % key in head for key in keys)
    columns = head.partition(b"\n")[0].strip().split(b",")
    return b"user_input" in columns and any(key in columns for key in keys)


def _records(file: ToolFile) -> list[tuple[int, Any]]:
    """The rows of the file."""
    if file.source.head.removeprefix(UTF8_MARK).lstrip().startswith((b"{", b"[")):
        return file.records()
    return list(csv_records(file.source, ("user_input",)))


def _listed(record: Mapping[str, Any], key: str) -> list[str]:
    """A list of texts; in CSV it is written as a Python literal."""
    value = record.get(key)
    if isinstance(value, str):
        try:
            value = ast.literal_eval(value) if value.strip() else []
        except (SyntaxError, MemoryError):
            raise ValueError(f"{key} is no list") from None
    if not isinstance(value, list | tuple | None) or not all(
        isinstance(one, str | int) for one in value or ()
    ):
        raise ValueError(f"{key} is no list of texts")
    return [str(one) for one in value or ()]


def _together(texts: list[str], names: list[str], key: str) -> Iterator[tuple[str | None, str | None]]:
    """Texts with their names, either of which may be missing altogether."""
    if texts and names and len(texts) != len(names):
        raise ValueError(f"there are {len(texts)} {key} with {len(names)} ids")
    nothing: list[str | None] = [None] * max(len(texts), len(names))
    yield from zip(texts or nothing, names or nothing, strict=True)


def run_rows(file: ToolFile) -> Iterator[Line]:
    """A result for each context."""

    def rows_of(record: Any, number: int) -> Iterator[Line]:
        texts, names = (_listed(record, key) for key in ("retrieved_contexts", "retrieved_context_ids"))
        places = [_place(text, name, "text") for text, name in _together(texts, names, "contexts")]
        if not all(places):
            file.notices.add(EMPTY, file.source.place(number), count=places.count({}), lasting=True)
        yield from ranked(question_asked(record["user_input"]), filter(None, places))

    again: list[str] = []
    yield from distinct_questions(file.lines(_records(file), rows_of, "a user_input and contexts"), again)
    file.notices.add_names(AGAIN, again, lasting=True)


def _place(text: str | None, name: str | None, key: str) -> Line:
    """The keys of a text and the document that it is from; an empty text is none."""
    return ({key: text} if text and text.strip() else {}) | ({} if name is None else {"doc": name})


def assessment_lines(file: ToolFile) -> Iterator[Line]:
    """A reference for each reference context."""
    only_answers = []

    def lines_of(record: Any, number: int) -> Iterator[Line]:
        question = question_asked(record["user_input"])
        texts, names = (_listed(record, key) for key in ("reference_contexts", "reference_context_ids"))
        together = _together(texts, names, "references")
        places = [place for text, name in together if (place := _place(text, name, "quote"))]
        answer = record.get("reference")
        if not places and isinstance(answer, str) and answer.strip():
            only_answers.append(question)
            places = [{"quote": answer}]
        yield from ({"topic": question, "query": question, "rel": 1.0} | place for place in places)
        if not places:
            yield {"topic": question, "query": question}

    again: list[str] = []
    lines = file.lines(_records(file), lines_of, "a user_input and references")
    for line in distinct_questions(lines, again):
        del line["topic"]
        yield line
    file.notices.add_names(AGAIN, again, lasting=True)
    file.notices.add_names(ONLY_ANSWERS, only_answers, harmless=True, lasting=True)


_RETRIEVED = (
    b'{"user_input": "%s", "retrieved_contexts": ["Tea is hot.", "Milk is cold."], '
    b'"retrieved_context_ids": ["tea", "milk"], "response": "Tea."}\n'
)
_WANTED = (
    b'{"user_input": "%s", "retrieved_contexts": ["Tea is hot.", "Milk is cold."], "reference_contexts": '
    b'["Tea is hot."], "reference_context_ids": ["tea"], "reference": "Tea"}\n'
)
_BROKEN = (b"{", b'{"retrieved_contexts": [], "reference_contexts": []}', b'{"user_input": ["x"]}')
FORMATS = (
    run_format(
        "ragas",
        "ragas evaluation set (JSON Lines, CSV): user_input, retrieved_contexts, retrieved_context_ids",
        sniff_run,
        run_rows,
        priority=3,
        sample=_RETRIEVED % b"What is hot?" + _RETRIEVED % b"What is cold?",
        broken=(*_BROKEN, b'{"user_input": "x", "retrieved_contexts": [[]]}'),
    ),
    assessments_format(
        "ragas",
        "ragas evaluation set (JSON Lines, CSV): user_input, reference_contexts, reference_context_ids",
        sniff_assessments,
        assessment_lines,
        priority=4,
        holds_documents=False,
        sample=_WANTED % b"What is hot?" + _WANTED % b"What is cold?",
        broken=(*_BROKEN, b'{"user_input": "x", "reference_contexts": [{}]}'),
    ),
)
