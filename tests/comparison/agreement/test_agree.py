"""Which documents and topics count, what the command writes, tau between rankings, and the report."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import doxeval as dx
from doxeval.cli import group
from tests.judging.databases import database, mark

LENGTH = {"length": 100}
ANN = [
    {"topic": "t1", "doc": "d1", "start": 0, "end": 30, **LENGTH},
    {"topic": "t1", "doc": "d2", "start": 0, "end": 50, **LENGTH},
    {"topic": "t2", "doc": "d1", "start": 5, "end": 10, **LENGTH},
    {"topic": "t9", "doc": "d1", "start": 5, "end": 10, **LENGTH},
]
BOB = [
    {"topic": "t1", "doc": "d1.txt", "start": 10, "end": 40, **LENGTH},
    {"topic": "t2", "doc": "d1.txt", "start": 5, "end": 10, **LENGTH},
    {"topic": "t2", "doc": "d3.txt", **LENGTH},
]
CAT = [{"topic": "t1", "doc": "d1", "start": 0, "end": 30}, {"topic": "t2", "doc": "d1"}]


def write(folder: Path, **tables: list[dict[str, Any]]) -> None:
    for name, table in tables.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in table))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, ann=ANN, bob=BOB, cat=CAT)
    for name, starts in {"x": (0, 5), "y": (20, 40), "z": (60, 0)}.items():
        results = [
            {"topic": topic, "doc": "d1", "rank": 1, "start": start, "end": start + 30}
            for topic, start in zip(("t1", "t2"), starts, strict=True)
        ]
        write(tmp_path, **{f"run-{name}": results})
    return tmp_path


def doxeval(*words: str) -> Result:
    return CliRunner().invoke(group, list(words))


def test_documents_that_both_judged_count_by_whatever_name() -> None:
    found = dx.agree({"ann": ANN, "bob": BOB}, coefficients=["overlap"])
    assert found.value("ann", "bob", "overlap", "t1") == 20 / 40
    assert found.value("ann", "bob", "overlap", "t2") == 1
    told = "\n".join(map(str, found.notices.lasting))
    assert "1 topic was judged by only one of ann and bob and is left out (t9)" in told
    assert "2 documents of topics were judged by only one of ann and bob and are left out" in told


def test_documents_that_either_judged_are_irrelevant_to_the_other() -> None:
    found = dx.agree({"ann": ANN, "bob": BOB}, coefficients=["overlap"], judged="either")
    assert found.value("ann", "bob", "overlap", "t1") == 20 / 90
    assert "irrelevant to the other" in repr(found)


def test_every_pair_is_compared_and_lengths_may_be_told_by_another() -> None:
    with pytest.raises(dx.UsageError, match="--docs"):
        dx.agree({"cat": CAT, "dan": CAT}, coefficients=["kappa"])
    found = dx.agree({"ann": ANN, "bob": BOB, "cat": CAT}, coefficients=["kappa", "overlap"])
    assert [(pair.first, pair.second) for pair in found.pairs] == [
        ("ann", "bob"),
        ("ann", "cat"),
        ("bob", "cat"),
    ]
    assert found.value("ann", "cat", "kappa", "t1") == 1
    assert found.value("bob", "cat", "overlap", "t2") == 0
    assert found.means.filter(measure="overlap")["topics"].to_list() == [2, 2, 2]


def test_quotes_of_a_model_nodes_and_whole_documents_are_compared_as_text() -> None:
    text = "Tea is a drink. It is hot. Some add milk."
    nodes = [{"id": "r", "parent": None, "tag": "article", "start": 0, "end": 41},
             {"id": "a", "parent": "r", "tag": "p", "start": 0, "end": 15}]  # fmt: skip
    documents = [{"doc": "d1", "text": text, "nodes": nodes}]
    judged: dict[str, Any] = {
        "offsets": [{"topic": "t", "doc": "d1", "start": 0, "end": 15}],
        "model": [{"topic": "t", "doc": "d1", "quote": "tea is a DRINK."}],
        "node": [{"topic": "t", "doc": "d1", "node": "a", "rel": 1}],
        "whole": b"t 0 d1 1\n",
    }
    found = dx.agree(judged, documents, coefficients=["overlap", "alphaU"])
    for other, wanted in (("model", 1.0), ("node", 1.0), ("whole", 15 / 41)):
        assert found.value("offsets", other, "overlap") == pytest.approx(wanted), other
    assert found.value("offsets", "model", "alphaU") == 1


def test_lengths_that_differ_are_told() -> None:
    longer = [{**row, "length": 120} for row in BOB]
    found = dx.agree([ANN, longer], coefficients=["kappa"])
    assert any(
        "different lengths in different assessments" in str(notice) for notice in found.notices.lasting
    )


@pytest.mark.parametrize(
    ("tables", "options", "told"),
    [
        ([ANN], {}, "two assessors or more"),
        ([ANN, [{"topic": "q", "doc": "d1", "start": 0, "end": 3}]], {}, "no topic in common"),
        ([ANN, [{"topic": "t1", "doc": "e", "start": 0, "end": 3}]], {}, "--judged either"),
        ([ANN, BOB], {"judged": "bot"}, "did you mean 'both'"),
        ([ANN, BOB], {"coefficients": ["kapa"]}, "did you mean 'kappa'"),
        ([ANN, BOB], {"graded": True}, "would do nothing"),
        ([ANN, BOB], {"highlighted": "any"}, "would do nothing"),
        ([ANN, BOB], {"depth": 3}, "no option 'depth'"),
    ],
)
def test_what_cannot_be_compared_is_refused(tables: list[Any], options: dict[str, Any], told: str) -> None:
    with pytest.raises(dx.UsageError, match=re.escape(told)):
        dx.agree(tables, **options)


def test_the_command_writes_every_pair_topic_and_measure(folder: Path) -> None:
    done = doxeval("agree", "ann.jsonl", "bob.jsonl", "cat.jsonl", "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert list(rows[0]) == ["first", "second", "topic", "measure", "value"]
    assert len(rows) == 3 * (2 + 1) * 5
    assert {row["measure"] for row in rows} == {"overlap", "F1", "kappa", "alpha", "alphaU"}
    value = {tuple(row.values())[:4]: row["value"] for row in rows}
    assert value["ann", "bob", "t1", "overlap"] == "0.5" and value["ann", "bob", "all", "overlap"] == "0.75"
    table = doxeval("agree", "ann.jsonl", "bob.jsonl").stdout
    assert re.search(r"^ann +bob +2 +2 +0\.7500 \[0\.5000, 1\.0000\]", table, re.MULTILINE)


def test_an_interval_is_that_of_the_mean_over_topics() -> None:
    found = dx.agree({"ann": ANN, "bob": BOB}, coefficients=["overlap"])
    row = found.means.row(0, named=True)
    assert (row["low"], row["value"], row["high"], row["topics"]) == (0.5, 0.75, 1.0, 2)


def test_tau_tells_whether_the_ranking_depends_on_the_assessor(folder: Path) -> None:
    """The runs' means by ann are 0.58, 0.17, 0.08; by bob 0.42, 0.33, 0.08: the same order."""
    words = ["agree", "ann.jsonl", "bob.jsonl", "--runs", "run-x.jsonl", "run-y.jsonl", "run-z.jsonl"]
    done = doxeval(*words, "-m", "iP@1", "-f", "csv")
    rows = {tuple(row[:4]): row[4] for row in csv.reader(io.StringIO(done.stdout))}
    assert rows["ann", "bob", "all", "tau(iP@1)"] == "1.0"
    told = doxeval(*words, "-m", "iP@1").stdout
    judged = [row for row in ANN if row["topic"] != "t9"]
    ann = dx.evaluate([f"run-{name}.jsonl" for name in "xyz"], judged, "iP@1")
    line = next(line for line in told.splitlines() if line.startswith("run-x"))
    assert line.split()[1].rstrip("*") == f"{ann.value('run-x', 'iP@1'):.4f}"
    found = dx.agree(["ann.jsonl", "bob.jsonl"]).ranking([f"run-{name}.jsonl" for name in "xyz"], "iP@1")
    assert found.correlations["iP@1"].at("iP@1 by ann", "iP@1 by bob")[0] == 1.0
    (folder / "junk.fol").write_text("junk\n")
    refused = doxeval(*words, "junk.fol", "-m", "iP@1")
    assert refused.exit_code == 2 and refused.output.count("not scored") == 1
    unknown = doxeval(*words[:-1], "-m", "iP@1")
    assert "at least 3" in str(unknown.exception)


