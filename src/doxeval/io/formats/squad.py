"""SQuAD JSON (SQuAD, XQuAD, CUAD, COVID-QA): contexts, and questions with answers in them.

``{"data": [{"title", "paragraphs": [{"context", "qas": [{"id", "question", "answers": [{"text",
"answer_start"}]}]}]}]}``. A context is a document, named by its `title`, followed by its number where a title
has several contexts; without a title it is named by its `document_id`. `answer_start` counts code points; all
answers to a question count. A question without answers is kept as one with nothing relevant.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from doxeval.core.notices import Notices
from doxeval.io.formats.other_tools import (
    Line,
    assessments_format,
    checked_range,
    json_records,
    lines_of_records,
    record_attributes,
)
from doxeval.io.source import Source

PARAGRAPHS = re.compile(rb'"paragraphs"\s*:\s*\[')


def sniff(head: bytes) -> bool:
    """A JSON object with data in paragraphs."""
    return head.startswith(b"{") and b'"data"' in head and bool(PARAGRAPHS.search(head))


def lines(source: Source, notices: Notices) -> Iterator[Line]:
    """A document for each context, and a line for each answer; messages give the number of the context."""
    records = [
        (number, article.get("title"), paragraph)
        for _, file in json_records(source, notices)
        for number, article in enumerate(_objects_under(file, "data"), start=1)
        for paragraph in _objects_under(article, "paragraphs")
    ]
    several = Counter(str(title) for _, title, _ in records)
    met: Counter[str] = Counter()

    def lines_of(record: tuple[Any, dict[str, Any]], number: int) -> Iterator[Line]:
        title, paragraph = record
        met[str(title)] += 1
        place = met[str(title)]
        name = str(title) if several[str(title)] == 1 else f"{title}/{place}"
        doc = name if title else str(paragraph.get("document_id", number))
        context = paragraph["context"]
        if not isinstance(context, str):
            raise TypeError("the context is not a string")
        yield {"doc": doc, "text": context}
        for question in paragraph["qas"]:
            topic = question.get("id")
            line = {"topic": topic, "doc": doc}
            told = record_attributes(question, ("id", "question"))
            yield {"topic": topic, "query": question.get("question"), "attributes": told}
            found = False
            for answer in question.get("answers") or ():
                begin = answer["answer_start"]
                where = f"{source.name}: question {topic}"
                ranges = checked_range(
                    context, begin, begin + len(answer["text"]), answer["text"], where, notices
                )
                yield from (line | place for place in ranges)
                found = found or bool(ranges)
            if not found:
                yield line | {"length": len(context)}

    numbered = ((at, (title, paragraph)) for at, (_, title, paragraph) in enumerate(records, start=1))
    yield from lines_of_records(numbered, lines_of, "a context and its questions", source, notices)


def _objects_under(holder: Any, key: str) -> list[Any]:
    found = holder.get(key) if isinstance(holder, dict) else None
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


FORMAT = assessments_format(
    "squad",
    "SQuAD JSON (SQuAD, XQuAD, CUAD, COVID-QA): contexts with questions and answers",
    sniff,
    lines,
    sample=(
        b'{"version": "1.1", "data": [{"title": "Tea", "paragraphs": [\n'
        b' {"context": "Tea is a drink.", "qas": [{"id": "q1", "question": "What is tea?",\n'
        b'   "answers": [{"text": "a drink", "answer_start": 7}]}]},\n'
        b' {"context": "It is hot.", "qas": [{"id": "q2", "question": "Where?", "answers": []}]}]}]}\n'
    ),
)
