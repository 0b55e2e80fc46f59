"""Grades that a measure does not use, and lists that it divides by, are mentioned beside its number."""

from __future__ import annotations

import json
import random
import warnings
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import group
from tests.measurement.test_invariants import DOCUMENTS, SCORED, TOPICS, table

UNUSED = "not use the grades"
SHORTER = "shorter than the cut-off"
FLAT = ["nDCG@3", "nDCG(dcg='exp-log2')@3", "AP", "P@2", "ERR@3", "NumRet", "Judged@3"]
Rows = list[dict[str, Any]]


def drawn(kind: str, seed: int, mixed: bool = False) -> tuple[Rows, Rows]:
    """Assessments with grades, and results.

    Unless they are `mixed`, nodes have one grade, because measures of text refuse others.
    """
    rng = random.Random(f"{kind} {seed}")
    gold, results = [], []
    for topic in TOPICS:
        for doc in DOCUMENTS:
            for node in rng.sample(doc["nodes"], 2):
                place = (
                    {"node": node["id"]} if kind == "nodes" else {"start": node["start"], "end": node["end"]}
                )
                grade = rng.choice([0.25, 0.5, 1] if kind == "nodes" else [0.25, 1, 2, 3])
                grade = grade if mixed or kind == "ranges" else 0.25
                aspects = {"aspects": [rng.choice("AB")]} if kind == "ranges" else {}
                gold.append({"topic": topic, "doc": doc["doc"], "rel": grade} | place | aspects)
        for rank in range(1, rng.randint(3, 7)):
            doc = rng.choice(DOCUMENTS)
            node = rng.choice(doc["nodes"])
            place = {"node": node["id"]} if kind == "nodes" else {"start": node["start"], "end": node["end"]}
            results.append({"topic": topic, "doc": doc["doc"], "rank": rank, "score": 9.0 - rank} | place)
    return gold, results


def scored(results: Rows, gold: Rows, names: list[str]) -> dx.Scores:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        return dx.evaluate({"run": results}, gold, names, DOCUMENTS)


def noted(scores: dx.Scores) -> set[str]:
    return {name for notice in scores.notices if UNUSED in notice.message for name in notice.names}


def with_one_grade(gold: Rows) -> Rows:
    return [row | {"rel": 1} for row in gold]


def differing(one: dx.Scores, other: dx.Scores) -> set[str]:
    """The measures by which some topic has another value, rounding aside."""
    mine, yours = table(one), table(other)
    return {key[1] for key, value in mine.items() if value != pytest.approx(yours[key], abs=1e-9)}


@pytest.mark.parametrize("kind", ["ranges", "nodes"])
def test_a_measure_is_mentioned_exactly_if_it_counts_all_grades_alike(kind: str) -> None:
    names = [*SCORED[kind], *FLAT]
    for seed in range(6):
        gold, results = drawn(kind, seed)
        graded, plain = scored(results, gold, names), scored(results, with_one_grade(gold), names)
        mentioned = noted(graded)
        assert not noted(plain) and not mentioned & differing(graded, plain)
    others = [name for name in names if name not in mentioned]
    asking = set[str]()
    for seed in range(4):
        gold, results = drawn(kind, seed, mixed=True)
        plain = scored(results, with_one_grade(gold), others)
        asking |= differing(scored(results, with_one_grade(drawn(kind, seed + 100)[0]), others), plain)
    for seed in range(20):
        gold, results = drawn(kind, seed, mixed=True)
        left = [name for name in others if name in asking]
        asking -= differing(scored(results, gold, left), scored(results, with_one_grade(gold), left))
        if not asking:
            break
    assert not asking


