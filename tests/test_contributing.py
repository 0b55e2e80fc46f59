"""The chapters of CONTRIBUTING that change files: applied to a copy, they do all that they promise."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.documented import BLOCK, commands, prepare

PROJECT = Path(__file__).parent.parent
PAGE = (PROJECT / "CONTRIBUTING.md").read_text(encoding="utf-8")
CHAPTERS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S))
CHANGING = [title for title, text in CHAPTERS.items() if "```diff" in text]

PROMISED = {
    "A scoring option": """
from pathlib import Path
import click, doxeval as dx
from doxeval.cli import group
from doxeval.core.options import ScoringOptions
from docs.reference import api_page

runs, answers = sorted(map(str, Path("runs").glob("*.jsonl"))), "answers.jsonl"
plain, few = (dx.evaluate(runs, answers, "iP@5", **given) for given in ({}, {"shortest": 400}))
rows = list(few.rows(True))
assert list(plain.rows(True)) != rows
assert list(dx.evaluate(runs, answers, "iP@5", shortest=400, jobs=2).rows(True)) == rows
for given in ({}, {"shortest": 400}):
    dx.evaluate(runs, answers, "iP@5", store="kept", **given)
kept = dx.evaluate(runs, answers, "iP@5", shortest=400, store="kept")
assert list(kept.rows(True)) == rows
texts = {path.stem: path.read_text() for path in Path("documents").glob("*.md")}
asked = {topic: "what?" for topic in dx.read_assessments(answers).topics[:2]}
part = lambda question: [text[:300] for text in list(texts.values())[:3]]
seen = dx.score_retriever(part, asked, answers, "Hits@5", texts, shortest=400)
assert seen.runs[0].results == 0
for wrong, said in ((0, "at least 1"), ("x", "whole number")):
    try:
        dx.evaluate(runs, answers, "iP@5", shortest=wrong)
    except dx.UsageError as problem:
        assert said in str(problem)
    else:
        raise AssertionError
try:
    dx.evaluate(runs, answers, "iP@5", shortes=1)
except dx.UsageError as problem:
    assert "did you mean 'shortest'" in str(problem)
assert "shortest" in ScoringOptions.__annotations__ and "| `shortest` | `None` | int" in api_page()
taking = [name for name in group.list_commands(None)
          if "--unjudged" in (page := group.get_command(None, name).get_help(click.Context(group)))
          and "--shortest N" in page]
assert len(taking) >= 9, taking
""",
    "A cut-off unit": """
from pathlib import Path
import doxeval as dx

runs, answers, documents = sorted(map(str, Path("runs").glob("*.jsonl"))), "answers.jsonl", "documents"
text = "One is here. Two is there! Is three anywhere? Four."
rows = [{"topic": "t", "doc": "d", "rank": 1, "start": 0, "end": len(text)}]
gold = [{"topic": "t", "doc": "d", "start": text.index("Two"), "end": text.index(" Is three")}]
def score(measure):
    return dx.evaluate({"r": rows}, gold, measure, {"d": text}).value("r", measure)
assert [score(f"iR@{n}s") for n in (1, 2, 3)] == [0, 1, 1]
assert score("Reach(recall=1,unit=sentences)") == 2 and score("iP@2s") == 13 / 26
found = dx.evaluate(runs, answers, "iR@5s iR@20s", documents)
assert "A reader who stops after 5 sentences gets most from" in " ".join(found.verdict())
assert "sentences" in dx.budget(runs, answers, documents).header
curve = dx.curve(runs, answers, "iR", documents, over="sentences")
names, points = zip(*[(point.measure, float(point.at)) for point in curve.means])
assert "iR@10s" in names and min(points) == 1
texts = {path.stem: path.read_text() for path in Path(documents).glob("*.md")}
topics = dx.read_assessments(answers).topics[:2]
sizes = []
def retrieve(question, k):
    sizes.append(k)
    return ["One sentence only." for _ in range(k)]
dx.score_retriever(retrieve, {topic: "what?" for topic in topics}, answers, "iR@25s", texts)
assert max(sizes) == 40, sizes
try:
    dx.evaluate(runs, answers, "iR@5x")
except dx.UsageError as problem:
    assert "sentences (@10s)" in str(problem)
try:
    dx.evaluate(runs, answers, "iR@5s")
except dx.UsageError as problem:
    assert "a cut-off in sentences needs the documents' text" in str(problem)
""",
}
"""What must hold in the copy of each chapter, besides that its commands succeed."""


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the chapters' commands name."""
    folder, here = tmp_path_factory.mktemp("material"), Path.cwd()
    os.chdir(folder)
    try:
        prepare("CONTRIBUTING")
    finally:
        os.chdir(here)
    return folder


