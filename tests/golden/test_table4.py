"""38 runs of INEX 2008 under six measures, as far as they are legible in print, and the taus between them."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from doxeval.comparison.correlation import correlate
from doxeval.comparison.rankings import average_ranks
from doxeval.scoring.read_scores import read_scores
from tests.golden import vectors


@pytest.fixture(scope="module")
def cases() -> dict[str, dict]:
    return {case["id"]: case for case in vectors("inex2008_table4")}


def cells(cases: dict[str, dict], column: str) -> dict[str, float]:
    rows = cases["table-4"]["given"]["rows"]
    return {row["run"]: row["cells"][column] for row in rows if isinstance(row["cells"].get(column), float)}


def tau(cases: dict[str, dict], folder: Path, row: str, column: str) -> tuple[float, int]:
    """tau-b over the runs that are legible in both columns, by way of a file of means."""
    values = {name: cells(cases, name) for name in (row, column)}
    runs = [run for run in values[row] if run in values[column]]
    path = folder / "means.csv"
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["run", "topic", "measure", "value"])
        writer.writerows([run, "all", name, values[name][run]] for run in runs for name in values)
    lower = [name for name in (row, column) if name.startswith("MANCE")]
    higher = [name for name in (row, column) if name not in lower]
    found = correlate(read_scores(path), coefficient="tau", lower_is_better=lower, higher_is_better=higher)
    return found.at(row, column)[0], len(runs)


def test_every_tau_of_table_2_follows_from_table_4(cases: dict[str, dict], tmp_path: Path) -> None:
    expect = cases["table-2-kendall"]["expect"]
    differences = []
    for pair in expect["pairs"]:
        value, runs = tau(cases, tmp_path, pair["row"], pair["column"])
        assert runs == pair["rows_legible"]
        assert value == pytest.approx(pair["tau_b_rounded"], abs=1e-6)
        if runs == 38:
            differences.append(abs(value - pair["printed"]))
    assert len(differences) == expect["complete_pairs"]
    assert np.mean(differences) == pytest.approx(expect["mean_abs_difference_tau_b_rounded"], abs=1e-6)
    assert np.max(differences) == pytest.approx(expect["max_abs_difference_tau_b_rounded"], abs=1e-6)


def test_the_place_of_one_run(cases: dict[str, dict]) -> None:
    case = cases["rank-of-manualQEIndri"]
    for column, expect in case["expect"].items():
        values = cells(cases, column)
        sign = -1 if column.startswith("MANCE") else 1
        runs = list(values)
        ranks = average_ranks(sign * np.array([values[run] for run in runs]))
        own = ranks[runs.index(case["given"]["run"])]
        tied = int((ranks == own).sum()) - 1
        assert (int((ranks > own).sum()), tied) == (expect["better"], expect["tied"])
        assert 38 - len(runs) == expect.get("lost", 0)
