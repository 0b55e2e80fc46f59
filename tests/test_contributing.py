"""The chapters of CONTRIBUTING on what people add: applied to a copy, they do all that they promise.

All are applied to one copy of the package, the documentation and the tests, as if somebody had added all of
it. Every chapter's commands must then succeed there, and a script checks what it promises, which must not
hold without it.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from doxeval.demo import ANSWERS, DOCUMENTS, RUNS
from tests.documented import BLOCK, commands

PROJECT = Path(__file__).parent.parent
PAGE = (PROJECT / "CONTRIBUTING.md").read_text(encoding="utf-8")
CHAPTERS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S))
WHOLE_FILE = re.compile(r"# (src/\S+)\n")
AT_THE_END = re.compile(r"# at the end of (\S+)\n")
SUBTITLES = """1
00:00:01,000 --> 00:00:04,000
Tea is a drink.

2
00:00:05,000 --> 00:00:09,000
It is hot.
"""

PROMISED = {
    "A measure": """
from doxeval.ir import AnyAnswer
from pathlib import Path
import doxeval as dx
from docs.build import navigation, places
from docs.measure_pages import entries, index, page
from doxeval.measurement.describe import list_measures
from tests.measurement.test_invariants import registered

assert "AnyAnswer" in dx.measures() and "AnyAnswer@k" in list_measures() and "AnyAnswer@5" in registered()
known = entries()["measures"]
page = page(known["AnyAnswer"], known, "measures")
assert "<math" in page and "Is content with any relevant character" in page and "## Worked example" in page
assert "(measures/AnyAnswer.md)" in index() and "measures/AnyAnswer.md" in str(navigation(places()))
rows = [{"topic": "t", "doc": "d", "rank": 1, "start": 0, "end": 5}]
rows += [{"topic": "t", "doc": "d", "rank": 2, "start": 8, "end": 20}]
gold = [{"topic": "t", "doc": "d", "start": 10, "end": 12}]
scores = dx.evaluate({"r": rows}, gold, "AnyAnswer@1 AnyAnswer@2 AnyAnswer@6c AnyAnswer@9c")
assert [row[3] for row in scores.rows(per_topic=False)] == [0, 1, 0, 1]
assert "AnyAnswer@5" in Path("report.html").read_text()
""",
    "A format": """
from pathlib import Path
from click.testing import CliRunner
import doxeval as dx
from doxeval.cli import group
from tests.io.formats.format_samples import EVERY
assert "semicolons" in [format.name for format in EVERY]
from tests.robustness.test_changed_inputs import WRITERS

assert Path("run.ssv").read_text().startswith("topic;doc;rank")
assert len(dx.read_run("run.ssv")) == len(dx.read_run("runs/sections.jsonl"))
dx.write_run([{"topic": "t", "doc": "d", "rank": 1, "start": 0, "end": 5}], "one.ssv")
assert Path("one.ssv").read_text().splitlines()[1].startswith("t;d;1;")
assert "semicolons" in CliRunner().invoke(group, ["formats"]).output
assert ("run", "semicolons") in WRITERS
""",
    "A parser of documents": """
import doxeval as dx
from doxeval.extend import PARSERS
from doxeval.io.documents.parser import document_formats

documents = dx.read_documents("talk.srt")
assert [documents.text[0][a:b] for a, b in zip(documents.start, documents.end)][1:] == [
    "Tea is a drink.", "It is hot."]
assert documents.ids[0] == "talk" and "subtitles" in PARSERS and "subtitles" in document_formats()
rows = [{"topic": "t", "doc": "talk.srt", "rank": 1, "node": "/article[1]/cue[2]"}]
gold = [{"topic": "t", "doc": "talk", "quote": "It is hot."}]
assert dx.evaluate({"r": rows}, gold, "iP@1 iR@1", "talk.srt").value("r", "iP@1") == 1
assert "documents" in str(dx.validate("talk.srt"))
""",
    "A navigation model": """
