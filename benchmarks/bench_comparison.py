"""The randomised Tukey HSD of many systems against a plain loop, and the whole `doxeval compare`."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from benchmarks.harness import DATA, DOXEVAL, ROOT, Command, best, markdown, peak_megabytes, verdict

SYSTEMS, TOPICS, PERMUTATIONS, SEED = 50, 120, 10_000, 2012
LOOP_PERMUTATIONS = 500
"""How many the loop does; its time is scaled up."""

TARGET = 10.0


def score_file() -> Path:
    """Scores of all systems and topics, made once, in a process of its own."""
    path = DATA / f"scores-{SYSTEMS}-{TOPICS}-{SEED}.csv"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            [sys.executable, "-m", "benchmarks.bench_comparison", "write", path], check=True, cwd=ROOT
        )
    return path


def write(path: Path) -> None:
    import numpy as np

    random = np.random.default_rng(SEED)
    skill = random.normal(0.4, 0.05, SYSTEMS)
    values = np.clip(skill[:, None] + random.normal(0, 0.2, (SYSTEMS, TOPICS)), 0, 1)
    lines = [
        f"s{system:02d},t{topic:03d},AiP,{value!r}"
        for system, row in enumerate(values.tolist())
        for topic, value in enumerate(row)
    ]
    path.write_text("\n".join(["run,topic,measure,value", *lines]) + "\n")


def kernel_seconds(path: Path) -> tuple[float, float]:
    """Seconds of our test, and of a loop over permutations and topics scaled to as many."""
    import numpy as np

    from doxeval.comparison.tests import largest_differences
    from doxeval.scoring.read_scores import read_scores

    values = np.array([run.values[0] for run in read_scores(path).runs])
    begin = time.perf_counter()
    ours = largest_differences(values, PERMUTATIONS, SEED)
    own = time.perf_counter() - begin
    random = np.random.default_rng(SEED)
    begin = time.perf_counter()
    loop = []
    for _ in range(LOOP_PERMUTATIONS):
        shuffled = np.array([random.permutation(values[:, topic]) for topic in range(TOPICS)])
        loop.append(np.ptp(shuffled.mean(axis=0)))
    spent = (time.perf_counter() - begin) * PERMUTATIONS / LOOP_PERMUTATIONS
    assert abs(np.quantile(ours, 0.95) / np.quantile(loop, 0.95) - 1) < 0.05
    return own, spent


def report() -> str:
    path = score_file()
    command: Command = [
        *DOXEVAL,
        "compare",
        path,
        "--test",
        "tukey",
        "--draws",
        str(PERMUTATIONS),
        "-f",
        "csv",
    ]
    whole = best({"compare": command}, rounds=3)["compare"].seconds
    memory = peak_megabytes(command)
    answer = subprocess.run(
        [sys.executable, "-m", "benchmarks.bench_comparison", "time", path], check=True, cwd=ROOT,
        capture_output=True, text=True,
    )  # fmt: skip
    own, loop = map(float, answer.stdout.split())
    rows = [
        ["permutations, doxeval", f"{own:.2f}", "1.00"],
        ["permutations, a loop over topics", f"{loop:.2f}", f"{own / loop:.3f}"],
        ["`doxeval compare`, the whole process", f"{whole:.2f}", ""],
    ]
    return (
        f"## Tukey HSD\n\n{SYSTEMS} systems x {TOPICS} topics x {PERMUTATIONS:,} permutations; the loop does "
        f"{LOOP_PERMUTATIONS} and is scaled. The whole process reads the score file, tests all pairs and "
        f"draws {PERMUTATIONS:,} bootstrap samples for each interval; peak memory {memory:.0f} MB.\n\n"
        f"{markdown(['what', 'seconds', 'doxeval / loop'], rows)}\n\n"
        f"- doxeval compare: {whole:.1f} s, target {TARGET:g}: {verdict(whole, TARGET)}"
    )


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(Path(sys.argv[2]))
    else:
        print(*kernel_seconds(Path(sys.argv[2])))