def test_the_assessors_in_a_database_are_compared(folder: Path) -> None:
    """Each by name; merged into one, there is nobody to compare them with but another file."""
    acts = [
        (name, "t1", "d1", {"adds": [mark("m", start, start + 30)], "done": True})
        for name, start in (("ann", 0), ("bob", 10), ("cat", 0))
    ]
    database(folder / "judged.db", acts, {"d1": 100})
    found = dx.agree(["judged.db"], coefficients=["overlap"])
    assert [pair.values.item() for pair in found.pairs] == [0.5, 1.0, 0.5]
    assert list(found.assessments) == ["ann", "bob", "cat"]
    both = dx.agree(["judged.db", "ann.jsonl"], coefficients=["overlap"], merge="intersection")
    assert both.value("judged", "ann", "overlap", "t1") == 20 / 30
    clash = dx.agree(["ann.jsonl", "judged.db"], coefficients=["overlap"])
    assert list(clash.assessments) == ["ann", "judged: ann", "bob", "cat"]
    with pytest.raises(dx.UsageError, match="merge would do nothing"):
        dx.agree(["ann.jsonl", "bob.jsonl"], merge="union")
    runs = [f"run-{name}.jsonl" for name in "xyz"]
    done = doxeval("agree", "judged.db", "--runs", *runs, "-m", "iP@1")
    assert done.exit_code == 0 and "iP@1 by cat" in done.stdout, done.output
    words = ["eval", *runs, "-m", "iP@1", "-q", "ann.jsonl", "--trust", "judged.db", "--merge", "ann"]
    assert doxeval(*words).exit_code == 0


