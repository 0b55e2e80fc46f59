"""`doxeval budget`: tables of how much must be read."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli.budget_command import command

TEXT = "one two three four five six seven eight"
QRELS = [
    {"topic": "t1", "doc": "d", "start": 4, "end": 13},
    {"topic": "t2", "doc": "d", "start": 0, "end": 3},
    {"topic": "t3", "doc": "d", "start": 24, "end": 33},
]
RUN = [
    {"topic": "t1", "doc": "d", "rank": 1, "start": 0, "end": 7},
    {"topic": "t1", "doc": "d", "rank": 2, "start": 7, "end": 18},
    {"topic": "t2", "doc": "d", "rank": 1, "start": 0, "end": 39},
]


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    for name, rows in (("qrels", QRELS), ("run", RUN), ("docs", [{"doc": "d", "text": TEXT}])):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return [str(tmp_path / "run.jsonl"), "-q", str(tmp_path / "qrels.jsonl")]


def rows(*arguments: str) -> list[dict[str, str]]:
    found = CliRunner().invoke(command, [*arguments, "-f", "csv"], catch_exceptions=False)
    assert found.exit_code == 0, found.output
    return list(csv.DictReader(io.StringIO(found.stdout)))


def test_means_are_over_the_topics_that_get_there(files: list[str], tmp_path: Path) -> None:
    found = rows(*files, "-d", str(tmp_path / "docs.jsonl"), "--recall", "0.5", "--recall", "1")
    assert found == [
        {
            "run": "run",
            "recall": "0.5",
            "reached": "2 of 3",
            "results": "1.5",
            "characters": "5.5",
            "words": "2",
        },
        {
            "run": "run",
            "recall": "1",
            "reached": "2 of 3",
            "results": "1.5",
            "characters": "8",
            "words": "2",
        },
    ]


def test_every_topic_on_request(files: list[str]) -> None:
    found = rows(*files, "--recall", "0.5", "--per-topic")
    assert [(row["topic"], row["reached"], row["characters"]) for row in found] == [
        ("t1", "yes", "9"), ("t2", "yes", "2"), ("t3", "no", "never"), ("all", "2 of 3", "5.5"),
    ]  # fmt: skip


def test_the_table_says_what_was_averaged(files: list[str]) -> None:
    found = CliRunner().invoke(command, files)
    assert "amounts are means over the topics that reach the recall" in found.stdout
    assert sum(line.startswith("run ") and "of 3" in line for line in found.stdout.splitlines()) == 4


def test_a_recall_out_of_range_is_explained(files: list[str]) -> None:
    found = CliRunner().invoke(command, [*files, "--recall", "1.5"])
    assert isinstance(found.exception, dx.UsageError) and "at most 1" in str(found.exception)
