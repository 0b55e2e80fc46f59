"""However an evaluation is put together, every registered measure gives the same scores."""

from __future__ import annotations

import json
import os
import random
import subprocess
import warnings
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import doxeval as dx
from doxeval.measurement.base import measures
from tests.robustness.sweeps import PYTHON

NEEDS_GIVEN = {"tree", "text", "lengths", "aspects"}
TOLERANCE = 1e-12
SEEDS = range(3)


def registered() -> list[str]:
    """An example of every measure that needs nothing beyond documents and assessments."""
    return [m.example or name for name, m in measures().items() if not m.needs - NEEDS_GIVEN]


def make_case(seed: int) -> dict[str, list[dict]]:
    """Documents with trees and text, assessments with aspects and entry points, two runs of nodes' ranges."""
    rng = random.Random(seed)
    documents: list[dict[str, Any]] = []
    qrels = []
    for number in range(6):
        length = rng.randrange(60, 200)
        cuts = sorted({0, length, *(rng.randrange(1, length) for _ in range(5))})
        nodes = [{"id": "a", "parent": None, "tag": "article", "start": 0, "end": length}]
        for at, (start, end) in enumerate(pairwise(cuts)):
            nodes.append({"id": f"s{at}", "parent": "a", "tag": "sec", "start": start, "end": end})
            if end - start > 3:
                nodes.append(
                    {
                        "id": f"p{at}",
                        "parent": f"s{at}",
                        "tag": "p",
                        "start": start,
                        "end": start + (end - start) // 2,
                    }
                )
        words = "".join(rng.choice("abc de fgh ") for _ in range(length))
        documents.append({"doc": f"d{number}", "length": length, "text": words, "nodes": nodes})
    results: dict[str, list[dict]] = {"one": [], "two": []}
    for topic in ("t1", "t2", "t3", "t10"):
        for document in documents[:4]:
            row: dict = {"topic": topic, "doc": document["doc"]}
            node = rng.choice(document["nodes"])
            if rng.random() < 0.8:
                row |= {
                    "start": node["start"],
                    "end": node["end"],
                    "bep": node["start"],
                    "aspects": [rng.choice("AB")],
                }
            qrels.append(row)
        qrels.append({"topic": topic, "doc": "d0", "start": 0, "end": 9, "aspects": ["A"]})
        for rows in results.values():
            for rank in range(1, rng.randrange(3, 12)):
                document = rng.choice(documents)
                node = rng.choice(document["nodes"])
                place = {"start": node["start"], "end": node["end"]}
                rows.append(
                    {"topic": topic, "doc": document["doc"], "rank": rank, "score": 20.5 - rank, **place}
                )
    return {"documents": documents, "qrels": qrels, **results}


def scores_of(runs, case, **options) -> dict[tuple[str, str, str], float | None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        scores = dx.evaluate(runs, case["qrels"], registered(), documents=case["documents"], **options)
    return {(run, topic, measure): value for run, topic, measure, value in scores.rows(per_topic=True)}


def same(found, expected, tolerance: float = TOLERANCE) -> None:
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        if value is None or found[key] is None:
            assert found[key] is value, key
        else:
            assert found[key] == value or abs(found[key] - value) <= tolerance, (key, found[key], value)


def runs_of(case) -> dict[str, list[dict]]:
    return {"one": case["one"], "two": case["two"]}


def write_files(case, folder) -> tuple[list, dict]:
    """A case as files: runs in the native format; assessments and documents likewise."""
    paths = []
    for name, rows in (*runs_of(case).items(), ("qrels", case["qrels"]), ("documents", case["documents"])):
        path = folder / f"{name}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        paths.append(path)
    return paths[:2], {"qrels": paths[2], "documents": paths[3]}


PLAIN = """
import json, sys
from doxeval.kernels import compiled
assert not compiled()
from tests.scoring.test_composition import make_case, runs_of, scores_of
case = make_case(int(sys.argv[1]))
print(json.dumps([[*key, value] for key, value in scores_of(runs_of(case), case).items()]))
"""


@pytest.mark.parametrize("seed", SEEDS)
def test_compiled_and_plain_kernels(seed):
    case = make_case(seed)
    environment = os.environ | {"DOXEVAL_PLAIN_KERNELS": "1"}
    command = [PYTHON, "-c", PLAIN, str(seed)]
    told = subprocess.run(
        command, capture_output=True, text=True, env=environment, check=False, cwd=Path(__file__).parents[2]
    )
    assert told.returncode == 0, told.stderr
    plain = {(run, topic, measure): value for run, topic, measure, value in json.loads(told.stdout)}
    same(plain, scores_of(runs_of(case), case))


def test_one_and_many_jobs(tmp_path):
    case = make_case(1)
    paths, files = write_files(case, tmp_path)
    same(scores_of(paths, files, jobs=2), scores_of(runs_of(case), case), tolerance=0)


@pytest.mark.parametrize("seed", SEEDS)
def test_text_and_parquet(tmp_path, seed):
    import polars as pl

    case = make_case(seed)
    paths, files = write_files(case, tmp_path)
    as_parquet = []
    for path in paths:
        pl.read_ndjson(path).write_parquet(path.with_suffix(".parquet"))
        as_parquet.append(path.with_suffix(".parquet"))
    dx.index(files["documents"], tmp_path / "documents.parquet")
    dx.index(files["documents"], tmp_path / "documents.dox")
    expected = scores_of(runs_of(case), case)
    same(scores_of(paths, files), expected, tolerance=0)
    qrels = pl.DataFrame(case["qrels"], infer_schema_length=None)
    for kept in ("parquet", "dox"):
        given = {"qrels": qrels, "documents": tmp_path / f"documents.{kept}"}
        same(scores_of(as_parquet, given), expected, tolerance=0)


@pytest.mark.parametrize("seed", SEEDS)
def test_shuffled_topics(seed):
    case = make_case(seed)
    expected = scores_of(runs_of(case), case)
    rng = random.Random(seed)

    def shuffled(rows: list[dict]) -> list[dict]:
        groups: dict[str, list[dict]] = {}
        for row in rows:
            groups.setdefault(row["topic"], []).append(row)
        order = list(groups.values())
        rng.shuffle(order)
        return [row for group in order for row in group]

    runs = {name: shuffled(rows) for name, rows in runs_of(case).items()}
    same(scores_of(runs, {**case, "qrels": shuffled(case["qrels"])}), expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_split_and_merged_run_files(seed):
    case = make_case(seed)
    expected = scores_of({"one": case["one"]}, case)
    parts: dict[str, list[dict]] = {}
    for row in case["one"]:
        parts.setdefault(f"one-{row['topic']}", []).append(row)
    found = scores_of(parts, case)
    merged = {("one", t, m): value for (run, t, m), value in found.items() if run == f"one-{t}"}
    same(merged, {key: value for key, value in expected.items() if key[1] != "all"})


def test_every_measure_is_there():
    assert len(registered()) >= 30
    case = make_case(0)
    values = [value for value in scores_of(runs_of(case), case).values() if value is not None]
    assert not np.isnan(values).any() and len(set(values)) > 100
