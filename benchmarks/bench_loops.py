"""A prepared evaluation that scores run after run in memory, beside the peers' evaluators."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from benchmarks.harness import markdown

TOPICS, RESULTS, DOCUMENTS = 50, 100, 1000
ROUNDS = 15
CALLS = 20
DOCUMENT_MEASURES = ("AP", "nDCG@10", "P@10", "RR", "R@100")


def interleaved(loops: Mapping[str, Callable[[], Any]]) -> dict[str, tuple[float, float]]:
    """Milliseconds a call of each loop, wall and CPU: the median of some rounds, in each of which all run."""
    costs: dict[str, list[tuple[float, float]]] = {name: [] for name in loops}
    for call in loops.values():
        call()
    for _ in range(ROUNDS):
        for name, call in loops.items():
            wall, cpu = time.perf_counter(), time.process_time()
            for _ in range(CALLS):
                call()
            costs[name].append((time.perf_counter() - wall, time.process_time() - cpu))
    scale = 1000 / CALLS
    return {
        name: tuple(scale * statistics.median(column) for column in zip(*many, strict=True))
        for name, many in costs.items()
    }


def data() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Results with ranges, and highlights in a third of their documents."""
    dice, run, qrels = Random(1), [], []
    for topic in range(TOPICS):
        for rank, doc in enumerate(dice.sample(range(DOCUMENTS), RESULTS), 1):
            place = {"topic": f"2009{topic:03d}", "doc": f"collection/articles/{doc:07d}"}
            start = dice.randrange(5000)
            run.append(place | {"rank": rank, "score": 1 / rank, "start": start, "end": start + 500})
            if dice.random() < 0.3:
                start = dice.randrange(5000)
                qrels.append(place | {"start": start, "end": start + 800})
    return run, qrels


def by_topic(rows: list[dict[str, Any]], value: Callable[[dict[str, Any]], Any]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        found.setdefault(row["topic"], {})[row["doc"]] = value(row)
    return found


def report() -> str:
    import ir_measures
    import pandas
    import polars
    import pytrec_eval

    import doxeval as dx

    rows, qrels = data()
    ranked, judged = by_topic(rows, lambda row: row["score"]), by_topic(qrels, lambda row: 1)
    table, frame, other_frame = dx.read_run(rows), polars.DataFrame(rows), pandas.DataFrame(rows)
    text, whole = dx.Evaluation(qrels, "AiP"), dx.Evaluation(qrels, " ".join(DOCUMENT_MEASURES))
    theirs = pytrec_eval.RelevanceEvaluator(judged, {"map"})
    several = ir_measures.evaluator(list(map(ir_measures.parse_measure, DOCUMENT_MEASURES)), judged)
    loops: dict[str, Callable[[], Any]] = {
        "pytrec_eval, map": lambda: theirs.evaluate(ranked),
        "doxeval, AiP: table": lambda: text.score(table),
        "doxeval, AiP: polars frame": lambda: text.score(frame),
        "doxeval, AiP: pandas frame": lambda: text.score(other_frame),
        "doxeval, AiP: dict rows": lambda: text.score(rows),
        "ir_measures, five measures": lambda: list(several.iter_calc(ranked)),
        "doxeval, the same five": lambda: whole.score(table),
    }
    note = ""
    try:
        import ranx
    except ImportError:
        note = "\n\nranx is not installed, and was left out."
    else:
        known, run = ranx.Qrels(judged), ranx.Run(ranked)
        loops["ranx, map"] = lambda: ranx.evaluate(known, run, "map", make_comparable=True)
    costs = interleaved(loops)
    theirs_cpu = costs["pytrec_eval, map"][1]
    lines = [
        [name, f"{wall:.2f}", f"{cpu:.2f}", f"{cpu / theirs_cpu:.2f}"] for name, (wall, cpu) in costs.items()
    ]
    return (
        f"## In memory, run after run\n\n{TOPICS} topics with {RESULTS} results, milliseconds a run: the "
        f"median of {ROUNDS} interleaved rounds of {CALLS} calls.\n\n"
        + markdown(["loop", "wall", "CPU", "of pytrec_eval's CPU"], lines)
        + note
    )
