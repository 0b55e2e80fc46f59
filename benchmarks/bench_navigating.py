"""Navigating readers: the kernel and its accuracy, INEX-size runs against AiP, growth with the topic."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.harness import DATA, ROOT, markdown, verdict

TOPICS, RESULTS, RUNS, POOL, RELEVANT, TOUCHING = 107, 1500, 20, 60_000, 100, 50
RANKS, IDEALS, STEPS = 1500, 300, 7500
SEED = 2007
MEASURES = ["PRUM(recall=0.5,nav=hierarchical)", "ERRU@100", "nXCG@10"]
KERNEL_TARGET, ERROR_TARGET, RATIO_TARGET = 0.5, 1e-10, 6.0


def one_topic(ranks: int = RANKS, ideals: int = IDEALS, steps: int = STEPS) -> Any:
    """Columns of one topic: which ranks may show which ideals, and how likely they fail to."""
    import numpy as np

    random = np.random.default_rng(SEED)
    at = np.sort(random.choice(ideals * ranks, size=steps, replace=False))
    return at // ideals + 1, at % ideals, 1.0 - 0.3 * random.random(steps)


def follow_one_topic(columns: Any, ranks: int, ideals: int, exact: bool) -> Any:
    """Precision at every recall, and the seconds it took."""
    import numpy as np

    from doxeval.kernels.ideals_seen import follow

    offsets = np.array([0, ideals]), np.array([0, len(columns[0])])
    rank, ideal, miss = columns
    begin = time.perf_counter()
    precision, _ = follow(*offsets, rank, ideal, miss, np.array([ranks]), np.array([10**6]), exact)
    return precision, time.perf_counter() - begin


def documents() -> Any:
    """The pool as a table: articles of four sections of four paragraphs, 1,000 to 30,000 characters."""
    import numpy as np

    from doxeval.core.strings import Strings
    from doxeval.tables.documents import Documents

    random = np.random.default_rng(SEED)
    length = random.integers(1_000, 30_000, size=POOL)
    parent = np.array([-1] + [value for section in range(4) for value in (0, *[1 + 5 * section] * 4)])
    start = np.array(
        [0] + [value for section in range(4) for value in (4 * section, *range(4 * section, 4 * section + 4))]
    )
    size = np.array([16] + [value for _ in range(4) for value in (4, 1, 1, 1, 1)])

    def edges(place: Any) -> Any:
        return (length[:, None] * place // 16).ravel()

    return Documents(
        ids=Strings.of(map(str, range(POOL))), length=length, node_offset=np.arange(POOL + 1) * len(parent),
        parent=np.tile(parent, POOL).astype(np.int32), tag=np.zeros(POOL * len(parent), dtype=np.int32),
        depth=np.tile(np.array([1] + [2, 3, 3, 3, 3] * 4), POOL).astype(np.int16),
        start=edges(start), end=edges(start + size), tags=["node"],
    )  # fmt: skip


def write(folder: Path) -> None:
    """Assessments with one to three highlighted passages a document, and runs that meet few of them."""
    import numpy as np

    random = np.random.default_rng(SEED)
    length = documents().length
    relevant = [random.choice(POOL, size=RELEVANT, replace=False) for _ in range(TOPICS)]
    with (folder / "qrels.txt").open("w") as out:
        for topic, chosen in enumerate(relevant, 1):
            for doc in chosen:
                ends = np.sort(
                    random.choice(length[doc], size=2 * int(random.integers(1, 4)), replace=False)
                ).tolist()
                ranges = [(a, b - a) for a, b in zip(ends[::2], ends[1::2], strict=True)]
                shown = "".join(f" {a}:{size}" for a, size in ranges)
                total = sum(size for _, size in ranges)
                out.write(f"{topic} Q0 {doc} {total} {length[doc]} {ranges[0][0]}{shown}\n")
    for number in range(RUNS):
        with (folder / f"run{number:02d}.fol").open("w") as out:
            for topic, chosen in enumerate(relevant, 1):
                others = np.setdiff1d(random.choice(POOL, size=RESULTS), chosen)[: RESULTS - TOUCHING]
                found = np.concatenate([random.choice(chosen, size=TOUCHING), others])
                random.shuffle(found)
                begin = (random.random(len(found)) * length[found]).astype(np.int64)
                size = np.minimum(random.integers(50, 4_000, size=len(found)), length[found] - begin)
                for rank, (doc, a, b) in enumerate(
                    zip(found.tolist(), begin.tolist(), size.tolist(), strict=True), 1
                ):
                    out.write(f"{topic} Q0 {doc} {rank} {2000 - rank} run {a} {b}\n")


def files() -> Path:
    folder = DATA / "navigating"
    stamp = folder / f"{TOPICS}-{RESULTS}-{RUNS}-{POOL}-{RELEVANT}-{TOUCHING}-{SEED}"
    if not stamp.exists():
        folder.mkdir(parents=True, exist_ok=True)
        write(folder)
        stamp.touch()
    return folder


def evaluations() -> dict[str, float]:
    """Seconds to score the runs, best of three each, interleaved."""
    import doxeval as dx

    folder, trees = files(), documents()
    runs = sorted(folder.glob("run*.fol"))
    seconds: dict[str, float] = {}
    for _ in range(3):
        for names in (["AiP"], *([name] for name in MEASURES), MEASURES):
            qrels = dx.read_assessments(folder / "qrels.txt")
            begin = time.perf_counter()
            dx.evaluate(runs, qrels, names, documents=trees)
            spent = time.perf_counter() - begin
            seconds[" ".join(names)] = min(spent, seconds.get(" ".join(names), spent))
    return seconds


def figures() -> dict[str, object]:
    """Everything measured, in a process of its own."""
    import numpy as np
    from tests.measurement.prum.fixed_point import exact_precisions

    columns = one_topic()
    by_equations = min(follow_one_topic(columns, RANKS, IDEALS, exact=False)[1] for _ in range(3))
    exactly, seconds = min(
        (follow_one_topic(columns, RANKS, IDEALS, exact=True) for _ in range(3)), key=lambda x: x[1]
    )
    rank, ideal, miss = columns
    reference = exact_precisions(rank, ideal, miss, IDEALS, RANKS, 10**6)
    growth = []
    for ranks, ideals in ((500, 100), (1500, 100), (1500, 300), (1500, 1000), (5000, 1000)):
        columns = one_topic(ranks, ideals, 5 * ranks)
        growth.append(
            [ranks, ideals, 5 * ranks, f"{follow_one_topic(columns, ranks, ideals, exact=False)[1]:.3f}"]
        )
    return {
        "kernel": [by_equations, seconds, float(np.abs(exactly - reference).max())],
        "runs": evaluations(),
        "growth": growth,
    }


def report() -> str:
    files()
    answer = subprocess.run(
        [sys.executable, "-m", "benchmarks.bench_navigating"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    found = json.loads(answer.stdout)
    by_equations, exactly, error = found["kernel"]
    floor = found["runs"]["AiP"]
    ratio = found["runs"][" ".join(MEASURES)] / floor
    rows = [[name, f"{value:.2f}", f"{value / floor:.2f}"] for name, value in found["runs"].items()]
    slowest = max(by_equations, exactly)
    return (
        f"## Navigating readers\n\nOne topic, {RANKS} ranks, {IDEALS} ideals, {STEPS} steps, every recall: "
        f"{by_equations:.3f} s by Eqs. 5-8, {exactly:.3f} s exactly.\n\n"
        f"- target {KERNEL_TARGET} s: {verdict(slowest, KERNEL_TARGET)}\n"
        f"- exact PRUM against fixed point with 60 digits: largest difference {error:.1e}, "
        f"target {ERROR_TARGET}: {verdict(error, ERROR_TARGET)}\n\n"
        f"{RUNS} runs, {TOPICS} topics x {RESULTS} results, {TOUCHING} a topic in documents with ideals:\n\n"
        f"{markdown(['measures', 'seconds', 'of AiP'], rows)}\n\n"
        f"- all three: {ratio:.2f} times AiP, target {RATIO_TARGET}: {verdict(ratio, RATIO_TARGET)}\n\n"
        "Seconds for one topic by Eqs. 5-8 as it grows:\n\n"
        f"{markdown(['ranks', 'ideals', 'steps', 'seconds'], found['growth'])}"
    )


if __name__ == "__main__":
    print(json.dumps(figures()))
