"""Traces as runs: spans of the SDK and of OTLP, OpenInference and GenAI, and whose question they answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import group

DOCUMENTS = {"tea": "Tea is a drink. It is hot. Tea is a drink.", "milk": "Milk is white. It is cold."}
GOLD = [
    {"topic": "q1", "query": "What is  tea?"},
    {"topic": "q1", "doc": "tea", "start": 27, "end": 42},
    {"topic": "q2", "query": "And milk?"},
    {"topic": "q2", "doc": "milk", "start": 0, "end": 14},
]


def span(question: str, *chunks: dict, id: str = "1", parent: str | None = None, **more) -> dict:
    told = {f"retrieval.documents.{at}.document.{key}": value
            for at, chunk in enumerate(chunks) for key, value in chunk.items()}  # fmt: skip
    attributes = {"openinference.span.kind": "RETRIEVER", "input.value": question, **told, **more}
    context = {"trace_id": "0x1", "span_id": id}
    return {"name": "r", "context": context, "parent_id": parent, "attributes": attributes}


def otlp(*spans: dict) -> dict:
    def value(held):
        kinds = {str: "stringValue", float: "doubleValue", bool: "boolValue"}
        if isinstance(held, list):
            return {"arrayValue": {"values": [value(one) for one in held]}}
        if isinstance(held, dict):
            return {"kvlistValue": {"values": [{"key": k, "value": value(v)} for k, v in held.items()]}}
        return {"intValue": str(held)} if type(held) is int else {kinds[type(held)]: held}

    listed = [
        {"spanId": one["context"]["span_id"], "parentSpanId": one["parent_id"] or "",
         "attributes": [{"key": key, "value": value(held)} for key, held in one["attributes"].items()]}
        for one in spans
    ]  # fmt: skip
    return {"resourceSpans": [{"scopeSpans": [{"spans": listed}]}]}


def lines(*records: dict) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


SECOND = '{"source": "tea.txt", "start_index": 27}'
SPANS = (
    span("What is tea?", {"content": "Tea is a drink.", "metadata": SECOND},
         {"content": "It is cold.", "score": 0.5}),
    span("And milk?", {"content": "Milk is white.", "id": "chunk-7"}, id="2"),
)  # fmt: skip


@pytest.mark.parametrize("data", [lines(*SPANS), lines(otlp(*SPANS)), lines(*(otlp(one) for one in SPANS))])
def test_chunks_stand_where_metadata_say_or_where_their_content_is(data: bytes) -> None:
    scores = dx.evaluate(dx.read_run(data, name="r"), GOLD, "iP@1 iR@1 iR", DOCUMENTS)
    assert [scores.value("r", name, "q1") for name in scores.measures] == [1, 1, 1]
    assert [scores.value("r", name, "q2") for name in scores.measures] == [1, 1, 1]


def test_a_start_that_is_wrong_is_told_and_the_content_counts() -> None:
    moved = span("q1", {"content": "It is hot.", "metadata": '{"source": "tea", "start_index": 3}'})
    with pytest.warns(dx.DoxevalWarning, match="is not where its metadata says"):
        gold = [{"topic": "q1", "doc": "tea", "start": 16, "end": 26}]
        scores = dx.evaluate({"r": lines(moved)}, gold, "iP", DOCUMENTS)
    assert scores["iP"] == 1


def test_genai_spans_name_documents_or_hold_them() -> None:
    attributes = {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.query.text": "And milk?"}
    for documents in (
        [{"id": "milk", "score": 0.9}],
        [{"id": "c1", "content": "Milk is white. It is cold."}],
    ):
        for told in (documents, json.dumps(documents)):
            one = {
                "context": {"trace_id": "1"},
                "attributes": attributes | {"gen_ai.retrieval.documents": told},
            }
            for data in (lines(one), lines(otlp(one | {"context": {"span_id": "1"}, "parent_id": None}))):
                run = dx.read_run(data, name="r")
                assert dx.Evaluation(GOLD[2:], "iP", DOCUMENTS).score(run)["iP"] == pytest.approx(14 / 26)


def test_the_outer_retrieval_counts_and_of_several_the_last() -> None:
    inner = span("q1", {"content": "It is hot."}, id="2", parent="9")
    between = {"context": {"trace_id": "1", "span_id": "9"}, "parent_id": "1", "attributes": {}}
    outer = span("q1", {"content": "Tea is a drink."})
    run = dx.read_run(lines(inner, between, outer))
    assert run.texts == ["Tea is a drink."] and any("1 span is not a retr" in str(one) for one in run.notices)
    run = dx.read_run(lines(outer, span("q1", {"content": "It is cold."}, id="5"), span("q2", id="6")))
    assert run.texts == ["It is cold."] and run.topics == ["q1", "q2"]
    assert any("asked more than once" in str(one) for one in run.notices.lasting)


def test_questions_by_an_attribute_and_in_json(tmp_path: Path) -> None:
    data = lines(span('{"query": "And milk?"}', {"content": "Milk is white."}, **{"my.topic": "q1"}))
    assert dx.read_run(data).topics == ["And milk?"]
    assert dx.read_run(data, question_attribute="my.topic").topics == ["q1"]
    own = lines(span("whatever", {"content": "Milk is white."}, **{"doxeval.topic": "q2"}))
    assert dx.read_run(own).topics == ["q2"]
    with pytest.raises(dx.InputError, match="no 'attribute other'"):
        dx.read_run(data, question_attribute="other")
    with pytest.raises(dx.UsageError, match="a question attribute applies to traces"):
        dx.read_run(b'{"topic": "q1", "doc": "tea", "rank": 1}', question_attribute="my.topic")
    (tmp_path / "traces.jsonl").write_bytes(data)
    (tmp_path / "gold.jsonl").write_bytes(lines(*GOLD))
    (tmp_path / "docs.jsonl").write_bytes(
        lines(*({"doc": doc, "text": text} for doc, text in DOCUMENTS.items()))
    )
    files = ["-q", str(tmp_path / "gold.jsonl"), "-d", str(tmp_path / "docs.jsonl")]
    for more, expected in (([], 0.5), (["--question-attribute", "my.topic"], 0.0)):
        told = CliRunner().invoke(
            group, ["eval", str(tmp_path / "traces.jsonl"), *files, "-m", "iP@1", "-f", "metrics", *more]
        )
        assert json.loads(told.stdout) == {"iP_at_1": expected}


def test_a_wording_that_several_topics_share_stands_for_none() -> None:
    gold = [
        *GOLD,
        {"topic": "q3", "query": "And milk?"},
        {"topic": "q3", "doc": "milk", "start": 0, "end": 4},
    ]
    with pytest.raises(dx.UsageError, match="none of its topics were assessed"):
        dx.Evaluation(gold, "iP", DOCUMENTS).score(lines(SPANS[1]))


def nested(one: dict, deep: int = 99) -> dict:
    """A span whose attributes are objects and lists within one another, down to some depth."""
    found: dict = {}
    for name, value in one["attributes"].items():
        *above, last = name.split(".", deep) if "metadata" not in name else name.split(".")
        place = found
        for key in above:
            place = place.setdefault(key, {})
        place[last] = json.loads(value) if last == "metadata" else value
    documents = found.get("retrieval", {}).get("documents")
    if isinstance(documents, dict) and all(key.isdigit() for key in documents):
        found["retrieval"]["documents"] = [documents[key] for key in sorted(documents, key=int)]
    return {**one, "attributes": found}


@pytest.mark.parametrize("deep", [1, 2, 3, 99])
@pytest.mark.parametrize("way", [lambda *spans: lines(*spans), lambda *spans: lines(otlp(*spans))])
def test_nested_attributes_are_those_of_flat_ones(way, deep: int) -> None:
    flat, found = (dx.Evaluation(GOLD, "iP@2 iR@2", DOCUMENTS).score(way(*spans)).runs[0].values
                   for spans in (SPANS, [nested(one, deep) for one in SPANS]))  # fmt: skip
    assert found.tolist() == flat.tolist() and flat.max() == 1


def test_a_trace_without_retrievals_says_what_it_has() -> None:
    others = [span("What is tea?", id=str(at)) for at in range(3)]
    for one, kind in zip(others, ("LLM", "LLM", "CHAIN"), strict=True):
        one["attributes"]["openinference.span.kind"] = kind
    for data in (lines(*others), lines(otlp(*others))):
        with pytest.raises(
            dx.InputError, match=r"none of its 3 spans is a retrieval \(found 2 LLM, 1 CHAIN\)"
        ):
            dx.read_run(data)
