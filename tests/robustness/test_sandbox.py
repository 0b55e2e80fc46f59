"""Calls in the sandboxed process: whatever happens there is an error here, and the next call works."""

from __future__ import annotations

import datetime
import errno
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import polars as pl
import psutil
import pytest

import doxeval as dx
from doxeval.core.errors import InputError
from doxeval.core.sandbox import SandboxDied, SandboxTimeout, run_sandboxed

ABORTS = Path(__file__).with_name("aborts.parquet")
"""A page that polars aborts at."""


def test_it_works_elsewhere():
    assert run_sandboxed(os.getpid) == run_sandboxed(os.getpid) != os.getpid()
    with pytest.raises(FileNotFoundError):
        run_sandboxed(os.stat, "nothing-is-there")
    assert run_sandboxed(len, b"x" * (1 << 20)) == 1 << 20


def test_its_death_is_an_error():
    with pytest.raises(SandboxDied, match="SIGABRT"):
        run_sandboxed(os.abort)
    assert run_sandboxed(abs, -1) == 1


def test_its_clock_runs_out():
    begin = time.monotonic()
    with pytest.raises(SandboxTimeout, match=r"not done in 0\.3 seconds"):
        run_sandboxed(time.sleep, 60, seconds=0.3)
    assert time.monotonic() - begin < 10
    assert run_sandboxed(abs, -1, seconds=60) == 1


def test_somebody_else_ends_it():
    psutil.Process(run_sandboxed(os.getpid)).kill()
    assert run_sandboxed(abs, -1) == 1


def test_threads_take_turns():
    found = []
    threads = [
        threading.Thread(target=lambda at=at: found.append(run_sandboxed(abs, -at))) for at in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == list(range(20))


@pytest.mark.parametrize("end", ["os.kill(os.getpid(), 9)", "sys.exit()", "os._exit(0)"])
def test_it_ends_with_the_process_it_works_for(end):
    code = "import os, sys; from doxeval.core.sandbox import run_sandboxed as run; "
    code += f"print(run(os.getpid), flush=True); {end}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert not done.stderr
    patience = time.monotonic() + 20
    while psutil.pid_exists(int(done.stdout)) and time.monotonic() < patience:
        time.sleep(0.02)
    assert not psutil.pid_exists(int(done.stdout))


READERS = {
    "run": lambda path: dx.read_run(path),
    "assessments": lambda path: dx.read_assessments(path),
    "documents": lambda path: dx.read_documents(path),
    "chunks": lambda path: dx.read_chunks(path),
    "scores": lambda path: dx.read_scores(path),
    "convert": lambda path: dx.convert(path, path.with_suffix(".jsonl")),
}


@pytest.mark.parametrize("reader", READERS)
def test_pages_at_which_polars_aborts(reader, tmp_path):
    path = tmp_path / "made.parquet"
    path.write_bytes(ABORTS.read_bytes())
    with pytest.raises(InputError, match=r"made\.parquet"):
        READERS[reader](path)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("reader", ["run", "assessments", "documents", "scores"])
def test_small_files_that_become_large_tables(reader, tmp_path):
    path = tmp_path / "bomb.parquet"
    rows = 700_000
    pl.select(
        *(pl.repeat("x", rows).alias(name) for name in ("topic", "doc", "run", "measure")),
        *(pl.repeat(0, rows).alias(name) for name in ("start", "end", "length", "value")),
    ).write_parquet(path, compression="zstd")
    assert path.stat().st_size < 300_000
    with pytest.raises(InputError, match=r"bomb\.parquet.*--max-ratio"):
        READERS[reader](path)


@pytest.mark.parametrize(
    "problem",
    [
        MemoryError(), OSError(errno.ENOMEM, os.strerror(errno.ENOMEM)),
        ImportError("zlib.so: failed to map segment from shared object"),
        ImportError("zlib.so: cannot create shared object descriptor: Cannot allocate memory"),
    ],
    ids=repr,
)  # fmt: skip
def test_whatever_fails_for_want_of_memory_ends_the_process(problem):
    with pytest.raises(SandboxDied):
        run_sandboxed(exec, "raise problem", {"problem": problem})
    with pytest.raises(ImportError, match="no_module_of_this_name"):
        run_sandboxed(exec, "import no_module_of_this_name")


def test_memory_that_runs_out_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr("doxeval.io.parquet_files.READING_ROOM", -(200 << 20))
    path = tmp_path / "run.parquet"
    day = [datetime.date(2026, 1, 1)]  # polars' to read
    pl.DataFrame({"topic": ["1"], "doc": ["d"], "rank": [1], "day": day}).write_parquet(path)
    with pytest.raises(InputError, match=r"run\.parquet.*needs more memory"):
        dx.read_run(path)
    monkeypatch.undo()
    assert len(dx.read_run(path)) == 1
