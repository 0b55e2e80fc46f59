"""`doxeval validate` on what does not meet: told with an example from both sides, and a failure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from doxeval.cli import group

TEXT = "Krüppel is a gap gene. It is expressed in the middle of the embryo."
DOCS = [
    {"doc": "folder/a", "text": TEXT},
    {"doc": "folder/b", "text": TEXT[::-1]},
    {"doc": "x/c", "text": "c"},
]
GOLD = [
    {"topic": "q1", "doc": "folder/a", "start": 0, "end": 22},
    {"topic": "q2", "doc": "x/c", "start": 0, "end": 1},
]
ROW = {"topic": "q1", "doc": "folder/a", "rank": 1, "score": 1.0}
PLACE = {"start": 0, "end": 22}

MISMATCHES = {
    "topics": ([ROW | PLACE | {"topic": "101"}], {}, ("'101'", "'q1'")),
    "documents": ([ROW | PLACE | {"doc": "WSJ-1"}], {}, ("'WSJ-1'", "'folder/a'")),
    "a folder too many": ([ROW | PLACE | {"doc": "other/a"}], {}, ("'other/a'", "'folder/a'")),
    "documents beside the collection": (
        [ROW | PLACE, ROW | PLACE | {"rank": 2, "doc": "d77"}], {}, ("d77", "'folder/a'"),
    ),
    "names that may be several": (
        [ROW | PLACE, ROW | PLACE | {"rank": 2, "doc": "z"}],
        {"docs": [*DOCS, {"doc": "p/z", "text": "z"}, {"doc": "q/z", "text": "z"}]},
        ("'z'", "'p/z', 'q/z'"),
    ),
    "nodes": ([ROW | {"path": "/article[1]/sec[9]"}], {}, ("folder/a", "/article[1]/sec[9]")),
    "texts": ([ROW | {"text": "Nobody wrote this."}], {}, ("Nobody wrote this.", "was not found")),
    "offsets past the end": ([ROW | {"start": 60, "end": 900}], {}, ("run.jsonl:1: to 900 of 67", "past")),
    "keys": ([ROW | {"begin": 0, "end": 22}], {}, ("'begin'", "'start'")),
    "a swapped file": ([{"topic": "q1", "doc": "folder/a", "rel": 1}], {"kind": "run"}, ("run", "but as a")),
    "quotes": (
        [ROW | PLACE], {"qrels": [*GOLD, {"topic": "q1", "doc": "folder/b", "quote": "gap gene"}]},
        ("gap gene", "folder/b"),
    ),
    "gold beside the collection": (
        [ROW | PLACE], {"qrels": [*GOLD, {"topic": "q1", "doc": "y", "start": 0, "end": 1}]},
        ("(y)", "'folder/a'"),
    ),
    "a collection of others": ([ROW | PLACE], {"docs": [{"doc": "u", "text": "u"}]}, ("'folder/a'", "'u'")),
    "refused lines": ([ROW | PLACE, ROW | {"start": 9, "end": 3}], {}, ("run.jsonl:2", "9 to 3")),
}  # fmt: skip


def validate(folder: Path, rows: list[dict], given: dict) -> Result:
    for name, content in (
        ("run", rows), ("qrels", given.get("qrels", GOLD)), ("docs", given.get("docs", DOCS)),
    ):  # fmt: skip
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in content))
    files = ["--qrels", str(folder / "qrels.jsonl"), "--docs", str(folder / "docs.jsonl")]
    kind = ["--kind", given["kind"]] if "kind" in given else []
    return CliRunner().invoke(group, ["validate", str(folder / "run.jsonl"), *files, *kind])


def said(result: Result) -> str:
    return result.output + (str(result.exception) if result.exception else "")


@pytest.mark.parametrize("kind", MISMATCHES)
def test_a_mismatch_is_told_with_both_sides_and_fails(kind: str, tmp_path: Path) -> None:
    rows, given, parts = MISMATCHES[kind]
    result = validate(tmp_path, rows, given)
    assert result.exit_code != 0, result.output
    for part in parts:
        assert part in said(result)


def test_what_meets_is_fine(tmp_path: Path) -> None:
    good = [
        ROW | PLACE,
        {"topic": "q2", "doc": "/any/where/x/c.txt", "rank": 1, "score": 1.0, "start": 0, "end": 1},
    ]
    result = validate(tmp_path, good, {})
    assert result.exit_code == 0, said(result)
