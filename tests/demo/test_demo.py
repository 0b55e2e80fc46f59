"""The demo: its files belong together, its numbers are right, and what it says follows from them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest
from click.testing import CliRunner

from doxeval.cli import group
from doxeval.cli.demo_command import DOCUMENT_MEASURE, LEADING, demo_scores
from doxeval.core.errors import UsageError
from doxeval.core.screen import MOST_LINES, few
from doxeval.demo import ANSWERS, RUNS
from doxeval.demo.build import files, questions, texts
from doxeval.demo.search import SYSTEMS
from doxeval.scoring.scores import Scores

LINES_ON_A_SCREEN = 26


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def scores() -> Scores:
    return demo_scores()


def test_highlighted_ranges_hold_the_quoted_answers():
    collection = texts()
    highlighted = [
        (line["topic"], line["doc"], collection[line["doc"]][line["start"] : line["end"]])
        for line in lines(ANSWERS)
        if "start" in line
    ]
    quoted = [(q["topic"], answer["doc"], answer["quote"]) for q in questions() for answer in q["answers"]]
    assert highlighted == quoted
    assert len(questions()) >= 12


def test_committed_files_are_those_the_texts_give():
    for path, content in files().items():
        assert path.read_text(encoding="utf-8") == content, (
            f"{path.name} is out of date; run: python -m doxeval.demo.build"
        )


def test_documents_are_real_prose_with_headings():
    for name, text in texts().items():
        assert 600 <= len(text.split()) <= 1500, name
        assert text.startswith("# ") and text.count("\n## ") >= 4, name


def brute_force(system: str) -> dict[str, float]:
    """The demo's measures with sets of single characters, as slowly and plainly as possible."""
    relevant: defaultdict[str, set] = defaultdict(set)
    results: defaultdict[str, list] = defaultdict(list)
    for line in lines(ANSWERS):
        if "start" in line:
            relevant[line["topic"]] |= {(line["doc"], at) for at in range(line["start"], line["end"])}
    for line in lines(RUNS / f"{system}.jsonl"):
        results[line["topic"]].append([(line["doc"], at) for at in range(line["start"], line["end"])])
    totals: defaultdict[str, float] = defaultdict(float)
    for topic, wanted in relevant.items():
        curve, found, shown = [], set(), 0
        for characters in results[topic]:
            found |= wanted.intersection(characters)
            shown += len(characters)
            curve.append((len(found), shown))
        found5, shown5 = curve[4]
        everything = [character for characters in results[topic] for character in characters]
        totals["iR@5"] += found5 / len(wanted)
        totals["iP@5"] += found5 / shown5
        totals["IoU@5"] += found5 / (shown5 + len(wanted) - found5)
        totals["iR@2000c"] += len(wanted.intersection(everything[:2000])) / len(wanted)
        levels = [
            max((found / shown for found, shown in curve if 100 * found >= level * len(wanted)), default=0)
            for level in range(101)
        ]
        totals["iP[0.01]"] += levels[1]
        totals["AiP"] += sum(levels) / 101
    return {measure: total / len(relevant) for measure, total in totals.items()}


@pytest.mark.parametrize("system", SYSTEMS)
def test_scores_equal_a_count_of_single_characters(system: str, scores: Scores):
    for measure, value in brute_force(system).items():
        assert scores.value(system, measure) == pytest.approx(value, abs=1e-12), measure


