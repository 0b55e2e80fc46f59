"""W3C Web Annotation (JSON-LD), and the records of Hypothesis: targets with selectors.

A `TextQuoteSelector` is a quote with `prefix` and `suffix`, to find in its document; a `TextPositionSelector`
says where it stood, in half-open code points, as the standard says; browser tools count UTF-16 units, and
pages change, so that the quote decides. A document is named by its `source`. Tags, or bodies whose purpose is
tagging, classifying or identifying, are topics; anything only highlighted has the topic `marked`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from doxeval.io.formats.other_tools import UNLABELLED, Line, ToolFile, assessments_format

SELECTOR = re.compile(rb'"(TextQuoteSelector|TextPositionSelector)"')
NAMING = {"tagging", "classifying", "identifying"}


def sniff(head: bytes) -> bool:
    """JSON with a selector of text."""
    return head.startswith((b"{", b"[")) and bool(SELECTOR.search(head))


def lines(file: ToolFile) -> Iterator[Line]:
    """A line for each target and topic."""

    def lines_of(annotation: dict[str, Any], number: int) -> Iterator[Line]:
        for target in _several(annotation.get("target")):
            place = _keys_of_selector(target.get("selector"))
            if place is None:
                file.refuse("target", "a TextQuoteSelector or a TextPositionSelector", number)
                continue
            doc = target.get("source") or annotation.get("uri")
            doc = doc.get("id") if isinstance(doc, dict) else doc
            topics = _topics_of_annotation(annotation)
            yield from ({"topic": topic, "doc": doc} | place for topic in topics)

    records = file.records()
    annotations = ((number, one) for number, record in records for one in _annotations(record))
    yield from file.lines(annotations, lines_of, "an annotation with targets")


def _annotations(record: Any) -> list[Any]:
    """The annotations of a page or collection, or of a response of Hypothesis, or a single one."""
    if isinstance(record, dict) and "target" not in record:
        first = record.get("first")
        held = record.get("items", record.get("rows"))
        return _annotations(first) if held is None and isinstance(first, dict) else _several(held)
    return [record]


def _several(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _keys_of_selector(selectors: Any) -> Line | None:
    """The place of a target as keys of a native line; None if it has no known selector."""
    by_type: dict[Any, dict[str, Any]] = {}
    for selector in _several(selectors):
        while isinstance(selector, dict):
            by_type.setdefault(selector.get("type"), selector)
            selector = selector.get("refinedBy")
    quote, position = by_type.get("TextQuoteSelector"), by_type.get("TextPositionSelector")
    if quote is None and position is None:
        return None
    place = {} if position is None else {"start": position["start"], "end": position["end"]}
    if quote is not None:
        place |= {"quote": quote["exact"]}
        place |= {key: quote[key] for key in ("prefix", "suffix") if quote.get(key)}
    return place


def _topics_of_annotation(annotation: dict[str, Any]) -> list[str]:
    bodies = [body for body in _several(annotation.get("body")) if isinstance(body, dict)]
    named = [body.get("value") for body in bodies if NAMING & set(_several(body.get("purpose")))]
    topics = [*_several(annotation.get("tags")), *named]
    return list(dict.fromkeys(str(topic) for topic in topics if topic)) or [UNLABELLED]


FORMAT = assessments_format(
    "web-annotation",
    "W3C Web Annotation JSON-LD, or Hypothesis: quotes with prefix and suffix, or positions",
    sniff,
    lines,
    sample=(
        b'[{"@context": "http://www.w3.org/ns/anno.jsonld", "type": "Annotation", "body": [\n'
        b'   {"type": "TextualBody", "value": "death", "purpose": "tagging"}],\n'
        b'  "target": {"source": "http://example.org/odyssey", "selector": [\n'
        b'   {"type": "TextQuoteSelector", "exact": "by shipwreck", "prefix": "battle or "},\n'
        b'   {"type": "TextPositionSelector", "start": 760, "end": 772}]}}]\n'
    ),
)
