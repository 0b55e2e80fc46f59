"""What the documentation's commands are run on: the files of the demo, under the names that pages use."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
import warnings
from doctest import DocTestParser
from pathlib import Path

from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import group
from doxeval.demo import ANSWERS, DOCUMENTS, QUESTIONS, RUNS

BLOCK = re.compile(r"(?:<!-- not run: ([^\n]+) -->\n)?^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
FENCE = re.compile(r"^\s*```", re.MULTILINE)
COMMAND = re.compile(r"(\$ )?(doxeval|pip|git|dask|python3?|make|cd|cp) ")

IN_FOL = {"comparison", "scale", "studies"}
"""Pages whose runs are files of INEX."""

SYSTEMS = {"bm25": "sections", "second": "paragraphs", "third": "sentences", "last": "documents"}
LONE = {"old": "sentences", "new": "paragraphs", "run": "paragraphs"}
MADE = (
    "doxeval convert demo/answers.jsonl qrels.txt --format inex-assessments --docs documents",
    "doxeval index documents -o docs.dox",
    "doxeval index documents -o collection.dox",
    'doxeval eval run.jsonl --qrels demo/answers.jsonl -m "iR@5 iP@5" --per-topic -o baseline.csv',
    "doxeval pool runs/* --docs documents --topics-file demo/questions.jsonl --depth 2 -o pool.jsonl",
)
TREE = {
    "doc": "d1",
    "text": "x" * 100,
    "nodes": [
        {"id": "a", "parent": None, "tag": "article", "start": 0, "end": 100},
        {"id": "b", "parent": "a", "tag": "sec", "start": 0, "end": 40},
        {"id": "c", "parent": "a", "tag": "sec", "start": 40, "end": 100},
    ],
}
CITING = {"topic": "q01", "answer": 'It says: "Choosing a chunker is therefore an experiment".'}


def blocks(page: Path) -> list[tuple[str, ...]]:
    """Why it is not run, language and content of every block of a page."""
    text = page.read_text(encoding="utf-8")
    found = [block.groups(default="") for block in BLOCK.finditer(text)]
    assert 2 * len(found) == len(FENCE.findall(text)), f"{page.name}: some fences are no block's"
    return found


def commands(block: str) -> list[str]:
    """The commands of a block, continued lines joined."""
    return [line for line in block.replace("\\\n", " ").splitlines() if line.strip()]


def perform(command: str) -> None:
    """Run a command here; it must succeed."""
    program, *given = shlex.split(command, comments=True)
    arguments = [path for one in given for path in (_matching(one) or [one])]
    if program == "doxeval":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            done = CliRunner().invoke(group, arguments)
        assert done.exit_code == 0, f"{command}\n{done.output}\n{done.exception!r}"
        return
    program = sys.executable if program == "python" else program
    ended = subprocess.run([program, *arguments], capture_output=True, text=True)
    assert ended.returncode == 0 and "Warning" not in ended.stderr, f"{command}\n{ended.stderr}"


def _matching(pattern: str) -> list[str]:
    """The files that a shell would put for a pattern."""
    return sorted(map(str, Path().glob(pattern))) if "*" in pattern and "/" in pattern else []


def prepare(page: str) -> None:
    """Lay out here what a page takes for granted."""
    for name in ("documents", "corpus", "articles", "old-documents", "demo/documents"):
        shutil.copytree(DOCUMENTS, name)
    shutil.copytree(RUNS, "demo/runs")
    shutil.copy(QUESTIONS, "demo")
    for name in ("demo/answers", "answers", "gold", "known", "qrels", "ann", "bob", "model", "human"):
        shutil.copy(ANSWERS, f"{name}.jsonl")
    for name, system in LONE.items():
        shutil.copy(RUNS / f"{system}.jsonl", f"{name}.jsonl")
    Path("runs").mkdir()
    for name, system in SYSTEMS.items():
        if page in IN_FOL:
            perform(f"doxeval convert demo/runs/{system}.jsonl runs/{name}.fol --docs documents")
        else:
            shutil.copy(RUNS / f"{system}.jsonl", f"runs/{name}.jsonl")
    Path("docs.jsonl").write_text(json.dumps(TREE) + "\n", encoding="utf-8")
    if page == "citations":
        Path("answers.jsonl").write_text(json.dumps(CITING) + "\n", encoding="utf-8")
    if page == "benchmarks":
        text = (Path(__file__).parent.parent / "docs" / "benchmarks.md").read_text(encoding="utf-8")
        examples = DocTestParser().get_examples("".join(re.findall(r"```pycon\n(.*?)```", text, re.DOTALL)))
        exec("".join(one.source for one in examples), {})
    if page == "navigation":
        _log(Path("log.jsonl"))
    if page == "outcomes":
        _outcomes(Path("solved.csv"))
    for command in MADE:
        perform(command)


def _outcomes(target: Path) -> None:
    """Outcomes of all topics and runs, under the names of the demo and of the pages."""
    topics = [f"q{number:02d}" for number in range(1, 16)]
    runs = [*SYSTEMS, *(path.stem for path in sorted(RUNS.glob("*.jsonl")))]
    lines = ["topic,run,solved,score,half"]
    for number, topic in enumerate(topics):
        for at, run in enumerate(runs):
            lucky = (3 * number + 5 * at) % 7
            lines.append(f"{topic},{run},{'yes' if lucky > 3 else 'no'},{lucky / 7:.2f},{'AB'[number % 2]}")
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _log(target: Path) -> None:
    """Readers who walk through a document, node by node."""
    documents = dx.read_documents(DOCUMENTS)
    nodes = [documents.path(0, node) for node in range(4)]
    lines = [json.dumps({"doc": documents.ids[0], "route": nodes[at % 2 :]}) for at in range(10)]
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")
