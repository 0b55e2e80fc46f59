"""SQuAD JSON (SQuAD, XQuAD, CUAD, COVID-QA): contexts, and questions with answers in them.

``{"data": [{"title", "paragraphs": [{"context", "qas": [{"id", "question", "answers": [{"text",
"answer_start"}]}]}]}]}``. A context is a document, named by its `title`, followed by its number where a title
has several contexts; without a title it is named by its `document_id`. `answer_start` counts code points; all
answers to a question count, or each as a reference of its own (``--merge``). A question without answers is
kept as one with nothing relevant.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from doxeval.io.formats.other_tools import Line, ToolFile, assessments_format, record_attributes

PARAGRAPHS = re.compile(rb'"paragraphs"\s*:\s*\[')


def sniff(head: bytes) -> bool:
    """A JSON object with data in paragraphs."""
    return head.startswith(b"{") and b'"data"' in head and bool(PARAGRAPHS.search(head))


def lines(file: ToolFile) -> Iterator[Line]:
    """A document for each context, and a line for each answer; messages give the number of the context."""
    contexts = [
        (article.get("title"), paragraph)
        for _, content in file.records()
        for article in _objects_under(content, "data")
        for paragraph in _objects_under(article, "paragraphs")
    ]
    several = Counter(str(title) for title, _ in contexts)
    met: Counter[str] = Counter()

    def lines_of(titled: tuple[Any, dict[str, Any]], number: int) -> Iterator[Line]:
        title, paragraph = titled
        met[str(title)] += 1
        name = str(title) if several[str(title)] == 1 else f"{title}/{met[str(title)]}"
        doc = name if title else str(paragraph.get("document_id", number))
        context = paragraph["context"]
        if not isinstance(context, str):
            raise TypeError("the context is not a string")
        yield {"doc": doc, "text": context}
        for question in paragraph["qas"]:
            topic = question.get("id")
            line = {"topic": topic, "doc": doc}
            attributes = record_attributes(question, ("id", "question"))
            yield {"topic": topic, "query": question.get("question"), "attributes": attributes}
            where = f"{file.source.name}: question {topic}"
            ranges = []
            for at, answer in enumerate(question.get("answers") or (), start=1):
                begin, words = answer["answer_start"], answer["text"]
                marks = file.marked(context, begin, begin + len(words), words, where)
                ranges += [mark | {"assessor": f"answer {at}"} for mark in marks]
            yield from (line | place for place in ranges or [{"length": len(context)}])

    yield from file.lines(enumerate(contexts, start=1), lines_of, "a context and its questions")


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
