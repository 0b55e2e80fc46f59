"""Equal to the official scorers of relevant in context, T2I, thorough, TREC Genomics and chunk evaluation."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import doxeval as dx
from doxeval.ground.tasks.presets import TASKS
from tests.reference.test_official_inex import official


def official_name(measure: str, topic: str) -> str:
    """What the INEX scorer calls a measure of ours."""
    name, cutoff, rank = measure.partition("@")
    base = name.partition("(")[0].partition("[")[0]
    if cutoff:
        return f"{base}[{rank}]"
    if name.endswith("]") and base == "gP":
        return f"ircl_prn.{name.rpartition('[')[2][:-1]}"
    return base if topic == "all" or base != "MAgP" else "AgP"


@pytest.mark.parametrize("run", ["bert", "passages"])
@pytest.mark.parametrize("task", ["ric", "t2i"])
def test_lists_of_documents(reference: Path, task: str, run: str) -> None:
    data = reference / "data" / "inex0910"
    expected = official(data / "official" / f"{task}-{run}.txt")
    scores = dx.evaluate(data / f"{run}-ric.fol", data / "qrels.txt", task=task)
    compared = {}
    for _, topic, measure, value in scores.rows(per_topic=True):
        key = topic, official_name(measure, topic)
        if key in expected:
            assert value == pytest.approx(expected[key], abs=1e-12), key
            compared[key] = value
    printed = [key for key in expected if key[1].startswith(("gP", "gR", "AgP", "MAgP", "ircl"))]
    assert len(printed) > 1500
    assert set(printed) == set(compared)


def test_scattered_runs_are_repaired_into_the_grouped_ones(reference: Path) -> None:
    data = reference / "data" / "inex0910"
    with pytest.raises(dx.InputError, match=r"bert.fol:5: topic 2009001"):
        dx.evaluate(data / "bert.fol", data / "qrels.txt", task="ric")
    with pytest.warns(dx.DoxevalWarning, match="moved up"):
        fixed = dx.evaluate(data / "bert.fol", data / "qrels.txt", task="ric", fix=True)
    expected = official(data / "official" / "ric-bert.txt")
    assert fixed.value("bert", "MAgP") == pytest.approx(expected["all", "MAgP"], abs=1e-12)


def test_thorough_with_overlap(reference: Path) -> None:
    data = reference / "data" / "inex0910"
    expected = official(data / "official" / "thorough-overlap.txt")
    points = [f"iP[{step / 100:.2f}]" for step in range(101)]
    named = f"{TASKS['thorough'].measures} iP iR F"
    scores = dx.evaluate(data / "overlap.fol", data / "qrels.txt", [named, *points], task="thorough")
    names = {"iP": "char_prec", "iR": "char_rec", "F": "char_f1"}
    compared = 0
    for _, topic, measure, value in scores.rows(per_topic=True):
        name = names.get(measure, measure)
        if topic != "all":
            name = name.replace("MAiP", "AiP")
        elif name.startswith("iP[") and name not in TASKS["thorough"].measures:
            name = f"ircl_prn.{name[3:-1]}"
        if (topic, name) in expected:
            assert value == pytest.approx(expected[topic, name], abs=1e-12), (topic, measure)
            compared += 1
    assert compared >= 119 * 8 + 101


OURS = {"DOCUMENT": "AP", "PASSAGE": "PsgAP", "ASPECT": "AspectAP", "PASSAGE2": "CharAP"}


@pytest.mark.filterwarnings("ignore::doxeval.DoxevalWarning")
@pytest.mark.parametrize("run", ["york07-ga-01", "york07-ga-02"])
def test_genomics(reference: Path, run: str) -> None:
    pytest.importorskip("ir_measures")
    data = reference / "data" / "genomics07"
    lines = (data / "official" / f"{run}.txt").read_text().splitlines()[1:]
    expected = [line.split() for line in lines]
    scores = dx.evaluate(data / f"{run}.txt", data / "gold.txt", list(OURS.values()))
    assert len(expected) == 4 * 36
    for _, measure, topic, value in expected:
        found = scores.value(run, OURS[measure], topic)
        assert found == pytest.approx(float(value), abs=1e-8), (measure, topic)


@pytest.mark.parametrize("system", ["fixed-400", "fixed-800-overlap-400", "paragraph-1200"])
def test_the_best_of_all_chunks(reference: Path, system: str) -> None:
    data = reference / "data" / "chunking"
    with (data / "official" / f"{system}.csv").open() as stream:
        expected = {row["topic"]: float(row["precision_omega"]) for row in csv.DictReader(stream)}
    chunks = data / "official" / f"{system}.chunks.csv"
    scores = dx.evaluate(data / "runs" / f"{system}.jsonl", data / "qrels.jsonl", "IoUomega", chunks=chunks)
    found = {topic: value for _, topic, _, value in scores.rows(per_topic=True, means=False)}
    assert found == pytest.approx(expected, abs=1e-12)
