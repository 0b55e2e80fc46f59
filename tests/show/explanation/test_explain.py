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
from doxeval.scoring.evaluation import Evaluation
from doxeval.show.explanation.explain import differences, explain
from tests.measurement.test_invariants import BOTH, SCORED, options_for
from tests.measurement.test_invariants import DOCUMENTS as TREES

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
        built = Evaluation(qrels, names, TREES, **options_for(qrels))
        return built.measures, align(dx.read_run(results, name="run"), built.ground)


@settings(max_examples=12)
@given(BOTH)
def test_shares_add_up_to_the_score_for_every_measure_that_is_a_sum(drawn) -> None:
    (qrels, results), kind = drawn
    chosen, topics = aligned(qrels, results, [*SCORED[kind], *split_names(MORE)])
    for measure in chosen:
        shares = measure.explain(topics)
        assert (shares is None) == bool(measure.no_sum), measure
        if shares is not None:
            np.testing.assert_allclose(
                shares.totals(), measure(topics), rtol=0, atol=EXACT, err_msg=measure.label
            )


@settings(max_examples=5)
@given(BOTH)
def test_differences_add_up_to_the_score_for_every_measure(drawn) -> None:
    (qrels, results), kind = drawn
    chosen, topics = aligned(qrels, results, [*SCORED[kind], *split_names(MORE)])
    for measure in chosen:
        found = differences(measure, topics).totals()
        np.testing.assert_allclose(found, measure(topics), rtol=0, atol=EXACT, err_msg=measure.label)


@pytest.mark.parametrize(
    ("measure", "listed"),
    [("IoU@2", [1, 2]), ("iR@3", [1, 2, 3]), ("ESRP@1", [1]), ("ERRU@2", [1, 2]), ("iP", [1, 2, 3, 4, 5]),
     ("gP@1", [1, 3]), ("NCE@2", [1, 2, 3, 4]), ("nDCG@1", [1, 3]), ("iP@25c", [1, 2])],
)  # fmt: skip
def test_only_what_the_cutoff_lets_see_is_listed(measure: str, listed: list[int]) -> None:
    """Ranks are those of results, or of documents where the measure counts these; the rest is missed."""
    answers = [{"topic": "t", "doc": f"d{at}", "start": 0, "end": 10} for at in range(3)]
    docs = ["d0", "d1", "d0", "d1", "d2"]
    results = [
        {"topic": "t", "doc": doc, "rank": at + 1, "start": 2 * at, "end": 2 * at + 15}
        for at, doc in enumerate(docs)
    ]
    told = explain(results, answers, measure, TREES, topic="t")
    assert [rank.rank for rank in told.ranks] == listed
    assert sum(rank.added for rank in told.ranks) + told.rest == pytest.approx(told.score, abs=EXACT)
    gained = sum(rank.gained for rank in told.ranks)
    assert sum(one.missed for one in told.missed) == told.total_relevant - gained


NODES = [
    {"topic": "t", "doc": "d0", "node": "s0", "rel": 1},
    {"topic": "t", "doc": "d1", "node": "p00", "rel": 0.5},
]
RETRIEVED = [
    {"topic": "t", "doc": "d0", "rank": 1, "node": "p00"},
    {"topic": "t", "doc": "d0", "rank": 2, "node": "s0"},
    {"topic": "t", "doc": "d1", "rank": 3, "node": "a"},
]


@pytest.mark.parametrize("parameters", ["nav=hierarchical", "nav=hierarchical,rel=length", "nav=proximity"])
def test_a_measure_of_trees_is_explained_by_its_own_hits_and_near_misses(parameters: str) -> None:
    """The columns are those of the measure's reader, not of one who reads text."""
    for rank in (1, 2, 3):
        hits = explain(RETRIEVED, NODES, f"Hits({parameters})@{rank}", TREES, topic="t")
        near = explain(RETRIEVED, NODES, f"NearMisses({parameters})@{rank}", TREES, topic="t")
        for told in (hits, near):
            assert told.ranks[rank - 1].hits == hits.score
            assert told.ranks[rank - 1].near == near.score
            assert told.reader.startswith(parameters.split("=")[1].split(",")[0])
    assert near.ranks[0].near > 0
    assert "mode=trees" in repr(near)


