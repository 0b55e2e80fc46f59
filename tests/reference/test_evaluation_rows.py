"""Rows of ragas, Langfuse and LangSmith: ragas' figures by ids, and why those by strings are wrong."""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path

import pytest

import doxeval

DATA = Path(os.environ.get("DOXEVAL_REFERENCE_DATA", "missing")) / "data" / "benchmarks"
needs_data = pytest.mark.skipif(not (DATA / "ragas").is_dir(), reason="the rows of ragas are not here")
BY_IDS = {"SetP": "id_based_context_precision", "SetR": "id_based_context_recall"}


def rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def evaluated(run, gold, measures, documents=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", doxeval.DoxevalWarning)
        return doxeval.evaluate(run, gold, measures, documents)


@needs_data
@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_every_figure_of_ragas_by_ids(suffix):
    pytest.importorskip("ir_measures")
    file = DATA / "ragas" / f"evaluation_dataset.{suffix}"
    scores = evaluated(file, file, list(BY_IDS))
    queries = {query: topic for topic, query in doxeval.read_assessments(file).queries.items()}
    values = scores.runs[0].values
    for official in rows(DATA / "ragas" / "official" / "ragas_scores.jsonl"):
        topic = scores.topics.index(queries[" ".join(official["user_input"].split())])
        for at, name in enumerate(BY_IDS.values()):
            assert values[at, topic] == pytest.approx(official[name], abs=1e-9)
    means = json.loads((DATA / "ragas" / "official" / "ragas_means.json").read_text())
    for measure, name in BY_IDS.items():
        assert scores.value("evaluation_dataset", measure) == pytest.approx(means[name], abs=1e-9)


@needs_data
def test_text_recall_of_ragas_rows_is_that_of_whole_references_where_contexts_are_whole_paragraphs():
    file = DATA / "ragas" / "evaluation_dataset.jsonl"
    scores = evaluated(file, file, ["NeedRecall@5"], "retrieved")
    means = json.loads((DATA / "ragas" / "official" / "ragas_means.json").read_text())
    assert scores.value("evaluation_dataset", "NeedRecall@5") == pytest.approx(
        means["non_llm_context_recall"]
    )


@needs_data
def test_the_same_retrieval_has_the_same_values_in_all_formats():
    gold = DATA / "ragas" / "evaluation_dataset.jsonl"
    runs = {
        "ragas": gold,
        "langfuse": DATA / "langfuse" / "observations.jsonl",
        "langsmith": DATA / "langsmith" / "runs.jsonl",
    }
    scores = evaluated(runs, gold, ["iP@5", "iR@5", "NeedRecall@5"], "retrieved")
    asked = [len(doxeval.read_run(run).topics) for run in runs.values()]
    assert asked == [26, 10, 10]
    answered = [at for at, topic in enumerate(scores.topics) if scores.runs[1].values[0, at] > 0]
    for run in scores.runs[1:]:
        assert run.values[:, answered] == pytest.approx(scores.runs[0].values[:, answered])


@needs_data
def test_examples_of_langsmith_are_gold_for_its_runs():
    pytest.importorskip("ir_measures")
    scores = evaluated(
        DATA / "langsmith" / "runs.jsonl", DATA / "langsmith" / "examples.jsonl", ["SetP", "SetR"]
    )
    wanted = {
        row["id"]: set(row["outputs"]["documents"]) for row in rows(DATA / "langsmith" / "examples.jsonl")
    }
    steps = rows(DATA / "langsmith" / "runs.jsonl")
    example = {row["trace_id"]: row["reference_example_id"] for row in steps if row["parent_run_id"] is None}
    for row in steps:
        if row["run_type"] == "retriever":
            found = {document["metadata"]["source"] for document in row["outputs"]["documents"]}
            gold = wanted[example[row["trace_id"]]]
            topic = scores.topics.index(example[row["trace_id"]])
            assert scores.runs[0].values[:, topic] == pytest.approx(
                [len(found & gold) / len(found), len(found & gold) / len(gold)]
            )


FACT = "Tea is grown in Assam."
ROWS = [
    {
        "user_input": "Where is tea grown?",
        "retrieved_contexts": [f"{'Coffee likes mountains and shade. ' * 8}{FACT}", "Milk is white."],
        "reference_contexts": [FACT],
        "retrieved_context_ids": ["coffee", "milk"],
        "reference_context_ids": ["tea"],
    },
    {
        "user_input": "What is white?",
        "retrieved_contexts": ["Milk is white."],
        "reference_contexts": ["Milk is white."],
        "retrieved_context_ids": ["milk"],
        "reference_context_ids": ["milk"],
    },
]


@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_a_twin_of_its_rows(tmp_path, suffix):
    pytest.importorskip("ir_measures")
    path = tmp_path / f"rows.{suffix}"
    if suffix == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    else:
        import csv

        with path.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, list(ROWS[0]))
            writer.writeheader()
            writer.writerows({key: str(value) for key, value in row.items()} for row in ROWS)
    scores = evaluated(path, path, ["SetP", "SetR"])
    assert scores.value("rows", "SetP") == scores.value("rows", "SetR") == 0.5
    # The context holds the fact among other text: a similarity of whole strings is far below one half.
    assert evaluated(path, path, ["iR@1"], "retrieved").value("rows", "iR@1") == 1
