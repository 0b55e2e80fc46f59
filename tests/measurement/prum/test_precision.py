"""PRUM and EPRUM against their twins, classical precision, and a reference with many digits."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import doxeval as dx
from doxeval.kernels.ideals_seen import follow
from tests.golden.elements import Case
from tests.measurement.prum import twins
from tests.measurement.prum.fixed_point import exact_precisions

pytestmark = pytest.mark.filterwarnings("ignore:run. no document of the run was assessed")

SIXTEENTHS = st.sampled_from(
    [Fraction(0)] * 6 + [Fraction(at, 16) for at in range(1, 16)] + [Fraction(1)] * 2
)

TREE = [
    {"id": "n0", "doc": "d", "parent": None, "start": 0, "end": 40},
    {"id": "n1", "doc": "d", "parent": "n0", "start": 0, "end": 20},
    {"id": "n2", "doc": "d", "parent": "n1", "start": 2, "end": 9},
    {"id": "n3", "doc": "d", "parent": "n1", "start": 9, "end": 20},
    {"id": "n4", "doc": "d", "parent": "n0", "start": 25, "end": 40},
    {"id": "m0", "doc": "e", "parent": None, "start": 0, "end": 15},
    {"id": "m1", "doc": "e", "parent": "m0", "start": 5, "end": 15},
]


@st.composite
def readings(draw: st.DrawFn) -> tuple[twins.Chances, int, int]:
    """Chances to see each ideal from each rank, the number of ideals, and the number of unranked elements."""
    ideals = draw(st.integers(1, 4))
    ranks = draw(st.integers(0, 4))
    rows = [[draw(SIXTEENTHS) for _ in range(ideals)] for _ in range(ranks)]
    return rows, ideals, ideals + draw(st.integers(0, 20))


def columns(chances: twins.Chances, ideals: int, unranked: int, exact: bool) -> Any:
    steps = [(i + 1, x, 1 - float(p)) for i, row in enumerate(chances) for x, p in enumerate(row) if p]
    rank, ideal, miss = (list(column) for column in zip(*steps, strict=True)) if steps else ([], [], [])
    whole = [np.array(values, dtype=np.int64) for values in ([0, ideals], [0, len(steps)], rank, ideal)]
    sizes = [np.array([size], dtype=np.int64) for size in (len(chances), unranked)]
    given: list[Any] = [*whole, np.array(miss, dtype=np.float64), *sizes, exact]
    return follow(*given)


@given(readings())
def test_every_recall_equals_the_twins(reading) -> None:
    chances, ideals, unranked = reading
    by_equations, arrivals = columns(chances, ideals, unranked, exact=False)
    exactly, _ = columns(chances, ideals, unranked, exact=True)
    for r in range(1, ideals + 1):
        assert by_equations[r - 1] == pytest.approx(
            float(twins.prum(chances, ideals, r, unranked)), abs=1e-12
        )
        assert exactly[r - 1] == pytest.approx(
            float(twins.exact_prum(chances, ideals, r, unranked)), abs=1e-12
        )
        assert arrivals[r - 1] == pytest.approx(float(twins.eprum(chances, ideals, r)), abs=1e-12)
        assert by_equations[r - 1] <= exactly[r - 1] + 1e-12


@given(readings())
def test_through_the_public_interface(tmp_path_factory, reading) -> None:
    chances, ideals, unranked = reading
    wanted = [f"i{x}" for x in range(ideals)]
    results = [f"e{rank}" for rank in range(len(chances))]
    case = Case({}, [*wanted, *results])
    triples = [
        (e, i, float(p))
        for e, row in zip(results, chances, strict=True)
        for i, p in zip(wanted, row, strict=True)
        if p
    ]
    nav = (
        f"nav=matrix(file={case.steps(tmp_path_factory.mktemp('nav') / 'steps.csv', triples)})"
        if triples
        else "nav=none"
    )
    universe = f"universe={unranked + len(results)}"
    names = {
        f"PRUM(r={r},{nav},{universe})": twins.prum(chances, ideals, r, unranked)
        for r in range(1, ideals + 1)
    }
    names[f"PRUM(r={ideals},{nav},{universe},exact=true)"] = twins.exact_prum(
        chances, ideals, ideals, unranked
    )
    names[f"EPRUM(recall=1,{nav})"] = twins.eprum(chances, ideals, ideals)
    run = case.run(*([name] for name in results))
    found = case.scores(run, case.judged(rel=dict.fromkeys(wanted, 1)), list(names))
    assert found == pytest.approx({name: float(value) for name, value in names.items()}, abs=1e-12)


@given(st.permutations(range(9)), st.integers(0, 9), st.sets(st.integers(0, 8), min_size=1))
def test_without_navigation_it_is_classical_precision(order, length, relevant) -> None:
    """PRUM Appendix B: r / rank of the r-th relevant element; past the list the expected search length."""
    case = Case({}, [f"e{at}" for at in range(9)])
    run = case.run(*([f"e{at}"] for at in order[:length]))
    ranks = [rank for rank, at in enumerate(order[:length], 1) if at in relevant]
    size = len(relevant)
    names = [f"PRUM(r={r}{exact},universe=9)" for r in range(1, size + 1) for exact in ("", ",exact=true")]
    found = case.scores(run, case.judged(rel={f"e{at}": 1 for at in relevant}), names)
    for name in names:
        r = int(name[len("PRUM(r=") : name.index(",")])
        if r <= len(ranks):
            assert found[name] == r / ranks[r - 1]
        else:
            lacking = Fraction((r - len(ranks)) * (9 - length + 1), size - len(ranks) + 1)
            assert found[name] == pytest.approx(float(r / (length + lacking)), rel=1e-15)


@pytest.mark.parametrize(("ideals", "ranks", "steps"), [(40, 120, 700), (160, 60, 700)])
def test_exact_values_have_twelve_digits_left_after_many_ranks(ideals: int, ranks: int, steps: int) -> None:
    """The same in fixed point with sixty digits; nothing is lost from rank to rank, nor at the ends."""
    random = np.random.default_rng(3)
    at = np.sort(random.choice(ideals * ranks, size=steps, replace=False))
    rank, ideal, miss = at // ideals + 1, at % ideals, 1.0 - random.random(steps) ** 3
    exactly, _ = follow(
        np.array([0, ideals]),
        np.array([0, steps]),
        rank,
        ideal,
        miss,
        np.array([ranks]),
        np.array([5000]),
        True,
    )
    reference = exact_precisions(rank, ideal, miss, ideals, ranks, 5000)
    assert np.abs(exactly - reference).max() < 1e-13


def test_a_result_of_several_nodes_is_one_rank_and_a_repeat_gives_nothing_new(tmp_path) -> None:
    case = Case({}, ["a", "b", "c", "x"])
    path = case.steps(tmp_path / "steps.csv", [("a", "x", 0.5), ("b", "x", 0.5)])
    qrels = case.judged(rel={"x": 1, "c": 1})
    both = [{"topic": "t", "doc": "d", "nodes": ["a", "b"], "rank": 1}]
    name = f"EPRUM(r=1,nav=matrix(file={path}))"
    assert case.scores(both, qrels, [name])[name] == pytest.approx(0.75)
    again = case.run(["a"], ["a"])
    assert case.scores(again, qrels, [name])[name] == pytest.approx(0.5)
    certain = [{"topic": "t", "doc": "d", "nodes": ["c", "x"], "rank": 1}]
    assert case.scores(certain, qrels, [name.replace("r=1", "r=2")]) == {name.replace("r=1", "r=2"): 2.0}


def test_repeats_are_not_taken_from_the_unranked() -> None:
    case = Case({}, ["a", "b", "x", "y"])
    qrels = case.judged(rel={"x": 1, "y": 1})
    found = case.scores(case.run(["a"], ["a"], ["b"]), qrels, ["PRUM(r=1,universe=4)"])
    assert found["PRUM(r=1,universe=4)"] == pytest.approx(1 / (3 + (4 - 2 + 1) / 3))


def test_topics_do_not_disturb_each_other() -> None:
    """Topics of one evaluation, some without results or ideals, score as they do alone."""
    case = Case({"documents": TREE})
    names = [node["id"] for node in TREE]
    random = np.random.default_rng(2)
    qrels, run = [], []
    for topic in "abcdef":
        values = {name: float(random.integers(0, 3)) / 2 for name in names} if topic != "c" else {"n0": 0.0}
        ranked = random.permutation(names)[: 0 if topic == "d" else 5].tolist()
        qrels += [{**row, "topic": topic} for row in case.judged(rel=values)]
        run += [{**row, "topic": topic} for row in case.run(*([name] for name in ranked))]
    measures = [
        "PRUM(r=2,nav=hierarchical)", "PRUM(exact=true,nav=t2i(scale=3))", "EPRUM(recall=0.5)", "ERRU@3",
        "GRP(recall=0.5)", "GRPng@2", "genP@3", "genR@3", "xCG(alpha=0.5)@4", "nXCG@4", "nXCG(ideal=sort)@3",
        "nXCG(mean=true)@5", "gr(ideal=paths)@3", "ep[0.5]", "AEP",
    ]  # fmt: skip
    together = dx.evaluate({"run": run}, qrels, measures, documents=case.documents)
    for topic in "abcdef":
        rows = [row for row in qrels if row["topic"] == topic]
        results = [row for row in run if row["topic"] == topic]
        alone = dx.evaluate({"run": results}, rows, measures, documents=case.documents)
        for name in measures:
            assert together.value("run", name, topic) == alone.value("run", name, topic), (topic, name)


def test_links_lead_into_other_documents(tmp_path) -> None:
    documents = [{"doc": doc, "length": 5} for doc in ("page", "linked")]
    path = tmp_path / "links.csv"
    root = dx.read_documents(documents).path(0, 0)
    path.write_text(f"from_doc,from,to_doc,to,p\npage,{root},linked,{root},0.25\n")
    qrels = [{"topic": "t", "doc": "linked", "start": 0, "end": 5}]
    run = [{"topic": "t", "doc": "page", "rank": 1}]
    name = f"EPRUM(r=1,nav=links(file={path}))"
    scores = dx.evaluate({"run": run}, qrels, [name], documents=documents)
    assert scores.value("run", name, "t") == pytest.approx(0.25)


def test_requests_that_make_no_sense_are_refused() -> None:
    case = Case({}, ["a", "b"])
    qrels, run = case.judged(rel={"a": 1}), case.run(["a"])
    for name, complaint in {
        "PRUM(r=1,recall=0.5)": "either r or recall",
        "EPRUM": "how much is wanted",
        "EPRUM(r=0)": "at least 1",
        "PRUM(quantisation=strickt)": "did you mean 'strict'",
        "PRUM(ideals=covers)": "did you mean 'cover'",
        "ERRU(exponents=prose,nav=none)@3": "needs the navigation model err",
        "GRP(recall=0)": "recall must be",
    }.items():
        with pytest.raises(dx.UsageError, match=complaint):
            case.scores(run, qrels, [name])
    with pytest.raises(dx.UsageError, match="--docs"):
        dx.evaluate({"run": run}, [{"topic": "t", "doc": "d", "start": 0, "end": 1}], "PRUM(r=1)")
