"""Measures against outcomes, from scores to tables, by function and by command."""

from __future__ import annotations

import csv
import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import group
from doxeval.scoring.scores import RunScores, Scores
from tests.comparison.outcomes.test_pairs import by_pairs

TOPICS, RUNS = 40, 3


def scored(measures=("iP@1", "iR@1", "CE@1"), seed: int = 0) -> tuple[Scores, list[dict[str, Any]]]:
    """Scores that rise with success (CE@1, where less is better, falls), and the outcomes."""
    random = np.random.default_rng(seed)
    solved = random.random((RUNS, TOPICS)) < 0.4
    runs, rows = [], []
    for run in range(RUNS):
        values = np.round(random.random((3, TOPICS)) + np.outer([0.6, 0.1, -0.3], solved[run]), 2)
        runs.append(RunScores(f"r{run}", values[: len(measures)], np.ones(TOPICS, dtype=bool), 1, 0))
        rows += [
            {"topic": f"t{t}", "run": f"r{run}", "solved": bool(solved[run, t]), "half": "AB"[t % 2]}
            for t in range(TOPICS)
        ]
    return Scores(list(measures), [f"t{t}" for t in range(TOPICS)], runs), rows


def values_of(scores: Scores, rows: list[dict[str, object]], measure: int) -> np.ndarray:
    """The values of one measure in the order of the rows."""
    return np.array(
        [
            scores.runs[scores.names.index(str(row["run"]))].values[
                measure, scores.topics.index(str(row["topic"]))
            ]
            for row in rows
        ]
    )


def test_every_number_is_that_of_a_loop() -> None:
    scores, rows = scored()
    found = dx.correlate(scores, outcomes=rows, draws=200)
    outcome = np.array([float(row["solved"]) for row in rows])
    topic = np.array([int(str(row["topic"])[1:]) for row in rows])
    others = np.array([outcome[topic == t].sum() for t in topic]) - outcome
    for at, measure in enumerate(scores.measures):
        value = values_of(scores, rows, at) * (-1 if measure == "CE@1" else 1)
        higher, lower, equal = by_pairs(value, outcome)
        one = found.at(measure)
        assert one.value == pytest.approx((higher + equal / 2) / (higher + lower + equal))
        assert [one.higher, one.lower, one.equal] == by_pairs(value, outcome, stratum=topic).tolist()
        assert one.low < one.value < one.high and (one.cases, one.topics) == (TOPICS * RUNS, TOPICS)
        for stratum in [part for part in found.strata if part.measure == measure]:
            kept = others == stratum.solved_by_others
            higher, lower, equal = by_pairs(value[kept], outcome[kept])
            assert (stratum.cases, stratum.successes) == (kept.sum(), outcome[kept].sum())
            assert stratum.value == pytest.approx((higher + equal / 2) / (higher + lower + equal))
    assert [one.value for one in found.predictors] == sorted(
        (one.value for one in found.predictors), reverse=True
    )
    assert found.predictors[0].measure == "iP@1" and found.at("CE@1").value > 0.5
    assert found.strata and (found.outcome, found.coefficient, found.cases) == (
        "solved",
        "AUC",
        TOPICS * RUNS,
    )
    assert found.mean == pytest.approx(outcome.mean())


def test_differences_have_one_band_over_all_pairs() -> None:
    scores, rows = scored()
    found = dx.correlate(scores, outcomes=rows, draws=2_000)
    assert len(found.differences) == 3
    alone = dx.correlate(scores, measures="iP@1 iR@1", outcomes=rows, draws=2_000).differences[0]
    pair = next(one for one in found.differences if {one.measure, one.other} == {"iP@1", "iR@1"})
    assert pair.difference == pytest.approx(alone.difference) and pair.told_apart
    assert pair.least > alone.least > 0
    for one in found.differences:
        difference = found.at(one.measure).value - found.at(one.other).value
        assert one.difference == pytest.approx(difference)
        assert (one.low, one.high) == pytest.approx((difference - one.least, difference + one.least))
    twice = Scores(["iP@1", "iR@1"], scores.topics, [
        RunScores(run.name, run.values[[0, 0]], run.counted, 1, 0) for run in scores.runs
    ])  # fmt: skip
    same = dx.correlate(twice, outcomes=rows, draws=200).differences[0]
    assert (same.difference, same.low, same.least, same.told_apart) == (0.0, None, None, False)


