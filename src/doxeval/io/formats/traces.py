"""Traces of retrievals: OpenTelemetry spans as JSON Lines, one span per line or batches of an exporter.

A span is a retrieval if it has documents: `retrieval.documents.N.document.{content,score,metadata,id}`
(OpenInference), or `gen_ai.retrieval.documents`, a list of `{"id", "score", "content"}` (the GenAI
conventions); attributes may also be objects and lists within one another. Its question, which is a topic or
the wording of one, is the first of `doxeval.topic`, `input.value` and `gen_ai.retrieval.query.text` that it
has, or the attribute that the caller names. Chunks are located by their content, in the document named by
their metadata, or in all; their own ids name documents only where there is no content. Their order is their
rank; scores, which may be distances, are ignored.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from doxeval.core.errors import InputError
from doxeval.core.notices import Notices
from doxeval.core.phrases import counted
from doxeval.io.formats.build_tables import build_run
from doxeval.io.formats.columns import rows_of_dicts
from doxeval.io.formats.format import TRACES, Format, Options
from doxeval.io.formats.other_tools import Line, ToolFile
from doxeval.io.json_text import NotJson, parsed_json
from doxeval.io.placing.claims import NOTHING, Claim, claim_of
from doxeval.io.placing.place_chunks import END_KEYS, SOURCES, START_KEYS, TEXTS
from doxeval.io.source import Source
from doxeval.tables.runs import Run

QUESTION_ATTRIBUTES = ("doxeval.topic", "input.value", "gen_ai.retrieval.query.text")
QUESTION_KEYS = ("question", "query", "input", "text")
"""Keys of the question, if the input of a span is JSON."""
DOCUMENT = re.compile(r"retrieval\.documents\.(\d+)\.document\.(content|score|metadata|id)")
GEN_AI = "gen_ai.retrieval.documents"
AGAIN = "{count} {question was|questions were} asked more than once; the last retrieval of each counts"
NOT_RETRIEVALS = "{count} {span is not a retrieval and is|spans are not retrievals and are} left out"
RETRIEVAL_EXPECTED = "a retrieval with its question"
NEEDED = (
    "expected spans with retrieval.documents.N.document.content (OpenInference) or "
    "gen_ai.retrieval.documents (GenAI)"
)
METADATA = ".metadata"
"""The end of the names of attributes whose value may be an object."""
KINDS_SHOWN = 4
SPAN = (b'"attributes"', b'"trace')


def sniff(head: bytes) -> bool:
    """Batches of OTLP, or spans as written by the SDK."""
    line = head.split(b"\n", 1)[0]
    return line.startswith(b"{") and (b'"resourceSpans"' in line or all(key in line for key in SPAN))


def read(source: Source, options: Options) -> Run:
    """Read what was retrieved for each question; a retrieval within another is left out."""
    notices = Notices()
    file = ToolFile(source, notices)
    spans = list(file.lines(file.records(), lambda record, _: _spans_in(record), "spans"))
    retrievals = [span for span in spans if _is_retrieval(span["attributes"])]
    if not retrievals:
        raise InputError(
            f"{source.name}: none of its {counted(len(spans), 'span')} is a retrieval{_found(spans)}; "
            f"{NEEDED}"
        )
    if len(spans) > len(retrievals):
        notices.add(NOT_RETRIEVALS, count=len(spans) - len(retrievals), harmless=True)
    parents = {span["id"]: span["parent"] for span in spans}
    known = {span["id"] for span in retrievals} - {""}
    outer = [(span["line"], span) for span in retrievals if not _is_inside(span, known, dict(parents))]
    last: dict[str, list[Line]] = {}
    for line in file.lines(outer, lambda span, _: _lines_of_span(span, options), RETRIEVAL_EXPECTED):
        if "rank" not in line and last.pop(line["topic"], []):
            notices.add_names(AGAIN, [line["topic"]], lasting=True)
        last.setdefault(line["topic"], []).append(line)
    rows = [line for found in last.values() for line in (found[1:] or found)]
    stated = [line.pop("stated", (-1, -1, NOTHING)) for line in rows]
    run = build_run(rows_of_dicts(rows, source.name, notices), options.named_after(source))
    return _with_stated_places(
        run, [place for place, line in zip(stated, rows, strict=True) if "rank" in line]
    )


def _found(spans: list[dict[str, Any]]) -> str:
    """The kinds of some spans, for a message."""
    kinds = Counter(str(kind) for span in spans for kind in _kinds(span["attributes"]) if kind)
    told = ", ".join(f"{count:,} {kind}" for kind, count in kinds.most_common(KINDS_SHOWN))
    return f" (found {told})" if told else ""


def _kinds(attributes: Mapping[str, Any]) -> tuple[Any, Any]:
    """What a span says it is, by either convention."""
    return attributes.get("openinference.span.kind"), attributes.get("gen_ai.operation.name")


def _is_inside(span: Mapping[str, Any], known: set[str], parents: dict[str, str]) -> bool:
    """Whether a span is inside another known one; `parents` are used up on the way to it."""
    at = span["parent"]
    while at and at not in known:
        at = parents.pop(at, "")
    return bool(at)


def _with_stated_places(run: Run, stated: list[tuple[int, int, Claim]]) -> Run:
    """The run with the places stated for its texts, which are checked against the documents there."""
    if len(stated) == len(run) and run.span_offset is None:
        for row, (start, end, _) in enumerate(stated):
            if 0 <= start <= end:
                run.start[row], run.end[row] = start, end
        run.claims = [claim for _, _, claim in stated]
    return run


def _spans_in(record: Any) -> Iterator[dict[str, Any]]:
    """The spans in a line: id, id of the parent, attributes."""
    if not isinstance(record, Mapping):
        return
    for batch in record.get("resourceSpans") or ():
        for scope in batch.get("scopeSpans") or ():
            for span in scope.get("spans") or ():
                told = {
                    one["key"]: _attribute_value(one.get("value") or {})
                    for one in span.get("attributes") or ()
                }
                yield _span_record(span.get("spanId"), span.get("parentSpanId"), told)
    if isinstance(record.get("attributes"), Mapping):
        own = (record.get("context") or record).get("span_id")
        yield _span_record(own, record.get("parent_id"), record["attributes"])


def _span_record(own: Any, parent: Any, attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": str(own or ""), "parent": str(parent or ""), "attributes": dict(_flat(attributes))}


def _flat(nested: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Attributes by their full names; objects and lists that are values themselves stay as they are."""
    parts: Iterable[tuple[Any, Any]] = ()
    if isinstance(nested, Mapping) and not path.endswith(METADATA):
        parts = nested.items()
    elif isinstance(nested, list) and path != GEN_AI and all(isinstance(one, Mapping) for one in nested):
        parts = enumerate(nested)
    elif path:
        yield path, nested
    for key, value in parts:
        yield from _flat(value, f"{path}.{key}" if path else str(key))


