"""Text files to per-topic scores, whole processes, against the scorers of flat lists on the same lines."""

from __future__ import annotations

import importlib.util
import os
import sys

from benchmarks.harness import (
    DOXEVAL,
    Command,
    cores_at_hand,
    markdown,
    medians,
    peak_megabytes,
    verdict,
)
from benchmarks.peers import trec_eval
from benchmarks.synthetic import ASSESSED, NAMES, RESULTS, RUNS, TOPICS, Input, inex_size

MEASURES = "AiP iP[0.01] iR@1000 IoU@10"
ROUNDS = int(os.environ.get("ROUNDS", "5"))
TARGETS = {1: {"pytrec_eval": 0.6}, RUNS: {"pytrec_eval": 0.35, "trec_eval": 0.45}}
MEMORY_TARGET = 100
JOBS_TARGET = 1 / 1.6


def ours(data: Input, runs: int, *more: str) -> Command:
    options: Command = ["--qrels", data.qrels, "-m", MEASURES, "--per-topic", "--format", "csv", *more]
    return [*DOXEVAL, "eval", *data.runs(runs), *options]


def commands(data: Input, runs: int) -> dict[str, Command]:
    """What is compared, by name; peers that are not installed are left out."""
    found: dict[str, Command] = {"doxeval": ours(data, runs)}
    if runs > 1:
        found["doxeval --jobs 2"] = ours(data, runs, "--jobs", "2")
    files = [data.trec_qrels, *data.trec_runs(runs)]
    for name in ("pytrec_eval", "ir_measures", *(["ranx"] if runs == 1 else [])):
        if importlib.util.find_spec(name):
            found[name] = [sys.executable, "-m", f"benchmarks.peers.{name}_scores", *files]
    if program := trec_eval.trec_eval():
        found["trec_eval"] = trec_eval.command(program, data.trec_qrels, data.trec_runs(runs))
    return found


def left_out() -> str:
    """A line for the peers that are not installed."""
    missing = [name for name in ("pytrec_eval", "ir_measures", "ranx") if not importlib.util.find_spec(name)]
    missing += [] if trec_eval.trec_eval() else ["trec_eval (put it on the PATH, or set TREC_EVAL_SOURCE)"]
    absent = f"Left out, because not installed: {', '.join(missing)}. " if missing else ""
    return f"{absent}ranx, which takes many seconds per run, scores one run only.\n\n"


def report() -> str:
    rows: list[list[object]] = []
    notes = []
    medians({"": ours(inex_size("long"), 1)}, 1)  # compiles the modules, as an installation does
    for names in NAMES:
        data = inex_size(names)
        for runs, targets in TARGETS.items():
            costs = medians(commands(data, runs), ROUNDS)
            own = costs["doxeval"]
            for name, cost in costs.items():
                ratio = own.seconds / cost.seconds
                shown = [
                    f"{cost.seconds:.2f}",
                    f"{cost.cpu:.2f}",
                    f"{ratio:.2f}",
                    f"{own.cpu / cost.cpu:.2f}",
                ]
                rows.append([name, names, runs, *shown])
                if name in targets:
                    met = verdict(ratio, targets[name])
                    notes.append(f"- {names} names, {runs} run(s): {ratio:.2f} of the time of {name}, "
                                 f"target {targets[name]}: {met}")  # fmt: skip
            if "doxeval --jobs 2" in costs:
                ratio = costs["doxeval --jobs 2"].seconds / own.seconds
                met = verdict(ratio, JOBS_TARGET)
                notes.append(f"- {names} names, --jobs 2: {1 / ratio:.2f} times as fast, target 1.6: {met} "
                             f"(two processes that only compute: {cores_at_hand():.2f})")  # fmt: skip
    memory = peak_megabytes(ours(inex_size("long"), RUNS))
    met = verdict(memory, MEMORY_TARGET)
    notes.append(f"- peak memory, {RUNS} runs: {memory:.0f} MB, target {MEMORY_TARGET}: {met}")
    header = ["scorer", "names", "runs", "seconds", "CPU seconds", "doxeval / scorer", "in CPU"]
    return (
        f"## Files to scores per topic\n\n{TOPICS} topics with {RESULTS} results each, {ASSESSED} assessed "
        f"documents per topic. doxeval scores `{MEASURES}` on passages; the others `P@10 AP nDCG@10 R@1000` "
        f"on the same lines as documents. Whole processes, interleaved, medians of {ROUNDS} (set by the "
        f"variable ROUNDS). Long names look like `{NAMES['long'].format(12345678)}`.\n\n"
        + f"{left_out()}{markdown(header, rows)}\n\n" + "\n".join(notes)
    )  # fmt: skip
