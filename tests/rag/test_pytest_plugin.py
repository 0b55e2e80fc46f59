"""The plug-in in a pytest of its own: assertions, baselines, what failures show, several processes."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import doxeval as dx
from doxeval.rag.checked import Scorer

pytest_plugins = ["pytester"]

TESTS = """
import os
import pytest

WORDS = [f"word{at:02d}" for at in range(20)]
DOCUMENTS = {word: f"The answer of {word} is here. And {word} has more to say." for word in WORDS}
QUESTIONS = {f"q{at:02d}": f"What of {word}?" for at, word in enumerate(WORDS)}
ANSWERS = [
    {"topic": topic, "doc": word, "quote": f"The answer of {word} is here."}
    for topic, word in zip(QUESTIONS, WORDS)
]
LATER = os.environ["PHASE"] == "later"

def retriever(first, past):
    broken = WORDS[first:past] if LATER else []
    def found(question, k=5):
        word = question.split()[-1].strip("?")
        text = f"And {word} has more to say." if word in broken else f"The answer of {word} is here."
        return [{"doc": word, "text": text}]
    return found

@pytest.fixture
def score(doxeval_scores):
    return lambda first, past: doxeval_scores(
        retriever(first, past), ANSWERS, "iR@5 iP@5", DOCUMENTS, questions=QUESTIONS
    )

@pytest.mark.parametrize("size", ["small", "very large!"])
def test_same(score, size):
    score(0, 0).check()

def test_little(score):
    score(3, 4).check()

def test_allowed(score):
    score(3, 4).check(max_drop=0.02)

def test_much(score):
    score(3, 12).check()

def test_most(score):
    score(0, 15).check()

@pytest.mark.skipif(not LATER, reason="comes later")
def test_new(score):
    score(0, 0).check()

def test_floor(score):
    scores = score(0, 5)
    assert 0.7 < scores["iR@5"] and scores["iP@5"] == (0.75 if LATER else 1)
    assert scores["iR@5"] >= 0.8
"""


@pytest.fixture
def run_pytest(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch):
    """Run pytest with the plug-in and no other, in a process of its own."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    plugins = ["-p", "doxeval.rag.pytest_plugin", "-p", "no:cacheprovider"]

    def run(*arguments: str, phase: str = "now") -> pytest.RunResult:
        monkeypatch.setenv("PHASE", phase)
        return pytester.runpytest_subprocess(*plugins, *arguments)

    return run


def test_only_a_real_drop_fails_and_what_moved_is_shown(run_pytest, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_mine=TESTS)
    result = run_pytest("-p", "xdist", "-n", "2", "--doxeval-update")
    result.assert_outcomes(passed=7, skipped=1)
    names = sorted(path.name for path in (pytester.path / "baselines").iterdir())
    assert len(names) == 6 and "test_mine.test_same[small].csv" in names
    assert re.fullmatch(r"test_mine\.test_same\[very_large_\]-\w{8}\.csv", names[-1])
    assert result.stdout.str().count("doxeval: renewed") == 6
    result.stdout.fnmatch_lines(["doxeval: renewed *test_little.csv: retriever iR@5 1.0, *"])
    stored = dx.read_scores(pytester.path / "baselines" / "test_mine.test_much.csv")
    assert stored["iR@5"] == 1.0 and len(stored.topics) == 20

    result = run_pytest(phase="later")
    result.assert_outcomes(passed=3, failed=5)
    told = result.stdout.str()
    blocks = dict(
        zip(
            re.findall(r"^_+ (test_\w+) _+$", told, re.MULTILINE),
            re.split(r"^_+ test_\w+ _+$", told, flags=re.MULTILINE)[1:],
            strict=True,
        )
    )
    assert set(blocks) == {"test_allowed", "test_much", "test_most", "test_new", "test_floor"}
    much = [line[1:].strip() for line in blocks["test_much"].splitlines() if line.startswith("E")]
    assert re.search(r"iR@5: `retriever` 0.5500, .*baseline.` 1.0000, .*fell significantly", much[0])
    assert (
        much[1:3] == ["- q03 1.0000 What of word03?", "+ q03 0.0000"]
        and "- q11 1.0000 What of word11?" in much
    )
    assert "q12" not in blocks["test_much"] and "checked.py" not in blocks["test_much"]
    assert much[19:22] == [
        "worst question: q03 What of word03? (iR@5 0.0000)",
        "- word03: 29 of 29 relevant characters not shown",
        "+ 1. word03 30-57: 0 of 27 characters relevant",
    ]
    assert much[-1].endswith("if this is intended: pytest --doxeval-update")
    assert "fell by 0.0500, more than 0.02" in blocks["test_allowed"]
    assert "and 5 more questions changed" in blocks["test_most"]
    assert re.search(
        r"no baseline is stored in .*test_new.csv; store these .*--doxeval-update", blocks["test_new"]
    )
    floor = [line[1:].strip() for line in blocks["test_floor"].splitlines() if line.startswith("E")]
    assert floor[:3] == [
        "assert iR@5 0.7500 >= 0.8",
        "worst question: q00 What of word00? (iR@5 0.0000)",
        "- word00: 29 of 29 relevant characters not shown",
    ]

    result = run_pytest("-p", "xdist", "-n", "2", "-k", "much or same", phase="later")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["E *iR@5: `retriever` 0.5500, *fell significantly*", "E *- q03 1.0000*"])


