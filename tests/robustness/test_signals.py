"""Signals at any moment: no worker is left behind, nothing is half written, and no traceback is shown."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import time

import psutil
import pytest

from doxeval.kernels import compiled
from tests.robustness.sweeps import IN_PROCESSES, MEASURES, PYTHON, write_sweep

TRIES = int(os.environ.get("DOXEVAL_SIGNALS", "3"))
STATUS = {signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGINT: 130, signal.SIGKILL: -9}


def gone(processes: list[psutil.Process]) -> bool:
    """Whether all of them end within some seconds."""
    return not psutil.wait_procs(processes, timeout=20)[1]


def at_work(process: psutil.Process, in_threads: bool) -> list[psutil.Process]:
    """The processes that work for one; where threads do, that one itself once it has several."""
    return [process] * (process.num_threads() > 1) if in_threads else process.children(recursive=True)


@pytest.mark.parametrize("measures", [IN_PROCESSES, MEASURES], ids=["processes", "threads"])
@pytest.mark.parametrize("number", STATUS, ids=lambda number: number.name)
def test_no_signal_leaves_workers_or_half_a_file(tmp_path, number, measures):
    paths, qrels = write_sweep(tmp_path, runs=40, results=400)
    dice = random.Random(number)
    command = [PYTHON, "-m", "doxeval", "eval", *map(str, paths), "-q", str(qrels), "-m", measures]
    command += ["--jobs", "2", "-o", str(tmp_path / "out.csv")]
    command += ["--quiet"]  # the thread that tells steps is no worker
    in_threads = measures == MEASURES and compiled()
    ended_early = 0
    for _ in range(TRIES):
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        family = psutil.Process(process.pid)
        begin = time.perf_counter()
        while not (workers := at_work(family, in_threads)) and time.perf_counter() - begin < 60:
            time.sleep(0.01)
        assert workers, "nothing was seen at work"
        time.sleep(dice.uniform(0, 0.1 if in_threads else 0.6))
        with contextlib.suppress(psutil.NoSuchProcess):  # it may have ended meanwhile
            assert not in_threads or not family.children(), "threads were expected, not processes"
            workers = at_work(family, in_threads)
        with contextlib.suppress(ProcessLookupError):
            if number == signal.SIGINT:
                os.killpg(process.pid, number)
            else:
                process.send_signal(number)
        _, told = process.communicate(timeout=60)
        assert gone(workers), "a worker is left"
        assert "Traceback" not in told, told
        all_done = (tmp_path / "out.csv").exists()  # Python, while it ends, no longer minds signals
        assert process.returncode in (0, STATUS[number], -number if all_done else 0), told
        ended_early += process.returncode != 0
        assert number == signal.SIGKILL or not list(tmp_path.glob(".*.part"))
        (tmp_path / "out.csv").unlink(missing_ok=True)
    assert ended_early
