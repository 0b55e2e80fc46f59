"""How the cost of every command grows with topics, runs, results, documents and the length of documents.

Each thing is doubled three times, in processes of their own; what a command takes for next to nothing is
subtracted. The exponent is the slope of the line through the logarithms: 1 is linear. `make bench-growth`
fails where cost grows faster than its input.
"""

from __future__ import annotations

import math
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path

from benchmarks.growing_input import RUNS, TINY, WAYS, Shape, made
from benchmarks.harness import DOXEVAL, ROOT, USUAL, markdown

LINEAR, ALL_PAIRS, MEMORY = 1.15, 2.1, 1.3
"""The largest exponents: of work on each thing, of work on all pairs of runs, and of memory, which comes in
large pieces."""
TIMES = (1, 2, 4, 8)
LEAST_SECONDS = 0.5
"""Growth below this CPU time of the largest input is that of a start, and of noise; input is made larger
until it takes as long, and as long as the start, if it can."""
LEAST_TOLD = LEAST_SECONDS / 16
"""Less than this is noise."""
MEGABYTES_AT_LEAST = 40
"""Growth of memory below this is not looked at."""
ROUNDS = int(os.environ.get("ROUNDS", "3"))
TIMES_AGAIN = 2
"""How often growth that is too fast is measured again, as other work may have slowed the largest input."""
SCORED = "{runs} -q {in}/answers.jsonl"
TEXT = "-d {in}/documents.jsonl"
USUAL_SHAPE = Shape()
NOTHING_GROWS = {
    "demo": "its collection is fixed", "config": "it reads one small file", "measures": "it lists names",
    "formats": "it lists names", "navigations": "it lists names", "synth": "its size is no input",
    "study": "it repeats what compare and correlate do", "scores": "it reads what eval has stored",
    "mcp": "it serves what other commands do",
}  # fmt: skip
"""Commands without an input that grows, and why."""


@dataclass(frozen=True)
class Growing:
    """A command on growing input: the ways in which it grows, those in which all pairs are looked at.

    Its memory does not grow in `flat` ways.
    """

    words: str
    ways: str
    pairs: str = ""
    start: Shape = USUAL_SHAPE
    flat: str = ""


GROWING = {
    "eval": Growing(f"{SCORED} -m 'AiP iP@5 iR@5'", "topics runs results",
                    start=Shape(topics=400, results=50), flat="runs"),
    "eval, trajectories": Growing("{in}/steps.jsonl -q {in}/answers.jsonl -m 'iP iR'", "topics results",
                                  start=Shape(topics=150)),
    "explain": Growing("--run {in}/run000.jsonl -q {in}/answers.jsonl --topic t1", "topics results",
                       start=Shape(topics=400, results=50)),
    "report": Growing(f"{SCORED} {TEXT} -m 'AiP iP@5' -o out/report.html", " ".join(WAYS), "runs"),
    "plot": Growing(f"{SCORED} -o out/figure.svg", "topics runs results", start=Shape(topics=200)),
    "budget": Growing(f"{SCORED} {TEXT}", "topics runs results", start=Shape(topics=100)),
    "diagnose": Growing(f"{SCORED} {TEXT} -m iR@5", " ".join(WAYS), start=Shape(topics=100)),
    "ceiling": Growing("{in}/chunks.jsonl -q {in}/answers.jsonl", "topics documents length"),
    "effects": Growing(f"{SCORED} -m AiP", "topics runs", "runs", Shape(topics=100, runs=8)),
    "cite": Growing("{in}/cited.jsonl -r {in}/run000.jsonl " + TEXT, "topics documents length"),
    "compare": Growing(f"{SCORED} -m AiP --test t", "topics runs", "runs", Shape(topics=200, runs=8)),
    "gate": Growing("{in}/run000.jsonl --baseline {in}/run000.jsonl -q {in}/answers.jsonl -m AiP",
                    "topics results", start=Shape(topics=400)),
    "correlate": Growing(f"{SCORED} -m 'AiP iR@5'", "topics runs", start=Shape(topics=100, runs=8)),
    "agree": Growing("{in}/answers.jsonl {in}/others.jsonl " + TEXT, "topics documents length",
                     start=Shape(topics=200)),
    "validate": Growing("{runs} {in}/answers.jsonl", "topics runs results", start=Shape(topics=400)),
    "convert": Growing("{in}/run000.jsonl out/run.fol", "topics results",
                       start=Shape(topics=1000, results=50)),
    "anchor": Growing("{in}/quotes.jsonl " + TEXT + " -o out/anchored.jsonl", "topics documents length"),
    "index": Growing("{in}/documents.jsonl -o out/c.dox --jobs 1", "documents length",
                     start=Shape(documents=500)),
    "chunk": Growing("{in}/documents.jsonl --size 300 -o out/chunks.jsonl", "documents length",
                     start=Shape(documents=500)),
    "pool": Growing("{runs} " + TEXT + " -o out/pool.jsonl", " ".join(WAYS)),
    "judge": Growing("{pool} " + TEXT + " -a ann --offline out/page.html", "topics documents length"),
    "navigate": Growing("{in}/documents.jsonl --nav hierarchical -f csv -o out/steps.csv", "documents"),
    "summary": Growing("{in}/documents.jsonl -o out/summary.json", "documents length"),
    "simulate": Growing("{in}/run000.jsonl -q {in}/answers.jsonl --readers 20 " + TEXT, "topics results"),
    "perturb": Growing("{in}/run000.jsonl relevant-up out/better.jsonl -q {in}/answers.jsonl",
                       "topics results", start=Shape(topics=400, results=50)),
}  # fmt: skip
"""Every other command, by name; what follows a comma tells one of its uses from another."""


