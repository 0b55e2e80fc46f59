"""Commands and writers on inputs changed in their structure: an answer or an error, never a defect."""

from __future__ import annotations

import json
import os
import random
import shlex
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import COMMANDS, group
from doxeval.core.errors import Unforeseen
from doxeval.io.formats.format import formats
from tests.robustness.structures import changed

CHANGES = int(os.environ.get("DOXEVAL_CHANGES", "12"))
DOCUMENT = {
    "doc": "d1", "text": "Tea is a drink. It is hot. Some add milk.", "metadata": {"kind": "page"},
    "nodes": [
        {"id": "r", "parent": None, "tag": "article", "start": 0, "end": 41},
        {"id": "a", "parent": "r", "tag": "p", "start": 0, "end": 15},
        {"id": "b", "parent": "r", "tag": "p", "start": 16, "end": 41},
    ],
}  # fmt: skip
INPUTS: dict[str, list[dict[str, Any]]] = {
    "docs.jsonl": [DOCUMENT, {"doc": "d2", "text": "Coffee, for some, is better.", "url": "x"}],
    "qrels.jsonl": [
        {"topic": "1", "query": "What is tea?", "hops": 2},
        {"topic": "1", "doc": "d1", "start": 0, "end": 15, "rel": 2, "need": "what"},
        {"topic": "1", "doc": "d2", "quote": "is better", "occurrence": "first"},
        {"topic": "2", "doc": "d1", "spans": [[16, 20], [22, 26]], "aspects": ["hot"], "bep": 16},
        {"topic": "2", "doc": "d2"},
    ],
    "second.jsonl": [
        {"topic": "1", "doc": "d1", "start": 4, "end": 20, "rel": 1},
        {"topic": "2", "doc": "d2", "quote": "for some"},
    ],
    "cited.jsonl": [
        {"topic": "1", "answer": 'It is "tea is a drink" [1], "coffee is for some" [2], see [1-2].'},
        {"topic": "2", "citations": [{"quote": "It is hot", "doc": "d1"}, {"result": 1}]},
    ],
    "run.jsonl": [
        {"topic": "1", "doc": "d1", "rank": 1, "score": 2.5, "start": 0, "end": 20},
        {"topic": "1", "doc": "d2", "rank": 2, "score": 1.5, "spans": [[0, 6], [8, 16]]},
        {"topic": "2", "doc": "d1", "rank": 1, "score": 0.5, "start": 10, "end": 41},
        {"topic": "2"},
    ],
    "other.jsonl": [
        {"topic": "1", "doc": "d1", "rank": 1, "text": "It is hot."},
        {"topic": "2", "doc": "d2", "rank": 1},
    ],
    "chunks.jsonl": [
        {"doc": doc, "start": start, "end": start + 12} for doc in ("d1", "d2") for start in (0, 8)
    ],
    "scores.jsonl": [
        {"run": run, "topic": topic, "measure": "AiP", "value": value}
        for run, topic, value in (("a", "1", 0.5), ("a", "2", 0.25), ("b", "1", 0.75), ("b", "2", 1.0))
    ],
    "sizes.jsonl": [
        {"run": f"size={size}", "topic": topic, "measure": "AiP", "value": size / 4}
        for size in (1, 2)
        for topic in "12"
    ],
    "outcomes.jsonl": [
        {"topic": topic, "run": run, "solved": run == "a", "half": "A"} for run in "ab" for topic in "12"
    ],
    "pool.jsonl": [
        {"pool": 1, "depth": 2},
        {"topic": "1", "query": "What?", "doc": "d1", "passages": [[0, 15], [16, 20]], "judged": [[20, 30]]},
        {"topic": "2", "doc": "d2", "passages": [[0, 6]], "length": 28},
    ],
    "topics.jsonl": [
        {"topic": "1", "query": "What?", "kind": "a"},
        {"topic": "2", "query": "Is it?", "kind": "b"},
    ],
}  # fmt: skip
SCORED = "run.jsonl other.jsonl -q qrels.jsonl -d docs.jsonl"
LINES = {
    "eval": SCORED + " -m 'AiP iP@2 iR@20c F@2 ESRP(nav=readon)@2 NeedRecall@2 Judged@5' --per-topic -f csv",
    "budget": SCORED,
    "ceiling": "chunks.jsonl -q qrels.jsonl -d docs.jsonl --runs run.jsonl",
    "diagnose": SCORED + " -m iR@2 --draws 100 --per-topic -f csv --by kind --topics-file topics.jsonl",
    "report": SCORED + " -m AiP -o out.html --by kind --topics-file topics.jsonl",
    "scores": "store",
    "explain": "--run run.jsonl -q qrels.jsonl -d docs.jsonl --topic 1 --measure iP@2",
    "compare": "scores.jsonl --by kind --topics-file topics.jsonl",
    "effects": "sizes.jsonl --draws 100",
    "gate": "run.jsonl --baseline other.jsonl -q qrels.jsonl -d docs.jsonl -m AiP --strict-gold",
    "correlate": "scores.jsonl --outcomes outcomes.jsonl --draws 0",
    "agree": "qrels.jsonl second.jsonl -d docs.jsonl --judged either --graded",
    "plot": SCORED + " -m AiP -o out.svg",
    "pool": SCORED + " --topics-file topics.jsonl -o out.jsonl --judged highlights --order deciding",
    "judge": "pool.jsonl --docs docs.jsonl --topics-file topics.jsonl -a ann --offline out.html",
    "perturb": "run.jsonl relevant-up out.jsonl -q qrels.jsonl -d docs.jsonl",
    "study": f"discrimination {SCORED} -m AiP -o out --draws 100",
    "navigate": "docs.jsonl --nav hierarchical",
    "summary": "docs.jsonl",
    "simulate": "run.jsonl -q qrels.jsonl -d docs.jsonl -m ESRP@2 --readers 20",
    "index": "docs.jsonl -o out.dox",
    "chunk": "docs.jsonl --size 20 -o out.jsonl",
    "cite": "cited.jsonl --run run.jsonl -q qrels.jsonl -d docs.jsonl",
    "anchor": "qrels.jsonl --docs docs.jsonl -o out.jsonl",
    "validate": "run.jsonl qrels.jsonl docs.jsonl",
}
WITHOUT_INPUT = {"config", "demo", "mcp", "synth", "formats", "measures", "navigations", "scores", "convert"}
WRITERS = [
    (kind, format.name)
    for kind in ("run", "assessments", "chunks")
    for format in formats(kind).values()
    if format.write
]


