"""Real patches: which measure tells those that solved their issue from the others."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from scipy.stats import rankdata

import doxeval as dx
from tests.reference.test_code_search import DATA, needs_data, rows

pytestmark = needs_data

CODE = DATA / "code"
MEASURES = "iR iP F ESRR(nav=readon(mean=20)) Complete"
RUNS = ("acr-run-1", "acr-run-2", "acr-run-3")
PUBLISHED = {"ESRR(nav=readon(mean=20))": 0.788, "iR": 0.720, "F": 0.713}
"""The areas under the curve that the data were published with, of 471 patches of which 118 solved."""


def areas(**options) -> dict[str, float]:
    """The chance that a patch that solved its issue has a higher value than one that did not."""
    given = {run: rows(CODE / f"submissions/{run}.jsonl.gz") for run in RUNS}
    files = {run: "".join(json.dumps(row) + "\n" for row in given[run]).encode() for run in RUNS}
    tables = [dx.read_run(files[run], name=run) for run in RUNS]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = dx.evaluate(tables, CODE / "instances.jsonl", MEASURES, **options)
    topics = {topic: at for at, topic in enumerate(scores.topics)}
    found = {}
    solved = np.array([row["resolved"] for run in RUNS for row in given[run]])
    assert (len(solved), solved.sum()) == (471, 118)
    for number, measure in enumerate(scores.measures):
        values = np.array(
            [
                run.values[number, topics[row["instance_id"]]]
                for run, name in zip(scores.runs, RUNS, strict=True)
                for row in given[name]
            ]
        )
        ranks = rankdata(values)[solved].sum()
        found[measure] = (ranks - 118 * 119 / 2) / (118 * (471 - 118))
    return found


def test_reading_on_tells_patches_that_solved_from_the_others():
    found = areas()
    for measure, area in PUBLISHED.items():
        assert found[measure] == pytest.approx(area, abs=0.0005), measure


def test_files_tell_less():
    assert areas(level="file")["F"] == pytest.approx(0.629, abs=0.0005)
