"""How the cost of measures grows: the CPU time of ten times as much, and its exponent.

A change of an exponent is what to look for: 1 is linear.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.harness import markdown

Job = Callable[[], Any]


def cpu(job: Job) -> float:
    """The least CPU time of three calls, in seconds."""
    found = []
    for _ in range(3):
        begin = time.process_time()
        job()
        found.append(time.process_time() - begin)
    return min(found)


def exponent(sizes: list[int], seconds: list[float]) -> float:
    """The slope of the line through the logarithms."""
    return float(np.polyfit([math.log(size) for size in sizes], [math.log(one) for one in seconds], 1)[0])


def results_in_a_document(measure: str, results: int, highlights: int = 200, nodes: int = 500) -> Job:
    """Many results in one document of many highlights."""
    import doxeval as dx

    length = 1000 * nodes
    tree = [{"id": "0", "parent": None, "tag": "a", "start": 0, "end": length}]
    tree += [
        {"id": str(at + 1), "parent": "0", "tag": "p", "start": 1000 * at, "end": 1000 * at + 1000}
        for at in range(nodes)
    ]
    step = length // highlights
    answers = [
        {"topic": "t", "doc": "d", "start": step * at, "end": step * at + 99} for at in range(highlights)
    ]
    places = np.random.default_rng(0).integers(0, length - 200, results).tolist()
    run = dx.read_run([{"topic": "t", "doc": "d", "start": at, "end": at + 150} for at in places])
    evaluation = dx.Evaluation(answers, measure, [{"doc": "d", "length": length, "nodes": tree}])
    return lambda: evaluation.score(run)


def topics(count: int) -> Job:
    """Topics of a hundred results."""
    import doxeval as dx

    answers = [{"topic": f"t{at}", "doc": "d1", "start": 0, "end": 50} for at in range(count)]
    run = dx.read_run(
        [
            {"topic": f"t{at}", "doc": f"d{rank}", "start": 0, "end": 90}
            for at in range(count)
            for rank in range(100)
        ]
    )
    evaluation = dx.Evaluation(answers, "AiP")
    return lambda: evaluation.score(run)


def ideals(count: int) -> Job:
    """PRUM's reader among so many ideal elements, 2,000 ranks."""
    from doxeval.kernels.ideals_seen import follow

    random = np.random.default_rng(0)
    rank = np.repeat(np.arange(1, 2001), 2)
    ideal = np.stack([np.arange(2000) % count, (np.arange(2000) * 7 + 1) % count], axis=1).ravel()
    ideals, changes = np.array([0, count]), np.array([0, len(rank)])
    ranks, unranked = np.array([2000]), np.array([100_000])
    miss = random.uniform(0.5, 1, len(rank))
    return lambda: follow(ideals, changes, rank, ideal, miss, ranks, unranked, False)


def runs(count: int) -> Job:
    """Runs of one topic, put together."""
    import doxeval as dx

    rows = [{"topic": "t", "doc": "d", "start": 0, "end": 9}]
    table, evaluation = dx.read_run(rows), dx.Evaluation(rows, "iP@1")
    return lambda: evaluation.scores({f"run{at}": table for at in range(count)})


CURVES: dict[str, tuple[Callable[[int], Job], list[int]]] = {
    "results of one document, AiP": (
        lambda size: results_in_a_document("AiP", size), [1000, 10_000, 100_000],
    ),
    "results of one document, SRiP2, hierarchical": (
        lambda size: results_in_a_document("SRiP2(nav=hierarchical)@100000", size), [1000, 10_000, 100_000],
    ),
    "results of one document, SRiP2, err (leads anywhere)": (
        lambda size: results_in_a_document("SRiP2(nav=err)@100000", size), [100, 1000, 10_000],
    ),
    "nodes of one document, SRiP2, hierarchical": (
        lambda size: results_in_a_document("SRiP2(nav=hierarchical)@9999", 5000, size // 5, size),
        [100, 1000, 10_000],
    ),
    "topics of 100 results, AiP": (topics, [10, 100, 1000]),
    "ideal elements, PRUM": (ideals, [30, 300, 3000]),
    "runs of one result": (runs, [100, 1000, 10_000]),
}  # fmt: skip


def report() -> str:
    lines = []
    for name, (make, sizes) in CURVES.items():
        seconds = [cpu(make(size)) for size in sizes]
        told = ", ".join(f"{size:,}: {1000 * one:.1f}" for size, one in zip(sizes, seconds, strict=True))
        lines.append([name, told, f"{exponent(sizes, seconds):.2f}"])
    return "## Growth of measures\n\nMilliseconds of CPU, the least of three.\n\n" + markdown(
        ["what grows", "cost", "exponent"], lines
    )
