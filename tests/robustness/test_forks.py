"""Forks of a process in which another thread evaluates: each child does its work, or says why it cannot."""

from __future__ import annotations

import ast
import datetime
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import doxeval

CHILDREN = int(os.environ.get("DOXEVAL_FORKS", "10"))
SCRIPT = """
import os, sys, threading, time, warnings
from pathlib import Path
warnings.simplefilter("ignore")
import doxeval as dx
folder, children, suffix = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
runs = sorted(map(str, folder.glob(f"runs/*.{suffix}")))

def work():
    documents = folder / "documents" if suffix == "jsonl" else None
    return dx.evaluate(runs, folder / f"answers.{suffix}", "AiP iR@5", documents).value("sections", "AiP")

expected = work()
threading.Thread(target=lambda: [work() for _ in iter(int, 1)], daemon=True).start()
ends = []
for number in range(children):
    time.sleep(0.011 * (number % 7))
    child = os.fork()
    if not child:
        try:
            os._exit(0 if work() == expected else 1)
        except dx.UsageError as problem:
            os._exit(2 if "forked from one in which polars was at work" in str(problem) else 3)
    patience = time.monotonic() + 60
    while not (ended := os.waitpid(child, os.WNOHANG))[0] and time.monotonic() < patience:
        time.sleep(0.01)
    if not ended[0]:
        os.kill(child, 9)
        os.waitpid(child, 0)
    ends.append(os.waitstatus_to_exitcode(ended[1]) if ended[0] else "hangs")
print(*ends, flush=True)
os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no forks")
@pytest.mark.parametrize(("suffix", "ends"), [("jsonl", 0), ("parquet", 0), ("dated.parquet", 2)])
def test_no_child_hangs(tmp_path, suffix, ends):
    """With documents in a process of their own; and with dates, read by polars, whose threads no fork has."""
    folder = Path(doxeval.__file__).parent / "demo"
    if suffix.endswith("parquet"):
        (tmp_path / "runs").mkdir()
        for path in (*(folder / "runs").iterdir(), folder / "answers.jsonl"):
            written = tmp_path / path.relative_to(folder).with_suffix(".parquet")
            doxeval.convert(path, written)
            if suffix.startswith("dated"):
                day = pl.lit(datetime.date(2026, 1, 1)).alias("day")
                pl.read_parquet(written).with_columns(day).write_parquet(written)
        folder = tmp_path
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(folder), str(CHILDREN), suffix.rpartition(".")[2]],
        capture_output=True, text=True, timeout=500,
    )  # fmt: skip
    assert done.stdout.split() == [str(ends)] * CHILDREN, done.stdout + done.stderr


def test_polars_has_one_way_in():
    root = Path(doxeval.__file__).parent
    for path in root.rglob("*.py"):
        tree = ast.parse(path.read_text())
        checking = [
            node
            for one in ast.walk(tree)
            if isinstance(one, ast.If) and ast.unparse(one.test) == "TYPE_CHECKING"
            for node in ast.walk(one)
        ]
        for node in ast.walk(tree):
            names = [name.name for name in node.names] if isinstance(node, ast.Import) else []
            names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
            if any(name.split(".")[0] == "polars" for name in names) and node not in checking:
                assert path.relative_to(root) == Path("core/polars_here.py"), str(path)
