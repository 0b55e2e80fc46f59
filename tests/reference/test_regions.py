"""MMLongBench-Doc and MMDocIR: every page and box of the samples can be scored."""

from __future__ import annotations

import ast
import json
import os
import warnings
from pathlib import Path

import pytest

import doxeval

DATA = Path(os.environ.get("DOXEVAL_REFERENCE_DATA", "missing")) / "data" / "benchmarks" / "mmlongbench-doc"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the files of MMLongBench-Doc are not here")
BOXES = DATA / "MMDocIR_annotations.part.jsonl"


def evaluated(run, gold, measures, documents=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", doxeval.DoxevalWarning)
        return doxeval.evaluate({"run": run}, gold, measures, documents)


@needs_data
@pytest.mark.parametrize("documents", [None, DATA / "documents"])
def test_all_boxes_are_scored_where_the_pdf_is_there_and_where_it_is_not(documents):
    rows = [json.loads(line) for line in BOXES.read_text().splitlines()]
    boxes, pages, count = [], [], 0
    for row in rows:
        for at, question in enumerate(row["questions"], 1):
            base = {"topic": f"{row['doc_name']}/{at}", "doc": row["doc_name"]}
            for rank, box in enumerate(question["layout_mapping"], 1):
                place = {"page": box["page"] + 1, "page_size": box["page_size"], "region": box["bbox"]}
                boxes.append(base | place | {"rank": rank})
                count += 1
            for rank, page in enumerate(dict.fromkeys(question["page_id"]), 1):
                pages.append(base | {"page": page + 1, "rank": rank})
    assert count == 177
    scores = evaluated(boxes, BOXES, ["iP", "iR", "IoUAP(iou=1)", "NeedRecall"], documents)
    assert [scores.value("run", name) for name in ("iR", "IoUAP(iou=1)", "NeedRecall")] == pytest.approx(
        [1, 1, 1]
    )
    assert evaluated(pages, BOXES, ["iR"], documents).value("run", "iR") == pytest.approx(1)


@needs_data
def test_pages_of_evidence_are_counted_from_one():
    samples = json.loads((DATA / "samples.part.json").read_text())
    gold = doxeval.read_assessments(DATA / "samples.part.json")
    pages = [ast.literal_eval(sample["evidence_pages"]) for sample in samples]
    assert len(gold.ranges) == sum(page > 0 for listed in pages for page in set(listed))
    assert "1 line refused, expected a 'page' from 1" in "; ".join(map(str, gold.notices))
    assert gold.attributes[gold.topics[0]]["answerable"] in ("yes", "no")
    run = []
    met: dict[str, int] = {}
    for sample, listed in zip(samples, pages, strict=True):
        met[sample["doc_id"]] = met.get(sample["doc_id"], 0) + 1
        topic = f"{sample['doc_id']}/{met[sample['doc_id']]}"
        run += [{"topic": topic, "doc": sample["doc_id"], "page": max(1, page)} for page in listed]
    assert evaluated(run, gold, ["iP", "iR"]).value("run", "iR") == 1
