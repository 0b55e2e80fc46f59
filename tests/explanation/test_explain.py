"""Explanations: for every measure that has one, the parts add up to the score; and what the command says."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings

import doxeval as dx
from doxeval.cli import group
from doxeval.core.grammar import split_names
from doxeval.demo import ANSWERS, DOCUMENTS, RUNS
from doxeval.ground.align import align
from doxeval.measurement.base import Measure, measures
from doxeval.scoring.evaluation import Evaluation
from doxeval.show.explanation.explain import differences, explain
from tests.measures.test_invariants import DOCUMENTS as TREES
from tests.measures.test_invariants import evaluations, registered

EXACT = 1e-12
MORE = """
    iP iP@3 iP[0] iP[0.5] iP[1] iP@50c iP(alpha=0.5)@4 iR(alpha=1) AiP@2 AiP(alpha=1) F(beta=2)@3 IoU@40c
    Judged(chars=true)@2 gP@2 gP@30 gP[0.5] AgP@2 NCE@20 ANCE@20 CE@1 Doc(score=LE)
    Doc(score=aveChP,over=relevant) nDCG@3 ESRP(nav=hierarchical)@3 ESRR(nav=hierarchical)@3
    SRiP2(nav=readon(mean=20))@9 SRiR(alpha=0.5) SRiP[0.2]
"""


def aligned(qrels, results, names):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        built = Evaluation(qrels, names, TREES)
        return built.measures, align(dx.read_run(results, name="run"), built.ground)


@settings(max_examples=25)
@given(evaluations())
def test_shares_add_up_to_the_score_for_every_measure_that_has_them(evaluation) -> None:
    chosen, topics = aligned(*evaluation, [*registered(), *split_names(MORE)])
    explained = 0
    for measure in chosen:
        shares = measure.explain(topics)
        if shares is not None:
            explained += 1
            np.testing.assert_allclose(
                shares.totals(), measure(topics), rtol=0, atol=EXACT, err_msg=measure.label
            )
    assert explained >= 15


@settings(max_examples=5)
@given(evaluations())
def test_differences_add_up_to_the_score_for_every_measure(evaluation) -> None:
    chosen, topics = aligned(*evaluation, [*registered(), *split_names(MORE)])
    for measure in chosen:
        found = differences(measure, topics).totals()
        np.testing.assert_allclose(found, measure(topics), rtol=0, atol=EXACT, err_msg=measure.label)


def test_the_measures_people_use_most_are_sums_over_results() -> None:
    known = measures()
    for name in (
        "iP",
        "iR",
        "AiP",
        "F",
        "IoU",
        "Judged",
        "gP",
        "gR",
        "AgP",
        "CE",
        "NCE",
        "ANCE",
        "Doc",
        "ESRP",
        "ESRR",
    ):
        assert known[name].shares is not Measure.shares, name


QRELS = [
    {"topic": "t1", "doc": "a", "start": 10, "end": 30},
    {"topic": "t1", "doc": "b", "start": 0, "end": 10},
    {"topic": "t2", "doc": "a"},
]
RESULTS = [
    {"topic": "t1", "doc": "a", "rank": 1, "start": 0, "end": 20},
    {"topic": "t1", "doc": "c", "rank": 2, "start": 0, "end": 20},
    {"topic": "t1", "doc": "a", "rank": 3, "start": 15, "end": 35},
]


def test_every_rank_says_what_it_gained_repeated_and_left() -> None:
    told = explain(RESULTS, QRELS, "t1", "iR@3")
    facts = [(r.gained, r.repeated, r.reachable, r.unopened) for r in told.ranks]
    assert facts == [(10, 0, 10, 10), (0, 0, 10, 10), (10, 5, 0, 10)]
    assert [r.added for r in told.ranks] == pytest.approx([1 / 3, 0, 1 / 3])
    assert [(m.doc, m.relevant, m.missed, m.retrieved) for m in told.missed] == [
        ("b", 10, 10, False),
        ("a", 20, 0, True),
    ]
    assert told.score == told.sum == pytest.approx(2 / 3)
    assert "t1" in repr(told) and "<table>" in told._repr_html_()


def test_effort_past_the_end_of_the_list_is_the_rest() -> None:
    told = explain(RESULTS, QRELS, "t1", "CE@10")
    assert told.rest > 0
    assert told.sum == pytest.approx(told.score, abs=EXACT)


def test_a_topic_without_a_value_and_an_unknown_one_are_told() -> None:
    with pytest.raises(dx.UsageError, match="nothing is relevant"):
        explain(RESULTS, QRELS, "t2", "iR")
    with pytest.raises(dx.UsageError, match="'t12' was not assessed; did you mean"):
        explain(RESULTS, QRELS, "t12", "iR")


def command(*arguments: str):
    run = str(RUNS / "overlapping-800.jsonl")
    return CliRunner().invoke(
        group,
        ["explain", "--run", run, "--qrels", str(ANSWERS), "--topic", "q03", *arguments],
        catch_exceptions=False,
    )


@pytest.mark.parametrize("measure", ["AiP", "IoU@5", "iR@2000c", "nDCG@10"])
def test_the_command_prints_the_score_of_eval(measure: str) -> None:
    expected = dx.evaluate(RUNS / "overlapping-800.jsonl", ANSWERS, measure).value(
        "overlapping-800", measure, "q03"
    )
    printed = command("-m", measure).output
    assert f"{measure} = {expected!r}" in printed
    told = json.loads(command("-m", measure, "-f", "json").output)
    assert told["score"] == expected
    assert sum(rank["added"] for rank in told["ranks"]) + told["rest"] == pytest.approx(expected, abs=EXACT)


def test_the_command_tells_what_a_navigating_reader_reaches() -> None:
    printed = command("-m", "iR@1", "--docs", str(DOCUMENTS), "--nav", "hierarchical").output
    assert " near" in printed and "hierarchical" in printed