import doxeval as dx
assert "parent" in dx.navigations()
import numpy as np
from doxeval.core.grammar import parse_call
from docs.measure_pages import entries, index, page

documents = dx.read_documents([{"doc": "d1", "length": 9, "nodes": [
    {"id": "a", "parent": None, "tag": "a", "start": 0, "end": 9},
    {"id": "b", "parent": "a", "tag": "b", "start": 0, "end": 4}]}])
model = dx.navigations()["parent"](parse_call("parent(p=0.3)"), documents)
at = lambda node: np.array([node])
assert model.chance(at(0), at(1), at(0)) == 0.3 and model.chance(at(0), at(0), at(1)) == 0
known = entries()["models"]
assert "<math" in page(known["parent"], known, "models") and "(models/parent.md)" in index()
assert "0.3" in str(dx.navigate(documents, "parent(p=0.3)"))
try:
    dx.measure("ESRP(nav=parnt)@5")
except dx.UsageError as problem:
    assert "did you mean 'parent'" in str(problem)
""",
    "A document score": """
import doxeval as dx
from doxeval.extend import DOCUMENT_SCORES
assert "Touch" in DOCUMENT_SCORES
from docs.measure_pages import entries, index, page
from doxeval.measurement.describe import list_measures

known = entries()["scores"]
assert "Touch@doc" in list_measures() and "Touch" in DOCUMENT_SCORES
assert "<math" in page(known["Touch"], known, "scores") and "(scores/Touch.md)" in index()
gold = [{"topic": "t", "doc": d, "start": 10, "end": 12} for d in "ab"]
rows = [{"topic": "t", "doc": "a", "rank": 1, "start": 0, "end": 11}]
rows += [{"topic": "t", "doc": "b", "rank": 2, "start": 0, "end": 10}]
scores = dx.evaluate({"r": rows}, gold, "gP(score=Touch)@1 gP(score=Touch)@2")
assert [row[3] for row in scores.rows(per_topic=False)] == [1, 0.5]
""",
    "A statistical test": """
import doxeval as dx
from docs.reference import extend_page

runs, answers = ["runs/sections.jsonl", "runs/documents.jsonl"], "answers.jsonl"
found = dx.compare(runs, answers, "iP@5", test="z")
assert "paired z-test" in str(found) and 0 <= found.differences[0].p <= 1
assert found.differences[0].p < dx.compare(runs, answers, "iP@5", test="t").differences[0].p
assert "`z`" in extend_page()
""",
    "A column of the report": """
from tests.show.report.test_report import data_of
from pathlib import Path

(column,) = [one for one in data_of(Path("report.html"))["columns"] if one["title"] == "per topic"]
assert column["help"] == "results per topic" and column["digits"] == 1
assert len(column["values"]) == 6 and all(value > 1 for value in column["values"])
""",
    "A command": """
import click
import doxeval as dx
from doxeval.cli import group
dx.tags
from docs import command_pages, python_pages
from docs.side_by_side import side_by_side_page
from tests.robustness.test_faults import test_every_command_is_disturbed

assert "[tags](commands/tags.md)" in command_pages.index()
assert "[tags](python/tags.md)" in python_pages.index()
assert "### tags" in side_by_side_page()
assert "Count the nodes of documents by tag." in group.get_help(click.Context(group))
assert dx.tags("documents").header == ["tag", "nodes"]
test_every_command_is_disturbed()
open("doxeval.toml", "w").write('[tags]\\nformat = "md"\\n')
from click.testing import CliRunner
assert CliRunner().invoke(group, ["tags", "documents"]).output.startswith("| tag |")
""",
    "A scoring option": """