def test_gamma_says_how_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pygamma_agreement", None)
    with pytest.raises(dx.MissingExtra, match=r"doxeval\[agree\]"):
        dx.agree([ANN, BOB], coefficients=["gamma"])


def test_the_report_shows_one_assessors_highlights_against_the_others(folder: Path) -> None:
    """Its F and IoU of a topic are F1 and overlap; the highlights of both can be opened."""
    done = doxeval("agree", "ann.jsonl", "bob.jsonl", "cat.jsonl", "--report", "page.html", "-f", "csv")
    assert done.exit_code == 0, done.output
    page = (folder / "page.html").read_text()
    data = json.loads(re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', page, re.DOTALL)[1])
    assert data["runs"] == ["bob", "cat"] and data["title"] == "What bob, cat highlighted, against ann"
    assert any("judged by only one of ann and bob" in note for note in data["notes"])
    names = [measure["name"] for measure in data["measures"]]
    rows = {tuple(row[:4]): row[4] for row in csv.reader(io.StringIO(done.stdout))}
    for at, topic in enumerate(topic for topic, _ in data["topics"]):
        for measure, same in (("F", "F1"), ("IoU", "overlap")):
            value = data["values"][0][names.index(measure)][at]
            assert value == pytest.approx(float(rows["ann", "bob", topic, same]), abs=1e-5)


def test_a_frame_has_a_row_for_every_topic_and_for_their_mean() -> None:
    gold = [{"topic": topic, "doc": "d", "start": 0, "end": 10} for topic in ("t1", "t2")]
    other = [row | {"end": 5} for row in gold]
    found = dx.agree({"a": gold, "b": other}, coefficients=["overlap", "F1"])
    assert found.frame.columns == ["first", "second", "topic", "measure", "value"]
    assert found.frame.filter(measure="overlap").rows() == [
        ("a", "b", "t1", "overlap", 0.5), ("a", "b", "t2", "overlap", 0.5), ("a", "b", "all", "overlap", 0.5),
    ]  # fmt: skip
    apart = dx.agree({"a": gold, "b": [{"topic": topic, "doc": "d"} for topic in ("t1", "t2")]},
                     {"d": "x" * 10}, coefficients=["kappa"])  # fmt: skip
    assert apart.frame["value"].to_list() == [0.0] * 3
