"""Real patches: which measure tells those that solved their issue from the others."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import rankdata

import doxeval as dx
from doxeval.cli import group
from tests.reference.test_code_search import DATA, needs_data, rows

pytestmark = needs_data

CODE = DATA / "code"
MEASURES = "iR iP F ESRR(nav=readon(mean=20)) Complete"
RUNS = ("acr-run-1", "acr-run-2", "acr-run-3")
PUBLISHED = {"ESRR(nav=readon(mean=20))": 0.788, "iR": 0.720, "F": 0.713}
"""The areas under the curve that the data were published with, of 471 patches of which 118 solved."""


def areas(*words: str) -> dict[str, float]:
    """The chance that a patch that solved its issue has a higher value than others, as the command prints."""
    submissions = [str(CODE / f"submissions/{run}.jsonl.gz") for run in RUNS]
    files = [word for path in submissions for word in ("--outcomes", path)]
    gold = ["-q", str(CODE / "instances.jsonl"), "-m", MEASURES]
    done = CliRunner().invoke(
        group, ["correlate", *submissions, *gold, *files, "--draws", "200", "-f", "jsonl", *words]
    )
    assert done.exit_code == 0, done.output
    found = [row for line in done.stdout.splitlines() if (row := json.loads(line))["part"] == "measure"]
    assert {(row["outcome"], row["cases"]) for row in found} == {("resolved", 471)}
    return {row["measure"]: row["value"] for row in found}


def test_reading_on_tells_patches_that_solved_from_the_others():
    found = areas()
    for measure, area in PUBLISHED.items():
        assert found[measure] == pytest.approx(area, abs=0.0005), measure


def test_files_tell_less():
    assert areas("--level", "file")["F"] == pytest.approx(0.629, abs=0.0005)


def test_an_area_is_that_of_ranks():
    """By hand: values of the patches as scored, and the sum of the ranks of those that solved."""
    given = {run: rows(CODE / f"submissions/{run}.jsonl.gz") for run in RUNS}
    scores = dx.Evaluation(CODE / "instances.jsonl", "F").scores(
        [CODE / f"submissions/{run}.jsonl.gz" for run in RUNS]
    )
    cases = [(run, row["instance_id"], row["resolved"]) for run in RUNS for row in given[run]]
    values = [scores.value(run, "F", topic) for run, topic, _ in cases]
    solved = np.array([resolved for *_, resolved in cases])
    assert (len(solved), solved.sum()) == (471, 118)
    area = (rankdata(values)[solved].sum() - 118 * 119 / 2) / (118 * (471 - 118))
    assert areas()["F"] == pytest.approx(area, abs=1e-12)
