"""The example of every measure's page: three documents, two relevant sentences, four retrieved chunks."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

import doxeval as dx
from doxeval.ground.align import align
from doxeval.measurement.base import measure_named
from doxeval.scoring.evaluation import Evaluation
from doxeval.show.explanation.explain import differences

TEXTS = {
    "manual": "If it does not run: Hold the red button down for 10 seconds. "
    "Then let go and wait for the light. It is green when ready.",
    "faq": "Or reset it from its web page. You need the password that is printed on the lid.",
    "news": "We moved to a new shop in May. Come and see us there at six.",
}
RELEVANT = {"manual": [(20, 60)], "faq": [(0, 30)], "news": []}
RESULTS = [("manual", 0, 40), ("news", 0, 40), ("manual", 20, 70), ("faq", 40, 80)]
SECTION = 40


def _document(name: str, text: str) -> dict[str, Any]:
    cuts = [(start, min(len(text), start + SECTION)) for start in range(0, len(text), SECTION)]
    nodes = [{"id": "r", "parent": None, "tag": "article", "start": 0, "end": len(text)}]
    nodes += [
        {"id": f"s{number}", "parent": "r", "tag": "sec", "start": start, "end": end}
        for number, (start, end) in enumerate(cuts)
    ]
    return {"doc": name, "text": text, "nodes": nodes}


DOCUMENTS = [_document(name, text) for name, text in TEXTS.items()]
QRELS: list[dict[str, Any]] = [{"topic": "reset", "doc": name} for name in TEXTS] + [
    {"topic": "reset", "doc": name, "start": start, "end": end, "aspects": [name]}
    for name, ranges in RELEVANT.items()
    for start, end in ranges
]
CHUNKS = [
    {"doc": document["doc"], "start": node["start"], "end": node["end"]}
    for document in DOCUMENTS
    for node in document["nodes"][1:]
]


def run(results: list[tuple[str, int, int]] = RESULTS) -> list[dict[str, Any]]:
    """Results as a run."""
    return [
        {"topic": "reset", "doc": doc, "rank": rank, "start": start, "end": end}
        for rank, (doc, start, end) in enumerate(results, 1)
    ]


def steps() -> list[dict[str, Any]]:
    """The results as the reading steps of an agent, which then cites the relevant sentence of the manual."""
    rows = [
        {"topic": "reset", "step": number, "action": "read", "doc": doc, "start": start, "end": end}
        for number, (doc, start, end) in enumerate(RESULTS, 1)
    ]
    ((start, end),) = RELEVANT["manual"]
    cited = {"step": len(rows) + 1, "action": "cite", "doc": "manual", "start": start, "end": end}
    return [*rows, {"topic": "reset"} | cited]


def run_for(expression: str) -> list[dict[str, Any]]:
    """The example as the measure needs it: as a run, or as a trajectory."""
    return steps() if "steps" in measure_named(expression).needs else run()


@dataclass(frozen=True)
class Worked:
    """A measure on the example: its value, what each result adds to it, what no result stands for."""

    expression: str
    value: float
    added: list[float]
    rest: float
    meaning: str


def worked(expression: str, navigation: str | None = None) -> Worked:
    """A measure computed on the example, and taken apart."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        chunks = {"chunks": CHUNKS} if expression.startswith("IoUomega") else {}
        evaluation = Evaluation(QRELS, expression, DOCUMENTS, navigation, **chunks)  # type: ignore[arg-type]
        aligned = align(dx.read_run(run_for(expression), name="toy"), evaluation.ground)
        (chosen,) = evaluation.measures
        shares = chosen.explain(aligned) or differences(chosen, aligned)
        value = float(chosen(aligned)[0])
    added = dict(zip(shares.aligned.row.tolist(), shares.added.tolist(), strict=True))
    bars = [float(added.get(row, 0.0)) for row in range(len(RESULTS))]
    return Worked(expression, value, bars, float(np.asarray(shares.rest)[0]), shares.meaning)
