"""The xcg cases of the reference vectors, through the public interface; alpha there is 1 - ours."""

from __future__ import annotations

import warnings
from fractions import Fraction

import pytest

import doxeval as dx
from tests.golden import vectors

FORM = "alpha={},ideal={}"


def documents(case: dict) -> list[dict]:
    """The recall base as trees; a document's elements nest, and the first one is the whole document."""
    found = []
    for doc, about in case["docs"].items():
        extents = sorted({(s, -e) for d, s, e in case["recall_base"] if d == doc})
        if not extents or extents[0] != (0, -about["length"]):
            extents = [(0, -about["length"]), *extents]
        nodes: list[dict] = []
        for number, (start, negative) in enumerate(extents):
            around = [
                at for at, node in enumerate(nodes) if node["start"] <= start and -negative <= node["end"]
            ]
            parent = nodes[around[-1]]["id"] if around else None
            nodes.append({"id": f"n{number}", "parent": parent, "start": start, "end": -negative})
        found.append({"doc": doc, "length": about["length"], "nodes": nodes})
    return found


def score(case: dict, names: list[str]) -> dx.Scores:
    qrels = [{"topic": "t", "doc": doc} for doc in case["docs"]]
    qrels += [
        {"topic": "t", "doc": doc, "start": s, "end": e}
        for doc, about in case["docs"].items()
        for s, e in about["relevant"]
    ]
    run = [
        {"topic": "t", "doc": doc, "rank": rank, "start": s, "end": e}
        for rank, (doc, s, e) in enumerate(case["run"], 1)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        return dx.evaluate({"run": run}, qrels, names, documents=documents(case))


def test_xcg_cases() -> None:
    cases = [c for c in vectors("hixeval") if c["given"].get("kind") == "xcg"]
    assert len(cases) >= 10
    checked = 0
    for case in cases:
        for tolerance, ideal in case["given"]["settings"]:
            expect = case["expect"][FORM.format(tolerance, ideal)]
            given = FORM.format(float(1 - Fraction(tolerance)), ideal)
            ranks = range(1, len(case["given"]["run"]) + 1)
            names = {
                f"xCG(alpha={float(1 - Fraction(tolerance))})@{rank}": sum(expect["xG"][:rank])
                for rank in ranks
            }
            names |= {f"nXCG({given})@{rank}": value for rank, value in expect["nXCG"].items()}
            names |= {f"gr({given})@{rank}": expect["gr"][rank - 1] for rank in ranks if expect["gr"]}
            names |= {f"AEP({given})": expect["MAep_ideal_points"]}
            names |= {f"nXCG({given},mean=true)@{rank}": value for rank, value in expect["mean_nXCG"].items()}
            names |= {f"AEP({given},points=100)": expect["iMAep_100"]}
            scores = score(case["given"], list(names))
            for name, value in names.items():
                found = scores.value("run", name, "t")
                if not expect["xI"]:
                    assert found is None, (case["id"], name)
                else:
                    assert found == pytest.approx(value, abs=max(case["tolerance"], 1e-12)), (
                        case["id"],
                        name,
                    )
                checked += 1
    assert checked > 300