@dataclass(frozen=True)
class Taken:
    """What one process took: CPU seconds and megabytes."""

    seconds: float
    megabytes: float

    def least(self, other: Taken) -> Taken:
        """The less of either."""
        return Taken(min(self.seconds, other.seconds), min(self.megabytes, other.megabytes))


def taken(name: str, shape: Shape, rounds_made: int = ROUNDS) -> Taken:
    """The least that a command takes for a collection, in a few rounds."""
    words = GROWING[name].words
    names = set(re.findall(r"{in}/([a-z]+\.jsonl)", words))
    folder = made(shape, names | ({RUNS} if "run" in words or "{pool}" in words else set()))
    given = {"{in}": str(folder), "{runs}": " ".join(map(str, sorted(folder.glob("run*.jsonl"))))}
    if "{pool}" in words:
        given["{pool}"] = str(_pooled(folder))
    for mark, text in given.items():
        words = words.replace(mark, text)
    rounds = [_cost([*DOXEVAL, name.partition(",")[0], *shlex.split(words)]) for _ in range(rounds_made)]
    return reduce(Taken.least, rounds)


def _pooled(folder: Path) -> Path:
    """A pool of the collection, made once."""
    pool = folder / "pool.jsonl"
    if not pool.exists():
        runs = [*folder.glob("run*.jsonl")]
        _cost([*DOXEVAL, "pool", *runs, "-d", folder / "documents.jsonl", "-o", pool])
    return pool


def _cost(command: list[str | Path]) -> Taken:
    with tempfile.TemporaryDirectory() as work:
        (Path(work) / "out").mkdir()
        process = subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd=work,
            env=USUAL | {"PYTHONPATH": str(ROOT / "src")},
        )
        assert process.stderr is not None
        complaint = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{shlex.join(map(str, command))} failed:\n{complaint.decode(errors='replace')}")
    return Taken(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000)


def exponent(sizes: list[int], amounts: list[float]) -> float:
    """The slope of the line through the logarithms.

    >>> round(exponent([1, 2, 4], [3.0, 12.0, 48.0]), 6)
    2.0
    """
    x, y = [math.log(size) for size in sizes], [math.log(max(amount, 1e-9)) for amount in amounts]
    middle, height = sum(x) / len(x), sum(y) / len(y)
    above = sum((one - middle) * (other - height) for one, other in zip(x, y, strict=True))
    return above / sum((one - middle) ** 2 for one in x)


