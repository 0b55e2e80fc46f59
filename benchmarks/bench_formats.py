"""A million results read from each format: seconds of the processor, the best of some rounds."""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path

from benchmarks.harness import markdown, verdict

RESULTS, TOPICS, DOCUMENTS, ROUNDS = 1_000_000, 1000, 200_000, 3
SUFFIXES = {"native JSON Lines": ".jsonl", "INEX file-offset-length": ".fol", "Parquet": ".parquet"}
TARGET = 2.0


def written(folder: Path) -> dict[str, Path]:
    """One run in every format; scores have all the digits that a double needs."""
    import doxeval as dx
    from doxeval.io.formats.format import Options
    from doxeval.io.write import format_to_write, write_table

    rng = random.Random(1)
    lines = []
    for at in range(RESULTS):
        start = rng.randrange(100_000)
        topic, rank = divmod(at, RESULTS // TOPICS)
        place = f"{start} {rng.randrange(1, 3000)}"
        lines.append(
            f"t{topic} Q0 d{rng.randrange(DOCUMENTS)} {rank + 1} {10 * rng.random()!r} sys {place}\n"
        )
    run = dx.read_run("".join(lines).encode())
    paths = {name: folder / f"run{suffix}" for name, suffix in SUFFIXES.items()}
    for path in paths.values():
        write_table(run, path, format_to_write("run", path, None), Options())
    return paths


def seconds(path: Path) -> float:
    """The least that reading a file took."""
    import doxeval as dx

    best = float("inf")
    for _ in range(ROUNDS):
        begin = time.process_time()
        dx.read_run(path)
        best = min(best, time.process_time() - begin)
    return best


def report() -> str:
    with tempfile.TemporaryDirectory() as folder:
        costs = {name: seconds(path) for name, path in written(Path(folder)).items()}
    table = markdown(["format", "seconds"], [[name, f"{cost:.2f}"] for name, cost in costs.items()])
    native = costs["native JSON Lines"]
    return (
        f"## A million results, by format\n\n{TOPICS:,} topics, {DOCUMENTS:,} documents; processor time, the "
        f"best of {ROUNDS}.\n\n{table}\n\n- native JSON Lines in {native:.2f} s, target {TARGET}: "
        f"{verdict(native, TARGET)}"
    )
