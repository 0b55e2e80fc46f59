"""The gate: what opens it, what shuts it, and what it says."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from doxeval.cli import group
from doxeval.comparison.gate import Allowance, allowances
from doxeval.core.errors import UsageError

TOPICS = 12


def run_file(path: Path, sizes: list[int]) -> Path:
    """A run that shows, per topic, so many of the 100 relevant characters."""
    rows = [
        {"topic": f"t{at}", "doc": "d", "rank": 1, "start": 0, "end": size} for at, size in enumerate(sizes)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def files(tmp_path: Path) -> Path:
    rows = [{"topic": f"t{at}", "doc": "d", "start": 0, "end": 100} for at in range(TOPICS)]
    (tmp_path / "qrels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run_file(tmp_path / "old.jsonl", [50 + at for at in range(TOPICS)])
    run_file(tmp_path / "same.jsonl", [50 + at for at in range(TOPICS)])
    run_file(tmp_path / "worse.jsonl", [30 + at for at in range(TOPICS)])
    run_file(tmp_path / "better.jsonl", [70 + at for at in range(TOPICS)])
    run_file(tmp_path / "one.jsonl", [50 + at - (40 if at == 3 else 0) for at in range(TOPICS)])
    return tmp_path


def gate(files: Path, run: str, *options: str, baseline: str = "old.jsonl") -> Result:
    arguments = [str(files / f"{run}.jsonl"), "--baseline", str(files / baseline)]
    return CliRunner().invoke(
        group, ["gate", *arguments, "--qrels", str(files / "qrels.jsonl"), "-m", "iR@1", *options]
    )


@pytest.mark.parametrize(
    ("run", "options", "status"),
    [
        ("same", (), 0),
        ("better", ("--max-drop", "0"), 0),
        ("worse", (), 1),
        ("worse", ("--fail-on", "drop", "--max-drop", "0.3"), 0),
        ("worse", ("--fail-on", "drop", "--max-drop", "0.1"), 1),
        ("one", (), 0),
        ("one", ("--max-drop", "0.01"), 1),
        ("one", ("--max-drop", "10%"), 0),
        ("one", ("--max-drop", "10%", "--max-drop", "iR@1:1%"), 1),
        ("one", ("--fail-on", "significant"), 0),
    ],
)
def test_exit_codes(files: Path, run: str, options: tuple[str, ...], status: int) -> None:
    assert gate(files, run, *options).exit_code == status


def test_the_message_names_measure_size_interval_and_worst_topics(files: Path) -> None:
    said = gate(files, "one", "--max-drop", "0.01").output
    for part in (
        "FAIL iR@1",
        "difference -0.0333",
        "95% interval",
        "worst topics: t3 -0.4000",
        "more than 0.01",
    ):
        assert part in said


def test_a_file_of_scores_is_a_baseline_too(files: Path) -> None:
    made = ["eval", str(files / "old.jsonl"), str(files / "better.jsonl"), "-q", str(files / "qrels.jsonl")]
    out = str(files / "scores.csv")
    assert CliRunner().invoke(group, [*made, "-m", "iR@1 iP@1", "--per-topic", "-o", out]).exit_code == 0
    assert gate(files, "same", "--baseline-run", "old", baseline="scores.csv").exit_code == 0
    assert gate(files, "same", "--baseline-run", "better", baseline="scores.csv").exit_code == 1
    untold = gate(files, "same", baseline="scores.csv")
    assert "old, better; choose one with --baseline-run" in str(untold.exception)


@pytest.mark.parametrize("options", [(), ("--jobs", "2")])
def test_scores_are_held_against_a_run_with_options_for_runs(files: Path, options: tuple[str, ...]) -> None:
    for run, status in (("same", 0), ("worse", 1)):
        out = str(files / f"{run}.csv")
        made = ["eval", str(files / f"{run}.jsonl"), "-q", str(files / "qrels.jsonl"), "-m", "iR@1"]
        assert CliRunner().invoke(group, [*made, "--per-topic", "-o", out]).exit_code == 0
        words = ["gate", out, "--baseline", str(files / "old.jsonl"), "-q", str(files / "qrels.jsonl")]
        assert CliRunner().invoke(group, [*words, "-m", "iR@1", *options]).exit_code == status


def test_a_run_is_held_against_itself_under_the_same_name(files: Path) -> None:
    result = gate(files, "old")
    assert result.exit_code == 0 and "old (baseline)" in result.output


def test_junit_and_summary(files: Path) -> None:
    junit, summary = files / "gate.xml", files / "summary.md"
    summary.write_text("before\n")
    result = gate(files, "worse", "--junit", str(junit), "--summary", str(summary))
    assert result.exit_code == 1
    suite = ElementTree.parse(junit).getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("1", "1")
    failure = suite.find("testcase/failure")
    assert failure is not None and "fell significantly" in (failure.get("message") or "")
    text = summary.read_text()
    assert (
        text.startswith("before\n### doxeval gate: 1 of 1 comparison failed")
        and "| ❌ | worse | iR@1 |" in text
    )


def test_allowances() -> None:
    found = allowances(["iP@1:0.5", "0.1"], ["iR@1", "iP@1"])
    assert found == {"iR@1": Allowance(0.1), "iP@1": Allowance(0.5)}
    with pytest.raises(UsageError, match="'iR@2' was not compared; did you mean"):
        allowances(["iR@2:0.1"], ["iR@1"])
    with pytest.raises(UsageError, match="expected an amount"):
        Allowance.parse("much")
    with pytest.raises(UsageError, match="at least 0"):
        Allowance.parse("-1")


def collapse(files: Path, topics: int, *options: str) -> Result:
    """A gate over so many topics, all of which have fallen from 1 to 0."""
    rows = [{"topic": f"t{at}", "doc": "d", "start": 0, "end": 100} for at in range(topics)]
    (files / "qrels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run_file(files / "was.jsonl", [100] * topics)
    run_file(files / "is.jsonl", [0] * topics)
    return gate(files, "is", *options, baseline="was.jsonl")


@pytest.mark.parametrize("test", ["randomisation", "wilcoxon", "sign"])
def test_a_gate_that_sees_nothing_is_not_open(files: Path, test: str) -> None:
    junit, summary = files / "gate.xml", files / "summary.md"
    result = collapse(files, 5, "--test", test, "--junit", str(junit), "--summary", str(summary))
    assert result.exit_code == 2
    assert "undecided" in result.output and "with 5 topics p is never below 0.0625" in result.output
    assert "use 6 topics or more" in result.output and "--max-drop" in result.output
    assert ElementTree.parse(junit).getroot().get("errors") == "1"
    assert "1 of 1 comparison undecided" in summary.read_text()
    assert collapse(files, 6, "--test", test).exit_code == 1


@pytest.mark.parametrize(
    ("options", "status"),
    [
        (("--max-drop", "0.02"), 1),
        (("--fail-on", "significant"), 2),
        (("--fail-on", "drop"), 2),
        (("--fail-on", "drop", "--max-drop", "2"), 0),
        (("--test", "t"), 1),
        (("--alpha", "0.1"), 1),
    ],
)
def test_what_a_gate_can_see(files: Path, options: tuple[str, ...], status: int) -> None:
    assert collapse(files, 5, *options).exit_code == status


def test_an_open_gate_says_the_smallest_drop_that_it_would_have_seen(files: Path) -> None:
    seen = "the smallest detectable drop is about"
    assert f"{seen} 0.0100" in gate(files, "same", "--max-drop", "0.01").output
    alone = gate(files, "one").output
    assert "has not fallen enough" in alone and 0.01 < float(alone.partition(seen)[2].split(";")[0]) < 0.1
    assert seen not in gate(files, "same").output
