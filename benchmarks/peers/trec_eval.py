"""trec_eval, found or built: on the PATH, or from the source folder that `TREC_EVAL_SOURCE` names.

`make test-peers` leaves a program in `build/peers/trec_eval`, taken out of a package of the registry.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from benchmarks.harness import DATA, Command

EACH_RUN = 'scorer=$1; qrels=$2; shift 2; for run; do "$scorer" -q {} "$qrels" "$run"; done'
MEASURES = "-m P.10 -m map -m ndcg_cut.10 -m recall.1000"


def trec_eval() -> Path | None:
    """The program, built with -O3 if there are source and compiler; None where there is none."""
    built = DATA / "trec_eval"
    source = os.environ.get("TREC_EVAL_SOURCE")
    compiler = shutil.which("cc")
    if source and compiler and not built.exists():
        files = [path for path in Path(source).glob("*.c") if path.name != "windows_getopt.c"]
        options = ["-O3", "-w", f"-I{source}", '-DVERSIONID="built"']
        subprocess.run([compiler, *options, "-o", built, *files, "-lm"], check=True)
    found = shutil.which("trec_eval")
    return built if built.exists() else Path(found) if found else None


def command(program: Path, qrels: Path, runs: Sequence[Path]) -> Command:
    """Every run in a process of its own, one after another."""
    return ["sh", "-c", EACH_RUN.format(MEASURES), "sh", program, qrels, *map(distinct, runs)]


def distinct(run: Path) -> Path:
    """A run without the lines that name a document of a topic again, which trec_eval refuses."""
    path = run.with_suffix(".distinct.trec")
    if not path.exists():
        lines: dict[tuple[str, str], str] = {}
        for line in run.read_text().splitlines(keepends=True):
            topic, _, document, *_ = line.split(maxsplit=3)
            lines.setdefault((topic, document), line)
        path.write_text("".join(lines.values()))
    return path