def files(folder: Path) -> list[str]:
    gold = [{"topic": topic, "doc": "d1", "node": "p00", "rel": 0.25} for topic in TOPICS]
    run = [{"topic": topic, "doc": "d1", "node": "p00", "rank": 1} for topic in TOPICS]
    for name, rows in (("gold", gold), ("run", run), ("docs", DOCUMENTS)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return ["run.jsonl", "-q", "gold.jsonl", "-d", "docs.jsonl"]


MEASURES = ["-m", "ESRP(nav=none)@1 SRiP(nav=none)@1 iP@1 genP@3"]
COMMANDS = {
    "eval": ["eval", *MEASURES],
    "eval md": ["eval", *MEASURES, "-f", "md"],
    "eval csv": ["eval", *MEASURES, "-f", "csv"],
    "report": ["report", *MEASURES, "-o", "page.html"],
}


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("streamed", [False, True])
def test_every_way_mentions_them(name: str, streamed: bool, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DOXEVAL_MAX_WHOLE", "1" if streamed else "1G")
    command, *rest = COMMANDS[name]
    done = CliRunner().invoke(group, [command, *files(tmp_path), *rest])
    assert done.exit_code == 0, done.output
    pages = [path.read_text() for path in tmp_path.glob("page.*")]
    for told in pages or [done.output]:
        assert UNUSED in told and "(0.25)" in told, name
        assert "3 lists are shorter than the cut-off of genP@3, which divides by the list" in told, name
    if name == "eval":
        assert "0.2500" in done.stdout and "2 measures do not use the grades" in done.stdout
        assert "(SRiP(nav=none)@1; iP@1)" in done.stdout


@pytest.mark.parametrize("measure", ["genP@3", "Judged@3", "iP@3", "P@3"])
def test_only_where_the_divisor_is_the_list_its_length_is_mentioned(measure: str) -> None:
    gold, results = drawn("ranges", 1)
    gold = [row | {"rel": 1} for row in gold]
    results = [
        row | {"rank": rank} for row in results if row["rank"] <= 2 for rank in (row["rank"], row["rank"] + 2)
    ]
    short = [row for row in results if row["topic"] == "t1" or row["rank"] <= 2]
    told = [str(one) for one in scored(short, gold, [measure]).notices if SHORTER in one.message]
    assert not [one for one in scored(results, gold, [measure]).notices if SHORTER in one.message]
    if measure in ("genP@3", "Judged@3"):
        assert told == [
            f"run: 2 lists are shorter than the cut-off of {measure}, which divides by the list (t2; t10)"
        ]
    else:
        assert told == []


BUDGETS = {
    "eval": ["eval", "--strict"],
    "eval md": ["eval", "-f", "md"],
    "eval csv": ["eval", "-f", "csv"],
    "compare": ["compare", "other.jsonl"],
    "diagnose": ["diagnose"],
    "report": ["report", "-o", "page.html"],
}


@pytest.mark.parametrize("name", BUDGETS)
@pytest.mark.parametrize("streamed", [False, True])
def test_every_way_mentions_lists_that_end_before_a_budget_of_text(
    name: str, streamed: bool, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DOXEVAL_MAX_WHOLE", "1" if streamed else "1G")
    given = files(tmp_path)
    (tmp_path / "other.jsonl").write_text((tmp_path / "run.jsonl").read_text())
    command, *rest = BUDGETS[name]
    done = CliRunner().invoke(group, [command, *given, "-m", "iR@90000c", *rest])
    assert done.exit_code == 0, done.output
    for told in [path.read_text() for path in tmp_path.glob("page.*")] or [done.output]:
        assert "run: 3 lists end before 90,000 characters" in told, name


@pytest.mark.parametrize(("unit", "said"), [("c", "characters"), ("w", "words"), ("l", "lines")])
def test_exactly_the_lists_that_hold_less_than_the_budget_are_mentioned_once(unit: str, said: str) -> None:
    line = "some words here\n"
    docs = [{"doc": "d", "text": line * 40}]
    gold = [{"topic": f"t{n}", "doc": "d", "start": 0, "end": 4} for n in range(5)]
    run = [
        {"topic": f"t{n}", "doc": "d", "rank": rank, "start": len(line) * rank, "end": len(line) * (rank + 1)}
        for n in range(5)
        for rank in range(1, 3 * n + 1)
    ]
    per_result = {"c": len(line), "w": 3, "l": 1}[unit]
    for budget in (1, 3 * per_result, 6 * per_result, 6 * per_result + 1, 99 * per_result):
        short = [f"t{n}" for n in range(1, 5) if 3 * n * per_result < budget]
        scores = dx.evaluate({"run": run}, gold, [f"iR@{budget}{unit}", f"iP@{budget}{unit}"], docs)
        told = [notice for notice in scores.notices if " before " in notice.message]
        assert [sorted(notice.names) for notice in told] == [short] * bool(short)
        assert all(f"end before {budget:,} {said}" in str(notice) for notice in told if len(short) > 1)