from pathlib import Path
import click, doxeval as dx
from doxeval.cli import group
from doxeval.core.options import ScoringOptions
from docs.reference import option_rows

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
assert "shortest" in ScoringOptions.__annotations__
assert "| `shortest` | `None` | int" in "".join(option_rows())
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
assert [score(f"iR@{n}sen") for n in (1, 2, 3)] == [0, 1, 1]
assert score("Reach(recall=1,unit=sentences)") == 2 and score("iP@2sen") == 13 / 26
found = dx.evaluate(runs, answers, "AiP iR@5sen iR@20sen", documents)
assert "A reader who stops after 5 sentences gets most from" in " ".join(found.verdict())
assert "sentences" in dx.budget(runs, answers, documents).header
curve = dx.curve(runs, answers, "iR", documents, over="sentences")
names, points = zip(*[(point.measure, float(point.at)) for point in curve.means])
assert "iR@10sen" in names and min(points) == 1
texts = {path.stem: path.read_text() for path in Path(documents).glob("*.md")}
topics = dx.read_assessments(answers).topics[:2]
sizes = []
def retrieve(question, k):
    sizes.append(k)
    return ["One sentence only." for _ in range(k)]
dx.score_retriever(retrieve, {topic: "what?" for topic in topics}, answers, "iR@25sen", texts)
assert max(sizes) == 40, sizes
try:
    dx.evaluate(runs, answers, "iR@5x")
except dx.UsageError as problem:
    assert "sentences (@10sen)" in str(problem)
try:
    dx.evaluate(runs, answers, "iR@5sen")
except dx.UsageError as problem:
    assert "a cut-off in sentences needs the documents' text" in str(problem)
""",
}
"""What must hold in the copy after the commands of each chapter."""

MISSING = {
    "docs/site/formulas.toml": (
        r"\[measures\.AnyAnswer\]",
        "[measures.Other]",
        "has no \\[measures.AnyAnswer\\]; give it a formula",
    ),
    "src/doxeval/measurement/anyanswer.py": (
        r'    """1 if.*?"""',
        "",
        "AnyAnswer has no docstring, which says what it computes",
    ),
    "src/doxeval/reader/navigation/parent.py": (r"    example = .*\n", "", "parent has no `example`"),
    "src/doxeval/reader/effort/touch.py": (
        r"    user = .*\n",
        "",
        "Touch lacks `user`, a sentence about how a document is read",
    ),
}
"""What can be missing in a file, and the error that says so when the documentation is made."""


EVERY_PAGE = """
from docs.build import papers_page
papers_page()
"""
"""One of the pages that need what is told of every measure, model and score."""


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project to which all chapters are applied."""
    project = copied(tmp_path_factory.mktemp("extended"))
    for title in PROMISED:
        for language, text in blocks(title):
            apply(language, text, project)
    return project


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the chapters' commands name: those of the demo, and a document with subtitles."""
    folder = tmp_path_factory.mktemp("material")
    shutil.copytree(RUNS, folder / "runs")
    shutil.copytree(DOCUMENTS, folder / "documents")
    shutil.copy(ANSWERS, folder / "answers.jsonl")
    (folder / "talk.srt").write_text(SUBTITLES)
    return folder


def blocks(title: str) -> list[tuple[str, str]]:
    """Language and content of the blocks of a chapter."""
    found = (block.groups(default="") for block in BLOCK.finditer(CHAPTERS[title]))
    return [(language, text) for _, language, text in found]