def demo(*arguments: str) -> str:
    result = CliRunner().invoke(group, ["demo", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def test_output_fits_one_screen_and_names_every_system(tmp_path: Path):
    done = CliRunner().invoke(group, ["demo", "--report", str(tmp_path / "r.html")], catch_exceptions=False)
    printed = done.stdout.splitlines()  # slow machines tell steps beside it
    assert len(printed) <= LINES_ON_A_SCREEN
    assert max(len(line) for line in printed if str(tmp_path) not in line) <= 100
    for system in SYSTEMS:
        assert any(line.startswith(system + " ") for line in printed)


def test_commands_that_are_printed_can_be_typed(tmp_path: Path):
    """By their name where it is on the PATH; from a clone, where they are."""
    program = Path(sys.executable).with_name("doxeval")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / program.name).write_text(program.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "bin" / program.name).chmod(0o755)
    started = {
        "bin/doxeval": ("bin/doxeval", "/usr/bin:/bin"),
        "doxeval": ("bin/doxeval", f"{tmp_path}/bin:/usr/bin:/bin"),
        f"{sys.executable} -m doxeval": (f"{sys.executable} -m doxeval", "/usr/bin:/bin"),
    }
    for number, (typed, (start, path)) in enumerate(started.items()):
        words = [*start.split(), "demo", "--copy", f"demo{number}"]
        done = subprocess.run(words, cwd=tmp_path, env={"PATH": path}, capture_output=True, text=True)
        command = done.stdout.splitlines()[-1]
        assert command == f"{typed} eval demo{number}/runs/*.jsonl -q demo{number}/answers.jsonl"
        again = subprocess.run(
            command, shell=True, cwd=tmp_path, env={"PATH": path}, capture_output=True, text=True
        )
        assert again.returncode == 0 and "AiP" in again.stdout, again.stderr


def test_a_report_is_written_and_opened_only_when_wanted(tmp_path: Path, monkeypatch):
    opened: list[str] = []
    monkeypatch.setattr("click.launch", opened.append)
    target = tmp_path / "r.html"
    assert f"in a browser: {target}" in demo("--report", str(target))
    assert target.stat().st_size > 100_000 and not opened
    demo("--report", str(target), "--open")
    assert opened == [str(target)]
    with pytest.raises(UsageError, match="cannot be written"):
        demo("--report", str(tmp_path / "nowhere" / "r.html"))


def test_without_the_search_library_the_packaged_results_give_the_same(monkeypatch, scores):
    import importlib.util

    found = importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name, *rest: None if name == "bm25s" else found(name, *rest)
    )
    packaged = demo_scores()
    for system in SYSTEMS:
        for measure in packaged.measures:
            assert packaged.value(system, measure) == scores.value(system, measure)


def test_sentences_follow_from_the_numbers(scores: Scores):
    said = " ".join(scores.verdict(lead_by=LEADING))
    best = max(SYSTEMS, key=lambda run: scores.value(run, LEADING))
    assert f"Use `{best}`: best by {LEADING} ({scores.value(best, LEADING):.4f})" in said
    most = max(SYSTEMS, key=lambda run: scores.value(run, "iR@5"))
    assert f"hold {scores.value(most, 'iR@5'):.0%} of the relevant text" in said
    assert f"{1 - scores.value('documents', 'iP@5'):.0%} of what `documents` shows is irrelevant" in said
    assert "ahead of `paragraphs`, with 92% of the relevant text within 2,000 characters" in said
    assert "`overlapping-800` repeats itself: 44%" in said and "so do" not in said
    assert (f"documents alone ({DOCUMENT_MEASURE})" in said) == (DOCUMENT_MEASURE in scores.measures)


def test_the_demo_opens_with_its_sentences(scores: Scores, tmp_path: Path):
    printed = " ".join(demo("--report", str(tmp_path / "r.html")).split())
    for sentence in few(scores.verdict(lead_by=LEADING)):
        assert sentence in printed
    assert len(few(scores.verdict(lead_by=LEADING))) >= 4
    told = demo("--report", str(tmp_path / "r.html")).split("\n\n")[1]
    assert told.startswith("- Use `sections`") and len(told.splitlines()) <= MOST_LINES


def test_copy_gives_files_to_play_with(tmp_path: Path):
    target = tmp_path / "demo"
    assert CliRunner().invoke(group, ["demo", "--copy", str(target)], catch_exceptions=False).exit_code == 0
    assert {path.name for path in target.iterdir()} == {
        "documents",
        "runs",
        "answers.jsonl",
        "questions.jsonl",
    }
    again = subprocess.run(
        [sys.executable, "-m", "doxeval", "demo", "--copy", str(target)], capture_output=True, text=True
    )
    assert again.returncode == 2
    assert "already exists" in again.stderr and "Traceback" not in again.stderr


def test_a_copy_that_cannot_be_written_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def full(*_: object, **__: object) -> None:
        raise shutil.Error([("from", "to", "No space left on device")])

    monkeypatch.setattr(shutil, "copytree", full)
    done = CliRunner().invoke(group, ["demo", "--copy", str(tmp_path / "demo")])
    assert isinstance(done.exception, UsageError)
    assert str(done.exception) == f"{tmp_path / 'demo'}: cannot be written: No space left on device"
    assert not (tmp_path / "demo").exists()