@dataclass(frozen=True)
class Growth:
    """How a command grows in one way."""

    command: str
    way: str
    sizes: list[int]
    costs: list[Taken]
    nothing: Taken

    @property
    def power(self) -> float:
        """The exponent of its CPU time, 0 where it stays that of a start."""
        more = [max(LEAST_TOLD, one.seconds - self.nothing.seconds) for one in self.costs]
        if more[-1] < LEAST_SECONDS:
            return 0.0
        return exponent(self.sizes[-3:], more[-3:])

    @property
    def bytes_each(self) -> float:
        """The memory that one more thing takes."""
        more = self.costs[-1].megabytes - self.costs[0].megabytes
        return max(0.0, more) * 1e6 / (self.sizes[-1] - self.sizes[0])

    @property
    def memory_power(self) -> float:
        """The exponent of the memory beyond that of a start, 0 where it hardly grows."""
        more = [one.megabytes - self.nothing.megabytes for one in self.costs]
        if self.costs[-1].megabytes - self.costs[0].megabytes < MEGABYTES_AT_LEAST:
            return 0.0
        return exponent(self.sizes[-3:], more[-3:])

    @property
    def most(self) -> float:
        """The largest exponent allowed."""
        return ALL_PAIRS if self.way in GROWING[self.command].pairs.split() else LINEAR

    @property
    def fails(self) -> bool:
        """Whether it grows faster than its input."""
        flat = self.way in GROWING[self.command].flat.split()
        return self.power > self.most or self.memory_power > (0 if flat else max(MEMORY, self.most))


def growth(command: str, way: str, nothing: Taken) -> Growth:
    """Measure one command in one way, from a size at which it has something to do in the end."""
    start = GROWING[command].start
    largest = taken(command, start.grown(way, TIMES[-1]))
    while largest.seconds - nothing.seconds < max(LEAST_SECONDS, nothing.seconds):
        larger = start.grown(way, 4)
        if not larger.grown(way, TIMES[-1]).fits:
            break
        start, largest = larger, taken(command, larger.grown(way, TIMES[-1]))
    shapes = [start.grown(way, times) for times in TIMES]
    costs = [*(taken(command, shape) for shape in shapes[:-1]), largest]
    found = Growth(command, way, [getattr(shape, way) for shape in shapes], costs, nothing)
    for _ in range(TIMES_AGAIN):
        if found.fails:
            again = [taken(command, shape) for shape in shapes]
            costs = [cost.least(other) for cost, other in zip(found.costs, again, strict=True)]
            found = replace(found, costs=costs, nothing=found.nothing.least(taken(command, TINY)))
    return found


HEADER = (
    "command", "what grows", "from", "CPU seconds", "exponent", "at most", "MB at the end", "bytes each", "",
)  # fmt: skip


def row(one: Growth) -> list[str]:
    """A line of the table."""
    return [
        one.command, one.way, f"{one.sizes[0]:,} to {one.sizes[-1]:,}",
        f"{one.costs[0].seconds:.2f} to {one.costs[-1].seconds:.2f}",
        f"{one.power:.2f}" if one.power else "start", f"{one.most:g}", f"{one.costs[-1].megabytes:.0f}",
        f"{one.bytes_each:,.0f}", "MISSED" if one.fails else "met",
    ]  # fmt: skip


def measured(commands: Iterable[str]) -> Iterator[Growth]:
    """Every way of every command named."""
    for command in commands:
        nothing = taken(command, TINY, max(3, ROUNDS))
        for way in GROWING[command].ways.split():
            yield growth(command, way, nothing)


def report() -> str:
    return (
        "## Growth\n\nEverything is doubled three times, in processes of their own, the least of "
        f"{ROUNDS}; exponents are those of the last two doublings, without what a command takes for next to "
        "nothing. Where there is hardly more than that, it is a start. Growth that seems too fast is "
        "measured again. All pairs of runs may take the square.\n\n"
        + markdown(HEADER, map(row, measured(GROWING)))
    )


if __name__ == "__main__":
    failed = False
    print(markdown(HEADER, []), flush=True)
    for found in measured(sys.argv[1:] or GROWING):
        print(f"| {' | '.join(row(found))} |", flush=True)
        failed |= found.fails
    sys.exit(failed)