def test_measures_are_compared_where_both_have_a_value() -> None:
    scores, rows = scored()
    for run in scores.runs:
        run.values[1, :8] = np.nan
    found = dx.correlate(scores, outcomes=rows, draws=100)
    assert found.at("iP@1").cases == TOPICS * RUNS and found.at("iR@1").cases == (TOPICS - 8) * RUNS
    pair = next(one for one in found.differences if {one.measure, one.other} == {"iP@1", "iR@1"})
    assert pair.cases == (TOPICS - 8) * RUNS
    kept = [row for row in rows if int(str(row["topic"])[1:]) >= 8]
    apart = dx.correlate(scores, outcomes=kept, draws=0)
    sign = 1 if pair.measure == "iP@1" else -1
    assert pair.difference == pytest.approx(sign * (apart.at("iP@1").value - apart.at("iR@1").value))
    assert "no value by some measure" in str(found.notices.lasting[0])


def test_a_run_without_a_topic_has_the_value_of_an_empty_list() -> None:
    gold = [{"topic": f"t{t}", "doc": "d", "start": 0, "end": 9} for t in range(20)]
    run = [row | {"rank": 1} for row in gold[:12]]
    solved = [{"topic": f"t{t}", "solved": "yes" if t < 10 else "no"} for t in range(20)]
    found = dx.correlate({"a": run}, gold, "iR@1 iP@1", outcomes=solved, draws=100)
    assert found.at("iR@1").value == pytest.approx(0.8 + 0.2 / 2) and found.cases == 20
    with pytest.raises(dx.UsageError, match="value of an empty list"):
        dx.correlate({"a": run}, gold, "iR@1", outcomes=solved, draws=0, topics="run")


def test_outcomes_that_are_numbers_have_concordance_and_tau() -> None:
    from scipy.stats import kendalltau

    scores, rows = scored()
    graded = [row | {"score": round(at * 0.7 % 3 + row["solved"], 1)} for at, row in enumerate(rows)]
    found = dx.correlate(scores, outcomes=graded, outcome_column="score", draws=200)
    outcome = np.array([row["score"] for row in graded])
    assert (found.coefficient, found.yes_no, found.strata) == ("concordance", False, [])
    one = found.at("iP@1")
    assert one.tau == pytest.approx(kendalltau(values_of(scores, rows, 0), outcome).statistic)
    assert one.tau_low < one.tau < one.tau_high and one.p is not None
    assert "tau-b" in found.measure_table.header and "tau-b" in repr(found)
    assert all(each.low <= each.mean <= each.high for each in found.bins)


def test_listed_settings_are_marked_as_explored_or_chosen_elsewhere() -> None:
    gold: list[dict[str, Any]] = [
        {"topic": f"t{t}", "doc": "d", "start": 0, "end": 90, "part": "AB"[t % 2]} for t in range(60)
    ]
    random = np.random.default_rng(2)
    runs = {
        name: [row | {"rank": 1, "end": int(random.integers(20, 200))} for row in gold] for name in ("a", "b")
    }
    solved: list[dict[str, Any]] = [
        {"topic": row["topic"], "run": name, "solved": int(60 < row["end"] < 140)}
        for name, run in runs.items() for row in run
    ]  # fmt: skip
    measures = "F(beta=0.2,1,5)@1 iR@1"
    found = dx.correlate(runs, gold, measures, outcomes=solved, draws=200)
    assert {one.measure: one.explored for one in found.predictors}["iR@1"] == 1
    assert found.at("F(beta=1)@1").explored == 3
    for table in found.tables:
        for row in table.body:
            marked = [cell for cell in row if getattr(cell, "mark", "") == "°"]
            assert bool(marked) == any(cell.startswith("F(") for cell in row), row
    assert "explored" in str(found) and "3 settings tried" in " ".join(found.sentences)
    chosen = dx.correlate(runs, gold, measures, outcomes=solved, draws=200, chosen_on="part=A")
    assert len(chosen.predictors) == 2 and chosen.cases == 60 and chosen.topics == 30
    best = max((one for one in chosen.tried if one.measure.startswith("F")), key=lambda one: one.value)
    assert best.chosen and sum(one.chosen for one in chosen.tried) == 2 and len(chosen.tried) == 4
    assert chosen.at(best.measure).there == best.value and chosen.at(best.measure).explored == 1
    there = [row for row in solved if int(row["topic"][1:]) % 2 == 0]
    elsewhere = [row for row in solved if int(row["topic"][1:]) % 2]
    for one, cases in (("there", there), ("value", elsewhere)):
        alone = dx.correlate(runs, gold, best.measure, outcomes=cases, draws=0)
        assert getattr(chosen.at(best.measure), one) == pytest.approx(alone.predictors[0].value)
    assert "where chosen" in chosen.measure_table.header and "°" not in str(chosen)
    half = dx.correlate(runs, gold, measures, outcomes=solved, draws=200, chosen_on=0.5)
    assert half.topics == 30 and half.cases == 60
    other = dx.correlate(runs, gold, measures, outcomes=solved, draws=200, chosen_on=".5", seed=1)
    assert other.at("iR@1").value != half.at("iR@1").value


