"""The table of benchmarks of moments, regions, rows and answers: every command prints its figure."""

from __future__ import annotations

import csv
import io
import os
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from doxeval.cli import group

DATA = Path(os.environ.get("DOXEVAL_REFERENCE_DATA", "missing")) / "data" / "benchmarks"
PAGE = Path(__file__).parents[2] / "docs" / "benchmarks-b.md"
ROW = re.compile(
    r"^\| ([^|]+) \| ([^|]+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \| `(doxeval [^|]+)` \|$", re.MULTILINE
)
ROWS = ROW.findall(PAGE.read_text(encoding="utf-8"))


def test_the_page_has_rows_and_differences_are_stated() -> None:
    assert len(ROWS) == 10
    for *_, official, ours, difference, _ in ROWS:
        assert float(difference) == pytest.approx(abs(float(official) - float(ours)), abs=1e-9)


@pytest.mark.skipif(not DATA.is_dir(), reason="the files of the benchmarks are not here")
@pytest.mark.parametrize(("name", "ours", "command"), [(row[1], row[3], row[5]) for row in ROWS])
def test_every_command_prints_its_figure(
    name: str, ours: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "Set" in command:
        pytest.importorskip("ir_measures")
    monkeypatch.chdir(DATA)
    done = CliRunner().invoke(group, [*shlex.split(command)[1:], "-f", "csv"])
    assert done.exit_code == 0, done.output
    [row] = csv.DictReader(io.StringIO(done.stdout))
    assert f"{100 * float(row['value']):.2f}" == ours, name
