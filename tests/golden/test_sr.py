"""Reference cases of SR, through files and the public interface."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import group
from tests.golden import vectors
from tests.golden.esr_cases import documents_of, navigation_of, rows_of
from tests.golden.test_esr import check_pairs

RULES = {"sr_thm43": "sr", "esr_eq4": "esr"}


def cases(kind: str) -> list[dict]:
    every = vectors("sr")
    return [case for case in every if case["given"]["measures"] == kind]


def assessed(given: dict) -> list[dict]:
    doc = {node["id"]: node["doc"] for node in given["nodes"]}
    if "tree_relevance" in given:
        trees = zip(given["run"], given["tree_relevance"], strict=True)
        return [{"topic": "t", "doc": doc[tree[0]], "nodes": tree, "rel": rel} for tree, rel in trees]
    return [
        {"topic": "t", "doc": doc[node], "node": node, "rel": rel}
        for node, rel in given["node_relevance"].items()
    ] or [{"topic": "t", "doc": given["nodes"][0]["doc"]}]


def test_measures(tmp_path: Path) -> None:
    checked = 0
    for case in cases("sr"):
        given, expect = case["given"], case["expect"]
        navigation = navigation_of(given, tmp_path)
        if navigation is None:
            continue
        rule = f"tree={RULES[given['tree_navigation']]}"
        ranks = range(1, len(given["run"]) + 1)
        names = {key: [f"{key}({rule})@{rank}" for rank in ranks] for key in ("SR", "SRP")}
        run = dx.read_run(rows_of(given["run"], given["nodes"]), name="run")
        scores = dx.evaluate(
            run,
            assessed(given),
            [*names["SR"], *names["SRP"], "SR@1"],
            documents_of(given["nodes"]),
            navigation,
        )
        checked += 1
        if not any(given.get("tree_relevance", given.get("node_relevance", {0: 1}).values())):
            assert scores.value("run", "SR@1") is None
            continue
        for key, typed in names.items():
            got = [scores.value("run", name) for name in typed]
            assert got == pytest.approx(expect[key], abs=case["tolerance"]), (case["id"], key)
    assert checked == 18


def test_summaries(tmp_path: Path) -> None:
    for case in cases("navigation"):
        given = case["given"]
        docs = tmp_path / "docs.jsonl"
        docs.write_text("\n".join(map(json.dumps, documents_of(given["nodes"]))))
        printed = CliRunner().invoke(
            group, ["navigate", str(docs), "--nav", str(navigation_of(given, tmp_path)), "-f", "jsonl"]
        )
        assert printed.exit_code == 0, printed.output
        rows = [json.loads(line) for line in printed.output.splitlines()]
        expected = case["expect"]["p"]
        assert len(rows) == sum(len([end for end in row if end != start]) for start, row in expected.items())
        for row in rows:
            assert row["p"] == pytest.approx(expected[row["from"]][row["to"]], abs=1e-9)


def test_navigation_between_trees(tmp_path: Path) -> None:
    for case in cases("tree_navigation"):
        check_pairs(case, tmp_path)


def test_redundancy(tmp_path: Path) -> None:
    for case in cases("redundancy"):
        given = case["given"]
        navigation = navigation_of(given, tmp_path)
        for tree, value in zip(given["of"], case["expect"]["redundancy"], strict=True):
            run = dx.read_run(rows_of([*given["run"], tree], given["nodes"]), name="run")
            qrels = [{"topic": "t", "doc": given["nodes"][0]["doc"], "nodes": tree, "rel": 1}]
            scores = dx.evaluate(run, qrels, "SR(infer=none)", documents_of(given["nodes"]), navigation)
            assert scores.value("run", "SR(infer=none)") == pytest.approx(1 - value, abs=1e-9)


def test_inferred_relevance() -> None:
    (case,) = cases("rel_tree")
    given = case["given"]
    nodes = cases("redundancy")[0]["given"]["nodes"]
    qrels = [
        {"topic": "t", "doc": "book", "node": node, "rel": rel}
        for node, rel in given["node_relevance"].items()
    ]
    for tree, value in zip(given["trees"], case["expect"]["rel_tree"], strict=True):
        run = dx.read_run(rows_of([tree], nodes), name="run")
        assert dx.evaluate(run, qrels, "SR@1", documents_of(nodes)).value("run", "SR@1") == pytest.approx(
            value
        )