def test_models_and_cut_offs_are_settings_too() -> None:
    gold = [{"topic": f"t{t}", "doc": "d", "start": 0, "end": 90} for t in range(30)]
    run = [
        row | {"rank": 1, "start": 10 * t}
        for t, row in enumerate(gold)
        for row in [row | {"end": 10 * t + 9}]
    ]
    solved = [{"topic": f"t{t}", "solved": t % 3 == 0} for t in range(30)]
    found = dx.correlate(
        {"a": run},
        gold,
        "ESRR iR@1,2",
        navigation=["readon(mean=9)", "readon(mean=99)"],
        outcomes=solved,
        draws=0,
    )
    assert [one.explored for one in found.predictors] == [2, 2, 2, 2]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"outcomes": lambda rows: [row | {"solved": False} for row in rows]}, "all 120 outcomes are no"),
        ({"outcomes": lambda rows: [row for row in rows if row["topic"] < "t13"]},
         r"5 topics, .*expected 10, and 5 of each\. Even if all 15 cases were independent, only an AUC "
         r"beyond 0.5 \+- 0\.\d\d could be told from chance \(draws=0"),
        ({"outcomes": lambda rows: [row | {"run": "r7"} for row in rows]},
         r"there is no run 'r7' \(the runs are r0, r1, r2"),
        ({"outcomes": lambda rows: [row | {"run": row["run"].upper()} for row in rows]}, "did you mean 'r0'"),
        ({"outcomes": lambda rows: [{k: v for k, v in row.items() if k != "run"} for row in rows]},
         "row 1: expected a run, since there are several; the runs are r0, r1, r2"),
        ({"outcomes": lambda rows: [row | {"topic": "x" + row["topic"]} for row in rows]},
         "none of the topics with an outcome is assessed: the outcomes have 'xt0'; did you mean"),
        ({"outcomes": lambda rows: [*rows, rows[0] | {"solved": not rows[0]["solved"]}]},
         "row 121: topic t0 of run r0 has another outcome than in outcomes: row 1"),
        ({"outcomes": lambda rows: [row | {"won": True} for row in rows], "outcome_column": "wonn"},
         "the outcomes have no column 'wonn'; did you mean 'won'"),
        ({"chosen_on": "halv=A"}, "no topic has an attribute 'halv'; did you mean 'half'"),
        ({"chosen_on": "half=C"}, r"no topic with an outcome has half=C \(they have A, B\)"),
        ({"chosen_on": "2"}, "expected ATTRIBUTE=VALUE or a share between 0 and 1"),
        ({"chosen_on": 0.001}, "where measures are chosen, all 0 outcomes"),
        ({"rows": "iP@1"}, "about rankings of runs"),
    ],
)  # fmt: skip
def test_what_cannot_be_told_is_refused(change, told: str) -> None:
    scores, rows = scored()
    given = {"outcomes": rows} | change
    given["outcomes"] = given["outcomes"](rows) if callable(given["outcomes"]) else rows
    with pytest.raises(dx.DoxevalError, match=told):
        dx.correlate(scores, **given)