def test_the_page_shows_a_test_that_runs(run_pytest, pytester: pytest.Pytester) -> None:
    page = Path(__file__).parents[2] / "docs" / "integrations" / "pytest.md"
    (script,) = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    pytester.makepyfile(script)
    run_pytest("--doxeval-update").assert_outcomes(passed=1)
    worse = script.replace('"Press the red button twice.", "Then', '"Then')
    pytester.makepyfile(worse.replace("assert ", "assert True or "))
    run_pytest().stdout.fnmatch_lines(["E *fell by 0.5000, more than 5% of the baseline*"])


UNUSED = """
import sys

def test_it(request):
    assert request.config.pluginmanager.has_plugin("doxeval.rag.pytest_plugin")
    assert not {"numpy", "polars", "doxeval.rag.checked"} & set(sys.modules)
"""


def test_the_plug_in_costs_nothing_where_it_is_not_used(run_pytest, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(UNUSED)
    run_pytest().assert_outcomes(passed=1)


def scorer(folder: Path, told: list[str] | None = None) -> Scorer:
    return Scorer(folder, "test_it", None if told is None else told.append)


RUN = [{"topic": topic, "doc": "d1", "rank": 1, "start": 0, "end": 5} for topic in ("q1", "q2")]
ANSWERS = [{**row, "end": 10, "query": "Which?"} for row in RUN]
for row in ANSWERS:
    del row["rank"]


def test_runs_are_scored_too_and_few_questions_are_a_warning(tmp_path: Path) -> None:
    told: list[str] = []
    scores = scorer(tmp_path, told)({"mine": RUN}, ANSWERS, ["iR@1"])
    assert scores["iR@1"] == 0.5 and scores.wordings == {"q1": "Which?", "q2": "Which?"}
    scores.check()
    scores.check("again")
    assert [line.partition(": ")[2] for line in told] == ["mine iR@1 0.5"] * 2
    with pytest.raises(dx.UsageError, match=r"name each: check\(name="):
        scores.check()
    worse = scorer(tmp_path)({"mine": [{**RUN[0], "end": 3}, RUN[1]]}, ANSWERS, "iR@1")
    with pytest.warns(dx.DoxevalWarning, match="undecided"):
        worse.check()
    with pytest.raises(AssertionError, match="worst question: q1 Which"):
        worse.check("again", max_drop="10%")
    with pytest.raises(dx.UsageError, match="no scores for a run 'other'"):
        scorer(tmp_path)({"other": RUN}, ANSWERS, "iR@1").check()


def test_an_undefined_score_holds_nothing(tmp_path: Path) -> None:
    from doxeval.rag.checked import comparison_told

    nothing = [{"topic": "q1", "doc": "d1", "length": 10}]
    score = scorer(tmp_path)({"mine": RUN[:1]}, nothing, "iR@1")["iR@1"]
    assert not score >= 0 and not score <= 1
    assert comparison_told(">=", score, 0) == [
        "iR@1 nan >= 0", "iR@1 is undefined: no question has an answer that can be found"
    ]  # fmt: skip
    assert comparison_told("==", 1, 2) is None and "doxeval.rag.checked" in sys.modules


def test_of_measures_of_effort_the_highest_is_the_worst(tmp_path: Path) -> None:
    from doxeval.rag.checked import comparison_told

    run = [*RUN, {"topic": "q3", "doc": "d2", "rank": 1, "start": 0, "end": 500}]
    answers = [*ANSWERS, {"topic": "q3", "doc": "d2", "start": 400, "end": 410}]
    score = scorer(tmp_path)({"mine": run}, answers, "Reach(recall=0.5,unit=characters)")
    told = comparison_told("<", score["Reach(recall=0.5,unit=characters)"], 5)
    assert told is not None and told[1:] == [
        "worst question: q3 (Reach(recall=0.5,unit=characters) 405.0000)",
        "+ 1. d2 0-500: 10 of 500 characters relevant",
    ]
    missing = scorer(tmp_path)({"mine": run[:2]}, answers, "iR@1")["iR@1"]
    assert comparison_told(">=", missing, 1) == [
        "iR@1 0.3333 >= 1", "worst question: q3 (iR@1 0.0000)",
        "- d2: 10 of 10 relevant characters not shown", "+ nothing was retrieved",
    ]  # fmt: skip


def test_a_worst_question_that_cannot_be_explained_says_why(tmp_path: Path) -> None:
    scores = scorer(tmp_path)({"mine": RUN}, ANSWERS, "iR@1 Judged@1")
    head, reason = scores._question("mine", "iR@1", "q9")
    assert head == "worst question: q9" and "topic 'q9' was not assessed" in reason
