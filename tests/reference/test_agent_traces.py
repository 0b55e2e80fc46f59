"""Traces of real instrumentations: every form of them is the same trajectory, and scores the same."""

from __future__ import annotations

import json
import os
from pathlib import Path

import polars as pl
import pytest

import doxeval as dx
from doxeval.tables.steps import ACTIONS

DATA = Path(os.environ.get("DOXEVAL_REFERENCE_DATA", "missing")) / "data" / "agents" / "otel"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the traces of agents are not here")
MEASURES = "iR iP iR@3 iP@500c AiP"
OF_STEPS = "iR@4steps iR@30s Again UsedR"
RECALL = "iR iR@3 iR@4steps Stage(stage=read) Area(of=iR)@8steps"
OPENINFERENCE = (
    "spans.sdk.jsonl", "spans.nested.jsonl", "spans.otlp.json", "phoenix.jsonl", "phoenix.parquet",
    "phoenix.rest.jsonl",
)  # fmt: skip
GENAI = ("genai.sdk.jsonl", "genai.otlp.json")
LLAMAINDEX = ("llamaindex.sdk.jsonl", "llamaindex.otlp.json")


def score(data, gold=DATA / "gold.jsonl", measures=MEASURES, **options):
    run = dx.read_run(data, name="r", **options)
    assert not run.notices.failures
    return run, dx.evaluate({"r": run}, gold, measures, DATA / "documents.jsonl").runs[0].values.tolist()


@pytest.mark.parametrize(
    "names", [OPENINFERENCE, GENAI, LLAMAINDEX], ids=["openinference", "genai", "llamaindex"]
)
def test_every_form_scores_the_same(names):
    measures = MEASURES if names == LLAMAINDEX else f"{MEASURES} {OF_STEPS}"
    first, expected = score(DATA / names[0], measures=measures)
    for name in names[1:]:
        run, found = score(DATA / name, measures=measures)
        assert found == expected and run.topics == first.topics, name


@pytest.mark.parametrize("name", OPENINFERENCE + GENAI)
def test_every_agent_takes_eight_steps_and_finds_everything(name):
    run, values = score(DATA / name)
    expected = ["other", "search", "other", "search", "other", "read", "other", "answer"]
    assert [ACTIONS[code] for code in run.steps.action] == expected * 3 and len(run) == 21
    assert values[0] == [1, 1, 1]


def test_both_conventions_have_the_same_recall_wherever_their_retrievers_agree():
    """The two retrievers rank differently, so precision differs; the same steps show what is relevant."""
    first, by_openinference = score(DATA / OPENINFERENCE[0], measures=RECALL)
    second, by_genai = score(DATA / GENAI[0], measures=RECALL)
    assert by_openinference == by_genai and first.steps.query == second.steps.query


@pytest.mark.parametrize("name", OPENINFERENCE + GENAI)
def test_questions_are_matched_without_their_words_too(name):
    gold = [
        {key: value for key, value in json.loads(line).items() if key != "query"}
        for line in (DATA / "gold.jsonl").read_text().splitlines()
    ]
    expected = score(DATA / name)[1]
    attribute = "gen_ai.conversation.id" if name in GENAI else "metadata.question_id"
    assert score(DATA / name, gold)[1] == expected
    assert score(DATA / name, gold, question_attribute=attribute)[1] == expected


def test_frames_score_as_their_files():
    frame = pl.read_parquet(DATA / "phoenix.parquet")
    expected = score(DATA / "phoenix.parquet")[1]
    rows = [json.loads(line) for line in (DATA / "phoenix.rest.jsonl").read_text().splitlines()]
    for data in (frame, frame.lazy(), frame.to_pandas(), rows):
        assert score(data)[1] == expected


def test_a_query_engine_without_agent_is_a_run_of_one_retrieval_each():
    run, _ = score(DATA / LLAMAINDEX[0])
    assert run.steps is None and len(run) == 9 and len(run.topics) == 3
