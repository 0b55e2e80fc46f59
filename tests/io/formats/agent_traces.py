"""One small agent, traced in every form in which spans are kept.

The agent of each question searches (a tool with a retriever in it), reads lines of a file, and answers. Forms
differ as real ones do: ids with and without 0x, flat and nested attributes, metadata as text and as objects,
times cut to milliseconds, rows with the newest first.
"""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import polars as pl

DOCUMENTS = {
    "tea.txt": "Tea is a drink.\nIt is hot.\nIt comes from China.\n",
    "milk.txt": "Milk is white.\nIt is cold.\nCows give it.\n",
    "rent.txt": "The rent is due in May.\nThe deposit is two rents.\n",
}
GOLD = [
    {"topic": "q1", "query": "What  is tea?", "doc": "tea.txt", "start": 0, "end": 15},
    {"topic": "q1", "doc": "milk.txt", "start": 15, "end": 26},
    {"topic": "q2", "query": "How much is the deposit?", "doc": "rent.txt", "start": 24, "end": 49},
]
QUESTIONS = {
    "q1": ("What is tea?", "tea", ["rent.txt", "tea.txt"], "milk.txt", "A drink [tea.txt]."),
    "q2": ("How much is the deposit?", "deposit", ["milk.txt", "tea.txt"], "rent.txt", "Two rents."),
}
START = 1_700_000_000_000_000
"""Microseconds."""


def lines_of(doc: str) -> str:
    return "\n".join(DOCUMENTS[doc].split("\n")[:2])


def openinference() -> list[dict[str, Any]]:
    """Spans as the SDK prints them, in the order in which they end, by OpenInference."""
    spans, moment = [], START
    for number, (topic, (question, query, found, read, answer)) in enumerate(QUESTIONS.items(), start=1):
        metadata = json.dumps({"session_id": "s", "question_id": topic, "path": ["a", 0]})
        ids = iter(range(number * 100, number * 100 + 99))
        root, begun = next(ids), moment

        def span(kind, name, parent, own=None, trace=number, metadata=metadata, ids=ids, **attributes):
            nonlocal moment
            moment += 700
            told = {"openinference.span.kind": kind, "session.id": "s", "metadata": metadata}
            spans.append({
                "name": name,
                "context": {"trace_id": f"0x{trace:032x}", "span_id": f"0x{own or next(ids):016x}",
                            "trace_state": "[]"},
                "kind": "SpanKind.INTERNAL",
                "parent_id": f"0x{parent:016x}" if parent else None,
                "start_time": stamp(moment - 400), "end_time": stamp(moment), "status": {"status_code": "OK"},
                "attributes": told | {key.replace("__", "."): value for key, value in attributes.items()},
            })  # fmt: skip

        def message(text):
            return json.dumps({"type": "tool", "data": {"content": text, "status": "success"}})

        chain, tool = next(ids), next(ids)
        documents = {
            f"retrieval.documents.{at}.document.{key}": value
            for at, doc in enumerate(found)
            for key, value in (("content", DOCUMENTS[doc]), ("metadata", json.dumps({"source": doc})))
        }
        span("LLM", "model", root, **{"llm.token_count.prompt": 30, "llm.token_count.completion": 12})
        span("RETRIEVER", "BM25", tool, input__value=query, **documents)
        joined = "\n\n".join(f"[{doc}]\n{DOCUMENTS[doc]}" for doc in found)
        span("TOOL", "search", chain, own=tool, input__value=query, output__value=message(joined),
             tool__name="search")  # fmt: skip
        span("CHAIN", "tools", root, own=chain, input__value=json.dumps([{"name": "search"}]))
        span("LLM", "model", root, **{"llm.token_count.total": 50, "llm.cost.total": 0.25})
        arguments = json.dumps({"path": read, "start_line": 1, "end_line": 2})
        span("TOOL", "read_file", root, input__value=arguments, output__value=message(lines_of(read)),
             tool__name="read_file")  # fmt: skip
        span("AGENT", "agent", 0, own=root, input__value=json.dumps({"messages": [["user", question]]}),
             output__value=json.dumps({"messages": [{"type": "human", "data": {"content": question}},
                                                    {"type": "ai", "data": {"content": answer}}]})
        )  # fmt: skip
        spans[-1]["start_time"] = stamp(begun)
    return spans


def genai() -> list[dict[str, Any]]:
    """The same agent by the GenAI conventions."""
    spans = []
    for one in openinference():
        told, kind = one["attributes"], one["attributes"]["openinference.span.kind"]
        if kind == "CHAIN":
            continue
        question_id = json.loads(told["metadata"])["question_id"]
        question, _, found, _, answer = QUESTIONS[question_id]

        def said(role, text):
            return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])

        content = json.loads(told.get("output.value", "{}")).get("data", {}).get("content")
        documents = [{"id": doc, "score": 1.5, "content": DOCUMENTS[doc]} for doc in found]
        attributes = {
            "LLM": {"gen_ai.operation.name": "chat", "gen_ai.input.messages": said("user", question)},
            "RETRIEVER": {"gen_ai.operation.name": "retrieval",
                          "gen_ai.retrieval.query.text": told.get("input.value"),
                          "gen_ai.retrieval.documents": json.dumps(documents)},
            "TOOL": {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": one["name"],
                     "gen_ai.tool.call.arguments": told.get("input.value"),
                     "gen_ai.tool.call.result": content},
            "AGENT": {"gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": question_id,
                      "gen_ai.input.messages": said("user", question),
                      "gen_ai.output.messages": said("assistant", answer)},
        }[kind]  # fmt: skip
        names = {"prompt": "input_tokens", "completion": "output_tokens", "total": "output_tokens"}
        attributes |= {
            f"gen_ai.usage.{names[key.rpartition('.')[2]]}": value
            for key, value in told.items()
            if "token" in key
        }
        attributes |= {"gen_ai.usage.cost": told["llm.cost.total"]} if "llm.cost.total" in told else {}
        top = one["parent_id"] and f"0x{int(one['parent_id'], 16) // 100 * 100:016x}"
        parent = one["parent_id"] if kind == "RETRIEVER" else top
        spans.append(one | {"attributes": attributes, "parent_id": parent})
    return spans


