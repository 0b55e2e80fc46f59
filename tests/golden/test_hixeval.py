"""The HiXEval cases of the golden vectors, through the public interface."""

from __future__ import annotations

import warnings

import pytest

import doxeval as dx
from tests.golden import vectors


def evaluated(case: dict, measures: list[str]) -> dx.Scores:
    """Every topic of a case in one evaluation."""
    qrels, results = [], []
    for topic, content in case["given"]["topics"].items():
        for doc, shape in content["docs"].items():
            name = f"{topic}/{doc}"
            qrels.append({"topic": topic, "doc": name, "length": shape["length"]})
            qrels += [{"topic": topic, "doc": name, "start": a, "end": b} for a, b in shape["relevant"]]
        for rank, (doc, start, end) in enumerate(content["run"], 1):
            results.append(
                {"topic": topic, "doc": f"{topic}/{doc}", "rank": rank, "start": start, "end": end}
            )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        return dx.evaluate({"run": results}, qrels, measures, depth=case["given"]["max_results"])


def test_hixeval_cases() -> None:
    cases = vectors("hixeval")
    cases = [case for case in cases if case["given"]["kind"] == "hixeval"]
    assert len(cases) == 18
    for case in cases:
        for alpha in case["given"]["alphas"]:
            check(case, alpha)


def check(case: dict, alpha: str) -> None:
    expected = case["expect"]["topics"]
    depth = max(len(content["alpha"][alpha]["size"]) for content in expected.values())
    points = sorted(
        {point for content in expected.values() for point in content["alpha"][alpha]["iP[x]"] or ()}
    )
    given = f"(alpha={alpha})"
    names = [f"iP{given}[{point}]" for point in points] + [f"AiP{given}"]
    names += [f"{name}{given}@{rank}" for name in ("iP", "iR") for rank in range(1, depth + 1)]
    scores = evaluated(case, names)
    for topic, content in expected.items():
        figures = content["alpha"][alpha]
        if not content["T_rel"]:
            assert all(scores.value("run", name, topic) is None for name in names)
            continue
        for name in ("iP", "iR"):
            for rank, value in enumerate(figures[f"{name}@r"], 1):
                assert scores.value("run", f"{name}{given}@{rank}", topic) == pytest.approx(value, abs=1e-12)
        for point, value in figures["iP[x]"].items():
            assert scores.value("run", f"iP{given}[{point}]", topic) == pytest.approx(value, abs=1e-12)
        assert scores.value("run", f"AiP{given}", topic) == pytest.approx(figures["AiP"], abs=1e-12)
    assert scores.value("run", f"AiP{given}") == pytest.approx(case["expect"]["MAiP"][alpha], abs=1e-12)
