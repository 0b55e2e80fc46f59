"""Scores know which way is better, how far values reach, and what they count; nothing is assumed."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import group
from doxeval.core.errors import UsageError
from doxeval.measurement.meaning import Meaning, meaning_of
from doxeval.scoring.read_scores import join_scores, read_scores
from doxeval.scoring.scores import RunScores, Scores
from doxeval.scoring.selection import select_measures, select_runs
from tests.comparison.scores import random_scores

QRELS = [{"topic": t, "doc": "d1", "start": 0, "end": 30} for t in ("t1", "t2", "t3")]
RUN = [{"topic": t, "doc": "d1", "rank": 1, "start": 5, "end": 40} for t in ("t1", "t2", "t3")]


def with_unknown(runs: int = 3) -> Scores:
    """Scores by AiP and by something that nobody but their maker knows."""
    scores = random_scores(runs, 10, 2)
    scores.measures[1] = "cost"
    return scores


def write(scores: Scores, path) -> str:
    dx.write_scores(scores, path)
    return str(path)


def test_every_measure_says_what_its_scores_mean() -> None:
    for name, measure in dx.measures().items():
        made = dx.measure(measure.example or name)
        meaning = meaning_of(made)
        assert meaning == Meaning(made.canonical, made.higher_is_better, made.low, made.high, made.unit)
        assert meaning.higher_is_better is not None and meaning.low < meaning.high and meaning.unit, name
        assert meaning_of(made.label) == meaning_of(made.canonical) == meaning


def test_scores_carry_the_meaning_of_their_measures(tmp_path) -> None:
    scores = dx.evaluate({"one": RUN}, QRELS, "AiP CE@3 iP(.5)@5")
    assert scores.meaning("AiP") == Meaning("AiP", True, 0.0, 1.0, "share")
    assert scores.meaning("CE@3").higher_is_better is False
    assert scores.meaning("iP(0.50)@5").canonical == "iP(alpha=0.5)@5"
    for path in ("scores.csv", "scores.jsonl", "scores.json", "scores.parquet"):
        back = read_scores(write(scores, tmp_path / path))
        assert [back.meaning(name) for name in back.measures] == [scores.meaning(n) for n in scores.measures]
    for part in (
        select_measures(scores, ["CE@3"]),
        select_runs(scores, ["one"]),
        join_scores([scores, scores]),
    ):
        assert part.meaning("CE@3") == scores.meaning("CE@3")


def test_a_meaning_follows_the_navigation_model_that_the_label_does_not_tell() -> None:
    documents = [{"doc": "d1", "text": "a b c d e f g h i j " * 10}]
    scores = dx.evaluate({"one": RUN}, QRELS, "NearMisses@1", documents, navigation="readon(100)")
    other = dx.evaluate({"two": RUN}, QRELS, "NearMisses(nav=readon(100))@1", documents)
    joined = join_scores([scores, other])
    assert joined.measures == ["NearMisses@1"]
    assert joined.meaning("NearMisses@1").canonical == "NearMisses(nav=readon(mean=100))@1"


COMMANDS = (
    ("compare", ("AiP.csv", "-b", "r0")),
    ("compare", ("AiP.csv",)),
    ("correlate", ("AiP.csv",)),
    ("gate", ("AiP.csv", "--baseline", "AiP.csv", "--baseline-run", "r0")),
)


@pytest.mark.parametrize(("command", "arguments"), COMMANDS)
def test_no_command_assumes_a_direction(command, arguments, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(with_unknown(), tmp_path / "AiP.csv")

    def tried(*more: str):
        return CliRunner().invoke(group, [command, *arguments, *more])

    refused = tried()
    for told in ("'cost'", "--lower-is-better", "--higher-is-better", "lower_is_better="):
        assert told in str(refused.exception)
    outcomes = [tried("--lower-is-better", "cost"), tried("--higher-is-better", "cost")]
    assert all(done.exit_code in (0, 1) for done in outcomes), [done.output for done in outcomes]
    assert outcomes[0].output != outcomes[1].output
    both = tried("--lower-is-better", "cost", "--higher-is-better", "cost")
    assert "not both" in str(both.exception)


@pytest.mark.parametrize(
    "judge",
    [
        lambda scores, **told: dx.compare(scores, **told),
        lambda scores, **told: scores.compare("r0", **told),
        lambda scores, **told: dx.gate(scores, baseline="r0", **told),
        lambda scores, **told: dx.correlate(scores, draws=0, **told),
    ],
    ids=["compare", "scores.compare", "gate", "correlate"],
)
def test_no_function_assumes_a_direction(judge) -> None:
    with pytest.raises(UsageError, match="higher or lower values of 'cost' are better"):
        judge(with_unknown())
    judge(with_unknown(), lower_is_better=["cost"])
    judge(with_unknown(), higher_is_better="cost")
    with pytest.raises(UsageError, match="did you mean 'cost'"):
        judge(with_unknown(), lower_is_better=["costs"])


def test_the_user_outweighs_a_measure_and_what_is_known_needs_no_word() -> None:
    scores = random_scores(2, 10)
    known = dx.compare(scores).differences[0]
    turned = dx.compare(scores, lower_is_better=["AiP"]).differences[0]
    assert (known.wins, known.losses) == (turned.losses, turned.wins)
    assert dx.compare(scores, higher_is_better=["MAiP"]).differences[0] == known


def test_a_gate_in_python(tmp_path) -> None:
    topics = [f"t{at}" for at in range(12)]
    counted = np.ones(12, dtype=bool)
    old = np.linspace(0.5, 0.9, 12)
    runs = [
        RunScores(name, values[None, :], counted, 0, 0)
        for name, values in (("old", old), ("new", old - 0.2), ("same", old))
    ]
    found = dx.gate(Scores(["AiP"], topics, runs), baseline="old", max_drop=0.05)
    assert [verdict.difference.run for verdict in found.failed] == ["new"]
    assert "FAIL AiP: `new`" in repr(found) and "ok   AiP: `same`" in repr(found)
    assert "1 of 2 comparisons failed" in found.summary() and b'failures="1"' in found.junit()
    assert not dx.gate(Scores(["AiP"], topics, runs[::2]), baseline="old", max_drop="AiP:1%").failed
    with pytest.raises(UsageError, match="did you mean 'drop'"):
        dx.gate(Scores(["AiP"], topics, runs), baseline="old", fail_on="drops")
