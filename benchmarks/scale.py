"""What a large sweep and a large collection cost: ``make bench-scale``, or with sizes of your own:

    python -m benchmarks.scale --runs 1000 --documents 660000

A thousand runs take 7 GB of disk, the documents and their index 12 GB.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import Any

from benchmarks.harness import DATA, DOXEVAL, ROOT, Command, Cost, cost, markdown, verdict
from benchmarks.scale_data import SYSTEMS, collection, many_runs
from benchmarks.synthetic import inex_size

MEASURES = "AiP iP[0.01] iR@1000 IoU@10"
WORKERS = 2
MOST_OVERHEAD = 25
MOST_MEMORY = 4096
SLOWEST_OPENING = 1.0

PURE = """
import sys, time
from doxeval.scoring.evaluation import Evaluation
from doxeval.scoring.loader import RunLoader
evaluation = Evaluation(sys.argv[1], sys.argv[2])
evaluation.score(RunLoader(sys.argv[3]))
begin = time.process_time()
for path in sys.argv[3:]:
    evaluation.score(RunLoader(path))
print(time.process_time() - begin)
"""
OPENING = """
import sys, time
import doxeval.io.documents.index as index
begin = time.perf_counter()
documents = index.load_documents(sys.argv[1])
told = len(documents), documents.path(len(documents) // 2, 5)
print(time.perf_counter() - begin)
"""


def printed(script: str, *arguments: object) -> float:
    """The number that a script prints, run in a process of its own."""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout)


@contextmanager
def dask_cluster(workers: int) -> Any:
    """A scheduler and workers, started as anybody would start them; yields address and process ids."""
    address = "127.0.0.1:8799"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": ROOT}
    dask = [sys.executable, "-m", "dask"]
    host, port = address.split(":")
    commands = [[*dask, "scheduler", "--host", host, "--port", port, "--no-dashboard"]]
    commands += [[*dask, "worker", f"tcp://{address}", "--nthreads", "1", "--no-dashboard"]] * workers
    processes = [subprocess.Popen(command, **quiet) for command in commands]  # type: ignore[call-overload]
    try:
        from distributed import Client

        with Client(f"tcp://{address}", timeout=60) as client:
            client.wait_for_workers(workers, timeout=60)
        yield f"dask://{address}", [process.pid for process in processes]
    finally:
        import psutil

        for process in reversed(processes):
            for member in (*psutil.Process(process.pid).children(recursive=True), process):
                member.kill()
            process.wait()


def cpu_of(pids: list[int]) -> float:
    """CPU seconds of processes and of all they have started."""
    import psutil

    family = [member for pid in pids for member in (psutil.Process(pid), *psutil.Process(pid).children(True))]
    return sum(sum(member.cpu_times()[:2]) for member in family)


def report_runs(count: int) -> str:
    paths = many_runs(count)
    qrels = inex_size().qrels
    pure = printed(PURE, qrels, MEASURES, *paths)
    command: Command = [*DOXEVAL, "eval", *paths, "-q", qrels, "-m", MEASURES, "-f", "csv"]
    costs: dict[str, Cost] = {f"--jobs {WORKERS}": cost([*command, "--jobs", str(WORKERS)])}
    store = DATA / "scale-store"
    shutil.rmtree(store, ignore_errors=True)
    costs[f"--jobs {WORKERS} --store, empty"] = cost([*command, "--jobs", str(WORKERS), "--store", store])
    costs[f"--jobs {WORKERS} --store, full"] = cost([*command, "--jobs", str(WORKERS), "--store", store])
    size = sum(path.stat().st_size for path in store.rglob("*.parquet"))
    with dask_cluster(WORKERS) as (address, pids):
        before = cpu_of(pids)
        own = cost([*command, "--executor", address])
        costs[f"Dask, {WORKERS} workers"] = Cost(own.seconds, own.cpu + cpu_of(pids) - before)
    rows = [["one process, scoring only", f"{pure:.1f}", f"{pure:.1f}", f"{count / pure:.1f}", ""]]
    for name, one in costs.items():
        overhead = 100 * (one.cpu / pure - 1)
        told = "" if "full" in name else f"{overhead:+.0f}%"
        rows.append([name, f"{one.seconds:.1f}", f"{one.cpu:.1f}", f"{count / one.seconds:.1f}", told])
    local = 100 * (costs[f"--jobs {WORKERS}"].cpu / pure - 1)
    table = markdown(["", "seconds", "CPU seconds", "runs/s", "CPU over scoring only"], rows)
    return (
        f"## {count:,} runs of INEX size\n\n{MEASURES}; whole processes. Scoring only is reading, aligning "
        f"and measuring every run in one warm process.\n\n{table}\n\n- overhead of local jobs: {local:.0f}%, "
        f"target {MOST_OVERHEAD}%: {verdict(local, MOST_OVERHEAD)}\n- the store: {size / 1e6:.1f} MB"
    )


def report_collection(documents: int) -> str:
    folder = collection(documents)
    index = DATA / f"scale-{documents}.dox"
    index.unlink(missing_ok=True)
    begin = time.perf_counter()
    command: Command = [*DOXEVAL, "index", folder / "docs", "-o", index, "--jobs", str(WORKERS)]
    memory, told = watched(command)
    seconds = time.perf_counter() - begin
    archives = sum(path.stat().st_size for path in (folder / "docs").iterdir())
    opening = min(printed(OPENING, index) for _ in range(3))
    runs = sorted((folder / "task" / "runs").iterdir())
    task: Command = ["-q", folder / "task" / "qrels.txt", "-m", MEASURES]
    scored = cost([*DOXEVAL, "eval", *runs, *task, "-d", index])
    rows = [
        ["indexed", told],
        ["source", f"{archives / 1e9:.2f} GB of XML in tar archives"],
        ["documents/s", f"{documents / seconds:,.0f}"],
        ["seconds", f"{seconds:.0f}"],
        ["peak memory of all processes", f"{memory:,.0f} MiB"],
        ["size on disk", f"{index.stat().st_size / 1e9:.2f} GB"],
        ["time to open", f"{opening:.3f} s"],
        [f"evaluation of {SYSTEMS} runs on it", f"{scored.seconds:.1f} s ({scored.cpu:.1f} CPU)"],
    ]
    return (
        f"## A collection of {documents:,} documents\n\n{markdown(['', ''], rows)}\n\n"
        f"- memory: target {MOST_MEMORY} MiB: {verdict(memory, MOST_MEMORY)}\n"
        f"- opening: target {SLOWEST_OPENING} s: {verdict(opening, SLOWEST_OPENING)}"
    )


def watched(command: Command) -> tuple[float, str]:
    """The most memory, in MiB, that a command and its children have to themselves, and what it told last.

    What is shared, such as the pages of a file that is mapped, counts once (PSS).
    """
    import psutil

    process = psutil.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=ROOT)
    peak = 0
    while process.poll() is None:
        try:
            family = [process, *process.children(recursive=True)]
            peak = max(peak, sum(member.memory_full_info().pss for member in family))
        except psutil.Error:
            continue
        time.sleep(0.1)
    told = process.stderr.read().strip().splitlines()
    if process.returncode:
        sys.exit("\n".join(told))
    return peak / (1 << 20), told[-1].partition(": ")[2]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--documents", type=int, default=660_000)
    given = parser.parse_args()
    print(f"# Scale\n\nPython {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores.")
    if given.documents:
        print(f"\n{report_collection(given.documents)}", flush=True)
    if given.runs:
        print(f"\n{report_runs(given.runs)}", flush=True)
