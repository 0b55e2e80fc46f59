"""Traces of agents: one trajectory out of all forms, its steps, and whose question they answer."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import doxeval as dx
from doxeval.io.formats.trajectories import step_rows
from doxeval.tables.steps import ACTIONS
from tests.io.formats import agent_traces
from tests.io.formats.agent_traces import DOCUMENTS, FORMS, GOLD, as_lines, openinference

MEASURES = "iR iP iR@3 AiP iP@40c"
forms = pytest.mark.parametrize("form", FORMS)


def values(run, gold=GOLD):
    scores = dx.evaluate({"r": run}, gold, MEASURES, DOCUMENTS)
    return scores.runs[0].values.tolist()


@forms
def test_all_forms_score_the_same(form):
    run = dx.read_run(FORMS[form](), name="r")
    assert not run.notices.failures
    expected = values(dx.read_run(FORMS["sdk"](), name="r"))
    assert values(run) == expected and expected[0] == [1, 1]


@forms
def test_the_steps_are_those_of_the_agent(form):
    run = dx.read_run(FORMS[form](), name="r")
    steps = run.steps
    assert [ACTIONS[code] for code in steps.action] == ["other", "search", "other", "read", "answer"] * 2
    assert run.topics == ["What is tea?", "How much is the deposit?"]
    assert [query for query in steps.query if query] == ["tea", "deposit"]
    assert run.step.tolist() == [1, 1, 3, 6, 6, 8]
    assert run.texts[:3] == [DOCUMENTS["rent.txt"], DOCUMENTS["tea.txt"], "Milk is white.\nIt is cold."]
    assert steps.tokens[:5].tolist() == [42, 0, 50, 0, 0]
    np.testing.assert_array_equal(steps.cost[:5], [np.nan, 0, 0.25, 0, 0])
    assert abs(steps.spent("seconds")[[4, 9]] - [0.0049, 0.0049]).max() <= 0.001


@forms
def test_convert_writes_the_native_form(form, tmp_path):
    dx.convert(FORMS[form](), tmp_path / "steps.jsonl", kind="run")
    assert values(dx.read_run(tmp_path / "steps.jsonl", name="r")) == values(
        dx.read_run(FORMS[form](), name="r")
    )


def test_an_answer_uses_the_documents_that_it_cites():
    run = dx.read_run(FORMS["sdk"]())
    assert [run.steps.used.docs[doc] for doc in run.steps.used.doc] == ["tea.txt"]
    assert run.steps.used.step.tolist() == [4]


@forms
def test_questions_are_found_by_words_by_an_attribute_and_by_id(form):
    without_words = [{key: value for key, value in row.items() if key != "query"} for row in GOLD]
    expected = values(dx.read_run(FORMS[form](), name="r"))
    assert values(dx.read_run(FORMS[form](), name="r"), without_words) == expected
    attribute = "gen_ai.conversation.id" if form.startswith("genai") else "metadata.question_id"
    run = dx.read_run(FORMS[form](), name="r", question_attribute=attribute)
    assert run.topics == ["q1", "q2"] and values(run, without_words) == expected


def test_a_session_is_one_question_if_it_is_named():
    run = dx.read_run(FORMS["otlp"](), question_attribute="session.id")
    assert run.topics == ["s"] and len(run.steps) == 10 and len(run) == 6


def test_a_question_asked_again_counts_as_it_was_the_last_time():
    again = json.loads(json.dumps(openinference()).replace("0x", "0x7").replace("2023", "2024"))
    for one in again:
        if one["name"] == "read_file":
            one["attributes"]["output.value"] = json.dumps(
                {"type": "tool", "data": {"content": "It is cold."}}
            )
    run = dx.read_run(as_lines(openinference() + again))
    assert len(run.steps) == 10 and run.texts[2] == "It is cold."
    assert any("2 questions were asked more than once" in str(one) for one in run.notices.lasting)


def test_spans_whose_root_is_missing_are_one_question_by_their_trace():
    spans = [one for one in openinference() if one["attributes"]["openinference.span.kind"] != "AGENT"]
    run = dx.read_run(as_lines(spans), question_attribute="metadata.question_id")
    assert run.topics == ["q1", "q2"] and len(run) == 6 and len(run.steps) == 8
    lone = [one for one in spans if one["name"] == "read_file"]
    with pytest.raises(dx.InputError, match="nothing is left"):
        for one in lone:
            one["attributes"].pop("metadata")
        dx.read_run(as_lines(lone))


def test_a_root_around_several_agents_that_asks_nothing_is_no_question():
    spans = openinference()
    for one in spans:
        one["context"]["trace_id"] = "0x1"
        one["parent_id"] = one["parent_id"] or "0xff"
    batch = {"name": "batch", "context": {"trace_id": "0x1", "span_id": "0xff"}, "attributes": {}}
    run = dx.read_run(as_lines([*spans, batch]))
    assert run.topics == ["What is tea?", "How much is the deposit?"] and len(run.steps) == 10


def test_searches_in_other_words_below_one_root_are_its_steps():
    root = {
        "name": "chain",
        "context": {"trace_id": "0x1", "span_id": "0x1"},
        "parent_id": None,
        "attributes": {"openinference.span.kind": "CHAIN", "input.value": '{"question": "What is tea?"}'},
    }
    searches = [
        {"name": "r", "context": {"trace_id": "0x1", "span_id": f"0x{at}"}, "parent_id": "0x1",
         "attributes": {"openinference.span.kind": "RETRIEVER", "input.value": words,
                        "retrieval.documents.0.document.content": text}}
        for at, (words, text) in enumerate((("tea", "Tea is a drink."), ("milk", "It is cold.")), start=2)
    ]  # fmt: skip
    run = dx.read_run(as_lines([*searches, root]), name="r")
    assert run.topics == ["What is tea?"] and list(run.steps.query) == ["tea", "milk"]
    assert dx.evaluate({"r": run}, GOLD[:2], "iR", DOCUMENTS)["iR"] == 1
    run = dx.read_run(as_lines([searches[0], root]), name="r")
    assert run.steps is None and run.topics == ["What is tea?"]


def test_text_that_is_in_no_document_was_read_and_is_told():
    spans = openinference()[:7]
    spans[5]["attributes"]["output.value"] = "This was written by nobody."
    run = dx.read_run(as_lines(spans), name="r")
    with pytest.warns(dx.DoxevalWarning, match=r"1 of 3 chunks .* was not found in its"):
        scores = dx.evaluate({"r": run}, GOLD[:2], "iP", DOCUMENTS)
    assert scores["iP"] == pytest.approx(15 / (49 + 48 + 27), abs=0.01)


def test_of_nested_retrievals_that_with_documents_counts_once():
    inner: dict[str, Any] = {
             "name": "_retrieve", "context": {"trace_id": "0x1", "span_id": "0x3"}, "parent_id": "0x2",
             "attributes": {"openinference.span.kind": "RETRIEVER",
                            "input.value": '{"query_bundle": {"query_str": "What is tea?"}}'}}  # fmt: skip
    documents = {"retrieval.documents.0.document.content": "Tea is a drink."}
    outer: dict[str, Any] = {
             "name": "retrieve", "context": {"trace_id": "0x1", "span_id": "0x2"}, "parent_id": None,
             "attributes": {"openinference.span.kind": "RETRIEVER", "input.value": "What is tea?"}
            }  # fmt: skip
    for holder in (inner, outer):
        spans = [
            one | {"attributes": one["attributes"] | (documents if one is holder else {})}
            for one in (inner, outer)
        ]
        run = dx.read_run(as_lines(spans))
        assert run.texts == ["Tea is a drink."] and run.topics == ["What is tea?"] and run.steps is None


@pytest.mark.parametrize(
    ("arguments", "result", "shown"),
    [
        ('{"path": "tea.txt"}', "     2\tIt is hot.\n     3\tIt comes from China.", [("tea.txt", 1, 3)]),
        ("{'path': 'tea.txt'}", "1: Tea is a drink.\n2: It is hot.", [("tea.txt", 0, 2)]),
    ],
)
def test_numbered_lines_of_a_named_document_are_its_lines(arguments, result, shown):
    spans = openinference()[4:7]
    spans[1]["attributes"] |= {"input.value": arguments, "output.value": result}
    run = dx.read_run(as_lines(spans))
    found = [(run.docs[doc], start, end) for doc, start, end in zip(run.doc, run.start, run.end, strict=True)]
    assert run.unit == "lines" and found == shown


def test_results_of_searches_without_spans_of_their_own():
    spans = [one for one in openinference()[:7] if one["name"] != "BM25"]
    cases = {
        json.dumps([{"text": "It is hot.", "metadata": {"source": "tea.txt"}}]): (["It is hot."], []),
        "[tea.txt]\nTea is a drink.\n\n\n[milk.txt]\nIt is cold.": (["Tea is a drink.", "It is cold."], []),
        "tea.txt\nmilk.txt": ([], ["tea.txt", "milk.txt"]),
        json.dumps(["tea.txt", "rent.txt"]): ([], ["tea.txt", "rent.txt"]),
    }
    for result, (texts, named) in cases.items():
        spans[1]["attributes"]["output.value"] = result
        run = dx.read_run(as_lines(spans))
        shown = [line for line in step_rows(run) if line["action"] == "search"]
        places = shown[0].get("shown", [shown[0]] if "text" in shown[0] else [])
        assert [place["text"] for place in places] == texts and shown[0].get("named", []) == named


def test_a_tool_that_failed_shows_nothing():
    spans = openinference()[:7]
    failed = {"type": "tool", "data": {"content": "No such file.", "status": "error"}}
    spans[5]["attributes"]["output.value"] = json.dumps(failed)
    assert len(dx.read_run(as_lines(spans))) == 2


def test_the_forms_are_written_by_hand_and_differ():
    made = {form: make() for form, make in FORMS.items() if not form.startswith("phoenix p")}
    assert len({str(data) for data in made.values()}) == len(made) and agent_traces.genai()
