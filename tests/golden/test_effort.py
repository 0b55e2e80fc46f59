"""The golden cases of reading effort, through the public interface."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import doxeval as dx
from doxeval.core.ragged import Ragged
from doxeval.measurement.cumulated_effort import StepRatios
from tests.golden import vectors

pytestmark = pytest.mark.filterwarnings("ignore::doxeval.DoxevalWarning")
TOLERANCE = 1e-12


@pytest.fixture(scope="module")
def cases() -> list[dict[str, Any]]:
    return vectors("effort")


def of_kind(cases: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    found = [case for case in cases if case["given"]["kind"] == kind]
    assert found
    return found


def assessed(topic: str, name: str, document: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Assessment lines of one document, and the document."""
    lines: list[dict[str, Any]] = [{"topic": topic, "doc": name}]
    if document.get("bep") is not None:
        lines[0]["bep"] = document["bep"]
    lines += [{"topic": topic, "doc": name, "start": a, "end": b} for a, b in document["relevant"]]
    return lines, {"doc": name, "length": document["length"]}


def passages(topic: str, ranges: list[tuple[str, int, int]]) -> list[dict[str, Any]]:
    return [
        {"topic": topic, "doc": doc, "rank": rank, "start": a, "end": b}
        for rank, (doc, a, b) in enumerate(ranges, 1)
    ]


def close(found: float | None, expected: float | None, where: str, tolerance: float = TOLERANCE) -> None:
    if expected is None:
        assert found is None, where
    else:
        assert found == pytest.approx(expected, abs=tolerance, rel=tolerance), where


def expected_of_document(expect: dict[str, Any], start: str) -> dict[str, float]:
    """The measure each expected figure of a document belongs to."""
    wanted = {"P@doc": expect["P"], "R@doc": expect["R"]}
    wanted |= {f"F(beta={beta})@doc": value for beta, value in expect["F"].items()}
    for order, found in expect["modes"].items():
        how = f"order={order},start={start}"
        wanted[f"aveChP({how})@doc"] = found["aveChP"]
        for name, key in (("ChP", "ChP"), ("T2I", "T2Iprec"), ("T2Ir", "T2Irecall")):
            wanted |= {f"{name}(n={n},{how})@doc": value for n, value in found[key].items()}
        for n, by_beta in found["T2If"].items():
            wanted |= {f"T2If(n={n},beta={b},{how})@doc": value for b, value in by_beta.items()}
        wanted |= {f"LE(screen={n},{how})@doc": value for n, value in found["ES"].items()}
        if first := found["first_relevant"]:
            every_character = "/".join(map(str, range(1, first + 3)))
            wanted[f"LE(screen=1,scale={every_character},{how})@doc"] = first
    return wanted


def test_documents(cases: list[dict[str, Any]]) -> None:
    for case in of_kind(cases, "document"):
        given = case["given"]
        lines, document = assessed("t", "d", given)
        lines.append({"topic": "t", "doc": "never retrieved", "start": 0, "end": 1})
        run = passages("t", [("d", a, b) for a, b in given["retrieved"]]) or passages("t", [("d", 0, 0)])
        wanted = expected_of_document(case["expect"], "top" if given["bep"] is None else "bep")
        scores = dx.evaluate({"r": run}, lines, list(wanted), documents=[document])
        for measure, expected in wanted.items():
            close(scores.value("r", measure), expected, f"{case['id']} {measure}", case["tolerance"])


