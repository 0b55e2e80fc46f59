"""On real runs and judgements: what hidden judgements say lies within the bounds, in every topic."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import doxeval as dx
from doxeval.ground.ground import Ground
from doxeval.ground.open_text import assessed_pairs
from doxeval.scoring.bounded import difference_bounds
from doxeval.tables.assessments import Assessments, Ranges

MEASURES = "AiP iP iP[0.01] iP[0.5] iP@5 iR@5 F@5 IoU@5 iR@3000c P@5 R@5 AP nDCG@10"
NARROW = 1e-9


def some_pairs(table: Assessments, kept: np.ndarray) -> Assessments:
    """Only the judgements of some documents; the topics stay."""
    number = np.cumsum(kept) - 1
    counts = table.by_topic.sum(kept.astype(np.int64))
    ranges = table.ranges.take(kept[table.ranges.pair])
    ranges = replace(ranges, pair=number[ranges.pair])
    offset = np.concatenate([[0], np.cumsum(counts)])
    return replace(
        table, pair_doc=table.pair_doc[kept], bep=table.bep[kept], ranges=ranges, pair_offset=offset
    )


def within(table: Assessments, kept: np.ndarray, opened: Ground) -> Assessments:
    """The full judgements, restricted to documents that are judged and to open text."""
    pair, start, end, grade = [], [], [], []
    place = assessed_pairs(opened, table.pair_topic, table.pair_doc, table.docs)
    rows = zip(
        table.ranges.pair.tolist(), table.ranges.start.tolist(), table.ranges.end.tolist(), strict=True
    )
    for of, begin, stop in rows:
        pieces = [(begin, stop)]
        if not kept[of]:
            at = opened.relevant_by_pair.slice(int(place[of])) if place[of] >= 0 else slice(0)
            shown = zip(opened.relevant[1][at].tolist(), opened.relevant[2][at].tolist(), strict=True)
            pieces = [(max(begin, first), min(stop, last)) for first, last in shown]
        for first, last in pieces:
            if first < last:
                pair.append(of)
                start.append(first)
                end.append(last)
                grade.append(1.0)
    pairs, starts, ends = (np.array(column, dtype=np.int64) for column in (pair, start, end))
    return replace(table, ranges=Ranges(pairs, starts, ends, np.array(grade)))


@pytest.mark.parametrize("hidden", [0.3, 0.6, 0.9])
def test_hidden_judgements_stay_within_the_bounds(reference: Path, hidden: float) -> None:
    folder = reference / "data" / "inex0910"
    table = dx.read_assessments(folder / "qrels.txt")
    kept = np.random.default_rng(int(10 * hidden)).random(len(table.pair_doc)) >= hidden
    runs = [dx.read_run(path) for path in sorted(folder.glob("*.fol")) if "-ric" not in path.name]
    evaluation = dx.Evaluation(some_pairs(table, kept), MEASURES, bounds=True, depth=20).open_to(runs)
    assert evaluation.opened is not None
    bounded = evaluation.scores(runs)
    truth = dx.Evaluation(within(table, kept, evaluation.opened), MEASURES, depth=20).scores(runs)
    checked = wider = 0
    for run, true in zip(bounded.runs, truth.runs, strict=True):
        assert run.bounds is not None
        for bounds, values in zip(run.bounds, true.values, strict=True):
            known = ~np.isnan(values)
            assert (bounds.low[known] <= values[known] + NARROW).all()
            assert (values[known] <= bounds.high[known] + NARROW).all()
            checked += int(known.sum())
            wider += int((bounds.high[known] > bounds.low[known]).sum())
    assert checked > 4000 and wider > checked / 3
    for at in range(len(bounded.measures)):
        first, second = (run.bounds[at] for run in bounded.runs[:2] if run.bounds is not None)
        low, high = difference_bounds(first, second)
        values = truth.runs[1].values[at] - truth.runs[0].values[at]
        known = ~np.isnan(values)
        assert (low[known] <= values[known] + NARROW).all() and (values[known] <= high[known] + NARROW).all()
