"""Reference cases of text mode: partial hits, near-misses, tolerance to repetition."""

from __future__ import annotations

import pytest

import doxeval as dx
from tests.golden import vectors

PARAMETERS = {"hits": "Hits", "near": "NearMisses", "misses": "Misses"}
CASES = range(40)


@pytest.mark.filterwarnings("ignore:run. no document of the run was assessed")
@pytest.mark.parametrize("number", CASES)
def test_text_case(number: int) -> None:
    case = vectors("text")[number]
    given, expect = case["given"], case["expect"]
    depth = len(given["run"])
    run = [{"topic": "t", "rank": rank, **row} for rank, row in enumerate(given["run"], 1)]
    qrels = [{"topic": "t", **row} for row in given["assessments"]]
    alpha = f"alpha={given['alpha']}"
    names = {}
    for key in expect:
        measure, _, rel = key.partition("_")
        call = f"{PARAMETERS[measure]}({alpha},rel={rel})" if rel else f"{measure}({alpha})"
        names[key] = [f"{call}@{rank}" for rank in range(1, depth + 1)]
    scores = dx.evaluate(
        {"run": run},
        qrels,
        [name for some in names.values() for name in some],
        given["docs"],
        given["navigation"],
    )
    for key, values in expect.items():
        got = [scores.value("run", name) for name in names[key]]
        assert got == pytest.approx(values, rel=case["tolerance"], abs=case["tolerance"]), key
