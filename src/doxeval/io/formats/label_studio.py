"""Label Studio exports, JSON and JSON-MIN: tasks with a text and the spans marked in it.

A label is a topic, unless the task's data name a `topic` or `question`. Offsets are half-open code points of
the text. What any annotator marked counts; annotations that were cancelled do not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from doxeval.io.formats.other_tools import Line, ToolFile, assessments_format, question_of

TASK = re.compile(rb'"(annotations|completions)"\s*:\s*\[\s*\{.{0,2000}?"(result|completed_by)"', re.DOTALL)
SMALL_TASK = re.compile(rb'"(\w*labels)"\s*:\s*\[\s*"')


def sniff(head: bytes) -> bool:
    """A JSON list of tasks with annotations, or of rows with an annotator and spans with labels."""
    small = b'"annotation_id"' in head or b'"annotator"' in head
    return head.startswith(b"[") and bool(TASK.search(head) or (small and SMALL_TASK.search(head)))


def lines(file: ToolFile) -> Iterator[Line]:
    """A document for each task, and a line for each span."""

    def lines_of(task: dict[str, Any], number: int) -> Iterator[Line]:
        data = task.get("data", task)
        doc = str(data.get("doc", task.get("id", number)))
        first = doc not in file.annotators
        people = file.annotators.setdefault(doc, set())
        for text, annotator, labels, value in _spans_of_task(task, data):
            if first:
                first = False
                yield {"doc": doc, "text": text}
            people.add(str(annotator))
            if not isinstance(value.get("start"), int):
                file.refuse("span", "offsets in a plain text", number, repr(value.get("start")))
                continue
            words = value.get("text") if isinstance(value.get("text"), str) else None
            places = file.marked(text, value["start"], value["end"], words, number)
            for topic in question_of(data, labels):
                yield from (topic | {"doc": doc} | place for place in places)
        if first:
            yield {"doc": doc, "text": _text_of_span(data, "text")}

    yield from file.lines(file.records(), lines_of, "a task with its text and annotations")
    file.note_annotators()


def _spans_of_task(
    task: dict[str, Any], data: dict[str, Any]
) -> Iterator[tuple[str, Any, Iterable[Any], dict[str, Any]]]:
    """Text, annotator, labels and value of each span of a task."""
    if "data" not in task:
        for marked in task.values():
            for value in marked if isinstance(marked, list) else ():
                if isinstance(value, dict) and "start" in value and "end" in value:
                    yield _text_of_span(data, "text"), task.get("annotator"), _labels(value), value
        return
    for annotation in task.get("annotations") or task["completions"]:
        person = annotation.get("completed_by")
        person = person.get("id") if isinstance(person, dict) else person
        for result in annotation["result"] if not annotation.get("was_cancelled") else ():
            value = result.get("value")
            if isinstance(value, dict) and "start" in value and "end" in value:
                yield _text_of_span(data, str(result.get("to_name"))), person, _labels(value), value


def _labels(value: dict[str, Any]) -> list[Any]:
    """The labels of a span, of any kind."""
    found = (of_kind for name, of_kind in value.items() if name.endswith("labels"))
    return next((labels for labels in found if isinstance(labels, list)), [])


def _text_of_span(data: dict[str, Any], name: str) -> str:
    """The text that a span is in: the one its control names, or `text`, or the only one."""
    texts = [data[key] for key in (name, "text") if isinstance(data.get(key), str)]
    texts = texts or [value for value in data.values() if isinstance(value, str)]
    if not texts:
        raise ValueError("no text")
    return str(texts[0])


FORMAT = assessments_format(
    "label-studio",
    "Label Studio JSON or JSON-MIN: tasks with texts and labelled spans",
    sniff,
    lines,
    sample=(
        b'[{"id": 7, "annotations": [{"completed_by": 1, "result": [\n'
        b'  {"type": "labels", "to_name": "text", "from_name": "label",\n'
        b'   "value": {"start": 4, "end": 7, "text": "two", "labels": ["Number"]}}]}],\n'
        b'  "data": {"text": "one two three"}}]\n'
    ),
)
