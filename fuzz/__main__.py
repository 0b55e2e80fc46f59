"""Fuzz readers with atheris: ``python -m fuzz [--seconds N] [READER...]``, or ``make fuzz``.

Each reader runs in a process of its own, from the samples and the corpus that the tests use; what breaks it
is kept under ``fuzz-findings``. A finding belongs, once understood, into the corpus:
``tests/robustness/corpus/READER``.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.robustness.readers import READERS, UNGUARDED, seeds

FINDINGS = Path("fuzz-findings")
LONGEST_INPUT = 4096
SLOWEST_INPUT = 20
MOST_MEMORY = 4096
EXECUTIONS = re.compile(r"^#(\d+)\s+DONE|stat::number_of_executed_units:\s*(\d+)", re.MULTILINE)


def fuzz(reader: str, seconds: int) -> tuple[int, bool]:
    """How many inputs a reader was tried with, and whether it survived them all."""
    FINDINGS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as grown:
        for number, data in enumerate(seeds(reader)):
            (Path(grown) / str(number)).write_bytes(data)
        command = [
            sys.executable, "-m", "fuzz.target", reader,
            f"-max_total_time={seconds}", f"-max_len={LONGEST_INPUT}",
            f"-timeout={SLOWEST_INPUT}", f"-rss_limit_mb={MOST_MEMORY}", "-print_final_stats=1",
            f"-artifact_prefix={FINDINGS}/{reader}-", grown,
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    counts = [int(one or other) for one, other in EXECUTIONS.findall(done.stderr)]
    if done.returncode:
        (FINDINGS / f"{reader}.log").write_text(done.stdout + done.stderr)
    return max(counts, default=0), done.returncode == 0


def main() -> None:
    """Fuzz the readers that are named, or all of them, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description="Fuzz the readers.")
    parser.add_argument("readers", nargs="*", metavar="READER")
    parser.add_argument("--seconds", type=int, default=60, help="for each reader (60)")
    given = parser.parse_args()
    if unknown := set(given.readers) - set(READERS):
        sys.exit(f"no reader is called {', '.join(sorted(unknown))} (known: {', '.join(READERS)})")
    broken = []
    print("| reader | executions | |\n| --- | ---: | --- |", flush=True)
    for reader in given.readers or [name for name in READERS if name not in UNGUARDED]:
        executions, clean = fuzz(reader, given.seconds)
        print(f"| {reader} | {executions:,} | {'clean' if clean else 'BROKEN'} |", flush=True)
        broken += [] if clean else [reader]
    if broken:
        sys.exit(f"broken: {', '.join(broken)}; see {FINDINGS}")


if __name__ == "__main__":
    main()
