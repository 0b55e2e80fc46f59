"""Every kind of file is named by what it holds, on the command line and in Python alike."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import group

LINES = {
    "run": '{"topic": "t1", "doc": "d1", "rank": 1, "start": 0, "end": 5}',
    "assessments": '{"topic": "t1", "doc": "d1", "start": 0, "end": 9}',
    "chunks": '{"doc": "d1", "start": 0, "end": 9, "chunk": "c1"}',
    "documents": '{"doc": "d1", "text": "One two three."}',
    "scores": '{"run": "mine", "topic": "t1", "measure": "AiP", "value": 0.5}',
    "topics": '{"topic": "t1", "query": "What?"}',
}
CONTENT = {
    "run": "Run 'held': 1 result, 1 topic, 1 document",
    "assessments": "Assessments: 1 topic, 1 assessed document, 1 range",
    "chunks": "Chunks: 1 chunk, 1 document",
    "documents": "Documents: 1 document, 1 node, with text",
    "scores": "Scores: 1 run, 1 topic, 1 measure",
    "topics": "Topics: 1 topic, 0 attributes",
}
UNNAMED = {"run", "assessments", "scores"}
"""Kinds that these lines are recognised as."""


@pytest.mark.parametrize("kind", LINES)
def test_a_file_is_named_by_what_it_holds(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "held.jsonl"
    path.write_text(LINES[kind] + "\n")
    named = None if kind in UNNAMED else kind
    found = dx.validate(path, kind=named)
    assert (found.kind, found.content, found.problems) == (kind, CONTENT[kind], [])
    options = ["--kind", named] if named else []
    done = CliRunner().invoke(group, ["validate", str(path), *options, "--format", "json"])
    assert done.exit_code == 0 and json.loads(done.stdout) == [{"file": str(path)} | found.row]


def test_judged_answers_are_scores_and_say_what_is_not_judged(tmp_path: Path) -> None:
    nugget = {"text": "two years", "importance": "vital"}
    path = tmp_path / "nuggets.jsonl"
    path.write_text(json.dumps({"qid": "q1", "query": "How long?", "nuggets": [nugget]}) + "\n")
    found = dx.validate(path)
    assert found.kind == "scores" and found.content == "Scores: 1 run, 1 topic, 4 measures"
    assert "is not judged, and counts as not supported" in str(found)
    assert dx.validate(dx.read_scores(path)).content == found.content
    assert dx.validate(dx.read_topics({"q1": "How long?"})).kind == "topics"


def test_a_format_of_runs_and_assessments_is_read_as_a_run_beside_assessments(tmp_path: Path) -> None:
    gold = [{"topic": "t", "doc": "d", "start": 0, "end": 4}]
    dx.write_run(dx.read_run([gold[0] | {"rank": 1}]), tmp_path / "run.parquet", format="parquet")
    found = dx.validate(tmp_path / "run.parquet", gold, input_format="parquet")
    assert (found.kind, found.format, found.problems) == ("run", "parquet", [])