def copied(folder: Path) -> Path:
    """A copy of the package, of the documentation and of the tests."""
    for part in ("src/doxeval", "docs", "tests"):
        shutil.copytree(PROJECT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    for path in PROJECT.iterdir():
        if path.is_file():
            shutil.copy(path, folder)
    return folder


def apply(language: str, block: str, project: Path) -> None:
    """Write a block that is a file, append one to its file, or change files as the signs of a block say."""
    if language == "diff":
        change(block, project)
    elif named := WHOLE_FILE.match(block):
        path = project / named[1]
        assert not path.exists(), named[1]
        path.write_text(block[named.end() :], encoding="utf-8")
    elif named := AT_THE_END.match(block):
        with (project / named[1]).open("a", encoding="utf-8") as stream:
            stream.write(block)
    else:
        assert language == "shell", f"which file is this?\n{block}"


def change(block: str, project: Path) -> None:
    """Change the files of a block as its signs say; what is not changed must be found once."""
    for name, lines in re.findall(r"^--- (\S+)\n(.*?)(?=^--- |\Z)", block, re.M | re.S):
        path, signed = project / name, lines.splitlines(keepends=True)
        text = path.read_text(encoding="utf-8")
        before = "".join(line[1:] for line in signed if line[0] != "+")
        assert text.count(before) == 1, f"{name}: expected once:\n{before}"
        after = "".join(line[1:] for line in signed if line[0] != "-")
        path.write_text(text.replace(before, after), encoding="utf-8")


def run(words: list[str], project: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(project / "src"), str(project)])
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=os.environ | {"PYTHONPATH": path},
        capture_output=True, text=True,
    )  # fmt: skip


def test_every_chapter_that_adds_something_is_tested() -> None:
    adding = [title for title in CHAPTERS if {"diff", "python"} & {language for language, _ in blocks(title)}]
    assert sorted(adding) == sorted(PROMISED)


@pytest.mark.parametrize("title", PROMISED)
def test_a_chapter_does_what_it_promises(title: str, extended: Path, material: Path, tmp_path: Path) -> None:
    if "plot" in CHAPTERS[title]:
        pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    folder = tmp_path / "here"
    shutil.copytree(material, folder)
    before = run(["-c", PROMISED[title]], PROJECT, folder)
    assert before.returncode != 0, "the chapter promises what holds without it"
    script = [line for language, text in blocks(title) if language == "shell" for line in commands(text)]
    typed = [line for line in script if line.startswith("doxeval ")]
    performed = "from tests.documented import perform\n" + "".join(f"perform({line!r})\n" for line in typed)
    after = run(["-c", performed + PROMISED[title]], extended, folder)
    assert after.returncode == 0, after.stderr
    for line in script:
        if line not in typed:
            words = shlex.split(line.removeprefix("python -m "))
            done = run(["-m", *words], extended, extended)
            assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("name", MISSING)
def test_what_is_missing_is_an_error_that_says_so(name: str, extended: Path, tmp_path: Path) -> None:
    path, (pattern, instead, said) = extended / name, MISSING[name]
    whole = path.read_text(encoding="utf-8")
    assert len(re.findall(pattern, whole)) == 1
    path.write_text(re.sub(pattern, instead, whole), encoding="utf-8")
    try:
        done = run(["-c", EVERY_PAGE], extended, tmp_path)
    finally:
        path.write_text(whole, encoding="utf-8")
    assert re.search(said, done.stderr.splitlines()[-1]), done.stderr


UNITS = {
    "clicks": 'Unit("clicks", "clicks", "ground.budget.RankCounter"),',
    "fee": 'Unit("fee", "fee", "ground.budget.RankCounter", whole=False),',
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
assert parse_measure("iR@10clicks").cutoff == Cutoff(10, "clicks")
assert parse_measure("iR@1.5fee").cutoff == Cutoff(Fraction(3, 2), "fee")
assert str(parse_measure("iR@.50fee")) == "iR@0.5fee"
assert split_names("iR@0.5,2fee iR@1..2clicks") == ["iR@0.5fee", "iR@2fee", "iR@1clicks", "iR@2clicks"]
rows = [{"topic": "t", "doc": "d", "rank": at, "start": 9 * at, "end": 9 * at + 9} for at in (1, 2)]
gold = [{"topic": "t", "doc": "d", "start": 18, "end": 20}]
found = dx.evaluate({"r": rows}, gold, "iR@1clicks iR@2clicks iR@1.5fee iR@2.25fee")
assert [row[3] for row in found.rows(per_topic=False)] == [0, 1, 0, 1]
expected = {"iR@1.5clicks": "whole number", "iR@0fee": "more than 0", "iR@0clicks": "at least 1"}
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