def lay_out(folder: Path, name: str, rng: random.Random | None) -> None:
    """Write the inputs; the one of that name with some of its structure changed."""
    for other, rows in INPUTS.items():
        data = b"".join(as_line(row) for row in rows)
        (folder / other).write_bytes(changed(data, rng) if rng is not None and other == name else data)


def as_line(row: dict[str, Any]) -> bytes:
    return json.dumps(row, ensure_ascii=False).encode() + b"\n"


def answer(words: list[str]) -> int:
    """The exit status of a command; what only the gate has stopped, and what nothing has, is raised."""
    done = CliRunner().invoke(group, words)
    problem = done.exception
    if isinstance(problem, Unforeseen) or not isinstance(
        problem, dx.DoxevalError | OSError | SystemExit | click.ClickException | None
    ):
        raise AssertionError(f"{shlex.join(words)}: {problem!r}") from problem
    return done.exit_code


def test_every_command_that_reads_is_here():
    missing = set(COMMANDS) ^ (set(LINES) | WITHOUT_INPUT)
    assert not missing, f"LINES here has a line for each command that reads, not for {missing}"


@pytest.mark.parametrize("command", [name for name in LINES if name != "scores"])
def test_commands(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = [command, *shlex.split(LINES[command])]
    used = [name for name in INPUTS if name in words]
    lay_out(tmp_path, "", None)
    assert answer(words) in (0, 1, 2)
    rng = random.Random(command)
    for at in range(CHANGES):
        lay_out(tmp_path, used[at % len(used)], rng)
        answer(words)


@pytest.mark.parametrize(("kind", "format"), WRITERS)
def test_writers(kind, format, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = {"run": "run.jsonl", "assessments": "qrels.jsonl", "chunks": "run.jsonl"}[kind]
    rng = random.Random(format)
    for _ in range(CHANGES):
        lay_out(tmp_path, source, rng)
        words = ["convert", source, "out", "--kind", kind, "--format", format, "--docs", "docs.jsonl"]
        if answer(words) == 0:
            assert answer(["validate", "out", "--kind", kind]) in (0, 1, 2)
