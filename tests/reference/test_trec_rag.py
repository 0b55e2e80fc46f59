"""Answers, nuggets and judgements of TREC's RAG track, and the format of LongCite."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

import doxeval

DATA = Path(os.environ.get("DOXEVAL_REFERENCE_DATA", "missing")) / "data" / "benchmarks"
needs_data = pytest.mark.skipif(not (DATA / "trec-rag").is_dir(), reason="the files of TREC RAG are not here")


@needs_data
def test_answers_are_runs_of_what_they_cite():
    path = DATA / "trec-rag" / "baseline_rag24.test_gpt-4o_top20.jsonl.gz"
    run = doxeval.read_run(path)
    rows = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    assert len(rows) == 301 and sum(len(row["answer"]) for row in rows) == 3975
    assert sum(len(one["citations"]) for row in rows for one in row["answer"]) == 4108
    for row in rows:
        cited = dict.fromkeys(row["references"][at] for one in row["answer"] for at in one["citations"])
        code = run.topics.index(row["topic_id"])
        assert [run.docs[doc] for doc in run.doc[run.topic == code]] == list(cited)
    with pytest.raises(doxeval.InputError, match=r"not recognised as assessments but as run \(trec-rag\)"):
        doxeval.read_assessments(path)


@needs_data
def test_nuggets_and_qrels_of_a_model_are_read():
    nuggets = doxeval.read_scores(DATA / "trec-rag" / "rag25-dev-nuggets.part.jsonl")
    assert len(nuggets.topics) == 11 and "614 of 614 nuggets are not judged" in "; ".join(
        map(str, nuggets.notices)
    )
    assert nuggets.bounds(nuggets.names[0], "VitalNuggetRecall") == (0, 1)
    qrels = doxeval.read_assessments(DATA / "trec-rag" / "rag25-climbmix-umbrela-qwen3.5-9b-v2.part.qrels")
    assert len(qrels.topics) == 11 and len(qrels.pair_doc) == 12_973 and qrels.ranges.grade.max() <= 4


@needs_data
def test_the_answer_in_the_prompt_of_longcite(tmp_path):
    prompt = (DATA / "longcite" / "one_shot_prompt.txt").read_text()
    answer = prompt.rpartition("[Answer with Citations]")[0].rpartition("[Answer with Citations]")[2]
    (tmp_path / "answers.jsonl").write_text(json.dumps({"idx": 0, "prediction": answer}) + "\n")
    run = doxeval.read_run(tmp_path / "answers.jsonl")
    assert run.unit == "lines"
    assert list(zip(run.start.tolist(), run.end.tolist(), strict=True)) == [(10, 11), (17, 18), (6, 8)]


def test_a_twin_of_the_answers(tmp_path):
    rows = [
        {"run_id": "r", "topic_id": "1", "topic": "why?", "references": ["a", "b", "c"], "answer": [
            {"text": "So.", "citations": [2, 0]}, {"text": "And so.", "citations": [0, 7]}]},
        {"run_id": "r", "topic_id": "2", "topic": "how?", "references": [], "answer": [
            {"text": "Nobody knows.", "citations": []}]},
    ]  # fmt: skip
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = doxeval.read_run(path)
    assert [run.docs[doc] for doc in run.doc] == ["c", "a"] and run.topics == ["1", "2"] and run.tag == "r"
    told = "; ".join(map(str, run.notices))
    assert "1 citation points to no reference" in told and "1 reference is listed but cited by no" in told
