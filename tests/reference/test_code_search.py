"""Files, functions and lines that systems found: levels, and the scorers of LocAgent and ContextBench."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

import doxeval
from doxeval.core.errors import UsageError
from doxeval.io.documents.code import has_grammars

DATA = Path(os.environ.get("DOXEVAL_REFERENCE_DATA", "missing")) / "data"
needs_data = pytest.mark.skipif(
    not (DATA / "code").is_dir(), reason="the outputs of the scorers are not here"
)
needs_grammars = pytest.mark.skipif(not has_grammars(), reason="the extra code is not installed")
LOCATIONS = DATA / "code" / "locations"
NAMES = {"Acc": "Acc", "nDCG": "NDCG", "P": "P", "R": "Recall", "LocAP": "MAP"}


def rows(path: Path) -> list[dict]:
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [json.loads(line) for line in data.splitlines()]


@needs_data
@pytest.mark.parametrize(
    ("level", "cutoffs"), [("file", (1, 3, 5)), ("module", (5, 10)), ("function", (5, 10))]
)
def test_every_value_of_locagent(level, cutoffs):
    pytest.importorskip("ir_measures")
    measures = [f"{name}@{k}" for name in NAMES for k in cutoffs]
    evaluation = doxeval.Evaluation(
        LOCATIONS / "gold_entities.jsonl",
        measures,
        task="locagent",
        as_scored=True,
        level=level,
        topics="qrels",
    )
    values = evaluation.score(LOCATIONS / "locagent_claude-3-5.loc_outputs.jsonl.gz").runs[0].values
    place = {topic: at for at, topic in enumerate(evaluation.ground.topics)}
    official = [
        row for row in rows(LOCATIONS / "official" / "locagent_per_instance.jsonl") if not row["filtered"]
    ]
    assert len(official) == 183
    for row in official:
        for at, measure in enumerate(measures):
            name, _, k = measure.partition("@")
            assert values[at, place[row["instance_id"]]] == pytest.approx(
                row[level][f"{NAMES[name]}@{k}"], abs=6e-5
            )


@needs_data
@pytest.mark.parametrize("windows", ["all", "before_edit"])
@pytest.mark.parametrize(("level", "part"), [(None, "line"), ("file", "file")])
def test_every_value_of_contextbench(windows, level, part):
    folder = DATA / "agents" / "swe-agent"
    gold = [
        {"topic": row["instance_id"], "doc": row["file"], "lines": [[row["start_line"], row["end_line"]]]}
        for row in rows(folder / "gold_lines.jsonl")
    ]
    run = [
        {"topic": row["topic"], "doc": row["file"], "lines": [[row["start_line"], row["end_line"]]]}
        for row in rows(folder / "views.jsonl")
        if not row["own_file"] and (windows == "all" or not row["after_edit"])
    ]
    official = [row for row in rows(folder / "official" / "contextbench.jsonl") if row["windows"] == windows]
    for as_scored in (True, False):
        evaluation = doxeval.Evaluation(
            gold, task="contextbench", as_scored=as_scored, level=level, topics="qrels"
        )
        values = evaluation.score(run).runs[0].values
        place = {topic: at for at, topic in enumerate(evaluation.ground.topics)}
        for row in official:
            empty = not row[f"{part}_pred"] and not as_scored
            expected = [row[f"{part}_coverage"], 0.0 if empty else row[f"{part}_precision"]]
            assert values[:, place[row["topic"]]].tolist() == pytest.approx(expected, abs=1e-12)


@needs_data
@pytest.mark.parametrize("before", [None, "edit"])
@pytest.mark.parametrize(("level", "part"), [(None, "line"), ("file", "file")])
def test_every_value_of_contextbench_from_the_trajectories_themselves(before, level, part):
    folder = DATA / "agents" / "swe-agent"
    evaluation = doxeval.Evaluation(
        folder / "gold_lines.jsonl",
        task="contextbench",
        as_scored=True,
        level=level,
        before=before,
        topics="qrels",
    )
    values = evaluation.score(folder / "traj").runs[0].values
    place = {topic: at for at, topic in enumerate(evaluation.ground.topics)}
    windows = "all" if before is None else "before_edit"
    official = [row for row in rows(folder / "official" / "contextbench.jsonl") if row["windows"] == windows]
    assert len(official) == 120
    for row in official:
        expected = [row[f"{part}_coverage"], row[f"{part}_precision"]]
        assert values[:, place[row["topic"]]].tolist() == pytest.approx(expected, abs=1e-12)


def folded(run, gold, level, documents=None, measures="P@1 P@2 R@5"):
    pytest.importorskip("ir_measures")
    return [
        value[0]
        for value in doxeval.evaluate(run, gold, measures, documents, level=level).runs[0].values.tolist()
    ]


def test_levels_by_names_alone():
    gold = [{"topic": "t", "doc": "a.py::Cart.add", "rel": 1}]
    run = [{"topic": "t", "doc": name} for name in ("a.py:Cart.remove", "a.py::Cart.add", "b.py")]
    assert folded(run, gold, "function") == [0.0, 0.5, 1.0]
    assert folded(run, gold, "class") == folded(run, gold, "module") == [1.0, 0.5, 1.0]
    assert folded(run, gold, "file") == [1.0, 0.5, 1.0]
    with pytest.raises(UsageError, match="--docs FILE"):
        folded([{"topic": "t", "doc": "a.py:3"}], gold, "function")


SOURCE = """import x

