"""Prodigy JSON Lines: tasks with a text, tokens and spans, each with the annotator's answer.

A label is a topic, unless the task names a `topic` or `question`. `start` and `end` are half-open code
points; a span that has only `token_start` and `token_end` includes the last token. Only accepted tasks count.
A text is named by its `_input_hash`, which is the same for the same text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from doxeval.io.formats.other_tools import Line, ToolFile, assessments_format, question_of

HASH_KEYS = re.compile(rb'"(_input_hash|_task_hash)"\s*:')


def sniff(head: bytes) -> bool:
    """JSON objects with a text and the tool's own hashes."""
    return head.startswith(b"{") and b'"text"' in head and bool(HASH_KEYS.search(head))


def lines(file: ToolFile) -> Iterator[Line]:
    """A document for the text of each accepted task, and a line for each span."""

    def lines_of(task: dict[str, Any], number: int) -> Iterator[Line]:
        answer = task.get("answer", "accept")
        if answer != "accept":
            left_out = f"{{count}} {{task|tasks}} left out: {{its|their}} answer is {answer}"
            file.notices.add(left_out, file.source.place(number), harmless=True)
            return
        doc, text = str(task.get("_input_hash", number)), task["text"]
        if doc not in file.annotators:
            yield {"doc": doc, "text": text}
        file.annotators.setdefault(doc, set()).add(str(task.get("_session_id")))
        for span in task.get("spans") or ():
            places = file.marked(text, *_ends_of_span(span, task), span.get("text"), number)
            for topic in question_of(task, [span["label"]] if span.get("label") else []):
                yield from (topic | {"doc": doc} | place for place in places)

    yield from file.lines(file.records(), lines_of, "a text with spans")
    file.note_annotators()


def _ends_of_span(span: dict[str, Any], task: dict[str, Any]) -> tuple[Any, Any]:
    """Start and end of a span, from its tokens if it has no offsets."""
    if "start" in span:
        return span["start"], span["end"]
    tokens = task["tokens"]
    return tokens[span["token_start"]]["start"], tokens[span["token_end"]]["end"]


FORMAT = assessments_format(
    "prodigy",
    "Prodigy JSON Lines: accepted tasks with texts and labelled spans",
    sniff,
    lines,
    sample=(
        b'{"text": "Buy from Acme.", "_input_hash": 5, "_task_hash": 6, "answer": "accept",'
        b' "spans": [{"start": 9, "end": 13, "label": "BRAND", "text": "Acme"}]}\n'
        b'{"text": "Or not.", "_input_hash": 8, "_task_hash": 9, "spans": []}\n'
    ),
    broken=(
        b"{",
        b'{"text": "No", "_input_hash": 9, "spans": [{"start": 1, "end": 9, "label": "BRAND"}]}',
        b'{"text": "No", "_input_hash": 9, "spans": [{"start": "x", "end": 2, "label": "BRAND"}]}',
    ),
)
