"""doccano exports: one text per line, with labelled spans, in the forms of its several versions.

``{"id", "text", "label": [[start, end, name]]}``, also `labels`; or `annotations` or `entities` of
``{"label", "start_offset", "end_offset"}``. A label is a topic, unless the line names a `topic` or
`question`. The tool's editor counts UTF-16 units, which are converted to code points.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from doxeval.io.formats.other_tools import Line, ToolFile, assessments_format, question_of

LISTS = ("label", "labels", "annotations", "entities")
SPAN_KEYS = tuple(b'"' + name.encode() + b'"' for name in LISTS)
WIDE = (
    "{count} {text has|texts have} characters beyond U+FFFF; doccano's offsets in {it|them} are taken as "
    "UTF-16 units"
)


def sniff(head: bytes) -> bool:
    """JSON objects with a text and lists of spans."""
    if not head.startswith(b"{") or b'"text"' not in head[:4096] or b'"_input_hash"' in head:
        return False
    return any(_is_followed_by_list(head, name) for name in SPAN_KEYS)


def _is_followed_by_list(head: bytes, name: bytes) -> bool:
    rest = head.partition(name)[2].lstrip()
    inside = rest.removeprefix(b":").lstrip()
    return inside.startswith(b"[") and inside[1:].lstrip()[:1] in (b"[", b"{", b"]")


def lines(file: ToolFile) -> Iterator[Line]:
    """A document for each text, and a line for each span."""

    def lines_of(record: dict[str, Any], number: int) -> Iterator[Line]:
        doc, text = str(record.get("id", number)), record["text"]
        place_of = code_points_before_units(text)
        if len(place_of) > len(text) + 1:
            file.notices.add(WIDE, file.source.place(number), harmless=True, lasting=True)
        yield {"doc": doc, "text": text}
        spans = next((record[name] for name in LISTS if isinstance(record.get(name), list)), ())
        for begin, end, label, person in map(_ends_and_label, spans):
            file.annotators.setdefault(doc, set()).add(str(person))
            inside = 0 <= begin <= end < len(place_of)
            ends = (place_of[begin], place_of[end]) if inside else (begin, len(text) + end)
            places = file.marked(text, *ends, None, number)
            for topic in question_of(record, [label]):
                yield from (topic | {"doc": doc} | place for place in places)

    yield from file.lines(file.records(), lines_of, "a text with spans")
    file.note_annotators()


def _ends_and_label(span: Any) -> tuple[int, int, Any, Any]:
    if isinstance(span, list):
        begin, end, label = span
        return begin, end, label, None
    return span["start_offset"], span["end_offset"], span["label"], span.get("user")


def code_points_before_units(text: str) -> list[int]:
    """The number of code points before each boundary between the UTF-16 units of a text.

    >>> code_points_before_units("a\U0001f600b")
    [0, 1, 1, 2, 3]
    """
    places = [at for at, letter in enumerate(text) for _ in range(2 if ord(letter) > 0xFFFF else 1)]
    return [*places, len(text)]


FORMAT = assessments_format(
    "doccano",
    "doccano JSON Lines: texts with labelled spans, in UTF-16 units",
    sniff,
    lines,
    sample=(
        b'{"id": 1, "text": "EU rejects German call.", "label": [[0, 2, "ORG"], [11, 17, "MISC"]]}\n'
        b'{"id": 2, "text": "Peter Blackburn", "label": [[0, 15, "PERSON"]]}\n'
    ),
    broken=(
        b"{",
        b'{"id": 3, "text": "Peter", "label": [[0, 15, "PERSON"]]}',
        b'{"id": 3, "text": "Peter", "label": [[0, "x", "PERSON"]]}',
        b'{"id": 3, "label": [[0, 2, "PERSON"]]}',
    ),
)