def stamp(microseconds: int) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(microseconds / 1e6, tz=UTC).isoformat().replace("+00:00", "Z")


def in_milliseconds(time: str) -> str:
    return f"{time.rstrip('Z')}.000"[:23] + "Z"


def nested(spans: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one | {"attributes": as_lists(in_objects(one["attributes"]))} for one in spans]


def in_objects(attributes: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in attributes.items():
        *above, last = name.split(".")
        place = found
        for part in above:
            place = place.setdefault(part, {})
        place[last] = value
    return found


def as_lists(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if value and all(key.isdigit() for key in value):
        return [as_lists(value[key]) for key in sorted(value, key=int)]
    return {key: as_lists(one) for key, one in value.items()}


def otlp(spans: list[dict[str, Any]]) -> dict[str, Any]:
    from datetime import datetime

    def value(held):
        kinds = {str: "stringValue", float: "doubleValue"}
        return {"intValue": str(held)} if type(held) is int else {kinds[type(held)]: held}

    def nanoseconds(time):
        return str(round(datetime.fromisoformat(time).timestamp() * 1e6) * 1000)

    listed = [
        {"traceId": one["context"]["trace_id"][2:], "spanId": one["context"]["span_id"][2:],
         "parentSpanId": (one["parent_id"] or "0x")[2:], "name": one["name"],
         "startTimeUnixNano": nanoseconds(one["start_time"]), "endTimeUnixNano": nanoseconds(one["end_time"]),
         "attributes": [{"key": key, "value": value(held)} for key, held in one["attributes"].items()]}
        for one in spans
    ]  # fmt: skip
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": listed}]}]}


def frame_rows(spans: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of the frame of Phoenix: the newest first, times in milliseconds, all columns in every row."""
    rows = []
    for one in reversed(spans):
        row = {"name": one["name"], "span_kind": one["attributes"]["openinference.span.kind"],
               "parent_id": (one["parent_id"] or "0x")[2:] or None,
               "start_time": in_milliseconds(one["start_time"]), "end_time": in_milliseconds(one["end_time"]),
               "context.span_id": one["context"]["span_id"][2:],
               "context.trace_id": one["context"]["trace_id"][2:]}  # fmt: skip
        for name, value in one["attributes"].items():
            if not name.startswith("retrieval."):
                row[f"attributes.{name}"] = json.loads(value) if name == "metadata" else value
        documents = as_lists(in_objects(one["attributes"])).get("retrieval", {}).get("documents")
        row["attributes.retrieval.documents"] = documents and [
            {"document.content": held["document"]["content"],
             "document.metadata": json.loads(held["document"]["metadata"])}
            for held in documents
        ]  # fmt: skip
        rows.append(row)
    names = dict.fromkeys(name for row in rows for name in row)
    return [{name: row.get(name) for name in names} for row in rows]


def rest_rows(spans: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of Phoenix's REST interface: metadata taken apart, the newest first."""
    rows = []
    for one in reversed(spans):
        told = {key: value for key, value in one["attributes"].items() if key != "metadata"}
        told |= {f"metadata.{key}": value for key, value in json.loads(one["attributes"]["metadata"]).items()}
        told.pop("openinference.span.kind")
        rows.append({
            "id": "x", "name": one["name"], "span_kind": one["attributes"]["openinference.span.kind"],
            "context": {key: one["context"][key][2:] for key in ("trace_id", "span_id")},
            "parent_id": (one["parent_id"] or "0x")[2:] or None, "start_time": one["start_time"],
            "end_time": one["end_time"], "attributes": told, "events": [],
        })  # fmt: skip
    return rows


def frame() -> pl.DataFrame:
    rows = [
        row | {"attributes.metadata": json.dumps(row["attributes.metadata"])}
        for row in frame_rows(openinference())
    ]
    return pl.DataFrame(rows, infer_schema_length=None).with_columns(
        pl.col("start_time", "end_time").str.to_datetime(time_zone="UTC")
    )


def parquet() -> bytes:
    stream = BytesIO()
    frame().write_parquet(stream)
    return stream.getvalue()


def as_lines(records: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


FORMS: dict[str, Any] = {
    "sdk": lambda: as_lines(openinference()),
    "nested": lambda: as_lines(nested(openinference())),
    "otlp": lambda: json.dumps(otlp(openinference())).encode(),
    "otlp indented": lambda: json.dumps(otlp(openinference()), indent=2).encode(),
    "phoenix jsonl": lambda: as_lines(frame_rows(openinference())),
    "phoenix parquet": parquet,
    "phoenix polars": frame,
    "phoenix pandas": lambda: frame().to_pandas(),
    "phoenix rest": lambda: as_lines(rest_rows(openinference())),
    "phoenix list": lambda: rest_rows(openinference()),
    "phoenix answer": lambda: json.dumps({"data": rest_rows(openinference()), "next_cursor": None}).encode(),
    "genai sdk": lambda: as_lines(genai()),
    "genai otlp": lambda: json.dumps(otlp(genai())).encode(),
    "genai list": genai,
}