def test_options_about_outcomes_are_refused_without_any() -> None:
    scores, _ = scored()
    for given in ({"outcome_column": "solved"}, {"chosen_on": 0.5}, {"topics_file": {"t1": "why?"}}):
        with pytest.raises(dx.UsageError, match="it is about outcomes, and none are given"):
            dx.correlate(scores, **given)


def test_what_is_left_out_is_told() -> None:
    scores, rows = scored()
    rows = [
        *rows,
        rows[0],
        {"topic": "t99", "run": "r0", "solved": True},
        {"topic": "t1", "run": "old", "solved": 1},
    ]
    rows = [row for row in rows if row["topic"] != "t3"]
    rows[5] = rows[5] | {"solved": None}
    told = " ".join(map(str, dx.correlate(scores, outcomes=rows, draws=100).notices))
    assert "1 outcome is of a topic without a value" in told and "1 row repeats an outcome" in told
    assert "1 run with outcomes is not among those given and is left out (old)" in told
    assert "1 assessed topic has no outcome and is left out (t3)" in told and "1 row has no 'solved'" in told
    scores.runs[0].name = "new"
    with pytest.raises(dx.UsageError, match="there is no run 'r0'"):
        dx.correlate(scores.select(["new"]), outcomes=rows, draws=0)


def test_a_measure_with_values_of_too_few_cases_is_left_out_and_named() -> None:
    scores, rows = scored()
    for run in scores.runs:
        run.values[1, 4:] = np.nan
    found = dx.correlate(scores, outcomes=rows, draws=100)
    assert sorted(one.measure for one in found.predictors) == ["CE@1", "iP@1"]
    (told,) = map(str, found.notices.lasting)
    assert told.startswith("iR@1 is left out: where it has a value, 4 topics, ")


def test_measures_that_share_too_few_cases_have_no_difference() -> None:
    scores, rows = scored()
    for run in scores.runs:
        run.values[0, :19], run.values[1, 20:] = np.nan, np.nan
    found = dx.correlate(scores, outcomes=rows, draws=100)
    known = {frozenset((one.measure, one.other)): one for one in found.differences}
    apart = known[frozenset(("iP@1", "iR@1"))]
    assert (apart.cases, apart.difference, apart.low, apart.least) == (RUNS, None, None, None)
    assert known[frozenset(("iP@1", "CE@1"))].difference is not None


def test_of_many_measures_the_table_has_the_differences_to_the_best() -> None:
    random = np.random.default_rng(0)
    names = [f"iP@{rank}" for rank in range(1, 8)]
    solved = np.arange(TOPICS) % 2 == 0
    values = random.random((len(names), TOPICS)) + np.outer(np.linspace(0, 0.6, len(names)), solved)
    scores = Scores(
        names, [f"t{t}" for t in range(TOPICS)], [RunScores("r", values, np.ones(TOPICS, dtype=bool), 1, 0)]
    )
    rows = [{"topic": f"t{t}", "run": "r", "solved": bool(solved[t])} for t in range(TOPICS)]
    found = dx.correlate(scores, outcomes=rows, draws=100)
    best = found.predictors[0].measure
    assert len(found.differences) == 21 and len(found.difference_table.body) == 6
    assert all(best in row[:2] for row in found.difference_table.body)
    assert f"only pairs with {best} are shown; csv and jsonl have all" in found.difference_table.footer
    four = dx.correlate(scores.select(measures=names[:4]), outcomes=rows, draws=100).difference_table
    assert len(four.body) == 6 and not any("are shown" in line for line in four.footer)
    pytest.importorskip("matplotlib")
    told = " ".join(" ".join(text.get_text().split()) for text in dx.plot(found).texts)
    assert "the 6 of 7 measures with the highest AUC" in told


def test_a_perfect_measure_is_not_called_certain() -> None:
    scores, rows = scored()
    for number, run in enumerate(scores.runs):
        run.values[0] = [row["solved"] for row in rows[number * TOPICS : (number + 1) * TOPICS]]
    found = dx.correlate(scores, outcomes=rows, draws=100)
    assert found.predictors[0].value == 1.0 and "does not mean that it is certain" in str(found)


