"""The measures of near misses against AiP on the same element runs, and their memory as runs are added."""

from __future__ import annotations

from benchmarks.element_runs import RUNS, element_size
from benchmarks.harness import DOXEVAL, Command, best, markdown, peak_megabytes, verdict

MEASURES = "ESRP@10 ESRR@10 ASRiP2 SRPRUM(recall=0.5)"
MODELS = ("hierarchical", "summary(partition=path,weight=extent)")
ROUNDS = 3
TARGET = 3.0


def evaluation(measures: str, runs: int, *more: str) -> Command:
    data = element_size()
    files = [str(path) for path in data.runs(runs)]
    options = ["--qrels", str(data.qrels), "--docs", str(data.docs), "-m", measures, "--quiet", "-f", "csv"]
    return [*DOXEVAL, "eval", *files, *options, *more]


def report() -> str:
    element_size()
    commands = {"AiP": evaluation("AiP", RUNS)}
    for model in MODELS:
        for mode in ("text", "trees"):
            measures = MEASURES.replace("@", f"(mode={mode})@").replace("ASRiP2", f"ASRiP2(mode={mode})")
            measures = measures.replace("recall=0.5", f"recall=0.5,mode={mode}")
            commands[f"{model}, {mode}"] = evaluation(measures, RUNS, "--nav", model)
    costs = best(commands, ROUNDS)
    base = costs["AiP"].seconds
    rows = [
        [
            name,
            f"{one.seconds:.2f}",
            f"{one.seconds / base:.1f}",
            "" if name == "AiP" else verdict(one.seconds / base, TARGET),
        ]
        for name, one in costs.items()
    ]
    memory = [f"{peak_megabytes(evaluation(MEASURES, count, '--nav', MODELS[0])):.0f}" for count in (1, RUNS)]
    return (
        f"## Near misses\n\n{RUNS} element runs of INEX size; {MEASURES}, one process; "
        f"at most {TARGET:g} times AiP.\n\n"
        + markdown(["reader", "s", "times AiP", "target"], rows)
        + f"\n\nPeak memory with `{MODELS[0]}`: {memory[0]} MB for one run, {memory[1]} MB for {RUNS}."
    )
