"""What each trick brings: the same command with and without it, by a switch that is here and nowhere else."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping
from typing import Any

from benchmarks.harness import DATA, ROOT, Command, costs_of, markdown
from benchmarks.synthetic import inex_size

ROUNDS = int(os.environ.get("ROUNDS", "7"))
AS_IT_IS = "from doxeval.__main__ import main; main()"
SWITCHES = {
    "as it is": "",
    "cycles looked for as usual": "import doxeval.__main__ as m; m.OBJECTS_BETWEEN_COLLECTIONS = 700",
    "the interpreter taken apart": "import doxeval.__main__ as m; m.exit_quickly = lambda *_: None",
    "lines of JSON read one by one": "import os; os.environ['OPENBLAS_NUM_THREADS'] = '1'\n"
    "import doxeval.io.formats.native as n; n.places_in_lines = lambda *_: None",
    "data classes of the standard library": "import dataclasses, doxeval.core.quick_class as q\n"
    "q.dataclass = dataclasses.dataclass",
}
"""Each trick with what undoes it."""
STORING = {
    "as it is": "",
    "parts written by polars": "import os; os.environ['OPENBLAS_NUM_THREADS'] = '1'\n"
    "import doxeval.scoring.store.parts as p, benchmarks.bench_tricks as b; p.parquet_bytes = b.by_polars",
}
"""The same for what a store brings."""
STORED = "20 runs into a store"
STORE = DATA / "store"
EMPTY_STORE = f"import shutil; shutil.rmtree({str(STORE)!r}, ignore_errors=True)"


def by_polars(columns: Mapping[str, Any], beside: Mapping[str, str]) -> bytes:
    """A part of a store as polars writes it."""
    import polars

    series = {
        name: polars.Series(column[0], dtype=polars.String).gather(column[1])
        if isinstance(column, tuple)
        else column
        for name, column in columns.items()
    }
    stream = io.BytesIO()
    polars.DataFrame(series).write_parquet(stream, metadata=dict(beside))
    return stream.getvalue()


def switched(switch: str, words: Command) -> Command:
    """A command in a process with a trick undone."""
    return [sys.executable, "-c", f"{switch}\n{AS_IT_IS}", *words]


def jobs() -> dict[str, Command]:
    """What is measured: one run and twenty of passages, and one of JSON Lines."""
    data, demo = inex_size("long"), ROOT / "src" / "doxeval" / "demo"
    scored: Command = ["--qrels", data.qrels, "-m", "AiP iP[0.01] iR@1000", "--per-topic", "--format", "csv"]
    lines = data.folder / "run00.jsonl"
    if not lines.exists():
        costs_of({"": switched("", ["convert", data.runs(1)[0], lines])}, 1)
    return {
        "a small run": ["eval", demo / "runs" / "sections.jsonl", "-q", demo / "answers.jsonl", "-m", "iP@5"],
        "20 runs": ["eval", *data.runs(20), *scored],
        "JSON Lines": ["eval", lines, *scored],
        STORED: ["eval", *data.runs(20), *scored, "--store", STORE],
    }


def report() -> str:
    rows = []
    for job, words in jobs().items():
        switches, first = (STORING, f"{EMPTY_STORE}\n") if job == STORED else (SWITCHES, "")
        costs = costs_of({name: switched(first + switch, words) for name, switch in switches.items()}, ROUNDS)
        least = {name: min(one.cpu for one in many) for name, many in costs.items()}
        rows += [
            [job, name, f"{1000 * seconds:.0f}", f"{100 * (seconds / least['as it is'] - 1):+.0f}%"]
            for name, seconds in least.items()
        ]
    return (
        f"## Tricks\n\nThe same command with one trick undone, the least CPU time of {ROUNDS} interleaved "
        "rounds. A trick that brings nothing for a job shows how far measurements differ.\n\n"
        + markdown(["job", "how", "ms of CPU", "more"], rows)
    )
