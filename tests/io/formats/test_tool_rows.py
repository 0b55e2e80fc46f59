"""Rows of ragas, Langfuse and LangSmith in all their shapes, and the answers of LongCite."""

from __future__ import annotations

import json

import pytest

import doxeval as dx


def lines(*rows) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def told(table) -> str:
    return "; ".join(map(str, table.notices))


def results(run) -> dict[str, list[str]]:
    """The documents, or else the texts, of each topic, by rank."""
    found: dict[str, list[str]] = {topic: [] for topic in run.topics}
    for row, (topic, doc) in enumerate(zip(run.topic, run.doc, strict=True)):
        found[run.topics[topic]].append(run.docs[doc] or run.texts[row])
    return found


def test_rows_of_ragas_without_ids_references_or_contexts():
    data = lines(
        {"user_input": "one?", "retrieved_contexts": ["a"], "reference": "The answer."},
        {"user_input": "two?", "retrieved_contexts": [], "reference_contexts": ["b", "c"]},
        {"user_input": "one?", "retrieved_contexts": ["z"], "reference": "Another."},
        {"user_input": [{"type": "human", "content": "three?"}, {"type": "ai", "content": "No."}],
         "retrieved_contexts": ["d"], "reference_contexts": None},
    )  # fmt: skip
    run, gold = dx.read_run(data), dx.read_assessments(data)
    assert results(run) == {"one?": ["a"], "three?": ["d"], "two?": []}
    assert gold.quotes is not None and sorted(gold.quotes.text) == ["The answer.", "b", "c"]
    assert "1 question is asked in several rows; the first row of each counts" in told(run)
    assert "1 question has no reference contexts" in told(gold)


def test_contexts_and_ids_of_different_number_are_refused():
    good = {"user_input": "one?", "retrieved_contexts": ["a"]}
    run = dx.read_run(
        lines(good, {"user_input": "x", "retrieved_contexts": ["a"], "retrieved_context_ids": ["b", "c"]})
    )
    assert results(run) == {"one?": ["a"]} and "there are 1 contexts with 2 ids" in told(run)


def observation(own, parent, kind, given, gave, trace="t") -> dict:
    return {
        "id": own,
        "traceId": trace,
        "parentObservationId": parent,
        "type": kind,
        "input": given,
        "output": gave,
    }


def test_retrievers_within_others_are_left_out_and_several_follow_one_another():
    run = dx.read_run(
        lines(
            observation("1", None, "AGENT", {"question": "why?"}, "so"),
            observation("2", "1", "RETRIEVER", "rewritten", json.dumps([{"id": "a"}, {"id": "b"}])),
            observation("3", "2", "SPAN", "", ""),
            observation("4", "3", "RETRIEVER", "inner", [{"id": "x"}]),
            observation(
                "5", "1", "RETRIEVER", "again", {"documents": [{"content": "c", "metadata": {"source": "c"}}]}
            ),
            observation("6", None, "RETRIEVER", "why?", [{"id": "late"}], "u"),
        )
    )
    assert results(run) == {"why?": ["a", "b", "c"]}
    assert "1 question is asked in several traces" in told(run)


def step(own, parent, kind, given, gave, trace, example=None) -> dict:
    return {
        "id": own, "trace_id": trace, "parent_run_id": parent, "run_type": kind, "inputs": given,
        "outputs": gave, "reference_example_id": example,
    }  # fmt: skip


def test_examples_that_ask_the_same_are_told_apart():
    gave = {"documents": [{"page_content": "x", "metadata": {"source": "x"}}]}
    run = dx.read_run(
        lines(
            step("1", None, "chain", {"question": "why?"}, {}, "a", "e1"),
            step("2", "1", "retriever", {"query": "why?"}, gave, "a"),
            step("3", None, "chain", {"question": "why?"}, {}, "b", "e2"),
            step("4", "3", "retriever", {"query": "why?"}, gave, "b"),
        )
    )
    assert results(run) == {"e1": ["x"], "e2": ["x"]}


@pytest.mark.parametrize(
    ("outputs", "docs", "quotes"),
    [
        ({"documents": ["a", "b"]}, ["a", "b"], []),
        ({"documents": [{"page_content": "text", "metadata": {"source": "a"}}]}, ["a"], ["text"]),
        ({"contexts": ["text"]}, [""], ["text"]),
        ({"context": "text"}, [""], ["text"]),
        ({"answer": "words"}, [""], ["words"]),
    ],
)
def test_references_of_examples(outputs, docs, quotes):
    row = {
        "id": "e1",
        "dataset_id": "d",
        "inputs": {"question": "why?"},
        "outputs": outputs,
        "metadata": {"hops": 2},
    }
    gold = dx.read_assessments(lines(row))
    assert list(gold.docs) == docs and gold.attributes == {"e1": {"hops": "2"}}
    assert (gold.quotes.text if gold.quotes is not None else []) == quotes


def test_citations_of_longcite_that_are_none_are_told():
    text = (
        "<statement>A<cite>[3-4], see above</cite></statement><statement>B<cite>[9-9][3-4]</cite></statement>"
    )
    run = dx.read_run(lines({"idx": 5, "prediction": text}))
    assert list(zip(run.start.tolist(), run.end.tolist(), strict=True)) == [(3, 5), (9, 10)]
    assert list(run.docs) == ["5"] and "1 citation is not of the form [first-last]" in told(run)
    pairs = [{"statement": "A", "citation": [{"st_sent": 0, "ed_sent": 2, "cite": "x"}]}]
    assert dx.read_run(lines({"idx": 5, "statements": pairs})).end.tolist() == [3]


def test_empty_texts_are_left_out_and_told():
    run = dx.read_run(lines({"user_input": "one?", "retrieved_contexts": ["a", " ", "b"]}))
    assert results(run) == {"one?": ["a", "b"]} and "1 context is empty and left out" in told(run)
    run = dx.read_run(
        lines(observation("1", None, "RETRIEVER", "why?", ["a", "", {"id": "c", "page_content": ""}]))
    )
    assert results(run) == {"why?": ["a", "c"]} and "1 context is empty and left out" in told(run)
    gold = [{"topic": "why?", "quote": "a"}]
    with pytest.warns(dx.DoxevalWarning):
        scores = dx.evaluate({"run": run}, gold, "iR@2", "retrieved")
    assert scores.value("run", "iR@2") == 1
    assert "1 result has no text and shows nothing" in "; ".join(map(str, scores.notices))
