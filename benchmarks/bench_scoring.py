"""Text files to per-topic scores, whole processes, against the scorers of flat lists on the same lines."""

from __future__ import annotations

import sys

from benchmarks.harness import DOXEVAL, Command, best, markdown, peak_megabytes, verdict
from benchmarks.synthetic import ASSESSED, RESULTS, RUNS, TOPICS, Input, inex_size

MEASURES = "AiP iP[0.01] iR@1000 IoU@10"
ROUNDS = {1: 5, RUNS: 3}
TARGETS = {1: 1.0, RUNS: 0.7}
MEMORY_TARGET = 400


def ours(data: Input, runs: int) -> Command:
    options = ["--qrels", data.qrels, "-m", MEASURES, "--per-topic", "--format", "csv"]
    return [*DOXEVAL, "eval", *data.runs(runs), *options]


def commands(data: Input, runs: int) -> dict[str, Command]:
    peers = {
        name: [
            sys.executable,
            "-m",
            f"benchmarks.peers.{name}_scores",
            data.trec_qrels,
            *data.trec_runs(runs),
        ]
        for name in ("pytrec_eval", "ir_measures")
    }
    return {"doxeval": ours(data, runs), **peers}


def report() -> str:
    data = inex_size()
    rows: list[list[object]] = []
    notes = []
    for runs, rounds in ROUNDS.items():
        costs = best(commands(data, runs), rounds)
        own = costs["doxeval"]
        for name, cost in costs.items():
            ratio = own.seconds / cost.seconds
            rows.append([name, runs, f"{cost.seconds:.2f}", f"{cost.cpu:.2f}", f"{ratio:.2f}"])
        ratio = own.seconds / costs["pytrec_eval"].seconds
        notes.append(f"- {runs} run(s): {ratio:.2f} of pytrec_eval's time, target {TARGETS[runs]}: "
                     f"{verdict(ratio, TARGETS[runs])}")  # fmt: skip
    memory = peak_megabytes(ours(data, RUNS))
    met = verdict(memory, MEMORY_TARGET)
    notes.append(f"- peak memory, {RUNS} runs: {memory:.0f} MB, target {MEMORY_TARGET}: {met}")
    table = markdown(["scorer", "runs", "seconds", "CPU seconds", "doxeval / scorer"], rows)
    return (
        f"## Files to per-topic scores\n\n{TOPICS} topics x {RESULTS} results, {TOPICS} x {ASSESSED} "
        f"assessed documents; doxeval: {MEASURES} on passages; the others: P@10 AP nDCG@10 R@1000 on the "
        f"same lines as documents. Whole processes, interleaved, the best of {ROUNDS[1]} (1 run) and "
        f"{ROUNDS[RUNS]} ({RUNS} runs).\n\n{table}\n\n" + "\n".join(notes)
    )
