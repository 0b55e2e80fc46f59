"""Time whole processes, interleaved, and keep the best; this process itself stays small.

(Linux counts the memory of the process that starts another into the peak of the one started.)
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parent.parent
DATA = ROOT / "bench-data"
DOXEVAL = [sys.executable, "-m", "doxeval"]
Command = Sequence[str | Path]
USUAL = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""The environment of whoever has installed doxeval: modules are compiled once, not by every process."""


@dataclass(frozen=True)
class Cost:
    """What one process took."""

    seconds: float
    cpu: float


def cost(command: Command) -> Cost:
    """Run a command to its end; its output goes nowhere, its failure is ours."""
    begin = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=ROOT, env=USUAL
    )
    assert process.stderr is not None
    complaint = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{complaint.decode(errors='replace')}")
    return Cost(seconds, usage.ru_utime + usage.ru_stime)


def costs_of(commands: Mapping[str, Command], rounds: int) -> dict[str, list[Cost]]:
    """What each command took in some rounds; in every round each command runs once."""
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            costs[name].append(cost(command))
    return costs


def best(commands: Mapping[str, Command], rounds: int) -> dict[str, Cost]:
    """The fastest of some rounds for each command."""
    return {
        name: Cost(min(one.seconds for one in many), min(one.cpu for one in many))
        for name, many in costs_of(commands, rounds).items()
    }


def medians(commands: Mapping[str, Command], rounds: int) -> dict[str, Cost]:
    """The median of some rounds for each command."""
    return {
        name: Cost(median(one.seconds for one in many), median(one.cpu for one in many))
        for name, many in costs_of(commands, rounds).items()
    }


def peak_megabytes(command: Command) -> float:
    """The most resident memory that a command and its children hold together (not timed: it is watched)."""
    import psutil

    process = psutil.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT)
    peak = 0
    while process.poll() is None:
        try:
            family = [process, *process.children(recursive=True)]
            peak = max(peak, sum(member.memory_info().rss for member in family))
        except psutil.NoSuchProcess:
            continue
        time.sleep(0.002)
    return peak / 1e6


def cores_at_hand() -> float:
    """How many times as fast two processes that only compute are side by side as one after the other."""
    job = [sys.executable, "-c", "sum(at * at for at in range(4_000_000))"]

    def seconds(together: bool) -> float:
        begin = time.perf_counter()
        started = []
        for _ in range(2):
            started.append(subprocess.Popen(job))
            if not together:
                started[-1].wait()
        for process in started:
            process.wait()
        return time.perf_counter() - begin

    return median(seconds(together=False) / seconds(together=True) for _ in range(5))


def markdown(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; the first column is text, all others are numbers."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(str(cell) for cell in line)} |" for line in lines)


def verdict(value: float, target: float) -> str:
    """Whether a target was met."""
    return "met" if value <= target else "MISSED"
