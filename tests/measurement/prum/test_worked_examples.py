"""Worked examples with exact figures, and the table of the documentation, line by line."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from tests.golden.elements import Case

ROOT = Path(__file__).parents[2]
EXAMPLES = json.loads((ROOT / "golden" / "prum.json").read_text())
PAGE = ROOT.parent / "docs" / "navigating-reader.md"


def case_of(example: dict) -> Case:
    if "leaves" in example:
        return Case({}, example["leaves"])
    names = ("id", "parent", "start", "end")
    return Case(
        {"documents": [{"doc": "d", **dict(zip(names, node, strict=True))} for node in example["nodes"]]}
    )


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["what"][:40])
def test_worked_example(example, tmp_path) -> None:
    case = case_of(example)
    path = case.steps(tmp_path / "steps.csv", example.get("steps", []))
    typed = {
        name.replace("nav=matrix", f"nav=matrix(file={path})").replace(
            "nav=links", f"nav=links(file={path})"
        ): Fraction(value)
        for name, value in example["expect"].items()
    }
    found = case.scores(case.run(*example["results"]), case.judged(**example["assessments"]), list(typed))
    for name, value in typed.items():
        assert found[name] == pytest.approx(float(value), abs=1e-12), name


FIGURE_6 = Case(
    {
        "documents": [
            {"id": "a", "doc": "d", "parent": None, "start": 0, "end": 60},
            {"id": "b", "doc": "d", "parent": "a", "start": 10, "end": 50},
            {"id": "c", "doc": "d", "parent": "b", "start": 20, "end": 30},
            {"id": "d", "doc": "d", "parent": "b", "start": 30, "end": 40},
            {"id": "o", "doc": "other", "parent": None, "start": 0, "end": 40},
        ]
    }
)
JUDGED = FIGURE_6.judged(code={"a": "E3S2", "b": "E3S2", "c": "E3S3"})
FIGURE_7 = case_of(EXAMPLES[6])
YES, NO = "yes", "no"


def told(holds: bool) -> str:
    return YES if holds else NO


def better(measure: str, first: list[str], second: list[str]) -> str:
    """Whether one run scores higher than another on Figure 6."""
    one, two = (
        FIGURE_6.scores(FIGURE_6.run(*([name] for name in run)), JUDGED, [measure])[measure]
        for run in (first, second)
    )
    return told(one > two + 1e-12)


def full(measure: str) -> str:
    """Whether the entry point of Figure 7 alone scores 1; graded measures see codes for all three nodes."""
    graded = "nav" not in measure
    qrels = (
        FIGURE_7.judged(code=dict.fromkeys("abc", "E3S3"))
        if graded
        else FIGURE_7.judged(rel={"b": 1, "c": 1})
    )
    typed = measure.replace("hierarchical", "t2i(tolerance=0)")
    return told(FIGURE_7.scores(FIGURE_7.run(["a"]), qrels, [typed])[typed] >= 1 - 1e-12)


def rows_of_the_table() -> list[list[str]]:
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in rows if row[1] in (YES, NO)]


def test_the_table_is_found() -> None:
    assert len(rows_of_the_table()) == 10


@pytest.mark.parametrize("row", rows_of_the_table(), ids=lambda row: row[0])
def test_the_table_says_what_the_measures_do(row) -> None:
    measure = row[0].strip("`")
    assert row[1:5] == [
        better(measure, ["b"], ["o"]),
        better(measure, ["d"], ["o"]),
        better(measure, ["c", "b"], ["c", "o"]),
        full(measure),
    ]


def test_ideals_are_strict_unless_told_otherwise() -> None:
    """PRUM 4.2.1: the bad engine (a, b, c) has .41 at full recall, as c alone is ideal."""
    bad = FIGURE_6.run(["a"], ["b"], ["c"])
    usual, wide = "PRUM(recall=1,nav=hierarchical)", "PRUM(recall=1,nav=hierarchical,quantisation=gen)"
    found = FIGURE_6.scores(bad, JUDGED, [usual, wide])
    assert found[usual] == pytest.approx(0.41, abs=0.005)
    assert found[wide] > 0.8


def test_both_readings_of_the_best_list() -> None:
    """PRUM 4.2.2: the entry point a alone shows both ideal elements, and no list is better."""
    by_elements, by_fewest = (
        f"EPRUM(r=2,nav=t2i(tolerance=0),ideal={ideal})" for ideal in ("list", "fewest")
    )
    qrels = FIGURE_7.judged(rel={"b": 1, "c": 1})
    found = FIGURE_7.scores(FIGURE_7.run(["a"]), qrels, [by_elements, by_fewest])
    assert found == {by_elements: 2.0, by_fewest: 1.0}
    usual = "EPRUM(r=2,nav=t2i(tolerance=0))"
    assert FIGURE_7.scores(FIGURE_7.run(["a"]), qrels, [usual]) == {usual: 2.0}
