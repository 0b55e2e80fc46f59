"""Reference cases of ESR, through files and the public interface."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import group
from tests.golden import vectors
from tests.golden.esr_cases import documents_of, navigation_of, rows_of

PER_RANK = {
    "hits": "Hits", "near_misses": "NearMisses", "misses": "Misses", "recall_base": "RecallBase",
    "ESRP": "ESRP", "ESRR": "ESRR", "SRiP": "SRiP", "SRiR": "SRiR", "SRiP2": "SRiP2", "SRiR2": "SRiR2",
}  # fmt: skip
WHOLE = {
    "MASRiP": "ASRiP", "MASRiP2": "ASRiP2", "MAESRP": "AESRP", "SRiP_0.01": "SRiP[0.01]",
    "SRiP2_0.01": "SRiP2[0.01]", "hits_run": "Hits", "near_misses_run": "NearMisses", "misses_run": "Misses",
    "recall_base_run": "RecallBase",
}  # fmt: skip


def cases(kind: str) -> list[dict]:
    every = vectors("esr")
    return [case for case in every if case["given"]["measures"] == kind]


def names_of(given: dict, expect: dict) -> dict[str, list[str] | str]:
    """The measures a case asks for, as they are typed; what a tree is worth is in its assessment."""
    parameters = ["rel=grade"]
    parameters += [f"size={given['size_mode']}"] if given.get("size_mode", "sum") != "sum" else []
    if given["tree_navigation"] == "sr_thm43":
        parameters.append("tree=sr")
    depth = len(given["run"])

    def typed(name: str, *more: str, cut: str = "") -> str:
        return f"{name}({','.join([*parameters, *more])}){cut}"

    desired = (f"l={given['l']}", f"m={given['m']}")
    names: dict[str, list[str] | str] = {}
    for key, name in PER_RANK.items():
        names[key] = [typed(name, cut=f"@{rank}") for rank in range(1, depth + 1)]
    for key in ("NSRCG", "NSRCG2"):
        names[key] = [typed(key, *desired, cut=f"@{rank}") for rank in range(1, depth + 1)]
    for key, name in WHOLE.items():
        base, bracket, point = name.partition("[")
        names[key] = typed(base, cut=bracket + point)
    names["SRPRUM"] = [typed("SRPRUM", f"recall={recall}") for recall in given["recall_levels"]]
    if given["tree_navigation"] == "esr_eq4":
        names["SR_eq12"] = [f"SR(infer=none,tree=esr)@{rank}" for rank in range(1, depth + 1)]
    return names


@pytest.mark.filterwarnings("ignore:run. no document of the run was assessed")
def test_measures(tmp_path: Path) -> None:
    checked = 0
    for case in cases("esr"):
        given, expect = case["given"], case["expect"]
        navigation = navigation_of(given, tmp_path)
        if navigation is None:
            continue
        names = names_of(given, expect)
        doc = {node["id"]: node["doc"] for node in given["nodes"]}
        qrels = [
            {"topic": "t", "doc": doc[one["tree"][0]], "nodes": one["tree"], "rel": one["rel"]}
            for one in given["assessments"]
        ] or [{"topic": "t", "doc": given["nodes"][0]["doc"]}]
        flat = [name for some in names.values() for name in ([some] if isinstance(some, str) else some)]
        beyond = [f"{name}@{row['cutoff']}" for row in expect["beyond"] for name in ("ESRP", "ESRR")]
        beyond += [f"NSRCG(rel=grade,l={given['l']},m={given['m']})@{r['cutoff']}" for r in expect["beyond"]]
        run = dx.read_run(rows_of(given["run"], given["nodes"]), name="run")
        scores = dx.evaluate(run, qrels, flat + beyond, documents_of(given["nodes"]), navigation)
        if not given["assessments"]:
            assert all(scores.value("run", name) is None for name in flat)
            continue
        for key, typed in names.items():
            got = (
                scores.value("run", typed)
                if isinstance(typed, str)
                else [scores.value("run", n) for n in typed]
            )
            assert got == pytest.approx(expect[key], abs=case["tolerance"]), (case["id"], key)
        for row in expect["beyond"]:
            at = f"@{row['cutoff']}"
            assert scores.value("run", f"ESRP{at}") == pytest.approx(row["ESRP_by_cutoff"], abs=1e-9)
            assert scores.value("run", f"ESRR{at}") == pytest.approx(row["ESRR"], abs=1e-9)
            typed = f"NSRCG(rel=grade,l={given['l']},m={given['m']}){at}"
            assert scores.value("run", typed) == pytest.approx(row["NSRCG"], abs=1e-9)
        checked += 1
    assert checked == 26


def test_navigation_tables(tmp_path: Path) -> None:
    checked = 0
    for case in cases("navigation"):
        given = case["given"]
        navigation = navigation_of(given, tmp_path)
        if navigation is None:
            continue
        docs = tmp_path / "docs.jsonl"
        docs.write_text("\n".join(map(json.dumps, documents_of(given["nodes"]))))
        printed = CliRunner().invoke(group, ["navigate", str(docs), "--nav", navigation, "-f", "jsonl"])
        assert printed.exit_code == 0, printed.output
        got: dict[str, dict[str, float]] = {}
        for line in printed.output.splitlines():
            row = json.loads(line)
            got.setdefault(row["from"], {})[row["to"]] = row["p"]
        wanted = {
            start: {end: p for end, p in row.items() if end != start and p}
            for start, row in case["expect"]["p"].items()
        }
        assert got == {start: pytest.approx(row, abs=1e-9) for start, row in wanted.items() if row}, case[
            "id"
        ]
        checked += 1
    assert checked == 4


def test_navigation_between_trees(tmp_path: Path) -> None:
    """p(t_i; t_j) is what t_i loses when t_j was retrieved before it."""
    for case in cases("tree_navigation"):
        check_pairs(case, tmp_path)


def check_pairs(case: dict, folder: Path) -> None:
    given = case["given"]
    navigation = navigation_of(given, folder)
    for rule, values in (("esr", case["expect"]["esr_eq4"]), ("sr", case["expect"]["sr_thm43"])):
        for (unit, before), value in zip(given["pairs"], values, strict=True):
            if rule == "esr" and set(unit) == set(before):
                continue
            doc = given["nodes"][0]["doc"]
            qrels = [{"topic": "t", "doc": doc, "nodes": unit, "rel": 1}]
            measure = f"SR(tree={rule},infer=none)"
            rows = rows_of([before, unit], given["nodes"])
            scores = dx.evaluate(
                dx.read_run(rows, name="run"),
                qrels,
                f"{measure}@1 {measure}@2",
                documents_of(given["nodes"]),
                navigation,
            )
            gained = scores.value("run", f"{measure}@2") - scores.value("run", f"{measure}@1")
            assert 1 - gained == pytest.approx(value, abs=1e-9)


def test_repeated_text() -> None:
    """Eq. 15: a result with `rel` relevant characters, of which `rov` were shown before."""
    (case,) = cases("rsize")
    given = case["given"]
    qrels = [{"topic": "t", "doc": "d", "start": 0, "end": given["rel"]}]
    ends = (given["rov"], given["rel"])
    run = [
        {"topic": "t", "doc": "d", "rank": rank, "start": 0, "end": end} for rank, end in enumerate(ends, 1)
    ]
    for alpha, value in zip(given["alpha"], case["expect"]["rsize"], strict=True):
        name = f"Hits(alpha={alpha})"
        scores = dx.evaluate({"run": run}, qrels, f"{name}@1 {name}@2")
        assert scores.value("run", f"{name}@2") - scores.value("run", f"{name}@1") == pytest.approx(value)


def test_tables_of_hixeval_file(tmp_path: Path) -> None:
    """ESR Tables 11-14 once more, as written down with the HiXEval cases.

    Tables 12 and 13 take the lengths of the nodes as what they are worth: so do measures of sizes by default,
    if all that is known of the nodes is that they are relevant.
    """
    keys = {
        "hits": "Hits", "near": "NearMisses", "misses": "Misses", "recall_base": "RecallBase", "ESRP": "ESRP",
        "ESRR": "ESRR", "SRiP": "SRiP", "SRiR_Eq19": "SRiR",
    }  # fmt: skip
    toy = cases("esr")[0]["given"]
    every = vectors("hixeval")
    chosen = [case for case in every if case["given"]["kind"] == "esr"]
    assert len(chosen) == 3
    for case in chosen:
        given = case["given"]
        navigation = navigation_of(
            {"nodes": toy["nodes"], "navigation": {"kind": "matrix", "p": given["step"]}}, tmp_path
        )
        by_length = set(given["rel"].values()) != {1}
        graded = [{"topic": "t", "doc": "d1", "node": node, "rel": rel} for node, rel in given["rel"].items()]
        plain = [row | {"rel": 1} for row in graded]
        for system, expected in case["expect"].items():
            run = dx.read_run(
                rows_of([[node] for node in given["systems"][system]], toy["nodes"]), name="run"
            )
            desired = f"l={given['l']},m={given['m']}"
            for row in expected:
                typed = {f"{name}(rel=grade)@{row['k']}": row[key] for key, name in keys.items()}
                typed[f"NSRCG(rel=grade,{desired})@{row['k']}"] = row["NSRCG"]
                scores = dx.evaluate(run, graded, list(typed), documents_of(toy["nodes"]), navigation)
                assert {name: scores.value("run", name) for name in typed} == pytest.approx(typed, abs=1e-9)
                if by_length:
                    sized = {f"{name}@{row['k']}": row[key] for key, name in keys.items() if "SRi" in key}
                    sized[f"NSRCG({desired})@{row['k']}"] = row["NSRCG"]
                    scores = dx.evaluate(run, plain, list(sized), documents_of(toy["nodes"]), navigation)
                    found = {name: scores.value("run", name) for name in sized}
                    assert found == pytest.approx(sized, abs=1e-9)


def test_prum_scenarios(tmp_path: Path) -> None:
    """PRUM as ESR and its own paper enumerate it: the exact formula."""
    toy = cases("esr")[0]["given"]["nodes"]
    for case in cases("prum_scenarios"):
        given = case["given"]
        nodes = given.get("nodes", toy)
        steps = {"kind": "prum_eq9"} if given["P"] == "eq9" else {"kind": "matrix", "p": given["P"]}
        navigation = navigation_of({"nodes": nodes, "navigation": steps}, tmp_path)
        qrels = [{"topic": "t", "doc": "d1", "node": node, "rel": 1} for node in given["ideal"]]
        run = dx.read_run(rows_of([[node] for node in given["run"]], nodes), name="run")
        name = f"PRUM(r={given['want']},exact=true)"
        scores = dx.evaluate(run, qrels, name, documents_of(nodes), navigation)
        assert scores.value("run", name) == pytest.approx(case["expect"]["PRUM"], abs=1e-9), case["id"]
