"""ContextBench's gold context and LocBench's outputs, as they are published, and small twins of them."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

import doxeval

DATA = Path(os.environ.get("DOXEVAL_REFERENCE_DATA", "missing")) / "data" / "benchmarks"
needs_data = pytest.mark.skipif(not (DATA / "contextbench").is_dir(), reason="ContextBench is not here")
FILES = ("contextbench_verified.part.jsonl.gz", "contextbench_verified.part.parquet")


@needs_data
@pytest.mark.parametrize("name", FILES)
def test_every_range_of_the_gold_context(name):
    gold = doxeval.read_assessments(DATA / "contextbench" / name)
    lines = gzip.decompress((DATA / "contextbench" / FILES[0]).read_bytes()).splitlines()
    wanted = set()
    for row in map(json.loads, lines):
        for place in json.loads(row["gold_context"]):
            _, container, inside = place["file"].partition("/workspace/")
            name = inside.partition("/")[2] if container else place["file"]
            wanted.add((row["instance_id"], name, place["start_line"] - 1, place["end_line"]))
    found = {
        (gold.topics[gold.pair_topic[pair]], gold.docs[gold.pair_doc[pair]], int(start), int(end))
        for pair, start, end in zip(gold.ranges.pair, gold.ranges.start, gold.ranges.end, strict=True)
    }
    assert len(gold.ranges) == 241 and found == wanted and gold.unit == "lines"
    assert "31 paths are those of the annotators' container" in "; ".join(map(str, gold.notices))
    assert gold.attributes[gold.topics[0]].keys() >= {"repo", "base_commit", "language"}


@needs_data
def test_outputs_of_locbench_are_those_of_locagent():
    path = DATA / "locbench" / "ir_function_CodeRankEmbed_768.loc_outputs.sample.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for level, key in (("file", "found_files"), ("module", "found_modules"), ("function", "found_entities")):
        run = doxeval.read_run(path, level=level)
        assert run.topics == [row["instance_id"] for row in rows]
        assert len(run) == sum(len(row[key]) for row in rows)


CODE = "package tea\n\nfunc pour() {\n\tboil()\n\tsteep()\n}\n"
ROW = {
    "instance_id": "t1", "repo": "o/tea", "base_commit": "c0ffee", "patch": "", "problem_statement": "Hot.",
    "gold_context": json.dumps([
        {"file": "/workspace/o__tea__0.1/src/pot.go", "start_line": 3, "end_line": 4,
         "content": "3\tfunc pour() {\n4\t\tboil()"},
        {"file": "src/pot.go", "start_line": 6, "end_line": 6, "content": "}\nand more"},
    ]),
}  # fmt: skip


@pytest.mark.parametrize("documents", [None, {"src/pot.go": CODE}])
def test_a_twin_of_its_rows(tmp_path, documents):
    path = tmp_path / "gold.jsonl"
    path.write_text(json.dumps(ROW) + "\n")
    run = [{"topic": "t1", "doc": "src/pot.go", "rank": 1, "start_line": 4, "end_line": 5}]
    scores = doxeval.evaluate({"run": run}, path, "iP@1 iR@1", documents, unit="lines")
    assert scores.value("run", "iP@1") == 1 / 2 and scores.value("run", "iR@1") == 1 / 3
    assert "1 content has another number of lines" in "; ".join(map(str, scores.notices))