class Cart:
    def add(self):
        return 1

    def drop(self):
        return 2

def f():
    pass
"""


@needs_grammars
@pytest.mark.parametrize(
    ("level", "lines", "items"),
    [
        ("function", [4, 5], ["a.py::Cart.add"]),
        ("function", [4, 8], ["a.py::Cart.add", "a.py::Cart.drop"]),
        ("function", [1, 5], ["a.py", "a.py::Cart.add"]),
        ("function", [1, 1], ["a.py"]),
        ("class", [4, 8], ["a.py::Cart"]),
        ("class", [10, 10], ["a.py"]),
        ("module", [5, 10], ["a.py::Cart", "a.py::f"]),
        ("file", [5, 10], ["a.py"]),
    ],
)
def test_lines_become_what_contains_or_touches_them(level, lines, items, tmp_path):
    (tmp_path / "a.py").write_text(SOURCE)
    gold = [{"topic": "t", "doc": "a.py", "lines": [lines]}]
    evaluation = doxeval.Evaluation(gold, "Acc@5", tmp_path, level=level)
    assert sorted(evaluation.ground.assessments.docs) == sorted(items)
    run = evaluation.ground.fold.run(
        doxeval.read_run([gold[0] | {"rank": 1}]), doxeval.core.notices.Notices()
    )
    assert [run.docs[code] for code in run.doc] == items and run.rank.tolist() == list(
        range(1, len(items) + 1)
    )


@needs_grammars
def test_insertions_may_stand_for_the_function_around_them(tmp_path):
    (tmp_path / "a.py").write_text(SOURCE)
    patch = (
        "--- a/a.py\n+++ b/a.py\n@@ -4,2 +4,3 @@\n     def add(self):\n+        log()\n         return 1\n"
    )
    (tmp_path / "t.diff").write_text(patch)
    run = [{"topic": "t", "doc": "a.py:4-5"}, {"topic": "t", "doc": "a.py:1"}]
    found = doxeval.evaluate(
        run, tmp_path / "t.diff", "iP@1 iR@1", tmp_path, insertions="enclosing", unit="lines"
    )
    assert found.runs[0].values.tolist() == [[1.0], [1.0]]


AGENTLESS = {
    "instance_id": "t",
    "found_files": ["a.py", "b.py"],
    "found_related_locs": {"a.py": ["class: Cart"]},
    "found_edit_locs": [{"a.py": ["function: Cart.add\nline: 5"]}, {"b.py": ["line: 7"]}],
}


def test_locations_of_agentless(tmp_path):
    path = tmp_path / "locs.jsonl"
    path.write_text(json.dumps(AGENTLESS) + "\n")
    run = doxeval.read_run(path)
    assert [(run.docs[code], run.spans_of(row)) for row, code in enumerate(run.doc)] == [
        ("a.py", []), ("a.py", [(4, 5)]), ("b.py", [(6, 7)])
    ]  # fmt: skip
    assert run.nodes.of(0) == ["Cart.add"]
    assert list(doxeval.read_run(path, level="file").docs) == ["a.py", "b.py"]


@needs_data
@pytest.mark.parametrize("path", sorted((LOCATIONS / "agentless").glob("*.gz")), ids=lambda path: path.name)
def test_real_outputs_of_agentless_are_read(path):
    for level in (None, "file"):
        run = doxeval.read_run(path, level=level)
        assert len(run.topics) == 5 and len(run) and not run.notices.failures


def test_lists_of_places():
    run = doxeval.read_run(b'{"t1": ["a.py:7", "b.py::f", "c.py"], "t2": []}')
    assert (
        run.topics == ["t1", "t2"] and list(run.docs) == ["a.py", "b.py", "c.py"] and run.nodes.of(1) == ["f"]
    )