def copied(folder: Path) -> Path:
    """A copy of the package, of the documentation's modules and of nothing else."""
    left_out = {"src/doxeval": ("__pycache__", "*.md"), "docs": ("__pycache__", "papers", "*.md")}
    for part, patterns in left_out.items():
        shutil.copytree(PROJECT / part, folder / part, ignore=shutil.ignore_patterns(*patterns))
    return folder


def apply(block: str, project: Path) -> None:
    """Change the files of a block as its signs say; what is not changed must be found once."""
    for name, change in re.findall(r"^--- (\S+)\n(.*?)(?=^--- |\Z)", block, re.M | re.S):
        path = project / name
        text, lines = path.read_text(encoding="utf-8"), change.splitlines(keepends=True)
        before = "".join(line[1:] for line in lines if line[0] != "+")
        assert text.count(before) == 1, f"{name}: expected once:\n{before}"
        after = "".join(line[1:] for line in lines if line[0] != "-")
        path.write_text(text.replace(before, after), encoding="utf-8")


def run(words: list[str], project: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(project / "src"), str(project)])
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=os.environ | {"PYTHONPATH": path},
        capture_output=True, text=True,
    )  # fmt: skip


def test_every_chapter_that_changes_files_is_tested() -> None:
    assert set(CHANGING) == set(PROMISED)


@pytest.mark.parametrize("title", CHANGING)
def test_a_chapter_does_what_it_promises(title: str, material: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    project, folder = copied(tmp_path / "project"), tmp_path / "here"
    shutil.copytree(material, folder)
    blocks = [found.groups(default="") for found in BLOCK.finditer(CHAPTERS[title])]
    script = [command for _, language, text in blocks if language == "shell" for command in commands(text)]
    before = run(["-c", PROMISED[title]], project, folder)
    assert before.returncode != 0, "the chapter promises what holds without it"
    for _, language, text in blocks:
        if language == "diff":
            apply(text, project)
    for command in script:
        done = run(["-m", *_words(command, folder)], project, folder)
        assert done.returncode == 0, f"{command}\n{done.stderr}"
    after = run(["-c", PROMISED[title]], project, folder)
    assert after.returncode == 0, after.stderr


def _words(command: str, folder: Path) -> list[str]:
    """A command split as a shell would, patterns replaced by the files they match."""
    import shlex

    return [
        str(path.relative_to(folder)) if isinstance(path, Path) else path
        for word in shlex.split(command)
        for path in (sorted(folder.glob(word)) if "*" in word else None) or [word]
    ]


UNITS = {
    "steps": 'Unit("steps", "steps", "ground.budget.RankCounter"),',
    "cost": 'Unit("cost", "cost", "ground.budget.RankCounter", whole=False),',
}


def test_units_may_have_long_suffixes_and_decimals(tmp_path: Path) -> None:
    project = copied(tmp_path / "project")
    path = project / "src/doxeval/core/units.py"
    text, last = path.read_text(encoding="utf-8"), '        Unit("documents"'
    assert text.count(last) == 1
    path.write_text(text.replace(last, "\n".join([*UNITS.values(), last.strip()])), encoding="utf-8")
    checks = """
from fractions import Fraction
import doxeval as dx
from doxeval.core.grammar import Cutoff, parse_measure, split_names
assert parse_measure("iR@10steps").cutoff == Cutoff(10, "steps")
assert parse_measure("iR@1.5cost").cutoff == Cutoff(Fraction(3, 2), "cost")
assert str(parse_measure("iR@.50cost")) == "iR@0.5cost"
assert split_names("iR@0.5,2cost iR@1..2steps") == ["iR@0.5cost", "iR@2cost", "iR@1steps", "iR@2steps"]
rows = [{"topic": "t", "doc": "d", "rank": at, "start": 9 * at, "end": 9 * at + 9} for at in (1, 2)]
gold = [{"topic": "t", "doc": "d", "start": 18, "end": 20}]
found = dx.evaluate({"r": rows}, gold, "iR@1steps iR@2steps iR@1.5cost iR@2.25cost")
assert [row[3] for row in found.rows(per_topic=False)] == [0, 1, 0, 1]
expected = {"iR@1.5steps": "whole number", "iR@0cost": "more than 0", "iR@0steps": "at least 1"}
for wrong, said in expected.items():
    try:
        parse_measure(wrong)
    except dx.UsageError as problem:
        assert said in str(problem)
    else:
        raise AssertionError(wrong)
"""
    done = run(["-c", checks], project, tmp_path)
    assert done.returncode == 0, done.stderr