def test_bins_hold_every_case_once() -> None:
    scores, rows = scored()
    found = dx.correlate(scores, outcomes=rows, draws=0)
    for measure in scores.measures:
        bins = [one for one in found.bins if one.measure == measure]
        assert sum(one.cases for one in bins) == TOPICS * RUNS
        assert all(a.last < b.first for a, b in pairwise(bins))
        assert sum(one.cases * one.mean for one in bins) == pytest.approx(sum(row["solved"] for row in rows))
        assert all(0 <= one.low <= one.mean <= one.high <= 1 for one in bins)
    assert min(one.first for one in found.bins if one.measure == "CE@1") < 0.2


def test_infinite_values_are_values_and_measures_named_twice_count_once() -> None:
    scores, rows = scored()
    for run in scores.runs:
        run.values[2, run.values[2] > 0.7] = np.inf
    found = dx.correlate(scores, measures="iP@1 CE@1 iP@1", outcomes=rows, draws=100)
    assert sorted(one.measure for one in found.predictors) == ["CE@1", "iP@1"]
    assert all(one.explored == 1 for one in found.predictors)
    cost, outcome = values_of(scores, rows, 2), np.array([float(row["solved"]) for row in rows])
    higher, lower, equal = by_pairs(-cost, outcome)
    assert found.at("CE@1").value == pytest.approx((higher + equal / 2) / (higher + lower + equal))
    assert b"1e999" in found.rendered("jsonl")
    pytest.importorskip("matplotlib")
    dx.plot(found)
    chosen = dx.correlate(scores, measures="iP@1 CE@1 iP@1", outcomes=rows, draws=0, chosen_on=0.5)
    assert len(chosen.predictors) == len(chosen.tried) == 2


