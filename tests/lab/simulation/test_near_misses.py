"""Readers played at random do on average what the formulas say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import doxeval as dx
from doxeval.ground.align import align
from doxeval.lab.simulation.simulate import SimulatedMean
from doxeval.lab.simulation.simulation import Simulation
from doxeval.scoring.evaluation import Evaluation
from tests.reader.exposure import twins

MEASURES = "Hits@3 NearMisses@3 Misses@3 ESRP@3 ESRR@3 SRiR2@3 RecallBase@3"


def played(
    case: twins.Case, navigation: str, visits: str = "independent", readers: int = 2000, names: str = MEASURES
) -> Any:
    evaluation = Evaluation(case.qrels, names, case.docs, navigation)
    topics = align(dx.read_run(case.run, name="run"), evaluation.ground, evaluation.conventions)
    for measure in evaluation.measures:
        yield measure, measure(topics), Simulation([measure], topics, readers, 7, visits).estimate(measure)


@pytest.mark.parametrize("seed", [3, 8])
def test_readers_of_certain_hits(seed: int) -> None:
    names = " ".join(f"{name}(hit=certain)@4" for name in ("Hits", "NearMisses", "Misses"))
    for measure, formula, estimate in played(twins.tree_case(seed), "t2i(scale=2)", names=names):
        assert (np.abs(formula - estimate.mean) <= 4 * estimate.error + 1e-9).all(), measure.label


@pytest.mark.parametrize("cutoff", ["", "@3", "@40c"])
def test_what_is_scored_is_what_readers_did(cutoff: str) -> None:
    """Measures that look at the first results only score these readers too, not the formula again."""
    qrels = [{"topic": "t", "doc": "d", "start": 10, "end": 30, "length": 2000}]
    run = [
        {"topic": "t", "doc": "d", "rank": rank, "start": 40 * rank, "end": 40 * rank + 10}
        for rank in range(1, 40)
    ]
    evaluation = Evaluation(qrels, f"NearMisses(nav=readon(mean=50)){cutoff}")
    topics = align(dx.read_run(run), evaluation.ground, evaluation.conventions)
    estimate = Simulation([], topics, 200, 1).estimate(evaluation.measures[0])
    assert 0 < estimate.error[0] < np.inf
    assert abs(estimate.mean[0] - evaluation.measures[0](topics)[0]) <= 4 * estimate.error[0]


def test_one_mind_sees_less_than_many_chances() -> None:
    """A reader with one mind about each place: the best result counts, not the noisy-or."""
    docs = [
        {"doc": "d", "length": 100, "nodes": [
            {"id": "r", "parent": None, "tag": "a", "start": 0, "end": 100},
            {"id": "s", "parent": "r", "tag": "sec", "start": 0, "end": 50},
            {"id": "p", "parent": "s", "tag": "p", "start": 0, "end": 25},
        ]},
    ]  # fmt: skip
    qrels = [{"topic": "t", "doc": "d", "node": "p", "rel": 1}]
    run = [{"topic": "t", "doc": "d", "rank": rank, "node": node} for rank, node in enumerate("rs", 1)]
    case = twins.Case(docs, qrels, run)
    near = {visits: list(played(case, "hierarchical", visits))[1] for visits in ("independent", "persistent")}
    assert near["independent"][1][0] == pytest.approx(1 - 0.75 * 0.5)
    for visits, value in (("independent", 1 - 0.75 * 0.5), ("persistent", 0.5)):
        estimate = near[visits][2]
        assert abs(estimate.mean[0] - value) <= 4 * estimate.error[0]


def test_readers_who_are_all_alike_are_off_by_nothing_or_by_any_error() -> None:
    """Rounding is no deviation; a deviation without any spread is not hidden."""
    assert SimulatedMean("Hits", 0.5, 0.5 + 1e-16, 1e-17).off_by == "nothing"
    assert SimulatedMean("Hits", 0.5, 0.52, 0.01).off_by == "2.0 errors"
    assert SimulatedMean("Hits", 0.5, 0.52, 0.0).off_by == "any error"
