"""One run that cannot be read does not lose the scores of the others."""

from __future__ import annotations

import csv
import gzip
import io
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import doxeval as dx
from doxeval.core.errors import DoxevalError, DoxevalWarning, MissingExtra

QRELS = "t1 Q0 d1 30 100 0 10:30\n"
GOOD = "t1 Q0 d1 1 3.0 sys 0 40\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "good.fol").write_text(GOOD)
    (tmp_path / "fine.fol").write_text(GOOD)
    (tmp_path / "torn.fol.gz").write_bytes(gzip.compress(GOOD.encode() * 500)[:-20])
    (tmp_path / "prose.fol").write_text("Dear reader,\nthis is no run at all.\n")
    (tmp_path / "stranger.fol").write_text("other Q0 d1 1 3.0 sys 0 40\n")
    return tmp_path


def doxeval(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "doxeval", *arguments], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("options", [[], ["--jobs", "2"], ["--store", "kept"], ["--quiet"], ["--strict"]])
def test_the_others_are_scored_and_the_failure_is_told(files: Path, options: list[str]):
    bad = ["torn.fol.gz", "prose.fol", "stranger.fol"]
    runs = ["good.fol", *bad, "fine.fol"]
    done = doxeval(files, "eval", *runs, "--qrels", "qrels.txt", "-m", "iP@1", "-f", "csv", *options)
    assert done.returncode == 2
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [(row["run"], row["value"]) for row in rows] == [("good", "0.75"), ("fine", "0.75")]
    told = [line for line in done.stderr.splitlines() if line.startswith("error: not scored: ")]
    assert len(told) == 3
    assert all(name in line for name, line in zip(bad, told, strict=True))


def test_where_nothing_could_be_scored_it_is_an_error(files: Path):
    done = doxeval(
        files, "eval", "torn.fol.gz", "prose.fol", "--qrels", "qrels.txt", "-m", "iP@1", "-f", "csv"
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "torn.fol.gz" in done.stderr


def test_python_warns_and_keeps_what_it_has(files: Path):
    runs = [files / "torn.fol.gz", files / "good.fol"]
    for options in ({}, {"executor": ThreadPoolExecutor(1)}):
        with pytest.warns(DoxevalWarning, match="not scored: .*torn"):
            scores = dx.evaluate(runs, files / "qrels.txt", "iP@1", **options)
        assert scores.names == ["good"]
        assert len(scores.unscored) == 1
    with pytest.raises(DoxevalError, match="torn"):
        dx.evaluate(runs[0], files / "qrels.txt", "iP@1")


def test_a_missing_extra_survives_the_way_back_from_a_worker():
    problem = pickle.loads(pickle.dumps(MissingExtra("tokens", "@1000t")))
    assert isinstance(problem, MissingExtra)
    assert "doxeval[tokens]" in str(problem)
