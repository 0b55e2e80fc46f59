"""Equal to the chunk evaluation's own figures: recall, precision and IoU are iR@5, iP@5 and IoU@5."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import doxeval as dx

OURS = {"iR@5": "recall", "iP@5": "precision", "IoU@5": "iou"}


@pytest.mark.parametrize("system", ["fixed-400", "fixed-800-overlap-400", "paragraph-1200"])
@pytest.mark.parametrize("qrels", ["qrels.jsonl", "questions_df.csv"])
def test_chunk_figures(reference: Path, system: str, qrels: str) -> None:
    data = reference / "data" / "chunking"
    with (data / "official" / f"{system}.csv").open() as stream:
        expected = {row["topic"]: row for row in csv.DictReader(stream)}
    scores = dx.evaluate(data / "runs" / f"{system}.jsonl", data / qrels, list(OURS))
    assert set(scores.topics) == set(expected)
    for _, topic, measure, value in scores.rows(per_topic=True, means=False):
        assert value == pytest.approx(float(expected[topic][OURS[measure]]), abs=1e-12), (topic, measure)
