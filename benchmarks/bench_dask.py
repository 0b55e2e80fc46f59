"""A Dask cluster on this machine against one process and local jobs: from how many runs on it pays."""

from __future__ import annotations

import os

from benchmarks.bench_scoring import MEASURES
from benchmarks.harness import DOXEVAL, Command, Cost, cores_at_hand, costs_of, markdown
from benchmarks.scale import cpu_of, dask_cluster
from benchmarks.scale_data import many_runs
from benchmarks.synthetic import inex_size

ROUNDS = int(os.environ.get("ROUNDS", "3"))
SIZES = (20, 50, 100, 200)
WORKERS = 2
GOAL = 1.7


def report() -> str:
    rows: list[list[object]] = []
    paths = many_runs(max(SIZES))
    with dask_cluster(WORKERS) as (address, pids):
        for runs in SIZES:
            alone: Command = [
                *DOXEVAL, "eval", *paths[:runs], "-q", inex_size().qrels, "-m", MEASURES, "-f", "csv",
            ]  # fmt: skip
            commands: dict[str, Command] = {
                "one process": alone,
                f"--jobs {WORKERS}": [*alone, "--jobs", str(WORKERS)],
                f"Dask, {WORKERS} workers": [*alone, "--executor", address],
            }
            before = cpu_of(pids)
            many = costs_of(commands, ROUNDS)
            cluster = (cpu_of(pids) - before) / ROUNDS
            serial = min(one.seconds for one in many["one process"])
            for name, costs in many.items():
                least = Cost(min(one.seconds for one in costs), min(one.cpu for one in costs))
                cpu = least.cpu + (cluster if "Dask" in name else 0)
                ratio = f"{serial / least.seconds:.2f}"
                rows.append([name, runs, f"{least.seconds:.2f}", f"{cpu:.2f}", ratio])
    table = markdown(["how", "runs", "seconds", "CPU seconds", "times as fast"], rows)
    return (
        f"## A Dask cluster on one machine\n\nRuns of INEX size by `{MEASURES}`, whole processes, "
        f"interleaved, the least of {ROUNDS}; CPU seconds with those of the scheduler and its {WORKERS} "
        f"workers, started before. Two processes that only compute were {cores_at_hand():.2f} times "
        f"as fast side by side. The goal is {GOAL} times as fast for {max(SIZES)} runs.\n\n{table}"
    )
