"""Spans of OpenTelemetry in every form in which they are kept, as trees.

One form comes out of all: attributes nested by the parts of their names, ids without ``0x``, times in
nanoseconds. Forms are what the SDK prints (flat or nested attributes), OTLP/JSON (`resourceSpans`), and the
rows of Phoenix: its frames (columns `context.span_id`, `attributes.input.value`) and those of its REST
interface. The kind of a span is that of OpenInference; operations of the GenAI conventions are translated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from itertools import pairwise
from typing import Any, cast

from doxeval.io.formats.nested_values import as_list, nested, value_at

KIND_OF_OPERATION = {
    "invoke_agent": "AGENT", "invoke_workflow": "CHAIN", "chat": "LLM", "text_completion": "LLM",
    "generate_content": "LLM", "execute_tool": "TOOL", "retrieval": "RETRIEVER", "embeddings": "EMBEDDING",
}  # fmt: skip
"""Kinds of OpenInference, by the operations of the GenAI conventions."""
GEN_AI_DOCUMENTS = "gen_ai.retrieval.documents"
DOCUMENT_LISTS = ("retrieval.documents", GEN_AI_DOCUMENTS)
IN_FRAMES = ("context.span_id", "context.trace_id")
OF_FRAME = "attributes."
"""The beginning of the names of columns that are attributes, in frames of Phoenix."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SPAN_KEYS = (b'"attributes"', b'"trace')
FRAME_KEYS = (b'"context.span_id"', b'"attributes.')


@dataclass(eq=False)
class Span:
    """One span; times are nanoseconds, None if unknown, and `number` is its place in the file."""

    id: str
    parent: str
    trace: str
    name: str
    kind: str
    attributes: Mapping[str, Any]
    start: int | None = None
    end: int | None = None
    line: int = 0
    number: int = 0
    children: list[Span] = field(default_factory=list)

    def get(self, name: str) -> Any:
        """The value of an attribute, also one within an object or within JSON; None if there is none."""
        return value_at(self.attributes, name.split("."))

    def text(self, *names: str) -> str:
        """The first attribute that is a text or a number, as text; empty if none is."""
        for name in names:
            found = self.get(name)
            if isinstance(found, str | int | float) and not isinstance(found, bool) and str(found).strip():
                return str(found)
        return ""

    def number_of(self, *names: str) -> float | None:
        """The first attribute that is a number of at least 0."""
        for name in names:
            found = self.get(name)
            if isinstance(found, int | float) and not isinstance(found, bool) and 0 <= found < float("inf"):
                return found
        return None

    @cached_property
    def is_retrieval(self) -> bool:
        """Whether it says that it is a retrieval, or has documents."""
        return self.kind == "RETRIEVER" or any(self.get(name) is not None for name in DOCUMENT_LISTS)

    def walk(self) -> Iterator[Span]:
        """The span, and all below it, in order."""
        rest = [self]
        while rest:
            span = rest.pop()
            yield span
            rest += reversed(span.children)


def looks_like_spans(head: bytes) -> bool:
    """Whether the first bytes of a file are spans: batches of OTLP, or spans in JSON."""
    line = head.split(b"\n", 1)[0]
    line = head if len(line.strip()) < 3 else line
    if not line.startswith((b"{", b"[")):
        return False
    return b'"resourceSpans"' in line or any(
        all(key in line for key in keys) for keys in (SPAN_KEYS, FRAME_KEYS)
    )


def are_columns_of_spans(names: Iterable[Any]) -> bool:
    """Whether columns are those of a frame of spans."""
    known = {str(name) for name in names}
    return known >= set(IN_FRAMES) and any(name.startswith(OF_FRAME) for name in known)


def records_of_frame(frame: Any) -> list[dict[str, Any]] | None:
    """The rows of a frame of spans, or of a list of spans; None for anything else."""
    module = type(frame).__module__.partition(".")[0]
    if module == "polars":
        if type(frame).__name__ == "LazyFrame":
            frame = frame.collect()
        return frame.to_dicts() if are_columns_of_spans(frame.columns) else None
    if module == "pandas":
        if not are_columns_of_spans(frame.columns):
            return None
        columns = {str(name): frame[name].tolist() for name in frame.columns}
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if isinstance(frame, list) and frame and isinstance(frame[0], Mapping):
        first = frame[0]
        is_span = isinstance(first.get("attributes"), Mapping) and "context" in first
        return frame if is_span or "resourceSpans" in first or are_columns_of_spans(first) else None
    return None


def span_records(record: Any) -> Iterator[Mapping[str, Any]]:
    """The spans in a record, each as it is: the record, those of a batch, or of an answer of Phoenix."""
    if not isinstance(record, Mapping):
        return
    for batch in record.get("resourceSpans") or ():
        for scope in batch.get("scopeSpans") or ():
            yield from scope.get("spans") or ()
    if isinstance(record.get("attributes"), Mapping) or are_columns_of_spans(record):
        yield record
    else:
        yield from (row for row in record.get("data") or () if isinstance(row, Mapping))


