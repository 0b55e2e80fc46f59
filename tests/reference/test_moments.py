"""Moments of videos: every figure of QVHighlights' scorer, and a small twin of its files made by us."""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path

import pytest

import doxeval

DATA = Path(os.environ.get("DOXEVAL_REFERENCE_DATA", "missing")) / "data" / "benchmarks" / "qvhighlights"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the files of QVHighlights are not here")
SIZES = {"full": "", "short": ",upto=10", "middle": ",over=10,upto=30", "long": ",over=30,upto=150"}
THRESHOLDS = [f"{percent / 100:g}" for percent in range(50, 100, 5)]


@needs_data
@pytest.mark.parametrize("size", SIZES)
def test_every_figure_of_the_official_scorer(size):
    official = json.loads((DATA / "official" / "standalone_eval_metrics.json").read_text())[size]
    within = SIZES[size]
    measures = {("MR-R1", iou): f"Hit(iou={iou}{within})@1" for iou in THRESHOLDS}
    measures |= {
        ("MR-mAP", iou): f"IoUAP(iou={iou}{within},interpolated=true)@10"
        for iou in [*THRESHOLDS, "0.5..0.95"]
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", doxeval.DoxevalWarning)
        scores = doxeval.evaluate(
            DATA / "sample_val_preds.part.jsonl.gz",
            DATA / "highlight_val_release.part.jsonl.gz",
            list(measures.values()),
        )
    found = {
        (kind, iou): round(100 * scores.value(scores.names[0], measure), 2)
        for (kind, iou), measure in measures.items()
    }
    wanted = {
        (kind, "0.5..0.95" if iou == "average" else iou): figure
        for kind, figures in official.items()
        for iou, figure in figures.items()
    }
    assert found == wanted


GOLD = [
    {
        "qid": 1,
        "query": "Tea is poured.",
        "duration": 60,
        "vid": "v1",
        "relevant_windows": [[10, 20], [30, 40]],
    },
    {"qid": 2, "query": "A cup breaks.", "duration": 60, "vid": "v2", "relevant_windows": [[0, 4]]},
]
PREDICTED = [
    {"qid": 1, "vid": "v1", "pred_relevant_windows": [[10, 18, 0.9], [28, 40, 0.8], [10, 20, 0.7]]},
    {"qid": 2, "vid": "v2", "pred_relevant_windows": [[2, 6.5, 0.2], [0.5, 3.75, 0.9]]},
]
WORKED = {
    "Hit(iou=0.5)@1": 1 / 2,
    "Hit(iou=0.8)@1": 1 / 2,
    "Hit(iou=0.8)@2": 1,
    "IoUAP(iou=0.8,interpolated=true)@10": (1 + 1 / 2) / 2,
    "IoUAP(iou=0.85,interpolated=true)@10": (1 / 3 / 2 + 0) / 2,
    "iR@1": (8 / 20 + 2 / 4) / 2,
}


@pytest.mark.parametrize("order", ["rank", "score"])
def test_a_twin_of_its_files(tmp_path, order):
    gold, run = tmp_path / "gold.jsonl", tmp_path / "predictions.jsonl"
    gold.write_text("".join(json.dumps(row) + "\n" for row in GOLD))
    run.write_text("".join(json.dumps(row) + "\n" for row in PREDICTED))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", doxeval.DoxevalWarning)
        scores = doxeval.evaluate(run, gold, list(WORKED), rank_by=order)
    if order == "rank":
        assert "1 result scores higher than the one ranked before it" in "; ".join(map(str, scores.notices))
        found = {name: scores.value("predictions", name) for name in WORKED}
        assert found == pytest.approx(WORKED)
    else:
        assert scores.value("predictions", "Hit(iou=0.8)@1") == 1
    assert doxeval.read_assessments(gold).attributes["1"] == {"duration": "60"}
