"""Fuzz readers: ``python -m fuzz [--kind KIND] [--seconds N] [READER...]``, or ``make fuzz``.

Two kinds: `bytes` are changed by atheris, guided by coverage; `structure` changes values, keys, rows and
elements (``tests/robustness/structures.py``). Each reader runs in a process of its own, from the samples and
the corpus that the tests use; what breaks it is kept under ``fuzz-findings``, beside the number of files that
were read without a defect, by which ``--table`` prints a table. A finding belongs, once understood, into the
corpus: ``tests/robustness/corpus/READER``.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.robustness.readers import READERS, UNGUARDED, UNSTRUCTURED, seeds

FINDINGS = Path("fuzz-findings")
KINDS = ("bytes", "structure")
LONGEST_INPUT = 4096
SLOWEST_INPUT = 20
MOST_MEMORY = 4096
EXECUTIONS = re.compile(r"^#(\d+)\s+DONE|stat::number_of_executed_units:\s*(\d+)", re.MULTILINE)


def fuzz(kind: str, reader: str, seconds: int) -> tuple[int, bool]:
    """How many files a reader was tried with, and whether it survived them all."""
    FINDINGS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as grown:
        for number, data in enumerate(seeds(reader)):
            (Path(grown) / str(number)).write_bytes(data)
        command = {
            "bytes": [
                "fuzz.target", reader, f"-max_total_time={seconds}", f"-max_len={LONGEST_INPUT}",
                f"-timeout={SLOWEST_INPUT}", f"-rss_limit_mb={MOST_MEMORY}", "-print_final_stats=1",
                f"-artifact_prefix={FINDINGS}/{reader}-", grown,
            ],
            "structure": ["fuzz.structure", reader, str(seconds), str(time.time_ns())],
        }[kind]  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-m", *command], capture_output=True, text=True, errors="replace", check=False
        )
    if kind == "bytes":
        executions = max((int(one or other) for one, other in EXECUTIONS.findall(done.stderr)), default=0)
    else:
        executions = int(done.stdout.split()[-1]) if done.stdout.strip() else 0
    if done.returncode:
        (FINDINGS / f"{reader}.log").write_text(done.stdout + done.stderr)
    return executions, done.returncode == 0


def ledger(kind: str) -> dict[str, int]:
    """How many files each reader has read without a defect, over all rounds."""
    path = FINDINGS / f"{kind}.json"
    return json.loads(path.read_text()) if path.exists() else {}


def table() -> str:
    """The files read without a defect, by reader and kind."""
    counts = {kind: ledger(kind) for kind in KINDS}
    lines = ["| reader | bytes | structure |", "| --- | ---: | ---: |"]
    for reader in READERS:
        told = [f"{counts[kind][reader]:,}" if reader in counts[kind] else "" for kind in KINDS]
        lines += [f"| `{reader}` | {told[0]} | {told[1]} |"] if any(told) else []
    totals = " | ".join(f"{sum(counts[kind].values()):,}" for kind in KINDS)
    return "\n".join([*lines, f"| in all | {totals} |"])


def main() -> None:
    """Fuzz the readers that are named, or all of them, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description="Fuzz the readers.")
    parser.add_argument("readers", nargs="*", metavar="READER")
    parser.add_argument("--kind", choices=KINDS, action="append", help="how files are changed (both ways)")
    parser.add_argument("--seconds", type=int, default=60, help="for each reader and kind (60)")
    parser.add_argument("--table", action="store_true", help="only print what was done so far")
    given = parser.parse_args()
    if unknown := set(given.readers) - set(READERS):
        sys.exit(f"no reader is called {', '.join(sorted(unknown))} (known: {', '.join(READERS)})")
    broken = []
    for kind in () if given.table else given.kind or KINDS:
        left_out = UNGUARDED if kind == "bytes" else UNSTRUCTURED
        for reader in given.readers or [name for name in READERS if name not in left_out]:
            executions, clean = fuzz(kind, reader, given.seconds)
            print(f"{kind} {reader}: {executions:,}{'' if clean else ' BROKEN'}", file=sys.stderr, flush=True)
            broken += [] if clean else [reader]
            counts = ledger(kind)
            counts[reader] = counts.get(reader, 0) + executions
            (FINDINGS / f"{kind}.json").write_text(json.dumps(counts))
    print(table())
    if broken:
        sys.exit(f"broken: {', '.join(broken)}; see {FINDINGS}")


if __name__ == "__main__":
    main()