def span_of(record: Mapping[str, Any]) -> Span:
    """A span out of any form; an error if its documents are no list."""
    told, context = record.get("attributes"), record.get("context") or record
    if isinstance(told, list):
        told = {one["key"]: _attribute_value(one.get("value") or {}) for one in told}
        context = {"span_id": record.get("spanId"), "trace_id": record.get("traceId")}
    elif not isinstance(told, Mapping) and are_columns_of_spans(record):
        context = {"span_id": record[IN_FRAMES[0]], "trace_id": record[IN_FRAMES[1]]}
        told = {
            name.removeprefix(OF_FRAME): plain
            for name, value in record.items()
            if name.startswith(OF_FRAME) and (plain := _plain(value)) is not None
        }
    span = Span(
        _id(context.get("span_id")),
        _id(record.get("parent_id") or record.get("parentSpanId")),
        _id(context.get("trace_id")),
        str(record.get("name") or ""),
        "",
        nested(told or {}),
        nanoseconds(record.get("start_time") or record.get("startTimeUnixNano")),
        nanoseconds(record.get("end_time") or record.get("endTimeUnixNano")),
    )
    kind = span.get("openinference.span.kind") or KIND_OF_OPERATION.get(span.text("gen_ai.operation.name"))
    span.kind = str(kind or record.get("span_kind") or "").upper()
    for name in DOCUMENT_LISTS:
        if (
            (given := span.get(name)) not in (None, "", "[]")
            and not isinstance(given, list)
            and not as_list(given)
        ):
            raise ValueError(f"{name} is not a list: {str(given)[:40]!r}")
    return span


def _id(told: Any) -> str:
    """An id in the form of OTLP; empty for none, or for nothing but zeros."""
    found = told.strip().lower().removeprefix("0x") if isinstance(told, str) else ""
    return found if found.strip("0") else ""


def nanoseconds(told: Any) -> int | None:
    """A time as nanoseconds: those of OTLP, a text as in ISO 8601, or a time of Python."""
    if isinstance(told, str) and told.isdecimal():
        told = int(told)
    if isinstance(told, int):
        return told
    try:
        moment = datetime.fromisoformat(told) if isinstance(told, str) else told
        if not isinstance(moment, datetime):
            return None
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return (moment - EPOCH) // timedelta(microseconds=1) * 1000
    except (ValueError, OverflowError, TypeError):
        return None


def _attribute_value(value: Mapping[str, Any]) -> Any:
    """The value of an OTLP attribute in JSON."""
    kind, held = cast("tuple[str, Any]", next(iter(value.items()), ("", "")))
    if kind == "arrayValue":
        return [_attribute_value(one) for one in held.get("values") or ()]
    if kind == "kvlistValue":
        return {one["key"]: _attribute_value(one.get("value") or {}) for one in held.get("values") or ()}
    return int(held) if kind == "intValue" else held


def _plain(value: Any) -> Any:
    """A cell of a frame as JSON has it: arrays as lists, missing values as None."""
    if isinstance(value, Mapping):
        return {key: plain for key, one in value.items() if (plain := _plain(one)) is not None}
    if hasattr(value, "tolist") and not isinstance(value, str):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return None if value is None or value != value else value


def trees(spans: list[Span]) -> list[Span]:
    """The roots of the trees that spans make, in order of time, with the children of each in order.

    Spans whose parent is missing are below the root of their trace; if that is missing too, they are one
    tree, below a span that says nothing. Where times are equal or missing the order of the file counts; it is
    turned round in files that begin with the newest.
    """
    times = [span.start for span in spans if span.start is not None]
    falls = sum((later < earlier) - (later > earlier) for earlier, later in pairwise(times))
    for at, span in enumerate(spans):
        span.number, span.children = (-at if falls > 0 else at), []
    known = {span.id: span for span in reversed(spans) if span.id}
    of_trace: dict[str, list[Span]] = {}
    for span in spans:
        if not span.parent and span.trace:
            of_trace.setdefault(span.trace, []).append(span)
    roots = []
    for span in spans:
        parent = known.get(span.parent)
        if parent is None and span.parent and span.trace:
            if span.trace not in of_trace:
                of_trace[span.trace] = [
                    Span("", "", span.trace, "", "", {}, span.start, None, span.line, span.number)
                ]
                roots += of_trace[span.trace]
            parent = of_trace[span.trace][0] if len(of_trace[span.trace]) == 1 else None
        if parent is None or _is_below(parent, span, known):
            roots.append(span)
        else:
            parent.children.append(span)
    for span in [*spans, *roots]:
        span.children.sort(key=_order(span.children))
    return sorted(roots, key=_order(roots))


def _is_below(span: Span, other: Span, known: Mapping[str, Span]) -> bool:
    """Whether a span is the other, or below it by what parents say: then they make no tree."""
    passed: set[str] = set()
    at: Span | None = span
    while at is not None and at is not other and at.id not in passed:
        passed.add(at.id)
        at = known.get(at.parent)
    return at is not None


def _order(spans: list[Span]) -> Any:
    """The key by which some spans are sorted."""
    if any(span.start is None for span in spans):
        return lambda span: span.number
    return lambda span: (span.start, span.number)