def test_the_same_seed_gives_the_same_numbers_in_any_order_of_rows() -> None:
    scores, rows = scored()
    first, again = (dx.correlate(scores, outcomes=given, draws=300) for given in (rows, rows[::-1]))
    assert first.rows == again.rows
    assert dx.correlate(scores, outcomes=rows, draws=300, seed=1).at("iP@1").low != first.at("iP@1").low


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    scores, rows = scored()
    dx.write_scores(scores, "scores.csv", per_topic=True)
    with (tmp_path / "solved.tsv").open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), delimiter="\t")
        writer.writeheader()
        writer.writerows(rows)
    (tmp_path / "solved.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def run(*words: str):
    return CliRunner().invoke(group, ["correlate", "scores.csv", "--outcomes", "solved.tsv", *words])


def test_the_command_prints_what_the_function_returns(folder: Path) -> None:
    scores, rows = scored()
    found = dx.correlate(scores, outcomes=rows, draws=200)
    done = run("--draws", "200", "-f", "jsonl")
    assert done.exit_code == 0, done.output
    assert [json.loads(line) for line in done.stdout.splitlines()] == json.loads(json.dumps(found.rows))
    table = run("--draws", "200")
    assert "iP@1 goes best with solved: AUC" in table.stdout
    assert str(found).splitlines()[0].rstrip() in table.stdout
    assert run("--draws", "200", "-f", "latex").stdout.startswith("% Which measure predicts solved")
    assert run("--draws", "200", "-f", "md").stdout.startswith("**Which measure predicts solved**")
    csv_rows = list(csv.DictReader(run("--draws", "200", "-f", "csv").stdout.splitlines()))
    assert len(csv_rows) == found.frame.height == len(found.rows)
    assert {row["part"] for row in csv_rows} == {"measure", "difference", "difficulty", "bin"}


def test_tables_fit_the_screen(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    from doxeval.core.screen import change_screen

    scores, rows = scored()
    found = dx.correlate(scores, outcomes=rows, draws=100)
    change_screen(width=60)
    try:
        assert max(map(len, found.rendered("table").decode().splitlines())) <= 60
    finally:
        change_screen(width=None)


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_success_is_drawn_against_the_value(folder: Path, suffix: str) -> None:
    pytest.importorskip("matplotlib")
    done = run("--draws", "100", "-o", f"out.{suffix}")
    assert done.exit_code == 0 and (folder / f"out.{suffix}").stat().st_size > 1_000, done.output
    scores, rows = scored()
    figure = dx.plot(dx.correlate(scores, outcomes=rows, draws=0))
    found = figure.axes
    assert len(found) == 3 and found[0].get_ylabel() == "share solved"
    assert re.match(r"iP@1, AUC 0\.\d{3}", found[0].get_xlabel())


def test_chosen_topics_and_columns_are_named_on_the_command_line(folder: Path) -> None:
    done = run("--draws", "100", "--chosen-on", "half=A")
    assert done.exit_code == 0 and "Tried where measures are chosen: half=A" in done.stdout, done.output
    (folder / "topics.jsonl").write_text(
        "".join(
            json.dumps({"topic": f"t{t}", "kind": "new" if t > 9 else "old"}) + "\n" for t in range(TOPICS)
        )
    )
    kind = run("--draws", "100", "--chosen-on", "kind=old", "--topics-file", "topics.jsonl")
    assert kind.exit_code == 0 and "90 cases of 3 runs and 30 topics" in kind.stdout, kind.output
    rows = [json.loads(line) for line in (folder / "solved.jsonl").read_text().splitlines()]
    graded = [row | {"score": at % 7} for at, row in enumerate(rows)]
    (folder / "graded.jsonl").write_text("".join(json.dumps(row) + "\n" for row in graded))
    words = ["correlate", "scores.csv", "--outcomes", "graded.jsonl", "--draws", "100"]
    both = CliRunner().invoke(group, [*words, "--outcome", "solved", "--outcome", "score"])
    assert "predicts solved" in both.stdout and "predicts score" in both.stdout
    one = CliRunner().invoke(group, [*words, "--outcome", "solved", "--outcome", "score", "-o", "x.png"])
    assert "a figure shows one outcome" in str(one.exception)


@pytest.mark.parametrize(
    "words",
    [["-c", "rbo"], ["--rows", "iP@1"], ["--columns", "iP@1"], ["--show-intervals"], ["--verdicts", "0.2"],
     ["--heatmap", "x.png"], ["--topics-file", "solved.jsonl"], ["-f", "csv", "-o", "x.png"]],
)  # fmt: skip
def test_flags_that_would_do_nothing_are_refused(folder: Path, words: list[str]) -> None:
    done = run("--draws", "100", *words)
    assert done.exit_code != 0 and "would do nothing here" in str(done.exception)


def test_several_files_and_patterns_are_one_table(folder: Path) -> None:
    rows = [json.loads(line) for line in (folder / "solved.jsonl").read_text().splitlines()]
    for name in ("r0", "r1", "r2"):
        theirs = [{k: v for k, v in row.items() if k != "run"} for row in rows if row["run"] == name]
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in theirs))
    words = ["correlate", "scores.csv", "--draws", "100", "-f", "csv"]
    one = CliRunner().invoke(group, [*words, "--outcomes", "solved.jsonl"])
    pattern = CliRunner().invoke(group, [*words, "--outcomes", "r?.jsonl"])
    listed = CliRunner().invoke(group, [*words, *(w for n in "012" for w in ("--outcomes", f"r{n}.jsonl"))])
    assert one.stdout == pattern.stdout == listed.stdout and one.exit_code == 0
    missing = CliRunner().invoke(group, [*words, "--outcomes", "solvd.jsonl"])
    assert "no such file; did you mean 'solved.jsonl'" in str(missing.exception)


def test_scores_correlate_with_outcomes_as_the_function_does() -> None:
    scores, rows = scored()
    assert repr(scores.correlate(outcomes=rows, draws=50)) == repr(
        dx.correlate(scores, outcomes=rows, draws=50)
    )


def test_a_run_that_has_no_value_of_a_measure_cannot_be_ranked() -> None:
    gold = [{"topic": topic, "doc": "d", "start": 0, "end": 10} for topic in ("t", "u")]
    gold.append({"topic": "v", "doc": "d", "length": 30})
    runs = {
        name: [{"topic": topic, "doc": "d", "rank": 1, "start": 0, "end": 5} for topic in topics]
        for name, topics in (("a", "tu"), ("b", "tu"), ("c", "v"))
    }
    with (
        pytest.warns(dx.DoxevalWarning, match="different numbers of topics"),
        pytest.raises(dx.UsageError, match=r"^c has no value of iP on any topic$"),
    ):
        dx.correlate(runs, gold, "iP iR@2", topics="run")
