"""The plug-in in a pytest of its own: assertions, baselines, what failures show, several processes."""

from __future__ import annotations

import json
import re
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import doxeval as dx
from doxeval.rag.checked import Scorer

pytest_plugins = ["pytester"]
INSTALLED = any(entry.name == "doxeval" for entry in entry_points(group="pytest11"))
PLUGIN = [] if INSTALLED else ["-p", "doxeval.rag.pytest_plugin"]

TESTS = """
import json
from pathlib import Path
import pytest

WORDS = [f"word{{at:02d}}" for at in range(20)]
DOCUMENTS = {{word: f"The answer of {{word}} is here. And {{word}} has more to say." for word in WORDS}}
QUESTIONS = {{f"q{{at:02d}}": f"What of {{word}}?" for at, word in enumerate(WORDS)}}
ANSWERS = [
    {{"topic": topic, "doc": word, "quote": f"The answer of {{word}} is here."}}
    for topic, word in zip(QUESTIONS, WORDS)
]
BROKEN = set(json.loads(Path("broken.json").read_text()))

def retriever(question, k=5):
    word = question.split()[-1].strip("?")
    if word in BROKEN:
        return [{{"doc": word, "text": f"And {{word}} has more to say."}}]
    return [{{"doc": word, "text": f"The answer of {{word}} is here."}}]

@pytest.mark.parametrize("size", ["small", "very large!"])
def test_quality(doxeval_scores, size):
    scores = doxeval_scores(retriever, ANSWERS, "iR@5 iP@5", DOCUMENTS, questions=QUESTIONS)
    {asserted}
    scores.check({options})
"""


@pytest.fixture
def suite(pytester: pytest.Pytester):
    def run(*arguments: str, broken=(), asserted: str = "pass", options: str = "", n: int = 0):
        pytester.makepyfile(test_mine=TESTS.format(asserted=asserted, options=options))
        pytester.path.joinpath("broken.json").write_text(json.dumps([f"word{at:02d}" for at in broken]))
        way = pytester.runpytest_subprocess if n else pytester.runpytest_inprocess
        more = ["-n", str(n)] if n else ["-p", "no:xdist"]
        return way(*PLUGIN, *more, "-p", "no:cacheprovider", *arguments)

    return run


def test_a_test_without_a_baseline_says_how_to_store_one(suite) -> None:
    result = suite()
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        ["*no baseline is stored in *baselines*; store these*: pytest --doxeval-update"]
    )


def test_a_baseline_is_stored_and_held(suite, pytester: pytest.Pytester) -> None:
    result = suite("--doxeval-update")
    result.assert_outcomes(passed=2)
    names = sorted(path.name for path in (pytester.path / "baselines").iterdir())
    assert names[0] == "test_mine.test_quality[small].csv" and re.fullmatch(
        r"test_mine\.test_quality\[very_large_\]-\w{8}\.csv", names[1]
    )
    result.stdout.fnmatch_lines(["doxeval: renewed *test_quality?small?.csv: retriever iR@5 1.0, *"])
    stored = dx.read_scores(pytester.path / "baselines" / names[0])
    assert stored["iR@5"] == 1.0 and len(stored.topics) == 20
    suite().assert_outcomes(passed=2)


def test_only_a_real_drop_fails_and_the_questions_that_moved_are_named(suite) -> None:
    suite("--doxeval-update").assert_outcomes(passed=2)
    suite(broken=[3]).assert_outcomes(passed=2)
    result = suite(broken=range(3, 12))
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        [
            "*scores.check()*",
            "E * iR@5: retriever 0.5500, *(baseline) 1.0000, *fell significantly*",
            "E * - q03 1.0000 What of word03?",
            "E * + q03 0.0000",
            "E * worst question: q03 What of word03? (iR@5 0.0000)",
            "E * - word03: 29 of 29 relevant characters not shown",
            "E * + 1. word03 30-57: 0 of 27 characters relevant",
            "E * baseline: *; if this is as it should be: pytest --doxeval-update",
        ]
    )
    assert "q12" not in result.stdout.str() and "checked.py" not in result.stdout.str()
    suite("--doxeval-update", broken=range(3, 12)).assert_outcomes(passed=2)
    suite(broken=range(3, 12)).assert_outcomes(passed=2)


def test_a_drop_by_more_than_is_allowed_fails(suite) -> None:
    suite("--doxeval-update").assert_outcomes(passed=2)
    result = suite(broken=[3], options="max_drop=0.02")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["E *fell by 0.0500, more than 0.02*"])


