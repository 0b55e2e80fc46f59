"""A small sweep for the tests of executors, stores and streams: assessments, runs, and scores to compare."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import doxeval as dx
from doxeval.kernels import compiled
from doxeval.scoring.loader import RunLoader

MEASURES = "AiP iP[0.01] iR@5 IoU@3"
IN_PROCESSES = f"{MEASURES} Judged@5"
"""Measures that several jobs score in processes, not in threads."""
TOPICS = 6
limits_of_compiled = pytest.mark.skipif(
    not compiled(), reason="limits of time and memory are those of compiled kernels"
)


def write_sweep(folder: Path, runs: int = 6, results: int = 40, seed: int = 8) -> tuple[list[Path], Path]:
    """Run files and a file of assessments; some results are in documents nobody assessed."""
    rng = random.Random(seed)
    qrels = folder / "qrels.txt"
    lines = []
    for topic in range(1, TOPICS + 1):
        for doc in range(12):
            start, size = rng.randrange(0, 400), rng.randrange(1, 200)
            told = f"{size} 1000 {start} {start}:{size}" if doc % 3 else "0 1000"
            lines.append(f"{topic} Q0 d{doc} {told}\n")
    qrels.write_text("".join(lines))
    paths = []
    for number in range(runs):
        path = folder / f"run{number}.fol"
        path.write_text("".join(run_lines(rng, f"s{number}", results)))
        paths.append(path)
    return paths, qrels


def run_lines(rng: random.Random, tag: str, results: int) -> list[str]:
    return [
        f"{topic} Q0 d{rng.randrange(20)} {rank} {-rank} {tag} {rng.randrange(900)} {rng.randrange(90)}\n"
        for topic in range(1, TOPICS + 1)
        for rank in range(1, results + 1)
    ]


def evaluated(runs, qrels, measures: str = MEASURES, **options) -> dx.Scores:
    """Scores, whatever was noticed on the way."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        return dx.evaluate(runs, qrels, measures, **options)


def same_bits(found: dx.Scores, expected: dx.Scores) -> None:
    assert found.names == expected.names and found.measures == expected.measures
    assert found.topics == expected.topics
    for one, other in zip(found.runs, expected.runs, strict=True):
        for measure, mine, yours in zip(found.measures, one.values, other.values, strict=True):
            assert np.array_equal(mine, yours, equal_nan=True), (one.name, measure, mine, yours)
        assert np.array_equal(one.counted, other.counted)
        assert (one.results, one.unjudged) == (other.results, other.unjudged)


@dataclass(eq=False)
class Deadly(RunLoader):
    """A run whose reading kills the process that reads it, as long as a file says so."""

    lives: Path = Path()

    def __call__(self):
        left = int(self.lives.read_text())
        if left:
            self.lives.write_text(str(left - 1))
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__()


def kill_soon(pid: int, after: float) -> None:
    """Kill a process, and whatever it has started, after some time; it may be gone by then."""
    import psutil

    time.sleep(after)
    try:
        family = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    except psutil.NoSuchProcess:
        return
    for member in family:
        try:
            member.kill()
        except psutil.NoSuchProcess:
            continue


PYTHON = sys.executable