def expected_of_list(expect: dict[str, Any]) -> dict[str, float | None]:
    """The measure each expected figure of a list belongs to; those of whole documents start with 'doc:'."""
    names = {
        "F_0.25": "F(beta=0.25)", "F_1": "F(beta=1)", "aveChP": "aveChP", "T2If_1(10)": "T2If(n=10,beta=1)",
        "T2If_1(40)": "T2If(n=40,beta=1)", "bep_linear(50)": "BEP(n=50)",
        "bep_hyperbolic(A=0.1,L=document)": "BEPD(A=0.1,length=document)",
    }  # fmt: skip
    wanted: dict[str, float | None] = {}
    for name, value in expect["AgP"].items():
        whole = "doc:" if name.startswith("doc:") else ""
        wanted[f"{whole}AgP(score={names[name.removeprefix('doc:')]})"] = value
    for name, value in expect["ANCE"].items():
        order, screen, depth = name.split(",")
        wanted[f"ANCE({screen},order={order})@{depth.removeprefix('i=')}"] = value
    for name, value in expect["BEPD"].items():
        a = name.split(",")[0]
        wanted[f"Doc(score=BEPD({a},length=mean),over=relevant)"] = value
    if expect["Trel"]:
        for rank, value in enumerate(expect["gP_F_0.25"], 1):
            wanted[f"gP@{rank}"] = value
        for rank, value in enumerate(expect["gR"], 1):
            wanted[f"gR@{rank}"] = value
    return wanted


def test_lists(cases: list[dict[str, Any]]) -> None:
    for case in of_kind(cases, "list"):
        given, expect = case["given"], case["expect"]
        means: dict[str, list[float]] = {}
        for topic, content in given["topics"].items():
            parts = [assessed(topic, name, document) for name, document in content["docs"].items()]
            lines = [line for lines, _ in parts for line in lines]
            documents = [document for _, document in parts]
            run = passages(topic, content["run"])
            whole = [
                {"topic": topic, "doc": doc, "rank": rank}
                for rank, (doc, _, _) in enumerate(content["run"], 1)
            ]
            wanted = expected_of_list(expect["topics"][topic])
            runs = {"r": dx.read_run(run, name="r"), "doc": dx.read_run(whole, name="doc")}
            names = list(dict.fromkeys(name.removeprefix("doc:") for name in wanted))
            scores = dx.evaluate(runs, lines, names, documents=documents, depth=given["max_results"])
            for measure, value in wanted.items():
                found = scores.value(
                    "doc" if measure.startswith("doc:") else "r", measure.removeprefix("doc:")
                )
                close(found, value, f"{case['id']} {topic} {measure}", case["tolerance"])
                if found is not None:
                    means.setdefault(measure, []).append(found)
        of_means = {
            "AgP": expect["means"]["MAgP"],
            "ANCE": expect["means"]["MANCE"],
            "BEPD": expect["means"]["MBEPD"],
        }
        for measure, value in expected_of_list(of_means | {"Trel": 0}).items():
            mean = float(np.mean(means[measure])) if measure in means else None
            close(mean, value, f"{case['id']} mean {measure}", case["tolerance"])


def total(steps: StepRatios) -> float:
    """CE or NCE at the depth."""
    return ((steps.within * steps.added).sum() + steps.missed)[0]


def average(steps: StepRatios) -> float:
    """ANCE at the depth."""
    return ((steps.averaged * steps.added).sum() + steps.missed_averaged)[0]


def test_vectors(cases: list[dict[str, Any]]) -> None:
    """Cumulated effort of given effort scores, which no run need be able to produce."""
    for case in of_kind(cases, "vector"):
        given, expect = case["given"], case["expect"]
        effort = np.array(given["ES"], dtype=float)
        lists = Ragged.of_counts([len(effort)])
        if "CE" not in expect:
            for name, value in expect.items():
                steps = StepRatios(lists, effort, np.array([int(name.rpartition("= ")[2])]), 1, 5, given["n"])
                assert average(steps) == pytest.approx(value, abs=case["tolerance"])
            continue
        endless = np.array([np.iinfo(np.int64).max])
        for depth, value in enumerate(expect["CE"], 1):
            assert total(StepRatios(lists, effort, endless, 1, 5, depth)) == pytest.approx(
                value, abs=TOLERANCE
            )
        relevant = np.array([given["Trel"]])
        for depth, (nce, ance) in enumerate(zip(expect["NCE"], expect["ANCE"], strict=True), 1):
            steps = StepRatios(lists, effort, relevant, 1, 5, depth)
            assert total(steps) == pytest.approx(nce, abs=TOLERANCE), (case["id"], depth)
            if not given["Trel"]:
                assert ance is None
                continue
            assert average(steps) == pytest.approx(ance, abs=TOLERANCE), (case["id"], depth)
