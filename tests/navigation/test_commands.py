"""navigate, navigations, summary and simulate on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from doxeval.cli import group
from tests.navigation.test_models import DOCS, ROUTES


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    path = tmp_path / "docs.jsonl"
    path.write_text("\n".join(map(json.dumps, DOCS)))
    return path


def told(*arguments: object) -> str:
    result = CliRunner().invoke(group, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_models_are_listed_and_explained() -> None:
    listed = told("navigations")
    assert all(name in listed for name in ("hierarchical", "readon", "summary", "links"))
    assert "PRUM Eq. 9" in told("navigations", "hierarchical")


def test_what_navigate_prints_can_be_read_back(docs: Path, tmp_path: Path) -> None:
    told("navigate", docs, "--nav", "hierarchical", "-f", "csv", "-o", tmp_path / "nav.csv")
    again = told("navigate", docs, "--nav", f"matrix(file={tmp_path / 'nav.csv'})", "-f", "jsonl")
    assert again == told("navigate", docs, "--nav", "hierarchical", "-f", "jsonl")
    assert len(told("navigate", docs, "--doc", "d", "--from", "p").splitlines()) == 1 + 2


def test_summary_is_saved_and_drawn(docs: Path, tmp_path: Path) -> None:
    saved, dot, svg = (tmp_path / name for name in ("s.json", "s.dot", "s.svg"))
    table = told("summary", docs, "-p", "path", "-o", saved, "--dot", dot, "--svg", svg)
    assert "/article/sec/p" in table
    classes = {one["name"]: one for one in json.loads(saved.read_text())["classes"]}
    assert classes["/article/sec"]["extent"] == 2 and classes["/article/sec"]["length"] == 80
    assert classes["/article/sec"]["steady"] == pytest.approx(5 / 10)
    assert "->" in dot.read_text()
    picture = ElementTree.fromstring(svg.read_text())
    assert sum(part.tag.endswith("rect") for part in picture.iter()) == 3


def test_models_are_compared_on_a_log(docs: Path, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    rows = [{"doc": "d", "route": route} for route in ROUTES * 4]
    log.write_text("\n".join(map(json.dumps, rows)))
    lines = told(
        "navigations",
        "--log",
        log,
        "--docs",
        docs,
        "none",
        "hierarchical",
        f"routes(file={log},partition=node)",
    ).splitlines()
    found = [float(line.split()[1]) for line in lines[1:]]
    assert found[0] < found[1] < found[2] < 0


def test_readers_meet_the_formula(docs: Path, tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels.jsonl", tmp_path / "run.jsonl"
    qrels.write_text('{"topic": "t", "doc": "d", "start": 5, "end": 50}\n')
    run.write_text('{"topic": "t", "doc": "d", "rank": 1, "start": 20, "end": 35}\n')
    printed = told(
        "simulate",
        run,
        "-q",
        qrels,
        "-d",
        docs,
        "--nav",
        "hierarchical",
        "-m",
        "NearMisses@1 ESRR@1",
        "--readers",
        400,
    )
    for line in printed.splitlines()[1:]:
        assert float(line.split()[-2]) < 4
