"""INEX assessment XML of 2002-06.

An assessed element carries `relevance` and `coverage` (2002: code 3E), `exhaustiveness` and `specificity`
(2003-04: code E2S3), or `exhaustivity` with `specificity` or with `rsize` and `size`, the highlighted and
all characters (2005-06). A specificity between 0 and 1 gives the value exhaustivity/2 times specificity, the
generalised quantisation of 2005; "?" (too small) counts 0. Highlighted passages, where a file has them, are
what was assessed, and the values of elements follow from them: the passages are read, the elements ignored.
A file without any of these was assessed and holds nothing relevant.
"""

from __future__ import annotations

from typing import Any

from doxeval.core.notices import Notices
from doxeval.core.values import integer_in, number_in
from doxeval.io.formats.build_tables import collect_assessments
from doxeval.io.formats.columns import rows_of_dicts
from doxeval.io.formats.format import Format, Options
from doxeval.io.formats.xml_events import child_text, release, xml_events
from doxeval.io.source import Source
from doxeval.tables.assessments import Assessments
from doxeval.tables.runs import passage_name

TOPIC_KEYS = ("topic", "topic-id", "topic_id")
COVERAGES = {"exact": "E", "too large": "L", "too small": "S", "no": "N", "large": "L", "small": "S"}
GRADES = ("0", "1", "2", "3")


def sniff(head: bytes) -> bool:
    """XML with assessments."""
    return head.startswith(b"<") and (b"<assessments" in head or b"<inex-assessments" in head)


def read(source: Source, options: Options) -> Assessments:
    """Read one or more topics' assessments."""
    notices = Notices()
    rows: list[dict[str, Any]] = []
    queries: dict[str, str] = {}
    topic = ""
    tags = ("assessments", "inex-assessments", "topic", "inex_topic", "file")
    for event, element in xml_events(source, ("start", "end"), tags):
        if event == "start":
            topic = next((element.get(key) for key in TOPIC_KEYS if element.get(key)), topic)
        elif element.tag == "file":
            rows.extend(_file_rows(topic, element, source, notices))
            release(element)
        elif element.tag == "inex_topic" and (query := child_text(element, "title", source)):
            queries[topic] = query
    return collect_assessments(rows_of_dicts(rows, source.name, notices), queries)


def _file_rows(topic: str, file: Any, source: Source, notices: Notices) -> list[dict[str, Any]]:
    """The rows of one file of one topic."""
    base = {"topic": topic, "doc": file.get("file") or file.get("name") or "", "line": file.sourceline}
    passages = [
        base | {"node": passage_name(item.get("start", ""), item.get("end", "")), "line": item.sourceline}
        for item in file.iter("passage")
    ]
    assessed = [
        item for item in file.iter() if isinstance(item.tag, str) and item.get("path") and _grades(item)
    ]
    if any(True for _ in file.iter("best-entry-point")):
        notices.add(
            f"{source.name}: {{count}} best entry {{point|points}} left out: {{it is a path|they are "
            "paths}}, only offsets can be kept",
            f"{source.name}:{file.sourceline}",
        )
    if passages and assessed:
        notices.add(
            f"{source.name}: {{count}} assessed {{element|elements}} left out; {{its value follows|their "
            "values follow}} from the passages",
            count=len(assessed),
            harmless=True,
        )
    if passages:
        return passages
    return [
        base | {"path": item.get("path"), "line": item.sourceline} | _code_or_grade(item) for item in assessed
    ] or [base]


def _grades(element: Any) -> tuple[str, str] | None:
    """The two grades of an assessed element, as in the file."""
    for first, second in (("relevance", "coverage"), ("exhaustiveness", "specificity")):
        if element.get(first) is not None:
            return element.get(first).strip(), element.get(second, "").strip()
    if element.get("exhaustivity") is None:
        return None
    specificity = element.get("specificity")
    size, relevant = integer_in(element.get("size", "")), integer_in(element.get("rsize", ""))
    if specificity is None and size is not None and relevant is not None:
        specificity = repr(relevant / max(1, size))
    return element.get("exhaustivity").strip(), (specificity or "").strip()


def _code_or_grade(element: Any) -> dict[str, Any]:
    """`code` or `rel` of an assessed element; an unreadable grade becomes a code that is refused."""
    grades = _grades(element)
    first, second = grades if grades is not None else ("", "")
    if element.get("relevance") is not None:
        return {"code": first + COVERAGES.get(second.lower().removesuffix(" coverage"), second)}
    if element.get("exhaustivity") is None or (first in GRADES and second in ("2", "3")):
        return {"code": f"E{first}S{second}"}
    exhaustivity, specificity = integer_in("0" if first == "?" else first), number_in(second)
    if exhaustivity is None or specificity is None:
        return {"code": f"E{first}S{second}"}
    return {"rel": exhaustivity / 2 * specificity}


FORMAT = Format(
    name="inex-assessment-xml",
    kind="assessments",
    summary="INEX assessment XML 2002-06: relevance/coverage, exhaustivity/specificity, or passages",
    sniff=sniff,
    read=read,
    sample=(
        b'<?xml version="1.0"?>\n<assessments topic="31">\n<file file="an/1995/a1">\n'
        b'<path path="/article[1]" exhaustiveness="2" specificity="3"/>\n</file>\n'
        b'<file file="an/1995/a2"/>\n</assessments>'
    ),
)
