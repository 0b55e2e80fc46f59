"""The reference vectors of PRUM's paper, through the public interface."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

import doxeval as dx
from tests.golden import vectors
from tests.golden.elements import Case


@pytest.fixture(scope="session")
def cases() -> dict[str, list[dict]]:
    found: dict[str, list[dict]] = {}
    for case in vectors("prum"):
        found.setdefault(case["kind"], []).append(case)
    return found


def model(case: Case, given: dict, folder: Path) -> str:
    """The navigation model of a case as it is typed."""
    nav = given["nav_model"]
    if nav["name"] == "t2i":
        return f"t2i(tolerance={nav['tolerance']},forward={str(nav.get('forward_only', False)).lower()})"
    if nav["name"] == "t2i_inverse":
        return f"t2i(scale={nav['scale']})"
    if nav["name"] in ("matrix", "steps"):
        path = case.steps(folder / "steps.csv", nav["triples"])
        return f"{'matrix' if nav['name'] == 'matrix' else 'links'}(file={path})"
    return {"classical": "none", "structural": "hierarchical"}[nav["name"]]


def expected(case: dict, nav: str, universe: str) -> dict[str, float]:
    expect, given = case["expect"], case["given"]
    names = {}
    for r, value in enumerate(expect["prum"], 1):
        names[f"PRUM(r={r},nav={nav}{universe})"] = value
        names[f"PRUM(r={r},nav={nav}{universe},exact=true)"] = expect["prum_exact"][r - 1]
        names[f"EPRUM(r={r},nav={nav})"] = expect["eprum"][r - 1]
    for level, value in zip(given["recall_levels"], expect["prum_interpolated"], strict=False):
        names[f"PRUM(recall={level},nav={nav}{universe})"] = value
    if given["ideals"]:
        names[f"PRUM(points=11,nav={nav}{universe})"] = sum(expect["prum_interpolated"]) / 11
    return names


def test_prum(cases, tmp_path) -> None:
    checked = 0
    for case in cases["prum"]:
        given = case["given"]
        if given["duplicates"] == "multiset":
            continue
        elements = Case(given)
        size = given["u"] + len(set(given["run"]))
        universe = "" if "documents" in given else f",universe={size}"
        names = expected(case, model(elements, given, tmp_path), universe)
        qrels = elements.judged(rel=dict.fromkeys(given["ideals"], 1))
        found = elements.scores(elements.run(*([name] for name in given["run"])), qrels, list(names))
        for name, value in names.items():
            if given["ideals"]:
                assert found[name] == pytest.approx(value, abs=case["tolerance"]), (case["id"], name)
            else:
                assert found[name] is None, (case["id"], name)
            checked += 1
    assert checked > 500


def test_more_ideals_than_there_are_is_undefined(cases) -> None:
    given = next(case["given"] for case in cases["prum"] if case["id"] == "prum-appendix-b-classical-0")
    elements = Case(given)
    qrels = elements.judged(rel=dict.fromkeys(given["ideals"], 1))
    name = f"PRUM(r={len(given['ideals']) + 1})"
    assert elements.scores(elements.run(given["run"]), qrels, [name]) == {name: None}


def test_figure_2_by_links(cases, tmp_path) -> None:
    (case,) = cases["navigation"]
    elements = Case(case["given"])
    nav = model(elements, case["given"], tmp_path)
    for source, target, chance in case["expect"]["nav"]:
        name = f"EPRUM(r=1,nav={nav})"
        found = elements.scores(elements.run([source]), elements.judged(rel={target: 1}), [name])
        assert found[name] == pytest.approx(chance, abs=1e-9), (source, target)


def test_the_distribution_of_what_was_seen(cases, tmp_path) -> None:
    """One result leads to all ideals: EPRUM(r) / r is the chance to see at least r."""
    (case,) = cases["poisson_binomial"]
    chances = case["given"]["p"]
    names = [f"i{at}" for at in range(len(chances))]
    elements = Case({}, ["entry", *names])
    path = elements.steps(
        tmp_path / "p.csv", [("entry", i, p) for i, p in zip(names, chances, strict=True) if p]
    )
    measures = [f"EPRUM(r={r},nav=matrix(file={path}))" for r in range(1, len(names) + 1)]
    found = elements.scores(elements.run(["entry"]), elements.judged(rel=dict.fromkeys(names, 1)), measures)
    at_least = [1.0, *(found[name] / r for r, name in enumerate(measures, 1)), 0.0]
    assert [a - b for a, b in pairwise(at_least)] == pytest.approx(case["expect"]["values"], abs=1e-12)


def test_recall_levels_are_exact(cases) -> None:
    """The r-th ideal stands at rank r * r, so that precision is 1 / r."""
    (case,) = cases["interpolation"]
    for trap, value in zip(case["given"]["traps"], case["expect"]["values"], strict=True):
        ideals = trap["ideals"]
        leaves = [f"e{rank}" for rank in range(1, ideals * ideals + 1)]
        elements = Case({}, leaves)
        wanted = {f"e{r * r}": 1 for r in range(1, ideals + 1)}
        name = f"PRUM(recall={trap['level']})"
        found = elements.scores(
            elements.run(*([leaf] for leaf in leaves)), elements.judged(rel=wanted), [name]
        )
        assert found[name] == pytest.approx(value, abs=1e-12), trap


def test_grp(cases) -> None:
    for case in cases["grp"]:
        given = case["given"]
        if "codes" in given:
            elements = Case({}, list(given["codes"]))
            run, qrels = (
                elements.run(*([name] for name in given["run"])),
                elements.judged(code=given["codes"]),
            )
            name = f"GRP(recall=1,universe={len(given['codes'])})"
        else:
            elements, run, qrels, size = tied(given["ranks"], retrieved=len(given["ranks"]) - 1)
            name = f"GRP(recall=1,universe={size})"
        assert elements.scores(run, qrels, [name])[name] == pytest.approx(
            case["expect"]["precision"], abs=1e-9
        )


def tied(ranks: list[list[float]], retrieved: int) -> tuple[Case, list[dict], list[dict], int]:
    """A run with ties of elements that are worth so much; those past `retrieved` ties are not in the run."""
    names = [[f"e{tie}.{at}" for at in range(len(values))] for tie, values in enumerate(ranks)]
    flat = [name for block in names for name in block]
    elements = Case({}, flat)
    values = [value for block in ranks for value in block]
    run = elements.run(*names[:retrieved])
    return elements, run, elements.judged(rel=dict(zip(flat, values, strict=True))), len(flat)


def test_grp_ng(cases) -> None:
    for case in cases["grp_ng"]:
        given, expect = case["given"], case["expect"]
        elements = Case(given)
        names = list(dict.fromkeys([*given["exh"], *given["spec"]]))
        codes = {name: f"E{given['exh'].get(name, 0)}S{given['spec'].get(name, 0)}" for name in names}
        runs = given.get("runs") or {"": given["run"]}
        for label, run in runs.items():
            suffix = f"_{label}" if label else ""
            wanted = {}
            for rank in range(1, len(run) + 1):
                wanted[f"GRPng(side=recall)@{rank}"] = expect[f"recall{suffix}"][rank - 1]
                if not label:
                    wanted[f"GRPng@{rank}"] = expect["precision"][rank - 1]
            found = elements.scores(
                elements.run(*([name] for name in run)), elements.judged(code=codes), list(wanted)
            )
            assert found == pytest.approx(wanted, abs=1e-9), case["id"]


def test_xcg(cases) -> None:
    """Values are given as such; codes tell which elements are ideal."""
    for case in cases["xcg"]:
        given, expect = case["given"], case["expect"]
        elements = Case(given)
        codes = {
            name: "E3S3" if name in given["ideals"] else "E0S0"
            for name in {**given["q"], **dict.fromkeys(given["ideals"])}
        }
        qrels = elements.judged(rel={name: given["q"].get(name, 0) for name in codes}, code=codes)
        wanted = {f"xCG(alpha={given['alpha']},ideals=strict)@{k}": v for k, v in enumerate(expect["xcg"], 1)}
        wanted |= {
            f"nXCG(alpha={given['alpha']},ideals=strict)@{k}": v for k, v in enumerate(expect["nxcg"], 1)
        }
        found = elements.scores(elements.run(*([name] for name in given["run"])), qrels, list(wanted))
        assert found == pytest.approx(wanted, abs=1e-9), case["id"]


def test_overpopulated_recall_base(cases) -> None:
    (case,) = cases["ratio"]
    elements = Case({}, list(case["given"]["rewards"]))
    found = elements.scores(
        elements.run(case["given"]["run"]), elements.judged(rel=case["given"]["rewards"]), ["genR@1"]
    )
    assert found["genR@1"] == pytest.approx(case["expect"]["recall"], abs=1e-9)


def test_a_universe_too_small_is_refused(cases) -> None:
    given = cases["prum"][0]["given"]
    elements = Case(given)
    qrels = elements.judged(rel=dict.fromkeys(given["ideals"], 1))
    with pytest.raises(dx.UsageError, match="universe=4"):
        elements.scores(elements.run(*([name] for name in given["run"])), qrels, ["PRUM(r=1,universe=3)"])