def test_a_measure_that_is_no_sum_says_why() -> None:
    told = explain(RETRIEVED, NODES, "ERRU@3", TREES, topic="t")
    assert "ERRU is not a sum over results" in told.meaning
    assert told.sum == pytest.approx(told.score, abs=EXACT)


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
    told = explain(RESULTS, QRELS, "iR@3", topic="t1")
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
    told = explain(RESULTS, QRELS, "CE@10", topic="t1")
    assert told.rest > 0
    assert told.sum == pytest.approx(told.score, abs=EXACT)
    *_, rest, last = told.tables[0].body
    assert rest == ["", "", "no result", *[""] * 5, f"+{told.rest:.6f}"]
    assert last == ["", "", "CE@10", *[""] * 5, f"{told.score:.6f}"]
    shown = explain(RESULTS, QRELS, "iR@3", topic="t1").tables[0].body
    assert [row[2] for row in shown] == ["0-20", "0-20", "15-35", "iR@3"]


def test_runs_that_were_scored_are_explained_by_one_of_their_measures() -> None:
    scores = dx.evaluate({"run": RESULTS}, QRELS, "iR@3 iP@1")
    for measure in ("iR@3", "iP@1"):
        told = dx.explain(scores, measures=measure, topic="t1")
        assert (told.measure, told.score) == (measure, scores.value("run", measure, "t1"))
    for several in ("iR@3 iP@1", ["iR@3", "iP@1"]):
        with pytest.raises(dx.UsageError, match="only one measure can be explained at a time"):
            dx.explain(scores, measures=several, topic="t1")
    with pytest.raises(dx.UsageError, match="these runs are already scored; omit assessments"):
        dx.explain(scores, QRELS, topic="t1")


@pytest.mark.parametrize(("idle", "left_out"), [(3, 0), (4, 1), (6, 3)])
def test_ranks_left_out_of_a_table_are_told(idle: int, left_out: int) -> None:
    docs = ["a", *["c"] * idle, "b"]
    rows = [
        {"topic": "t1", "doc": doc, "rank": rank, "start": 0, "end": 40} for rank, doc in enumerate(docs, 1)
    ]
    table = explain(rows, QRELS, "iR", topic="t1").tables[0]
    shown = [row[0] for row in table.body]
    assert shown == [*map(str, [*range(1, 5), *range(5 + left_out, len(docs) + 1)]), ""]
    assert any("left out after the third in a row" in line for line in table.footer) == (left_out > 0)


def test_several_runs_are_refused() -> None:
    with pytest.raises(dx.UsageError, match="only one run can be explained at a time, not 2"):
        explain({"a": RESULTS, "b": RESULTS}, QRELS, "iR@3", topic="t1")


def test_a_topic_without_a_value_and_an_unknown_one_are_told() -> None:
    with pytest.raises(dx.UsageError, match="nothing is relevant"):
        explain(RESULTS, QRELS, "iR", topic="t2")
    with pytest.raises(dx.UsageError, match="'t12' was not assessed; did you mean"):
        explain(RESULTS, QRELS, "iR", topic="t12")


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


def test_of_long_lists_the_ranks_after_two_hundred_are_explained_together() -> None:
    answers = [{"topic": "t", "doc": f"d{at}", "start": 0, "end": 10} for at in range(203)]
    results = [answer | {"rank": at} for at, answer in enumerate(answers, start=1)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        built = Evaluation(answers, "iR")
        topics = align(dx.read_run(results, name="run"), built.ground)
    added = differences(built.measures[0], topics).added
    assert np.flatnonzero(added).tolist() == list(range(200))
    np.testing.assert_allclose(added[:200], [*[1 / 203] * 199, 4 / 203], rtol=EXACT)
