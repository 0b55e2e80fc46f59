"""Workers and main processes killed at random points: the store ends complete, as if nothing had happened.

``DOXEVAL_KILLS`` says how often (``make test-kill``: 20 times); where the dice fall is in the message.
"""

from __future__ import annotations

import os
import random
import subprocess
import time

import polars as pl
import psutil
import pytest

from tests.robustness.sweeps import IN_PROCESSES, PYTHON, write_sweep

KILLS = int(os.environ.get("DOXEVAL_KILLS", "3"))
KILLS_OF_A_STORE = 3
RUNS = 12


def command(paths, qrels, store) -> list[str]:
    options = [
        "-q",
        str(qrels),
        "-m",
        IN_PROCESSES,
        "--store",
        str(store),
        "--jobs",
        "2",
        "-f",
        "csv",
        "--per-topic",
    ]
    return [PYTHON, "-m", "doxeval", "eval", *map(str, paths), *options]


def content(store) -> pl.DataFrame:
    """Everything in a store; an unreadable or half-written part would not get past this."""
    return pl.concat([pl.read_parquet(path) for path in store.glob("*/*.parquet")]).sort(
        "run", "topic", "measure"
    )


def kill_some(process: subprocess.Popen, dice: random.Random, main_too: bool) -> str:
    """Kill a worker, or the main process with all its workers, if they are still there."""
    try:
        family = psutil.Process(process.pid)
        workers = family.children(recursive=True)
        victims = [family, *workers] if main_too else dice.sample(workers, min(1, len(workers)))
    except psutil.NoSuchProcess:
        return "nobody"
    for victim in victims:
        try:
            victim.kill()
        except psutil.NoSuchProcess:
            continue
    return "the main process" if main_too else f"{len(victims)} worker"


@pytest.mark.parametrize("seed", range(-(-KILLS // KILLS_OF_A_STORE)))
def test_a_store_survives_kills(tmp_path, seed):
    dice = random.Random(seed)
    paths, qrels = write_sweep(tmp_path, runs=RUNS, results=400)
    undisturbed = subprocess.run(
        command(paths, qrels, tmp_path / "quiet"), capture_output=True, check=True
    ).stdout
    store = tmp_path / "store"
    told = []
    for main_too in (False, True, dice.random() < 0.5):
        begin = time.perf_counter()
        process = subprocess.Popen(
            command(paths, qrels, store), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        wait = dice.uniform(0.2, 1.5)
        time.sleep(wait)
        told.append(f"{kill_some(process, dice, main_too)} after {wait:.2f} s")
        process.wait(timeout=120)
        assert main_too or process.returncode == 0, told
        assert time.perf_counter() - begin < 120
        if store.exists() and list(store.glob("*/*.parquet")):
            assert set(content(store)["run"]) <= {path.stem for path in paths}, told
    finished = subprocess.run(command(paths, qrels, store), capture_output=True, check=True)
    assert finished.stdout == undisturbed, told
    assert content(store).equals(content(tmp_path / "quiet")), told
