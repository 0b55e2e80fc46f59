"""Whatever takes a run takes a trajectory: every command, in Python and on the command line."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import group

TOPICS = [f"t{number}" for number in range(1, 9)]
DOCS = [f"d{number}" for number in range(5)]
GOLD = ["-q", "gold.jsonl", "-d", "docs"]
RUNS = ["x.jsonl", "y.jsonl"]
COMMANDS = {
    "eval": ["eval", *RUNS, *GOLD, "-m", "iR@3steps iR@2s iR@1cost iR@800t Stage(used) Again Area@5steps"],
    "eval without documents": ["eval", *RUNS, "-q", "gold.jsonl", "-m", "iR@3steps Reach(unit=cost)"],
    "eval in processes": ["eval", *RUNS, *GOLD, "-m", "Stage(never)", "--jobs", "2"],
    "eval with a store": ["eval", *RUNS, *GOLD, "-m", "UsedP", "--store", "store"],
    "eval of documents": ["eval", *RUNS, *GOLD, "-m", "iR@3steps", "--as", "documents"],
    "eval of trees": ["eval", *RUNS, *GOLD, "-m", "iR@3steps", "--as", "trees"],
    "eval of files": ["eval", *RUNS, *GOLD, "-m", "iR@3steps", "--level", "file"],
    "eval before a citation": ["eval", *RUNS, *GOLD, "-m", "iR", "--before", "cite"],
    "compare": ["compare", *RUNS, *GOLD, "-m", "iR@3steps", "--test", "t", "--interval", "t"],
    "explain": ["explain", "--run", "x.jsonl", *GOLD, "--topic", "t1", "-m", "iR@3steps"],
    "report": ["report", *RUNS, *GOLD, "-m", "iR@3steps", "-o", "report.html"],
    "gate": ["gate", "x.jsonl", "--baseline", "x.jsonl", *GOLD, "-m", "iR@3steps", "--test", "t"],
    "pool": ["pool", *RUNS, "-d", "docs", "-o", "pool.jsonl"],
    "cite": ["cite", "answers.jsonl", "--run", "x.jsonl", "-d", "docs"],
    "convert": ["convert", "x.jsonl", "again.jsonl", "-d", "docs"],
    "validate": ["validate", "x.jsonl", *GOLD],
    "plot": ["plot", *RUNS, *GOLD, "-m", "iR", "--over", "steps"],
    "plot over cost": ["plot", *RUNS, *GOLD, "-m", "iR", "--over", "cost"],
    "budget": ["budget", *RUNS, *GOLD],
    "diagnose": ["diagnose", *RUNS, *GOLD],
    "correlate": ["correlate", *RUNS, "z.jsonl", *GOLD, "-m", "iR@3steps iP"],
    "simulate": ["simulate", "x.jsonl", *GOLD, "-m", "Hits(nav=hierarchical)@3", "--readers", "20"],
    "perturb": ["perturb", "x.jsonl", "relevant-up", "better.jsonl", *GOLD],
}  # fmt: skip


def steps(seed: int) -> list[dict]:
    """Trajectories of all topics, each step with its amounts."""
    rng, lines = random.Random(seed), []
    for topic in TOPICS:
        for number in range(1, rng.randint(4, 9)):
            action = rng.choice(["search", "open", "read", "read", "cite", "other"])
            line = {"topic": topic, "step": number, "action": action, "tokens": rng.randint(10, 500),
                    "seconds": rng.randint(1, 30) / 10, "cost": rng.randint(1, 30) / 100}  # fmt: skip
            first, doc = rng.randint(1, 30), rng.choice(DOCS)
            if action == "search":
                line |= {"query": "things", "named": [doc]}
            elif action != "other":
                line |= {"doc": doc, "start_line": first, "end_line": first + 9}
            lines.append(line)
    return lines


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rng = random.Random(3)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    for doc in DOCS:
        text = "".join(f"Line {number} of {doc}, about things.\n" for number in range(1, 41))
        (tmp_path / "docs" / f"{doc}.md").write_text(text)
    gold = [
        {"topic": topic, "doc": doc, "start_line": first, "end_line": first + 4}
        for topic in TOPICS
        for doc, first in zip(rng.sample(DOCS, 2), rng.sample(range(1, 30), 2), strict=True)
    ]
    answers = [{"topic": "t1", "answer": 'It says "about things" [1].'}]
    files: dict[str, list[dict]] = {
        "gold": gold,
        "answers": answers,
        "x": steps(1),
        "y": steps(2),
        "z": steps(3),
    }
    for name, rows in files.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_trajectories(folder: Path, command: str) -> None:
    done = CliRunner().invoke(group, COMMANDS[command], catch_exceptions=False)
    assert done.exit_code == 0, done.output


def test_converted_trajectories_score_the_same(folder: Path) -> None:
    dx.convert("x.jsonl", "again.jsonl", documents="docs")
    measures = "iR@3steps iR@1cost Stage(used) Stage(found) Again UsedP"
    first, again = (
        dx.evaluate(run, "gold.jsonl", measures, "docs", unit="lines") for run in ("x.jsonl", "again.jsonl")
    )
    assert [first[measure] for measure in first.measures] == [again[measure] for measure in again.measures]


def test_a_perturbed_trajectory_is_a_list(folder: Path) -> None:
    run = dx.perturb("x.jsonl", "gold.jsonl", "relevant-up", "docs")
    assert run.steps is None and run.step is None
    assert "the steps of the trajectory are left out" in " ".join(map(str, run.notices))


def test_large_trajectories_are_scored_in_pieces(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from doxeval.scoring import loader
    from doxeval.scoring.streaming import blocks

    measures = "iR@3steps iR@1cost Stage(used) UsedP Again"
    whole = dx.evaluate("x.jsonl", "gold.jsonl", measures)
    monkeypatch.setattr(loader.RunLoader, "is_large", True)
    scored = []
    honest = blocks._Total.scores

    def scores(self, run):
        scored.append(run)
        return honest(self, run)

    monkeypatch.setattr(blocks._Total, "scores", scores)
    pieces = dx.evaluate("x.jsonl", "gold.jsonl", measures, unit="lines")
    assert scored and [whole[measure] for measure in whole.measures] == [
        pieces[measure] for measure in pieces.measures
    ]
