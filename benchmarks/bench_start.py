"""How long the command line takes to answer."""

from __future__ import annotations

import os
import sys

from benchmarks.harness import DOXEVAL, ROOT, Command, best, markdown, verdict

ROUNDS = int(os.environ.get("ROUNDS", "9"))
ABOVE_CLICK = 0.020
TIMES_NUMPY = 1.3
ASKED = {"--version": ["--version"], "--help": ["--help"], "eval --help": ["eval", "--help"]}


def report() -> str:
    demo = ROOT / "src" / "doxeval" / "demo"
    small: Command = ["eval", demo / "runs" / "sections.jsonl", "-q", demo / "answers.jsonl", "-m", "iP@5"]
    one_thread = "import os; os.environ['OPENBLAS_NUM_THREADS'] = '1'; import numpy"
    costs = best(
        {
            "an empty Python": [sys.executable, "-c", ""],
            "import click": [sys.executable, "-c", "import click"],
            "import numpy": [sys.executable, "-c", "import numpy"],
            "the same with one thread": [sys.executable, "-c", one_thread],
            **{f"doxeval {name}": [*DOXEVAL, *words] for name, words in ASKED.items()},
            "doxeval eval, a small run": [*DOXEVAL, *small],
        },
        ROUNDS,
    )
    rows = [[name, f"{cost.seconds:.3f}", f"{cost.cpu:.3f}"] for name, cost in costs.items()]
    notes = []
    for name in ASKED:
        more = costs[f"doxeval {name}"].cpu - costs["import click"].cpu
        met = verdict(more, ABOVE_CLICK)
        notes.append(f"- doxeval {name}: {1000 * more:.0f} ms of CPU above `import click`, target 20: {met}")
    ratio = costs["doxeval eval, a small run"].cpu / costs["import numpy"].cpu
    alone = costs["doxeval eval, a small run"].cpu / costs["the same with one thread"].cpu
    notes.append(
        f"- a small eval: {ratio:.2f} times `import numpy`, target {TIMES_NUMPY}: "
        f"{verdict(ratio, TIMES_NUMPY)} ({alone:.2f} times with one thread)"
    )
    return (
        f"## Start\n\nThe least of {ROUNDS} rounds. `import numpy` starts a thread of OpenBLAS for every "
        "core but one, which take CPU time where cores are idle; commands start none.\n\n"
        f"{markdown(['command', 'seconds', 'CPU seconds'], rows)}\n\n" + "\n".join(notes)
    )
