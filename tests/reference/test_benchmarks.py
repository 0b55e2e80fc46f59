"""Every command in the table of benchmarks, run on the real files, gives the official figure."""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import group

DATA = Path(os.environ.get("DOXEVAL_REFERENCE_DATA", "missing")) / "data" / "benchmarks"
PAGE = Path(__file__).parents[2] / "docs" / "benchmarks.md"
COLUMNS = ("benchmark", "file", "scorer", "figure", "official", "ours", "difference", "command")
needs_data = pytest.mark.skipif(not (DATA / "kilt").is_dir(), reason="the files of benchmarks are not here")


def table() -> list[dict[str, str]]:
    """The rows of the page's table."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if "`doxeval eval" in line]
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    return [dict(zip(COLUMNS, row, strict=True)) for row in cells]


def by_command() -> dict[str, list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = {}
    for row in table():
        found.setdefault(row["command"].strip("`"), []).append(row)
    return found


def test_the_table_is_whole():
    names = " ".join(row["benchmark"] for row in table())
    for name in (
        "HotpotQA",
        "KILT",
        "QASPER",
        "SciFact",
        "BEIR",
        "CAsT",
        "LoCoMo",
        "LongMemEval",
        "QVHighlights",
        "ragas",
    ):
        assert name in names
    for row in table():
        measure, _, value = row["ours"].rpartition(" ")
        assert row["difference"] == ("0" if value == row["official"] else "(1)")
        assert measure and row["file"].strip("`") in row["command"]


@needs_data
@pytest.mark.parametrize("command", by_command(), ids=lambda command: shlex.split(command)[2])
def test_a_command_gives_the_figures_of_the_table(command, monkeypatch):
    if re.search(r"\bAP|Rprec|nDCG|Success|Set[PR]\b", command):
        pytest.importorskip("ir_measures")
    monkeypatch.chdir(DATA)
    done = CliRunner().invoke(group, [*shlex.split(command)[1:], "-f", "csv"])
    assert done.exit_code == 0, done.output
    found = {row["measure"]: float(row["value"]) for row in csv.DictReader(done.stdout.splitlines())}
    for row in by_command()[command]:
        measure, _, value = row["ours"].rpartition(" ")
        assert f"{found[measure]:.4f}".removeprefix("0") == value.removeprefix("0"), measure


OFFICIAL = {
    "hotpotqa/official/hotpot_evaluate_v1.txt": {
        "sp_em": None,
        "sp_f1": None,
        "sp_prec": None,
        "sp_recall": None,
    },
    "kilt/official/hotpotqa-dev-kilt.eval_retrieval.json": {"Rprec": None, "precision@1": None},
    "qasper/official/evaluator.json": {"Evidence F1": None},
    "scifact/official/eval.json": {"sentence_selection_f1": None, "sentence_selection_precision": None},
}


@needs_data
@pytest.mark.parametrize("path", OFFICIAL)
def test_the_official_column_is_what_the_scorer_printed(path):
    told = json.loads((DATA / path).read_text().replace("'", '"'))
    folder = path.partition("/")[0]
    for figure in OFFICIAL[path]:
        [row, *_] = [row for row in table() if row["figure"] == figure and f"`{folder}/" in row["file"]]
        assert f"{told[figure]:.4f}".removeprefix("0") == row["official"]


@needs_data
@pytest.mark.parametrize(
    ("folder", "name", "measures"),
    [
        ("beir", "run_bm25", {"map": "AP", "P_10": "P@10", "recall_100": "R@100", "ndcg_cut_10": "nDCG@10"}),
        ("cast2021", "org_manual_bm25.part",
         {"map": "AP(rel=2)", "ndcg_cut_3": "nDCG@3", "recall_500": "R(rel=2)@500"}),
    ],
)  # fmt: skip
def test_every_topic_has_the_value_of_trec_eval(folder, name, measures):
    pytest.importorskip("ir_measures")
    home = DATA / folder / "dbpedia" if folder == "beir" else DATA / folder
    run = home / ("run_bm25.trec.gz" if folder == "beir" else f"{name}.run.gz")
    gold = home if folder == "beir" else home / "trec-cast-qrels-docs.2021.part.qrel"
    [official] = (home / "official").glob("*trec_eval.txt")
    with pytest.warns(dx.DoxevalWarning, match="without assessments"):
        scores = dx.evaluate({name: run}, gold, list(measures.values()), rank_by="score")
    told = [line.split() for line in official.read_text().splitlines()]
    checked = [row for row in told if row[0] in measures and row[1] != "all"]
    assert len(checked) >= 40 * len(measures)
    for figure, topic, value in checked:
        found = scores.value(name, measures[figure], topic)
        assert found == pytest.approx(float(value), abs=6e-5), (figure, topic)


@needs_data
@pytest.mark.parametrize("name", ["raw", "hybrid"])
def test_every_question_of_locomo_has_its_recall(name):
    gold = DATA / "locomo" / "locomo10.part.json.gz"
    path = DATA / "locomo" / f"mempalace_{name}_session_top10.jsonl.gz"
    with pytest.warns(dx.DoxevalWarning, match="turn that does not exist"):
        scores = dx.evaluate(path, gold, "iR@10", gold, level="session")
    seen: dict[str, int] = {}
    equal = without = 0
    for row in map(json.loads, gzip.decompress(path.read_bytes()).splitlines()):
        topic = f"{row['sample_id']}: {row['question']}"
        seen[topic] = seen.get(topic, 0) + 1
        topic += f" ({seen[topic]})" * (seen[topic] > 1)
        value = scores.value(scores.names[0], "iR@10", topic)
        if value is None:
            without += 1
            assert not row["evidence"] and row["recall"] == 1
        else:
            assert value == pytest.approx(row["recall"], abs=5e-5), topic
            equal += 1
    assert (equal, without) == (986, 4)


@needs_data
def test_files_without_official_figures_are_read():
    pages = DATA / "ikat" / "2024_sample_run.json.gz"
    run = dx.read_run(pages)
    assert (len(run), len(run.topics)) == (2180, 218)
    topics = dx.read_topics(DATA / "ikat" / "2024_test_topics.part.json.gz")
    assert topics.queries["0_2"].startswith("Oh, do I need a visa to visit Egypt")
    oracle = dx.read_assessments(DATA / "longmemeval" / "longmemeval_oracle.sample.json")
    assert oracle.topics == ["6a1eabeb"] and len(oracle.ranges) >= 1
    assert len(dx.read_assessments(DATA / "beir" / "scifact" / "qrels" / "test.tsv").topics) == 150
