"""Measures of reading on documents of 10^3 to 10^7 characters: the cost must not grow with their length."""

from __future__ import annotations

import random
import time
from typing import Any

from benchmarks.harness import markdown, verdict

LENGTHS = (10**3, 10**4, 10**5, 10**6, 10**7)
TOPICS, DOCUMENTS, PASSAGES = 20, 50, 4
ROUNDS = 5
TARGET = 1.5
MEASURES = (
    "AgP(score=aveChP) AgP(score=aveChP(order=rank)) AgP(score=ChP(n=600)) AgP(score=T2If(n=300)) AgP "
    "ANCE(screen=300)@600 CharAP PsgAP Reach(recall=0.5) AgP@40000c"
)


def evaluation(length: int) -> Any:
    """Assessments and a run in which only the documents' length varies: ranges are stretched with it."""
    import doxeval as dx

    rng = random.Random(1)
    qrels, results = [], []

    def passage() -> dict[str, int]:
        start, end = sorted(rng.sample(range(1000), 2))
        return {"start": start * length // 1000, "end": end * length // 1000}

    for topic in range(TOPICS):
        for doc in range(DOCUMENTS):
            place = {"topic": f"t{topic}", "doc": f"d{doc}"}
            qrels += [{**place, "length": length, **passage()} for _ in range(PASSAGES)]
            results += [{**place, "rank": doc * PASSAGES + at, **passage()} for at in range(PASSAGES)]
    return dx.read_assessments(qrels), dx.read_run(results)


def seconds(length: int) -> float:
    """The fastest of some rounds: align the run, score it by every measure."""
    from doxeval.ground.align import align
    from doxeval.scoring.evaluation import Evaluation

    assessments, run = evaluation(length)
    built = Evaluation(assessments, MEASURES)
    best = float("inf")
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        aligned = align(run, built.ground, built.conventions)
        for measure in built.measures:
            measure(aligned)
        best = min(best, time.perf_counter() - begin)
    return best


def report() -> str:
    costs = {length: seconds(length) for length in LENGTHS}
    shortest = costs[LENGTHS[0]]
    rows = [[f"{length:,}", f"{1000 * cost:.1f}", f"{cost / shortest:.2f}"] for length, cost in costs.items()]
    table = markdown(["characters in a document", "ms", "against 1,000"], rows)
    growth = max(costs.values()) / shortest
    size = f"{TOPICS} topics x {DOCUMENTS} documents x {PASSAGES} passages, as many highlighted"
    return (
        f"## Reading documents of any length\n\n{size}; {len(MEASURES.split())} measures of reading, in "
        f"memory, the best of {ROUNDS}.\n\n{table}\n\n- the slowest is {growth:.2f} of the shortest "
        f"documents, target {TARGET}: {verdict(growth, TARGET)}"
    )