def test_more_questions_than_fit_are_counted(suite) -> None:
    suite("--doxeval-update")
    suite(broken=range(15)).stdout.fnmatch_lines(["E *and 5 more questions moved"])


def test_assertions_on_scores_show_the_worst_question(suite) -> None:
    result = suite("--doxeval-update", broken=range(5), asserted='assert scores["iR@5"] >= 0.8')
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        [
            "E * assert iR@5 0.7500 >= 0.8",
            "E * worst question: q00 What of word00? (iR@5 0.0000)",
            "E * - word00: 29 of 29 relevant characters not shown",
            "E * + 1. word00 30-57: 0 of 27 characters relevant",
        ]
    )
    suite(
        "--doxeval-update", asserted='assert 0.8 <= scores["iR@5"] and scores["iP@5"] == 1'
    ).assert_outcomes(passed=2)


def test_several_processes_store_and_hold_baselines(suite) -> None:
    result = suite("--doxeval-update", n=2)
    result.assert_outcomes(passed=2)
    assert result.stdout.str().count("doxeval: renewed") == 2
    result = suite(broken=range(9), n=2)
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["E * iR@5: retriever 0.5500, *fell significantly*", "E * - q00 1.0000*"])


def test_the_page_shows_a_test_that_runs(pytester: pytest.Pytester) -> None:
    page = Path(__file__).parents[2] / "docs" / "integrations" / "pytest.md"
    (script,) = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    pytester.makepyfile(script)
    for update in (["--doxeval-update"], []):
        result = pytester.runpytest_inprocess(*PLUGIN, "-p", "no:cacheprovider", *update)
        result.assert_outcomes(passed=1)
    worse = script.replace('"Press the red button twice.", "Then', '"Then')
    pytester.makepyfile(worse.replace("assert ", "assert True or "))
    result = pytester.runpytest_inprocess(*PLUGIN, "-p", "no:cacheprovider")
    result.stdout.fnmatch_lines(["E *fell by 0.5000, more than 5.00% of the baseline*"])


UNUSED = "import sys\ndef test_it(request):\n    assert request.config.pluginmanager.has_plugin({name!r})\n"


def test_the_plug_in_costs_nothing_where_it_is_not_used(pytester: pytest.Pytester) -> None:
    name = "doxeval" if INSTALLED else "doxeval.rag.pytest_plugin"
    heavy = "    assert not {'numpy', 'polars', 'doxeval.rag.checked'} & set(sys.modules)\n"
    pytester.makepyfile(UNUSED.format(name=name) + heavy)
    pytester.runpytest_subprocess(*PLUGIN, "-p", "no:cacheprovider").assert_outcomes(passed=1)


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
    with pytest.raises(dx.UsageError, match=r"tell them apart: check\(name="):
        scores.check()
    worse = scorer(tmp_path)({"mine": [{**RUN[0], "end": 3}, RUN[1]]}, ANSWERS, "iR@1")
    with pytest.warns(dx.DoxevalWarning, match="cannot be told"):
        worse.check()
    with pytest.raises(AssertionError, match="worst question: q1 Which"):
        worse.check("again", max_drop="10%")
    with pytest.raises(dx.UsageError, match="no scores of a run 'other'"):
        scorer(tmp_path)({"other": RUN}, ANSWERS, "iR@1").check()


def test_an_undefined_score_holds_nothing(tmp_path: Path) -> None:
    from doxeval.rag.checked import compared

    nothing = [{"topic": "q1", "doc": "d1", "length": 10}]
    score = scorer(tmp_path)({"mine": RUN[:1]}, nothing, "iR@1")["iR@1"]
    assert not score >= 0 and not score <= 1
    assert compared(">=", score, 0) == [
        "iR@1 nan >= 0", "iR@1 is undefined: no question has an answer that can be found"
    ]  # fmt: skip
    assert compared("==", 1, 2) is None and "doxeval.rag.checked" in sys.modules


def test_of_measures_of_effort_the_highest_is_the_worst(tmp_path: Path) -> None:
    from doxeval.rag.checked import compared

    run = [*RUN, {"topic": "q3", "doc": "d2", "rank": 1, "start": 0, "end": 500}]
    answers = [*ANSWERS, {"topic": "q3", "doc": "d2", "start": 400, "end": 410}]
    score = scorer(tmp_path)({"mine": run}, answers, "Reach(recall=0.5,unit=characters)")
    told = compared("<", score["Reach(recall=0.5,unit=characters)"], 5)
    assert told is not None and told[1].startswith("worst question: q3")
