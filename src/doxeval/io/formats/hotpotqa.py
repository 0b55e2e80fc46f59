"""HotpotQA: questions with paragraphs and supporting facts, and submissions.

Gold files are lists of ``{"_id", "question", "answer", "type", "level", "supporting_facts": [[title,
number]], "context": [[title, [sentence]]]}``; a paragraph is a document named by its title, and a sentence,
numbered from 0 in the file, a line of it. Each supporting fact is a need of its own. Submissions are
``{"answer": {id: text}, "sp": {id: [[title, number]]}}``; a fact that is named twice counts once, as in the
official scorer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from doxeval.io.formats.items import document_of_items, note_items
from doxeval.io.formats.other_tools import (
    Line,
    ToolFile,
    assessments_format,
    record_attributes,
    run_format,
)

ANSWERS = re.compile(rb'\{\s*"(?:answer|sp)"\s*:\s*\{')
NO_SENTENCE = (
    "{count} supporting {fact names|facts name} a sentence that {its|their} paragraph does not have; the "
    "official scorer counts {it|them} as missed, and so do we unless the paragraphs are given (--docs)"
)
OTHER_TEXT = (
    "{count} {paragraph has|paragraphs have} the title of another one with other sentences; the first is used"
)
REPEATED = "{count} {fact is|facts are} named twice for a question and {counts|count} once"


def sniff_gold(head: bytes) -> bool:
    """JSON with supporting facts and paragraphs."""
    return head.startswith((b"[", b"{")) and b'"supporting_facts"' in head and b'"context"' in head


def sniff_run(head: bytes) -> bool:
    """A JSON object that begins with answers or supporting facts by question."""
    return ANSWERS.match(head) is not None


def gold_lines(file: ToolFile) -> Iterator[Line]:
    """A document for each paragraph, and a line for each supporting fact."""
    note_items(file.notices, "sentence")
    known: dict[str, list[str]] = {}

    def lines_of(record: Any, number: int) -> Iterator[Line]:
        topic = record["_id"] if "_id" in record else record["id"]
        attributes = record_attributes(record, ("_id", "id", "question"))
        yield {"topic": topic, "query": record["question"], "attributes": attributes}
        for title, sentences in _pairs(record["context"], "title", "sentences"):
            if not isinstance(title, str) or not all(isinstance(text, str) for text in sentences):
                raise TypeError("a paragraph is not a title and a list of sentences")
            if known.setdefault(title, sentences) is not sentences and known[title] != sentences:
                file.notices.add_names(OTHER_TEXT, [title])
            elif file.for_documents and known[title] is sentences:
                items = [("", text) for text in sentences]
                yield document_of_items(title, "article", [("", "", items)], "sentence")
        for title, place in _pairs(record["supporting_facts"], "title", "sent_id"):
            if place >= len(known.get(title, ())):
                file.notices.add(
                    NO_SENTENCE, f"{file.source.place(number)}: {title!r}, {place}", lasting=True
                )
            yield {"topic": topic, "doc": title, "need": f"{title}, {place}"} | _sentence(place)

    yield from file.lines(file.records(), lines_of, "a question with its context and supporting facts")


def run_lines(file: ToolFile) -> Iterator[Line]:
    """A line for each supporting fact, in order; a question without any was asked."""

    def lines_of(entry: Any, number: int) -> Iterator[Line]:
        topic, facts = entry
        if not facts:
            yield {"topic": topic}
        distinct = list(dict.fromkeys((title, place) for title, place in facts))
        if len(distinct) < len(facts):
            file.notices.add(
                REPEATED, str(topic), count=len(facts) - len(distinct), harmless=True, lasting=True
            )
        for rank, (title, place) in enumerate(distinct, start=1):
            yield {"topic": topic, "doc": title, "rank": rank} | _sentence(place)

    for number, content in file.records():
        facts = content.get("sp") if isinstance(content, dict) else None
        if not isinstance(facts, dict):
            file.refuse("record", 'supporting facts by question as "sp"', number)
            continue
        yield from file.lines(enumerate(facts.items(), start=1), lines_of, "a list of [title, number]")


def _sentence(place: Any) -> Line:
    """A sentence, numbered from 0 in the file, as a line."""
    if not isinstance(place, int) or place < 0:
        raise TypeError(f"{place!r} is not the number of a sentence")
    return {"start_line": place + 1, "end_line": place + 1}


def _pairs(listed: Any, *keys: str) -> Any:
    """Pairs of values: listed, or as one list for each key."""
    return zip(*(listed[key] for key in keys), strict=True) if isinstance(listed, dict) else listed


FORMATS = (
    assessments_format(
        "hotpotqa",
        "HotpotQA gold: questions with paragraphs and supporting facts; a sentence is a line",
        sniff_gold,
        gold_lines,
        priority=1,
        sample=(
            b'[{"_id": "h1", "answer": "hot", "question": "Is the drink tea hot?", "type": "bridge",\n'
            b'  "supporting_facts": [["Tea", 0], ["Heat", 1]], "level": "easy",\n'
            b'  "context": [["Tea", ["Tea is a drink.", " It is old."]], ["Heat", ["Heat.", " Hot."]]]}]\n'
        ),
    ),
    run_format(
        "hotpotqa",
        "HotpotQA submission: supporting facts (sp) of each question",
        sniff_run,
        run_lines,
        sample=(b'{"answer": {"h1": "hot", "h2": ""},\n "sp": {"h1": [["Tea", 0], ["Tea", 1]], "h2": []}}\n'),
    ),
)
