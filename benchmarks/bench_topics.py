"""Few topics and many: passages and documents, one run and twenty, of the time of pytrec_eval."""

from __future__ import annotations

import os
import sys

from benchmarks.bench_scoring import MEASURES
from benchmarks.harness import DOXEVAL, Command, cores_at_hand, markdown, medians, peak_megabytes
from benchmarks.peers import trec_eval
from benchmarks.synthetic import RESULTS, Input, inex_size

ROUNDS = int(os.environ.get("ROUNDS", "5"))
DOCUMENT_MEASURES = "P@10 AP nDCG@10 R@1000"
SIZES = ((1, 50), (20, 50), (20, 200))
GOALS = {
    ("documents", 1, 50): "0.9", ("documents", 20, 50): "0.6", ("documents", 20, 200): "0.5",
    ("passages", 1, 50): "0.6", ("passages, --jobs 2", 20, 50): "1.4 times",
    ("passages, --jobs 2", 20, 200): "1.7 times",
}  # fmt: skip
"""The largest share of pytrec_eval's CPU time; for jobs, how many times as fast as one."""


def commands(data: Input, runs: int) -> dict[str, Command]:
    """What is compared, by name; trec_eval where it is installed, or can be built."""
    shown = ["--per-topic", "--format", "csv"]
    passages: Command = [*DOXEVAL, "eval", *data.runs(runs), "-q", data.qrels, "-m", MEASURES, *shown]
    documents: Command = [
        *DOXEVAL, "eval", *data.trec_runs(runs), "-q", data.trec_qrels, "-m", DOCUMENT_MEASURES, *shown,
    ]  # fmt: skip
    peer: Command = [sys.executable, "-m", "benchmarks.peers.pytrec_eval_scores", data.trec_qrels]
    found: dict[str, Command] = {"pytrec_eval": [*peer, *data.trec_runs(runs)]}
    if program := trec_eval.trec_eval():
        found["trec_eval"] = trec_eval.command(program, data.trec_qrels, data.trec_runs(runs))
    found |= {"documents": documents, "passages": passages}
    return found | ({"passages, --jobs 2": [*passages, "--jobs", "2"]} if runs > 1 else {})


def report() -> str:
    rows: list[list[object]] = []
    for runs, topics in SIZES:
        wanted = commands(inex_size("long", topics), runs)
        costs = medians(wanted, ROUNDS)
        theirs, alone = costs["pytrec_eval"], costs["passages"]
        for name, cost in costs.items():
            ratio = f"{cost.cpu / theirs.cpu:.2f}"
            if "--jobs" in name:
                ratio = f"{alone.seconds / cost.seconds:.2f} times"
            goal = GOALS.get((name, runs, topics), "")
            spent = f"{cost.seconds:.2f}", f"{cost.cpu:.2f}"
            rows.append([name, runs, topics, *spent, ratio, goal, f"{peak_megabytes(wanted[name]):.0f}"])
    header = ["scorer", "runs", "topics", "seconds", "CPU seconds", "of pytrec_eval's CPU", "goal", "MB"]
    return (
        f"## Few topics and many\n\nWhole processes, {RESULTS} results per topic, interleaved, medians of "
        f"{ROUNDS}. doxeval scores `{MEASURES}` on passages, and `{DOCUMENT_MEASURES}` on documents as "
        "pytrec_eval does. With `--jobs 2`: how many times as fast as one job; two processes that only "
        f"compute were {cores_at_hand():.2f} times as fast side by side.\n\n{markdown(header, rows)}"
    )
