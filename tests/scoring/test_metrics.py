"""Means as a plain metrics file, and how fast an evaluation scores in memory."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import doxeval as dx
from doxeval.cli import group
from doxeval.measurement.base import measures
from doxeval.scoring.scores_table import metric_name

QRELS = [{"topic": "t", "doc": "d", "start": 0, "end": 10}]
RUN = [{"topic": "t", "doc": "d", "rank": 1, "start": 5, "end": 25}]


def test_metrics_are_a_flat_file_of_plain_names(tmp_path: Path) -> None:
    (tmp_path / "gold.jsonl").write_text(json.dumps(QRELS[0]))
    for name in ("one", "two"):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(RUN[0]))

    def run(names: str, measured: str, *more: str) -> Result:
        files = [str(tmp_path / f"{name}.jsonl") for name in names.split()]
        gold = ["-q", str(tmp_path / "gold.jsonl"), "-m", measured, "-f", "metrics"]
        return CliRunner().invoke(group, ["eval", *files, *gold, *more])

    text = run("one", "iP@1 iR@1 Reach(recall=1)").stdout
    assert json.loads(text) == {"iP_at_1": 0.25, "iR_at_1": 0.5, "Reach_recall_1": float("inf")}
    assert "Infinity" not in text
    assert json.loads(run("one two", "iP@1").stdout) == {"one/iP_at_1": 0.25, "two/iP_at_1": 0.25}
    for more in (("--per-topic",), ("--by", "kind")):
        assert "would do nothing here: metrics are means" in str(run("one", "iP@1", *more).exception)


def test_undefined_means_are_left_out_and_told() -> None:
    scores = dx.Evaluation([{"topic": "t", "doc": "d"}], "iP@1").score(RUN)
    assert scores.metrics() == {}
    assert any("1 undefined mean is left out" in str(notice) for notice in scores.notices)


def test_two_measures_never_become_one_metric() -> None:
    scores = dx.evaluate({"r": RUN}, QRELS, "tRBP(p=0.5) tRBP(0.5)")
    assert scores.metrics() == {"tRBP_p_0.5": 0.125, "tRBP_0.5": 0.125}
    scores = dx.evaluate({"r": RUN}, QRELS, "iP(0.5)@1 iP(.5)@1")
    assert list(scores.metrics()) == ["iP_0.5_at_1", "iP_.5_at_1"]
    scores = dx.evaluate({"a b": RUN, "a_b": RUN}, QRELS, "iP@1")
    with pytest.raises(dx.UsageError, match="iP@1 of a b and iP@1 of a_b would both be the metric"):
        scores.metrics()


def test_every_measure_has_a_name_that_mlflow_takes() -> None:
    names = [metric_name(text) for kind in measures().values() for text in kind.samples()]
    assert all(re.fullmatch(r"[\w.\-]+", name, re.ASCII) for name in names)


def test_a_prepared_evaluation_scores_a_run_in_memory_many_times_a_second() -> None:
    topics, results = 50, 100
    gold = [{"topic": f"t{t}", "doc": f"d{t}", "start": 0, "end": 500} for t in range(topics)]
    run = dx.read_run(
        [{"topic": f"t{t}", "doc": f"d{(t + r) % topics}", "rank": r + 1, "start": 100 * r,
          "end": 100 * r + 200} for t in range(topics) for r in range(results)], name="r"
    )  # fmt: skip
    evaluation = dx.Evaluation(gold, "AiP iP@10 iR@10 tRBP")
    evaluation.score(run)
    taken = []
    for _ in range(5):
        begun = time.process_time()
        evaluation.score(run)
        taken.append(time.process_time() - begun)
    assert min(taken) / topics < 0.005, "5 ms a topic: ten times what it takes on an idle machine"