def _attribute_value(value: Mapping[str, Any]) -> Any:
    """The value of an OTLP attribute in JSON."""
    kind, held = cast("tuple[str, Any]", next(iter(value.items()), ("", "")))
    if kind == "arrayValue":
        return [_attribute_value(one) for one in held.get("values") or ()]
    if kind == "kvlistValue":
        return {one["key"]: _attribute_value(one.get("value") or {}) for one in held.get("values") or ()}
    return int(held) if kind == "intValue" else held


def _is_retrieval(attributes: Mapping[str, Any]) -> bool:
    kind = _kinds(attributes)
    known = kind[0] == "RETRIEVER" or kind[1] == "retrieval" or GEN_AI in attributes
    return known or any(DOCUMENT.fullmatch(key) for key in attributes)


def _lines_of_span(span: Mapping[str, Any], options: Options) -> Iterator[Line]:
    """A line for the question, then one for each result."""
    attributes = span["attributes"]
    topic = _question_asked(attributes, options.question_attribute)
    yield {"topic": topic}
    for rank, chunk in enumerate(_documents_retrieved(attributes), 1):
        yield {"topic": topic, "rank": rank} | _keys_of_chunk(chunk)


def _question_asked(attributes: Mapping[str, Any], named: str) -> str:
    for name in (named,) if named else QUESTION_ATTRIBUTES:
        found = attributes.get(name)
        if isinstance(found, str) and found.lstrip().startswith("{"):
            inside = _json_object(found)
            found = next((inside[key] for key in QUESTION_KEYS if isinstance(inside.get(key), str)), found)
        if isinstance(found, str | int) and str(found).strip():
            return " ".join(str(found).split())
    raise KeyError(f"attribute {named or ' or '.join(QUESTION_ATTRIBUTES)}")


def _documents_retrieved(attributes: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The documents of a span in order, each with its attributes."""
    found: dict[int, dict[str, Any]] = {}
    for key, value in attributes.items():
        if match := DOCUMENT.fullmatch(key):
            found.setdefault(int(match[1]), {})[match[2]] = value
    given = attributes.get(GEN_AI) or ()
    listed = json.loads(given) if isinstance(given, str) else given
    return [found[at] for at in sorted(found)] or [dict(one) for one in listed]


def _keys_of_chunk(chunk: Mapping[str, Any]) -> Line:
    """A chunk as the keys of a line of a run."""
    metadata = chunk.get("metadata") or {}
    metadata = _json_object(metadata) if isinstance(metadata, str) else metadata
    text = next((chunk[key] for key in TEXTS if isinstance(chunk.get(key), str) and chunk[key]), None)
    named = next(({"doc": str(metadata[key])} for key in SOURCES if metadata.get(key)), {})
    if text is None:
        return named or {"doc": str(chunk["id"])}
    start, end = _offset_in(metadata, START_KEYS), _offset_in(metadata, END_KEYS)
    stated = (start, end if end >= 0 else start + len(text), claim_of(metadata))
    return {"text": text} | named | ({"stated": stated} if named else {})


def _offset_in(metadata: Mapping[str, Any], keys: tuple[str, ...]) -> int:
    return next((metadata[key] for key in keys if type(metadata.get(key)) is int), -1)


def _json_object(text: str) -> dict[str, Any]:
    try:
        found = parsed_json(text)
    except NotJson:
        return {}
    return found if isinstance(found, dict) else {}


def _sample_span(question: bytes, *documents: bytes) -> bytes:
    told = b"".join(
        b', "retrieval.documents.%d.document.content": "%s"' % (at, text) for at, text in enumerate(documents)
    )
    return (
        b'{"name": "r", "context": {"trace_id": "0x1", "span_id": "0x%s"}, "parent_id": null, "attributes": '
        b'{"openinference.span.kind": "RETRIEVER", "input.value": "%s"%s}}\n'
        % (question[:1].hex().encode(), question, told)
    )


FORMAT = Format(
    name=TRACES,
    kind="run",
    summary="OpenTelemetry spans of retrievals as JSON Lines (OpenInference, GenAI; SDK or OTLP)",
    sniff=sniff,
    read=read,
    sample=_sample_span(b"t1", b"Tea is hot.", b"Milk is not.") + _sample_span(b"u2", b"Coffee is better."),
    broken=(
        b"{",
        b'{"context": {"trace_id": "0x1"}, "attributes": {"retrieval.documents.0.document.content": "x"}}',
        b'{"trace_id": "1", "attributes": {"input.value": "v", "gen_ai.retrieval.documents": "["}}',
    ),
)
