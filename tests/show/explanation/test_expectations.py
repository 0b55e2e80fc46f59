"""The expectations behind measures of near misses are those of the equations, and add up to the score."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import doxeval as dx
from doxeval.measurement.near_miss_reader import ExposedMeasure
from tests.measurement.test_invariants import BOTH, SCORED, aligned
from tests.reader.exposure import twins

pytestmark = pytest.mark.filterwarnings("ignore:run. no document of the run was assessed")


def columns(told: dx.Explanation) -> dict[str, dict[str, list]]:
    return {one.name: one.columns for one in told.inside}


@settings(max_examples=12)
@given(st.integers(0, 10**6), st.sampled_from(["", "alpha=0.25", "overlap=repeated,alpha=0.5", "tree=sr"]))
def test_every_tree_and_every_rank(seed: int, parameters: str) -> None:
    """Tables 7 and 8 of any list are what the twin adds up, tree by tree, and all trees give the ranks."""
    case = twins.tree_case(seed)
    wanted_trees = {frozenset([f"{one['doc']}:", *one["nodes"]]): one for one in case.qrels}
    case.qrels = list(wanted_trees.values())
    options = dict(one.split("=") for one in parameters.split(",") if one)
    name = f"NSRCG2(rel=grade,nav=hierarchical,l=0.5,m=3{',' if parameters else ''}{parameters})"
    told = dx.explain(case.run or [{"topic": "t"}], case.qrels, name, case.docs, topic="t")
    expected, trees = columns(told)["expected"], columns(told)["trees"]
    for rank in range(1, len(case.run) + 1):

        def twin(qrels: list[dict], rank: int = rank) -> tuple[float, float, float]:
            one = twins.Case(case.docs, qrels, case.run)
            rule, alpha = options.get("tree", "esr"), float(options.get("alpha", 0))
            overlap = options.get("overlap", "new")
            return twins.expose_trees(one, twins.hierarchical, rule, rank, alpha, overlap=overlap)

        hits, near, misses = twin(case.qrels)
        row = {key: column[rank - 1] for key, column in expected.items()}
        base = hits + near + misses
        wanted = {"hits": hits, "near": near, "misses": misses, "recall-base": base, "CG": hits + near,
                  "CD": rank * 0.5 * base / 3}  # fmt: skip
        assert {key: row[key] for key in wanted} == pytest.approx(wanted, abs=1e-12)
        assert row["NSRCG2@k"] == pytest.approx(row["CG"] / row["CD"] if base else 0, abs=1e-12)
        for at, k in enumerate(trees["k"]):
            if k in (rank, None):
                state = tuple(trees[key][at] for key in ("hit", "near", "miss"))
                one = wanted_trees[frozenset(trees["assessed"][at].split())]
                assert state == pytest.approx(twin([one]), abs=1e-12)


@settings(max_examples=3)
@given(BOTH)
def test_every_measure_of_near_misses_on_trees_and_on_text(drawn) -> None:
    """The last row is the end of the list, and has the measure's value there."""
    (qrels, results), kind = drawn
    topics, chosen = aligned(results, qrels, SCORED[kind])
    for measure in chosen:
        if not isinstance(measure, ExposedMeasure):
            continue
        read = measure.read(topics)
        for topic in np.flatnonzero(topics.count):
            (expected, *_) = measure.inside(read, int(topic))
            rank, at = len(expected.columns["k"]), f"{measure.name}@k"
            value = measure.cut(read, rank)[topic]
            assert expected.columns[at][-1] == pytest.approx(value, abs=1e-12), measure
            assert len({len(column) for column in expected.columns.values()}) == 1


@settings(max_examples=10)
@given(st.integers(0, 10**6), st.sampled_from(["esr", "sr"]))
def test_chances_between_trees(seed: int, rule: str) -> None:
    """p(t_i; t_j) of SR are those of the equation, and their noisy-or is the redundancy."""
    case = twins.tree_case(seed)
    name = f"SR(tree={rule},nav=hierarchical)"
    told = dx.explain(case.run or [{"topic": "t"}], case.qrels, name, case.docs, topic="t")
    redundancy, between = columns(told)["redundancy"], columns(told)["between"]
    assert sum(redundancy["new"]) == pytest.approx(told.score, abs=1e-12)
    unseen = dict.fromkeys(redundancy["k"], 1.0)
    for k, before, p in zip(between["k"], between["before"], between["p"], strict=True):
        this, other = case.run[k - 1], case.run[before - 1]
        same = set(this["nodes"]) == set(other["nodes"])
        wanted = twins.between_trees(
            case, twins.hierarchical, rule, this["doc"], this["nodes"], other["nodes"]
        )
        assert p == pytest.approx(1.0 if same and rule == "esr" else wanted, abs=1e-12)
        unseen[k] *= 1 - p
    assert redundancy["redundancy"] == pytest.approx([1 - left for left in unseen.values()], abs=1e-12)


@pytest.mark.parametrize(("recall", "stop"), [("0.5", "C = 1, the first"), ("1", "C = 2, the last rank")])
def test_the_rank_at_which_the_reader_of_srprum_stops(recall: str, stop: str) -> None:
    docs = [{"doc": "d", "length": 10, "nodes": [
        {"id": "r", "parent": None, "tag": "a", "start": 0, "end": 10},
        {"id": "s", "parent": "r", "tag": "s", "start": 0, "end": 5}]}]  # fmt: skip
    qrels = [{"topic": "t", "doc": "d", "node": name, "rel": 1} for name in "rs"]
    run = [{"topic": "t", "doc": "d", "rank": rank, "node": "r"} for rank in (1, 2)]
    told = dx.explain(run, qrels, f"SRPRUM(recall={recall})", docs, topic="t")
    assert stop in repr(told)
    assert columns(told)["expected"]["CL"] == [1, 1]
