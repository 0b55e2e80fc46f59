"""Trajectories as logs: what steps show of a document is a route through its nodes, and models are fitted."""

from __future__ import annotations

import json
import random

import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import group
from doxeval.core.errors import UsageError

PARTS, WORDS = 14, 30


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Documents with paragraphs one after the other under headings."""
    place = tmp_path_factory.mktemp("documents")
    for number in range(3):
        parts = (f"# Part {at}\n\n{words(at)}" for at in range(PARTS))
        (place / f"d{number}.md").write_text("\n\n".join(parts), encoding="utf-8")
    return place


def words(at: int) -> str:
    return " ".join(f"word{at}x{word}" for word in range(WORDS))


def paragraph(folder, doc: str, at: int) -> tuple[int, int]:
    """Where a paragraph stands in the text of a document."""
    documents = dx.read_documents(folder)
    start = documents.text[documents.ids.index(doc)].index(f"word{at}x0")
    return start, start + 40


@pytest.fixture(scope="module")
def moves():
    """Where readers of forty topics go, mostly to the next paragraph."""
    rng, found = random.Random(5), {}
    for topic in range(40):
        at, route = rng.randint(0, 5), []
        for _ in range(5):
            route.append(min(at, PARTS - 1))
            at += rng.choice([1, 1, 1, 2, 3])
        found[f"t{topic}"] = (f"d{topic % 3}", route)
    return found


@pytest.fixture(scope="module")
def steps(folder, moves):
    """The same as the steps of a trajectory, with a search and another document between them."""
    lines = []
    for topic, (doc, route) in moves.items():
        lines.append({"topic": topic, "step": 1, "action": "search", "query": "part", "named": [doc]})
        for number, at in enumerate(route):
            start, end = paragraph(folder, doc, at)
            place = {"doc": doc, "start": start, "end": end, "seconds": 2}
            lines.append({"topic": topic, "step": 2 + number, "action": "read"} | place)
    return lines


@pytest.fixture(scope="module")
def sessions(folder, moves):
    """The same as sessions between nodes."""
    documents = dx.read_documents(folder)
    rows = []
    for doc, route in moves.values():
        code = documents.ids.index(doc)
        first, after = documents.node_offset[code : code + 2]
        names = []
        for at in route:
            start, _ = paragraph(folder, doc, at)
            holding = [
                (documents.depth[row], row)
                for row in range(first, after)
                if documents.start[row] <= start < documents.end[row]
            ]
            names.append(documents.path(code, max(holding)[1] - first))
        rows.append({"doc": doc, "route": names})
    return rows


def test_a_fit_on_steps_is_that_on_the_same_sessions(folder, steps, sessions) -> None:
    for model in ("readon(mean=?)", "hierarchical"):
        by_steps, by_sessions = (dx.compare_navigations(log, folder, model).rows for log in (steps, sessions))
        assert by_steps == by_sessions


def test_the_fitted_reader_can_be_used(folder, steps) -> None:
    fitted = dx.fit_navigation(steps, folder, "readon(mean=?)")
    assert 10 < fitted.parameters[0].value < 10_000
    start, end = paragraph(folder, "d0", 3)
    gold = [{"topic": "t0", "doc": "d0", "start": end + 40, "end": end + 60}]
    run = [{"topic": "t0", "doc": "d0", "start": start, "end": end, "rank": 1}]
    scores = dx.evaluate({"r": run}, gold, f"ESRR(nav={fitted}) iR", folder)
    assert scores.value("r", "iR") == 0 < scores.value("r", f"ESRR(nav={fitted})")


def test_the_command_takes_files_and_says_what_it_left_out(folder, steps, tmp_path) -> None:
    elsewhere = {"topic": "t0", "step": 9, "action": "read", "doc": "unheard", "start": 0, "end": 9}
    log = tmp_path / "agent.jsonl"
    log.write_text("".join(json.dumps(line) + "\n" for line in [*steps, elsewhere]), encoding="utf-8")
    arguments = ["navigations", "--log", str(log), "--docs", str(folder), "--fit", "readon(mean=?)"]
    done = CliRunner().invoke(group, arguments)
    assert done.exit_code == 0, done.output
    assert "readon(mean=" in done.output
    assert "1 place of steps left out" in done.output


def test_what_cannot_be_a_log_is_told(steps) -> None:
    flat = {f"d{number}": "word " * 500 for number in range(3)}
    with pytest.raises(UsageError, match="have no parts"):
        dx.fit_navigation(steps, flat, "readon(mean=?)")
    ranked = dx.read_run([{"topic": "t", "doc": "d0", "rank": 1, "start": 0, "end": 3}])
    with pytest.raises(UsageError, match="holds ranked results"):
        dx.fit_navigation(ranked, flat, "readon(mean=?)")
