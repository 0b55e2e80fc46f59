"""The reference vectors of ERR's paper, through the public interface."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from doxeval.cli import group
from tests.golden import vectors
from tests.golden.elements import Case
from tests.golden.test_prum import tied


@pytest.fixture(scope="session")
def cases() -> dict[str, list[dict]]:
    found: dict[str, list[dict]] = {}
    for case in vectors("err"):
        found.setdefault(case["kind"], []).append(case)
    return found


def test_erru(cases, tmp_path) -> None:
    """Where the elements not retrieved form a last tie, they are added to the run as one."""
    checked = 0
    for case in cases["err"]:
        given, expect = case["given"], case["expect"]
        elements = Case(given)
        nav = given["nav_model"]
        typed = f"exponents={nav.get('exponents', 'printed')}"
        if nav["name"] != "err_inex":
            file = elements.steps(tmp_path / "steps.csv", nav.get("triples", []))
            typed = "nav=none" if nav["name"] == "classical" else f"nav=matrix(file={file})"
        blocks = list(given["blocks"])
        if given["unretrieved_as_last_block"]:
            listed = {name for block in blocks for name in block}
            blocks.append([node["id"] for node in given["documents"] if node["id"] not in listed])
        wanted = {f"ERRU({typed})@{k}": v for k, v in zip(given["k"], expect["err"], strict=True) if k}
        found = elements.scores(elements.run(*blocks), elements.judged(code=given["codes"]), list(wanted))
        assert found == pytest.approx(wanted, abs=case["tolerance"]), case["id"]
        checked += len(wanted)
    assert checked > 100


def test_chances_by_the_coverage_that_was_judged(cases, tmp_path) -> None:
    for case in cases["err"]:
        given = case["given"]
        if given["nav_model"]["name"] != "err_inex" or "nav" not in case["expect"]:
            continue
        elements = Case(given)
        for name, lines in ("docs", elements.documents), ("qrels", elements.judged(code=given["codes"])):
            (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        nav = f"err(exponents={given['nav_model']['exponents']})"
        words = ["navigate", tmp_path / "docs.jsonl", "-n", nav, "-q", tmp_path / "qrels.jsonl", "-f"]
        printed = CliRunner().invoke(group, [*map(str, words), "jsonl"], catch_exceptions=False).stdout
        found = {(row["from"], row["to"]): row["p"] for row in map(json.loads, printed.splitlines())}
        wanted = {(start, end): p for start, end, p in case["expect"]["nav"] if p}
        assert found == pytest.approx(wanted, abs=case["tolerance"]), case["id"]


def test_grp_with_ties(cases) -> None:
    """The last tie is read alike whether the run lists it or not."""
    for case in cases["grp_levels"]:
        given = case["given"]
        total = sum(value for block in given["ranks"] for value in block)
        for retrieved in (len(given["ranks"]), len(given["ranks"]) - 1):
            elements, run, qrels, size = tied(given["ranks"], retrieved)
            wanted = {
                f"GRP(recall={round(r / total, 9):g},universe={size})": precision
                for r, precision in zip(given["r"], case["expect"]["precision"], strict=True)
            }
            assert elements.scores(run, qrels, list(wanted)) == pytest.approx(wanted, abs=1e-9), case["id"]


def test_quantisations(cases) -> None:
    """One judged element, retrieved alone: generalised precision is what its code is worth."""
    for case in cases["quantisation"]:
        for name, values in (("gen", case["expect"]["f_g"]), ("strict", case["expect"]["f_s"])):
            for code, value in values.items():
                elements = Case({}, ["x", "y"])
                qrels = elements.judged(code={"x": code, "y": "E3S3" if code[0] == "E" else "3E"})
                found = elements.scores(elements.run(["x"]), qrels, [f"genP(quantisation={name})@1"])
                assert list(found.values()) == pytest.approx([value]), (name, code)


def test_generalised_precision_and_recall(cases) -> None:
    (case,) = cases["generalised"]
    given = case["given"]
    elements = Case(given)
    run = elements.run(*([name] for name in given["run"]))
    found = elements.scores(run, elements.judged(rel=given["j"]), ["genP@3", "genR@3"])
    assert found["genP@3"] == pytest.approx(case["expect"]["precision"])
    assert found["genR@3"] == pytest.approx(case["expect"]["recall"])


def test_an_element_and_its_ancestors(cases) -> None:
    """Without punishing overlap the three together are worth two and a half elements."""
    (case,) = cases["ratio"]
    elements = Case({}, list(case["given"]["codes"]))
    run = elements.run(*([name] for name in case["given"]["run"]))
    found = elements.scores(run, elements.judged(code=case["given"]["codes"]), ["xCG(alpha=0)@3"])
    assert found["xCG(alpha=0)@3"] == pytest.approx(case["expect"]["recall"])
