"""Slices of topics: in Python, on the command line, in files; every number as of the topics alone."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

import doxeval as dx
from doxeval.comparison.corrections import CORRECTIONS
from doxeval.comparison.intervals import INTERVALS
from doxeval.comparison.render import slice_table
from tests.comparison.scores import random_scores
from tests.scoring.commands import run as command

TOPICS = [f"t{number}" for number in range(1, 15)]
KINDS = {topic: "odd" if int(topic[1:]) % 2 else "even" for topic in TOPICS[:-2]} | {"t13": "rare"}
GOLD: list[dict[str, Any]] = [{"topic": topic, "doc": "d", "start": 0, "end": 30} for topic in TOPICS]


def results(seed: int, fall: str = "") -> list[dict[str, Any]]:
    draws = np.random.default_rng(seed).integers(10, 40, len(TOPICS))
    ends = [2 if KINDS.get(topic) == fall else int(end) for topic, end in zip(TOPICS, draws, strict=True)]
    return [
        {"topic": topic, "doc": "d", "rank": 1, "start": 0, "end": end}
        for topic, end in zip(TOPICS, ends, strict=True)
    ]


RUNS = {"a": results(1), "b": results(2, fall="even")}


@pytest.fixture(scope="module")
def scores() -> dx.Scores:
    told = {topic: {"kind": kind} for topic, kind in KINDS.items()}
    return dx.evaluate(RUNS, GOLD, "iR@1 iP@1").with_topics(told)


def test_means_and_intervals_are_those_of_the_topics_of_a_slice(scores):
    found = scores.by("kind")
    assert list(dict.fromkeys(mean.slice for mean in found.means)) == [
        "all",
        "even",
        "odd",
        "rare",
        "(none)",
    ]
    for mean in found.means:
        members = [
            at for at, topic in enumerate(scores.topics)
            if mean.slice in ("all", KINDS.get(topic, "(none)"))
        ]  # fmt: skip
        values = scores.runs[scores.names.index(mean.run)].values[scores.position(mean.measure)][members]
        assert mean.topics == len(members) and mean.value == pytest.approx(values.mean())
        if len(members) > 1:
            ends = INTERVALS["bootstrap"](values[None], 0.95, 10_000, 0)
            assert (mean.low, mean.high) == pytest.approx([end[0] for end in ends], abs=1e-9)
        else:
            assert mean.low is None
    assert "iR@1 differs most where kind is even: `a` " in repr(found)
    assert found.frame.columns == ["slice", "run", "measure", "topics", "value", "low", "high"]


def test_attributes_come_from_the_lines_of_assessments_too():
    gold = [row | {"kind": KINDS.get(row["topic"], "other")} for row in GOLD]
    found = dx.evaluate(RUNS, gold, "iR@1").by("kind")
    assert {mean.slice for mean in found.means} == {"all", "even", "odd", "rare", "other"}


def test_an_attribute_that_no_topic_has_is_an_error_with_the_nearest(scores):
    with pytest.raises(dx.UsageError, match=r"'knid'; did you mean 'kind'\? \(they have kind\)"):
        scores.by("knid")
    with pytest.raises(dx.UsageError, match="they have none; give a file of topics"):
        dx.evaluate(RUNS, GOLD, "iR@1").compare(by="kind")


def test_a_comparison_in_slices_is_that_of_their_topics_corrected_over_all(scores):
    found = scores.compare(by="kind", draws=500)
    plain = scores.compare(draws=500)
    assert found.differences == plain.differences and plain.slices == []
    assert [(d.slice, d.measure) for d in found.slices] == [
        (f"kind={kind}", measure) for kind in ("even", "odd") for measure in ("iR@1", "iP@1")
    ]
    alone = []
    for kind in ("even", "odd"):
        gold = [row for row in GOLD if KINDS.get(row["topic"]) == kind]
        runs = {name: [row for row in run if KINDS.get(row["topic"]) == kind] for name, run in RUNS.items()}
        alone.append(dx.evaluate(runs, gold, "iR@1").compare(draws=500).differences[0])
    here = [d for d in found.slices if d.measure == "iR@1"]
    for one, other in zip(here, alone, strict=True):
        assert (one.difference, one.low, one.high, one.p) == (
            other.difference,
            other.low,
            other.high,
            other.p,
        )
        assert one.topics == 6 and (one.wins, one.losses) == (other.wins, other.losses)
    adjusted = CORRECTIONS["holm"](np.array([d.p for d in alone]))
    assert [d.adjusted_p for d in here] == pytest.approx(adjusted.tolist())
    text = repr(found)
    assert "Slices of topics" in text and "iR@1 differs most where kind=even: `b` 0.0667, `a` " in text
    told = "2 slices have fewer than 2 topics to compare runs on, and are left out (kind=(none); kind=rare)"
    assert told in text
    assert found.frame["slice"].to_list() == ["", "", *(d.slice for d in found.slices)]
    assert "slice" not in plain.frame.columns


def test_a_gate_shuts_where_one_slice_falls_though_the_mean_does_not():
    gold = [row | {"kind": "rare" if row["topic"] in TOPICS[:6] else "usual"} for row in GOLD]
    before = [row | {"end": 15} for row in results(1)]
    after = [row | {"end": 5 if row["topic"] in TOPICS[:6] else 28} for row in before]
    scores = dx.evaluate({"before": before, "after": after}, gold, "iR@1")
    assert not dx.gate(scores, baseline="before").failed
    found = dx.gate(scores, baseline="before", by="kind")
    (failed,) = found.failed
    assert failed.difference.slice == "kind=rare" and not found.untold
    assert "iR@1 where kind=rare: `after`" in found.message(failed) and "kind=rare" in found.summary()
    suite = ElementTree.fromstring(found.junit())
    assert [case.get("name") for case in suite] == ["iR@1", "iR@1 where kind=rare", "iR@1 where kind=usual"]
    assert suite.get("failures") == "1"


def test_a_slice_too_small_to_tell_does_not_make_a_gate_blind(scores):
    kinds = {topic: {"kind": "few" if topic in TOPICS[:2] else "many"} for topic in TOPICS}
    found = dx.gate(scores.with_topics(kinds), baseline="b", by="kind")
    untold = [verdict for verdict in found.verdicts if verdict.untold]
    assert {verdict.difference.slice for verdict in untold} == {"kind=few"} and not found.untold
    suite = ElementTree.fromstring(found.junit())
    assert suite.get("errors") == "0" and len(suite.findall("testcase/skipped")) == len(untold)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = {
        "gold": GOLD,
        **RUNS,
        "topics": [{"topic": topic, "kind": kind} for topic, kind in KINDS.items()],
    }
    for name, rows in files.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.chdir(tmp_path)
    return tmp_path


EVAL = ["eval", "a.jsonl", "b.jsonl", "-q", "gold.jsonl", "-m", "iR@1", "--by", "kind"]


def test_every_form_of_eval_has_the_slices(folder, scores):
    arguments = [*EVAL, "--topics-file", "topics.jsonl"]
    expected = [
        [mean.slice, mean.run, mean.topics, mean.value]
        for mean in scores.by("kind").means
        if mean.measure == "iR@1"
    ]
    for form in ("csv", "jsonl", "json", "parquet"):
        assert command([*arguments, "-f", form, "-o", "out"]).exit_code == 0
        read = {
            "csv": lambda: list(csv.DictReader(Path("out").read_text().splitlines())),
            "jsonl": lambda: [json.loads(line) for line in Path("out").read_text().splitlines()],
            "json": lambda: json.loads(Path("out").read_text()),
            "parquet": lambda: pl.read_parquet("out").to_dicts(),
        }[form]
        rows = [[row["slice"], row["run"], int(row["topics"]), float(row["value"])] for row in read()]
        assert rows == expected, form
        assert "--per-topic would do nothing here" in str(
            command([*arguments, "-f", form, "--per-topic"]).exception
        )
    for form in ("table", "md", "latex"):
        done = command([*arguments, "-f", form])
        assert done.exit_code == 0 and "mean over 14 topics" in done.output and "By kind" in done.output


def test_mistakes_are_found_before_any_run_is_opened(folder):
    done = command([*EVAL, "--topics-file", "topics.jsonl", "--by", "color"])
    assert "no topic has an attribute 'color' (they have kind)" in str(done.exception)
    (folder / "a.jsonl").write_text("no run at all")
    assert "no topic has an attribute" in str(command(EVAL).exception)


def test_files_of_scores_are_taken_apart_by_a_file_of_topics(folder):
    command([*EVAL[:-2], "--per-topic", "-o", "scores.csv"])
    arguments = ["compare", "scores.csv", "--by", "kind", "--topics-file", "topics.jsonl", "--draws", "200"]
    assert "iR@1 differs most where kind=even" in command(arguments).output


@pytest.mark.parametrize(("kinds", "shown"), [(60, 60), (61, 0)])
def test_a_table_of_many_slices_is_left_to_csv_and_the_footer_says_so(kinds, shown):
    scores = random_scores(2, 2 * kinds)
    scores = scores.with_topics({topic: {"kind": str(int(topic[1:]) // 2)} for topic in scores.topics})
    table = slice_table(scores.compare(by="kind", draws=100))
    assert len(table.body) == shown
    said = [line for line in table.footer if "the form csv lists them" in line]
    assert said == ([] if shown else ["61 differences in slices; the form csv lists them"])
    assert any(line.startswith("AiP differs most where kind=") for line in table.footer)
