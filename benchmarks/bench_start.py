"""How long the command line takes to answer."""

from __future__ import annotations

import sys

from benchmarks.harness import DOXEVAL, best, markdown, verdict

TARGET = 0.25


def report() -> str:
    costs = best(
        {
            "an empty Python": [sys.executable, "-c", ""],
            "import numpy": [sys.executable, "-c", "import numpy"],
            "doxeval --version": [*DOXEVAL, "--version"],
            "doxeval --help": [*DOXEVAL, "--help"],
            "doxeval eval --help": [*DOXEVAL, "eval", "--help"],
        },
        rounds=5,
    )
    rows = [[name, f"{cost.seconds:.3f}", f"{cost.cpu:.3f}"] for name, cost in costs.items()]
    cpu = costs["doxeval --help"].cpu
    return (
        f"## Start\n\n{markdown(['command', 'seconds', 'CPU seconds'], rows)}\n\n"
        f"- doxeval --help: {cpu:.3f} s of CPU, target {TARGET}: {verdict(cpu, TARGET)}"
    )
