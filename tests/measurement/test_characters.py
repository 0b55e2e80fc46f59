"""The character measures against a twin that walks character by character in exact fractions."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import doxeval as dx
from tests.cases import Case, cases, scores

pytestmark = pytest.mark.filterwarnings("ignore:run. no document of the run was assessed")

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "characters.json").read_text())


class Twin:
    """Gain and size after each rank, one character at a time (ESR Eqs. 15-17)."""

    def __init__(self, case: Case, alpha: Fraction, budget: int | None = None) -> None:
        self.total = case.total
        self.gains, self.sizes = [], []
        seen: set[tuple[str, int]] = set()
        gain, size = Fraction(0), 0
        for at in range(len(case.results)):
            doc, shown = case.shown(at)
            relevant = case.relevant_characters(doc) if doc in case.lengths else set()
            now = set()
            for character in sorted(shown):
                if budget is not None and size == budget:
                    break
                size += 1
                if character in relevant:
                    gain += alpha if (doc, character) in seen else 1
                now.add((doc, character))
            seen |= now
            self.gains.append(gain)
            self.sizes.append(size)

    def at(self, rank: int) -> tuple[Fraction, int]:
        rank = min(rank, len(self.gains))
        return (self.gains[rank - 1], self.sizes[rank - 1]) if rank else (Fraction(0), 0)

    def precision(self, rank: int) -> Fraction:
        gain, size = self.at(rank)
        return gain / size if size else Fraction(0)

    def recall(self, rank: int) -> Fraction:
        return self.at(rank)[0] / self.total

    def interpolated(self, point: Fraction) -> Fraction:
        ranks = [r for r in range(1, len(self.gains) + 1) if self.recall(r) >= point]
        return max(map(self.precision, ranks), default=Fraction(0))


ALPHAS = st.sampled_from(["0", "0.25", "0.5", "1"])


@given(cases(), ALPHAS, st.integers(1, 10))
def test_measures_at_a_rank(case: Case, alpha: str, rank: int) -> None:
    twin = Twin(case, Fraction(alpha))
    gain, size = twin.at(rank)
    p, r = twin.precision(rank), twin.recall(rank)
    f = Fraction(5, 4) * p * r / (Fraction(1, 4) * p + r) if p + r else Fraction(0)
    expected = {
        f"iP(alpha={alpha})@{rank}": p,
        f"iR(alpha={alpha})@{rank}": r,
        f"F(beta=0.5,alpha={alpha})@{rank}": f,
        f"IoU(alpha={alpha})@{rank}": gain / (size + twin.total - gain),
    }
    found = scores(case, " ".join(expected))
    assert found == pytest.approx({name: float(value) for name, value in expected.items()}, abs=1e-12)


@given(cases(), ALPHAS)
def test_interpolated_precision(case: Case, alpha: str) -> None:
    twin = Twin(case, Fraction(alpha))
    points = ["0", "0.01", "0.05", "0.29", "0.5", "0.999", "1"]
    expected = {f"iP(alpha={alpha})[{point}]": float(twin.interpolated(Fraction(point))) for point in points}
    curve = [twin.interpolated(Fraction(step, 100)) for step in range(101)]
    expected[f"AiP(alpha={alpha})"] = float(sum(curve) / 101)
    assert scores(case, " ".join(expected)) == pytest.approx(expected, abs=1e-12)


@given(cases(), ALPHAS, st.integers(1, 120))
def test_budgets_in_characters(case: Case, alpha: str, budget: int) -> None:
    twin = Twin(case, Fraction(alpha), budget)
    last = len(case.results) or 1
    gain, size = twin.at(last)
    expected = {
        f"iP(alpha={alpha})@{budget}c": twin.precision(last),
        f"iR(alpha={alpha})@{budget}c": twin.recall(last),
        f"IoU(alpha={alpha})@{budget}c": gain / (size + twin.total - gain),
    }
    found = scores(case, " ".join(expected))
    assert found == pytest.approx({name: float(value) for name, value in expected.items()}, abs=1e-12)


@given(cases())
def test_average_precision_within_a_depth_is_that_of_the_shortened_run(case: Case) -> None:
    shortened = Case(case.relevant, case.results[:2])
    assert scores(case, "AiP@2")["AiP@2"] == scores(shortened, "AiP")["AiP"]
    assert scores(case, "AiP", depth=2)["AiP"] == scores(shortened, "AiP")["AiP"]


@pytest.mark.parametrize("vector", GOLDEN, ids=lambda vector: vector["what"])
def test_worked_examples(vector: dict) -> None:
    found = dx.evaluate({"run": vector["results"]}, vector["assessments"], " ".join(vector["expect"]))
    for measure, value in vector["expect"].items():
        assert found.value("run", measure, "t") == pytest.approx(float(Fraction(value)), abs=1e-12), measure


def test_judged_share_in_results_and_characters() -> None:
    qrels = [{"topic": "t", "doc": "a", "start": 0, "end": 5}, {"topic": "t", "doc": "b"}]
    results = [
        {"topic": "t", "doc": "x", "rank": 1, "start": 0, "end": 30},
        {"topic": "t", "doc": "b", "rank": 2, "start": 0, "end": 10},
        {"topic": "t", "doc": "a", "rank": 3, "start": 0, "end": 20},
    ]
    found = dx.evaluate({"r": results}, qrels, "Judged@2 Judged@3 Judged(chars=true)@3 Judged@10")
    assert [found.value("r", m) for m in found.measures] == pytest.approx([1 / 2, 2 / 3, 1 / 2, 2 / 3])
    skipped = dx.evaluate({"r": results}, qrels, "Judged@1 iP@2", unjudged="skip")
    assert skipped.value("r", "Judged@1") == 1
    assert skipped.value("r", "iP@2") == pytest.approx(5 / 30)
