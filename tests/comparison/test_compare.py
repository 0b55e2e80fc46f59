"""Comparisons as a user meets them: numbers, tables, files, the command."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

import doxeval as dx
from doxeval.cli import group
from doxeval.comparison.compare import compare
from doxeval.comparison.discrimination import discriminative_power, swap_rates
from doxeval.core.errors import InputError, UsageError
from doxeval.scoring.read_scores import is_scores, join_scores, read_scores
from doxeval.scoring.scores import RunScores, Scores
from doxeval.scoring.scores_table import render as render_scores

from .scores import differences, random_scores


def test_a_difference_says_what_happened() -> None:
    scores = random_scores(2, 20)
    found = scores.compare(test="t", interval="t").differences[0]
    moved = differences(scores)
    assert (found.baseline, found.run, found.topics) == ("r0", "r1", 20)
    assert found.difference == pytest.approx(moved.mean())
    assert found.effect == pytest.approx(moved.mean() / moved.std(ddof=1))
    assert found.p == pytest.approx(
        stats.ttest_rel(scores.runs[1].values[0], scores.runs[0].values[0]).pvalue
    )
    assert (found.wins, found.ties, found.losses) == (int((moved > 0).sum()), 0, int((moved < 0).sum()))
    assert found.low <= found.difference <= found.high
    assert found.worst[0] == (f"t{moved.argmin()}", cast(Any, pytest.approx(moved.min())))
    assert found.best[0] == (f"t{moved.argmax()}", cast(Any, pytest.approx(moved.max())))


def test_a_baseline_is_compared_with_all_and_corrected_within_a_measure() -> None:
    scores = random_scores(5, 25, 2)
    found = scores.compare("r2", test="t", correction="bonferroni")
    assert [d.run for d in found.differences] == ["r0", "r1", "r3", "r4"] * 2
    for d in found.differences:
        assert d.adjusted_p == pytest.approx(min(1.0, 4 * d.p))


def test_all_pairs_get_tukey_and_no_correction() -> None:
    found = random_scores(4, 15).compare(draws=500)
    assert (found.test, found.correction, len(found.differences)) == ("tukey", "none", 6)


def test_lower_may_be_better() -> None:
    scores = random_scores(2, 10)
    scores.measures[0] = "cost"
    up = compare(scores, higher_is_better=["cost"]).differences[0]
    down = compare(scores, lower_is_better=["cost"]).differences[0]
    assert (up.wins, up.losses) == (down.losses, down.wins)
    assert up.gain == -down.gain


def test_only_topics_that_both_have_count() -> None:
    scores = random_scores(2, 30, missing=0.3)
    found = scores.compare(test="t").differences[0]
    both = ~np.isnan(differences(scores))
    assert found.topics == both.sum()
    assert found.baseline_mean == pytest.approx(scores.runs[0].values[0][both].mean())


def test_the_seed_decides_everything() -> None:
    scores = random_scores(3, 20)
    first, again, other = (scores.compare(draws=500, seed=seed).frame for seed in (1, 1, 2))
    assert first.equals(again) and not first.equals(other)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"baseline": "r00"}, "there is no run 'r00'; did you mean 'r0'"),
        ({"test": "welch"}, "unknown test 'welch'"),
        ({"correction": "holms"}, "did you mean 'holm'"),
        ({"confidence": 1.5}, "between 0 and 1"),
        ({"draws": 5}, "at least 100"),
        ({"lower_is_better": ["Aip"]}, "did you mean 'AiP'"),
    ],
)
def test_wrong_wishes_are_explained(options: dict, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        compare(random_scores(3, 10), **options)


def test_too_little_to_compare() -> None:
    with pytest.raises(UsageError, match="at least two runs"):
        compare(random_scores(1, 10))
    with pytest.raises(UsageError, match="are these scores per topic"):
        compare(random_scores(2, 1))
    twice = random_scores(2, 5)
    twice.runs[1].name = "r0"
    with pytest.raises(UsageError, match="more than one run is named r0"):
        compare(twice)


def test_tables_carry_daggers_and_letters() -> None:
    scores = random_scores(2, 40)
    scores.runs[1].values += 0.3
    against = compare(scores, baseline="r0", draws=500)
    assert "‡" in against.rendered("table").decode()
    assert r"$^{\ddagger}$" in against.rendered("latex").decode()
    three = join_scores([scores, Scores(scores.measures, scores.topics, [_shifted(scores, "r_2", 0.6)])])
    latex = compare(three, draws=500).rendered("latex").decode()
    assert "$^{bc}$" in latex and r"r\_2" in latex
    rows = list(csv.DictReader(io.StringIO(against.rendered("csv").decode())))
    assert float(rows[0]["difference"]) == against.differences[0].difference


def test_an_effect_without_spread_is_undefined_not_a_wrong_number() -> None:
    scores = random_scores(1, 5)
    both = Scores(scores.measures, scores.topics, [scores.runs[0], _shifted(scores, "r1", 0.5)])
    found = compare(both)
    assert np.isnan(found.differences[0].effect)
    row = json.loads(found.rendered("jsonl"), parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert row["effect"] is None
    assert ",,1.0," in found.rendered("csv").decode()


def _shifted(scores: Scores, name: str, by: float) -> RunScores:
    run = scores.runs[0]
    return RunScores(name, run.values + by, run.counted, 0, 0)


@pytest.mark.parametrize("form", ["csv", "jsonl", "json", "parquet"])
def test_scores_come_back_from_files(form: str, tmp_path: Path) -> None:
    scores = random_scores(3, 7, 2, missing=0.2)
    path = tmp_path / f"scores.{form}"
    path.write_bytes(render_scores(scores, form, per_topic=True))
    assert is_scores(path)
    back = read_scores(path)
    assert (back.names, back.topics, back.measures) == (scores.names, scores.topics, scores.measures)
    for before, after in zip(scores.runs, back.runs, strict=True):
        assert np.array_equal(before.values, after.values, equal_nan=True)


def test_means_alone_are_one_topic_and_cannot_be_compared(tmp_path: Path) -> None:
    path = tmp_path / "means.csv"
    path.write_bytes(random_scores(3, 7).rendered("csv", per_topic=False))
    assert read_scores(path).topics == ["all"]
    with pytest.raises(UsageError, match="per topic"):
        compare(read_scores(path))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("run,topic,value\n", "expected the columns run, topic, measure, value"),
        ("run,topic,measure,value\na,t,m,x\n", r"scores.csv:2: expected a number as value, found 'x'"),
        ("run,topic,measure,value\na,t,m,1\na,t,m,2\n", "a, t, m has more than one value"),
        ("run,topic,measure,value\n", "has no scores"),
    ],
)
def test_bad_score_files_are_explained(text: str, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=complaint):
        read_scores(path)


def test_a_run_is_no_file_of_scores(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text('{"topic": "t", "doc": "d", "rank": 1}\n')
    assert not is_scores(path)


def test_the_command_compares_and_correlates_score_files(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_bytes(random_scores(4, 12, 2).rendered("csv", per_topic=True))
    compared = CliRunner().invoke(group, ["compare", str(path), "--baseline", "r1", "--draws", "200"])
    assert compared.exit_code == 0 and "differs from `r1`" in compared.output
    out = tmp_path / "tau.csv"
    map_file = tmp_path / "tau.svg"
    correlated = CliRunner().invoke(
        group,
        ["correlate", str(path), "-c", "all", "-o", str(out), "--heatmap", str(map_file), "--draws", "50"],
    )
    assert correlated.exit_code == 0, correlated.output
    assert len(out.read_text().splitlines()) == 1 + 5 * 4
    assert map_file.read_bytes().startswith(b"<?xml")


@pytest.mark.parametrize("models", [["none", "hierarchical"], ["none", "hierarchical", "readon(mean=9)"]])
def test_score_files_are_compared_by_measures_under_each_of_several_models(
    tmp_path: Path, models: list[str]
) -> None:
    measures = [f"SRP(nav={model})@2" for model in [*models, "summary"]]
    rows = [
        {"run": run, "topic": f"t{topic}", "measure": measure, "value": topic + at}
        for at, run in enumerate("ab")
        for topic in range(8)
        for measure in measures
    ]
    path = tmp_path / "scores.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    under = [word for model in models for word in ("--nav", model)]
    words = ["compare", str(path), "-m", "SRP@2", *under, "--draws", "100", "-f", "csv"]
    done = CliRunner().invoke(group, words)
    assert done.exit_code == 0, done.exception
    found = [row["measure"] for row in csv.DictReader(io.StringIO(done.stdout))]
    assert found == measures[:-1]


def test_a_missing_package_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "scores.csv"
    path.write_bytes(random_scores(2, 12).rendered("csv", per_topic=True))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = CliRunner().invoke(group, ["compare", str(path), "--draws", "200", "--plot", "figure.png"])
    assert "pip install 'doxeval[plot]'" in str(result.exception)


def test_discriminative_power_counts_significant_pairs() -> None:
    scores = random_scores(5, 30, 2)
    found = discriminative_power(scores, "t")
    for at in range(2):
        p = [
            stats.ttest_rel(scores.runs[a].values[at], scores.runs[b].values[at]).pvalue
            for a in range(5) for b in range(a)
        ]  # fmt: skip
        assert found.power[at] == pytest.approx(np.mean(np.array(p) < 0.05))
        assert found.levels[at] == pytest.approx(sorted(p))


def test_the_needed_difference_is_the_smallest_from_which_all_are_significant() -> None:
    scores = random_scores(6, 25)
    found = discriminative_power(scores, "t")
    rows = compare(scores, test="t", correction="none", interval="t").differences
    insignificant = [abs(d.difference) for d in rows if d.p >= 0.05]
    larger = [abs(d.difference) for d in rows if abs(d.difference) > max(insignificant, default=0)]
    assert found.needed[0] == pytest.approx(min(larger))


def test_swap_rates_fall_with_topics_and_agree_with_counting() -> None:
    scores = random_scores(4, 24)
    found = swap_rates(scores, sizes=[3, 12], splits=400, seed=1)
    assert found.rate[0, 1] < found.rate[0, 0] < 0.5
    random = np.random.default_rng([1, 5])
    values = np.array([run.values[0] for run in scores.runs])
    swaps = []
    for _ in range(400):
        order = random.permutation(24)
        left, right = values[:, order[:3]].mean(axis=1), values[:, order[3:6]].mean(axis=1)
        for a in range(4):
            for b in range(a):
                agree = np.sign(left[a] - left[b]) * np.sign(right[a] - right[b])
                swaps.append((1 - agree) / 2)
    assert found.rate[0, 0] == pytest.approx(np.mean(swaps))
    with pytest.raises(UsageError, match="need 26"):
        swap_rates(scores, sizes=[13])


def test_micro_averages_of_runs_that_share_one_topic_are_not_compared() -> None:
    gold = [{"topic": topic, "doc": "d", "start": 0, "end": 10} for topic in "tuv"]
    runs = {
        name: [{"topic": topic, "doc": "d", "rank": 1, "start": 0, "end": 5} for topic in topics]
        for name, topics in (("a", "tu"), ("b", "uv"), ("c", "tuv"))
    }
    options: dict[str, Any] = {"average": "micro", "topics": "run", "draws": 100}
    told = "a and b have fewer than 2 topics in common; a comparison needs 2"
    with pytest.raises(UsageError, match=told):
        dx.compare({"a": runs["a"], "b": runs["b"]}, gold, "iR@1", **options)
    with pytest.warns(dx.DoxevalWarning, match="different numbers of topics: 2, 3"):
        (found,) = dx.compare({"a": runs["a"], "c": runs["c"]}, gold, "iR@1", **options).differences
    assert found.topics == 2


def test_draws_that_are_too_many_to_keep_are_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = random_scores(3, 10)
    held = scores.compare(test="randomisation", interval="bootstrap", draws=200).differences
    monkeypatch.setattr("doxeval.comparison.resampling.HELD_NUMBERS", 1)
    assert scores.compare(test="randomisation", interval="bootstrap", draws=200).differences == held


def test_of_many_differences_the_largest_are_drawn() -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    found = random_scores(10, 8).compare(draws=100)
    assert len(found.differences) == 45
    drawn = dx.plot(found)
    told = " ".join(" ".join(text.get_text().split()) for text in drawn.texts)
    assert "the 40 largest of 45 differences; csv has all" in told
    sizes = sorted((abs(one.difference) for one in found.differences), reverse=True)
    names = [tick.get_text() for tick in drawn.axes[0].get_yticklabels()]
    assert len(names) == 40
    shown = {abs(one.difference) for one in found.differences if f"AiP: {one.run} − {one.baseline}" in names}
    assert shown == set(sizes[:40])
