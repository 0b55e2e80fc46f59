"""Unified diffs as line ranges: the ways people write them, and what has no place in the old files."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import doxeval
from doxeval.core.errors import InputError, UsageError
from doxeval.io.diffs import parse_diff

HEADER = "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n"
REPLACED = "@@ -3,3 +3,3 @@ def f():\n one\n-two\n+2\n three\n"


def places(patch: str) -> list[tuple[str, int, int, bool, int]]:
    return [(c.file, c.first, c.last, c.inserted, c.hunk) for c in parse_diff(patch).changes]


@pytest.mark.parametrize(
    ("hunk", "expected"),
    [
        (REPLACED, [("x.py", 4, 4, False, 1)]),
        ("@@ -3,2 +3,3 @@\n one\n+new\n two\n", [("x.py", 3, 4, True, 1)]),
        ("@@ -1,1 +1,2 @@\n+new\n one\n", [("x.py", 1, 1, True, 1)]),
        ("@@ -9 +9,2 @@\n last\n+new\n", [("x.py", 9, 9, True, 1)]),
        ("@@ -5,0 +6,2 @@\n+a\n+b\n", [("x.py", 5, 6, True, 1)]),
        ("@@ -0,0 +1 @@\n+a\n", [("x.py", 1, 1, True, 1)]),
        ("@@ -2,2 +1,0 @@\n-a\n-b\n", [("x.py", 2, 3, False, 1)]),
        ("@@ -1,3 +1,3 @@\n-a\n+b\n\n-c\n+d\n", [("x.py", 1, 1, False, 1), ("x.py", 3, 3, False, 1)]),
        ("@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n", [("x.py", 1, 1, False, 1)]),
        (REPLACED + "@@ -9,2 +9,1 @@\n-a\n b\n", [("x.py", 4, 4, False, 1), ("x.py", 9, 9, False, 2)]),
    ],
)
def test_changed_lines_are_those_of_the_old_file(hunk, expected):
    assert places(HEADER + hunk) == expected
    assert places((HEADER + hunk).replace("\n", "\r\n")) == expected
    assert places("From: me\nSubject: x\n\n" + HEADER + hunk + "--\n2.39\n") == expected


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("a/b c.py\t2020-01-01", "b/b c.py\t2021-01-01", "b c.py"),
        ('"a/na\\303\\257ve \\"x\\".py"', '"b/y.py"', 'naïve "x".py'),
        ("x.py", "x.py", "x.py"),
        ("i/x.py", "w/x.py", "x.py"),
        ("i/x.py", "w/y.py", "i/x.py"),
        ("a/old.py", "b/new.py", "old.py"),
        ("a/gone.py", "/dev/null", "gone.py"),
    ],
)
def test_names_of_files(old, new, name):
    assert places(f"--- {old}\n+++ {new}\n{REPLACED}")[0][0] == name


def test_what_has_no_place_is_counted():
    new = "diff --git a/n.py b/n.py\nnew file mode 100644\n--- /dev/null\n+++ b/n.py\n@@ -0,0 +1 @@\n+a\n"
    renamed = "diff --git a/a.py b/b.py\nsimilarity index 100%\nrename from a.py\nrename to b.py\n"
    binary = "diff --git a/i.png b/i.png\nindex 1..2\nBinary files a/i.png and b/i.png differ\n"
    diff = parse_diff(new + renamed + binary + HEADER + REPLACED)
    assert [(change.file, change.hunk) for change in diff.changes] == [("x.py", 1)]
    assert diff.without_place == [
        ("new {file|files}", "n.py"),
        ("{file|files} only renamed", "a.py"),
        ("binary {file|files}", "i.png"),
    ]


def test_a_hunk_of_other_length_than_stated_is_reported():
    diff = parse_diff(HEADER + "@@ -3,9 +3,9 @@\n one\n-two\n+2\n")
    assert [(c.first, c.last) for c in diff.changes] == [(4, 4)] and len(diff.damage) == 1
    run = doxeval.read_run(HEADER.encode() + b"@@ -3,9 +3,9 @@\n one\n-two\n+2\n", input_format="diff")
    assert any(
        "1 hunk ends before or after the lines its header states" in str(notice)
        for notice in run.notices.failures
    )


@given(st.lists(st.sampled_from(" -+"), min_size=1, max_size=12), st.integers(1, 30))
def test_a_twin_that_applies_the_patch_finds_the_same_lines(marks, first):
    """Number the old lines one by one, and look at the neighbours of what was only added."""
    old = [mark for mark in marks if mark != "+"]
    stated = f"@@ -{first if old else first - 1},{len(old)} +1,{len(marks) - marks.count('-')} @@\n"
    found = places(HEADER + stated + "".join(f"{mark}x\n" for mark in marks))
    removed, line, expected, group = [], first, [], ""
    numbered = []
    for mark in marks:
        numbered.append((mark, line))
        line += mark != "+"
    for run in re.finditer(r"[-+]+", "".join(marks)):
        part = numbered[run.start() : run.end()]
        removed = [number for mark, number in part if mark == "-"]
        if removed:
            expected.append((removed[0], removed[-1]))
            continue
        after = part[0][1]
        near = [after - 1] if after > 1 else []
        near += [after] if run.end() < len(marks) or not old else []
        if near:
            expected.append((near[0], near[-1]))
    assert [(a, b) for _, a, b, _, _ in found] == expected, group


ROWS = [
    {
        "instance_id": "p__p-1",
        "repo": "p/p",
        "base_commit": "c0",
        "problem_statement": "Why?",
        "patch": HEADER + REPLACED,
    },
    {
        "instance_id": "p__p-2",
        "repo": "p/p",
        "base_commit": "c1",
        "patch": HEADER + "@@ -3,2 +3,3 @@\n one\n+n\n two\n",
    },
]


def written(folder: Path, rows: list[dict]) -> list[Path]:
    """The rows as JSON Lines, JSON and Parquet."""
    lines, whole, table = (folder / f"rows{suffix}" for suffix in (".jsonl", ".json", ".parquet"))
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
    whole.write_text(json.dumps(rows))
    pl.DataFrame(rows).write_parquet(table)
    return [lines, whole, table]


def test_rows_of_swe_bench_in_every_form(tmp_path):
    for path in written(tmp_path, ROWS):
        gold = doxeval.read_assessments(path)
        assert gold.unit == "lines" and gold.topics == ["p__p-1", "p__p-2"]
        assert [gold.ranges.start.tolist(), gold.ranges.end.tolist()] == [[3, 2], [4, 4]]
        assert gold.attributes["p__p-1"] == {"repo": "p/p", "base_commit": "c0", "hunk": "1"}
        assert gold.queries == {"p__p-1": "Why?"}
        assert gold.ranges.aspects.of(0) == ["x.py:4-4"]
        assert doxeval.read_assessments(path, insertions="none").topics == ["p__p-1"]


def test_predictions_in_every_form(tmp_path):
    rows = [{"instance_id": row["instance_id"], "model_patch": row["patch"]} for row in ROWS]
    paths = written(tmp_path, rows)
    by_instance = tmp_path / "preds.json"
    by_instance.write_text(
        json.dumps({row["instance_id"]: {"model_patch": row["model_patch"]} for row in rows})
    )
    folder = tmp_path / "diffs"
    folder.mkdir()
    for row in rows:
        (folder / f"{row['instance_id']}.diff").write_text(row["model_patch"])
    for path in [*paths, by_instance, folder]:
        run = doxeval.read_run(path)
        assert [run.topics, run.start.tolist(), run.end.tolist()] == [["p__p-1", "p__p-2"], [3, 2], [4, 4]]
        assert any("a patch is a set" in notice.message for notice in run.notices)
        assert doxeval.evaluate(path, ROWS_GOLD, "iR iP").runs[0].values.tolist() == [[1.0, 1.0], [1.0, 1.0]]


ROWS_GOLD = [
    {"topic": "p__p-1", "doc": "x.py", "start_line": 4, "end_line": 4},
    {"topic": "p__p-2", "doc": "x.py", "lines": [[3, 4]]},
]


def test_a_prediction_without_a_patch_was_asked():
    run = doxeval.read_run(
        b'{"instance_id": "a", "model_patch": ""}\n{"instance_id": "b", "model_patch": null}\n'
    )
    assert run.topics == ["a", "b"] and len(run) == 0


def test_insertions_are_refused_where_there_are_no_patches(tmp_path):
    (tmp_path / "gold.jsonl").write_text('{"topic": "t", "doc": "d", "start": 1, "end": 2}\n')
    with pytest.raises(UsageError, match="--insertions would do nothing"):
        doxeval.read_assessments(tmp_path / "gold.jsonl", insertions="none")


def test_a_folder_without_patches_is_no_run(tmp_path):
    with pytest.raises(InputError, match=r"\*\.diff"):
        doxeval.read_run(tmp_path)


DATA = Path(os.environ.get("DOXEVAL_REFERENCE_DATA", "missing")) / "data" / "code"


@pytest.mark.skipif(not DATA.is_dir(), reason="the patches of SWE-bench Lite are not here")
def test_every_patch_gives_the_lines_of_the_reference():
    import gzip

    rows = [json.loads(line) for line in (DATA / "instances.jsonl").read_text().splitlines()]
    expected = [json.loads(line) for line in (DATA / "gold_lines.jsonl").read_text().splitlines()]
    for path in sorted((DATA / "submissions").glob("*.gz")):
        with (
            gzip.open(path, "rt") as patches,
            gzip.open(DATA / "submissions/lines" / path.name, "rt") as lines,
        ):
            rows += [json.loads(line) | {"from": path.name} for line in patches]
            expected += [json.loads(line) | {"from": path.name} for line in lines]
    found = [
        (
            row.get("from"),
            row["instance_id"],
            c.file,
            c.first,
            c.last,
            "inserted" if c.inserted else "removed",
            c.hunk,
        )
        for row in rows
        for c in parse_diff(row.get("patch") or row.get("model_patch") or "").changes
    ]
    keys = ("file", "start_line", "end_line", "kind", "hunk")
    assert len(found) == 433 + 323 + 289 + 297
    assert found == [(row.get("from"), row["instance_id"], *(row[key] for key in keys)) for row in expected]


@pytest.mark.skipif(not DATA.is_dir(), reason="the patches of SWE-bench Lite are not here")
def test_patches_that_solved_their_issue_are_told_apart():
    """The areas under the curve: 118 of 471 patches solved their issue."""
    import gzip

    import numpy as np

    evaluation = doxeval.Evaluation(DATA / "instances.jsonl", "ESRR(nav=readon(mean=20)) iR F")
    place = {topic: at for at, topic in enumerate(evaluation.ground.topics)}
    found, resolved = [], []
    for path in sorted((DATA / "submissions").glob("*.gz")):
        scores = evaluation.score(path).runs[0].values
        with gzip.open(path, "rt") as stream:
            for row in map(json.loads, stream):
                found.append(scores[:, place[row["instance_id"]]])
                resolved.append(row["resolved"])
    values, solved = np.array(found), np.array(resolved)
    good, bad = values[solved], values[~solved]
    areas = [np.mean((g[:, None] > b) + 0.5 * (g[:, None] == b)) for g, b in zip(good.T, bad.T, strict=True)]
    assert (len(solved), int(solved.sum())) == (471, 118)
    assert [round(float(area), 3) for area in areas] == [0.788, 0.72, 0.713]
