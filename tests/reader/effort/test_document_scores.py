"""Reading orders and document scores against readers who walk character by character."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import doxeval as dx
from doxeval.reader.effort.arrivals import harmonic_difference
from doxeval.reader.effort.reading_orders import ORDERS, READING_STARTS
from doxeval.reader.effort.score import DOCUMENT_SCORES
from tests.cases import LENGTHS, Case, cases
from tests.reader.effort.walk import Walk

pytestmark = pytest.mark.filterwarnings("ignore::doxeval.DoxevalWarning")
beps = st.fixed_dictionaries(
    {}, optional={doc: st.integers(0, length - 1) for doc, length in LENGTHS.items()}
)


def evaluate(case: Case, bep: dict[str, int], names: list[str]) -> dx.Scores:
    qrels = case.qrels() + [{"topic": "t1", "doc": doc, "bep": place} for doc, place in bep.items()]
    return dx.evaluate({"run": case.run()}, qrels, names)


def mean_over_relevant(walk: Walk, name: str, **how) -> float:
    found = [walk.score(doc, name, **how) for doc in walk.documents if doc in walk.relevant_documents]
    return sum(found) / len(found) if found else 5.0 if name == "LE" else 0.0


@given(cases(), beps, st.integers(1, 45))
def test_every_score_in_every_order(case: Case, bep: dict[str, int], n: int) -> None:
    walk = Walk(case, bep)
    expected = {name: mean_over_relevant(walk, name) for name in ("P", "R")}
    expected |= {
        f"{name}(order=sequential)": mean_over_relevant(walk, name, order="sequential") for name in "PR"
    }
    expected["F(beta=0.25)"] = mean_over_relevant(walk, "F")
    expected["F(beta=0.25,order=sequential)"] = mean_over_relevant(walk, "F", order="sequential")
    expected[f"BEP(n={n})"] = mean_over_relevant(walk, "BEP", n=n)
    expected[f"BEPD(A={n})"] = mean_over_relevant(walk, "BEPD", n=n)
    for order in ORDERS:
        for start in READING_STARTS if order != "bep" else ["top"]:
            how = f"order={order},start={start}"
            expected[f"aveChP({how})"] = mean_over_relevant(walk, "aveChP", order=order, start=start)
            for name in ("ChP", "T2I", "T2Ir", "T2If"):
                expected[f"{name}(n={n},{how})"] = mean_over_relevant(
                    walk, name, order=order, start=start, n=n
                )
            expected[f"LE(screen={n},{how})"] = mean_over_relevant(walk, "LE", order=order, start=start, n=n)
    scores = evaluate(case, bep, [f"{name}@doc" for name in expected])
    for name, value in expected.items():
        assert scores.value("run", f"{name}@doc") == pytest.approx(value, abs=1e-12), name


@given(cases())
def test_a_short_name_is_the_long_one(case: Case) -> None:
    scores = evaluate(case, {}, ["aveChP@doc", "Doc(score=aveChP)"])
    assert scores.value("run", "aveChP@doc") == scores.value("run", "Doc(score=aveChP)")


@given(st.integers(0, 3000), st.integers(0, 3000))
def test_harmonic_differences_are_exact_in_small(low: int, more: int) -> None:
    exact = float(np.sum(1 / np.arange(low + 1, low + more + 1)[::-1]))
    assert harmonic_difference(np.array([low]), np.array([low + more]))[0] == pytest.approx(exact, abs=1e-13)


@pytest.mark.parametrize(
    ("low", "high"), [(0, 10**6), (31, 33), (32, 10**6), (10**6 - 5, 10**6), (999, 10**6)]
)
def test_harmonic_differences_are_exact_in_large(low: int, high: int) -> None:
    exact = float(np.sum(1 / np.arange(high, low, -1, dtype=np.longdouble)))
    assert harmonic_difference(np.array([low]), np.array([high]))[0] == pytest.approx(exact, abs=1e-13)


@pytest.mark.parametrize(("low", "high"), [(31, 33), (32, 33), (32, 34), (33, 40), (40, 42)])
def test_harmonic_differences_of_few_terms_are_exact_to_the_last_digits(low: int, high: int) -> None:
    exact = float(sum(Fraction(1, at) for at in range(low + 1, high + 1)))
    assert harmonic_difference(np.array([low]), np.array([high]))[0] == pytest.approx(exact, rel=5e-15, abs=0)


def test_every_score_says_whom_it_models() -> None:
    for name, score in DOCUMENT_SCORES.all().items():
        assert score.__doc__ and score.user and score.paper, name


@pytest.mark.parametrize(
    ("measure", "told"),
    [
        ("AgP(score=LE)", "counts effort"),
        ("CE(score=Waste(of=LE))@5", "counts effort"),
        ("CE(score=aveChP,scale=1/2/5)@5", "two numbers"),
        ("CE(context=false,order=best)@5", "order would do nothing"),
        ("NCE(context=false,score=T2I(start=bep))@5", "start would do nothing"),
        ("CE(context=false,score=BEP)@5", "BEP would do nothing"),
        ("gP(score=aveChP(order=rank),context=false)@2", "order would do nothing"),
        ("AgP(score=F(order=rank))", "one of natural, sequential"),
        ("AgP(score=aveChp)", "did you mean 'aveChP'"),
        ("AgP(score=aveChP(order=backwards))", "one of natural, sequential"),
        ("CE(screen=300,score=LE(screen=200))@5", "given twice"),
        ("CE(scale=3/2/1)@5", "ascending order"),
        ("CE(scale=a/b)@5", "ascending order"),
        ("aveChP@docs", "or doc for document scores"),
        ("CE", "needs a cut-off"),
    ],
)
def test_mistakes_are_explained(measure: str, told: str) -> None:
    with pytest.raises(dx.UsageError, match=told.replace("(", r"\(")):
        evaluate(Case({"d1": [(0, 5)]}, []), {}, [measure])
