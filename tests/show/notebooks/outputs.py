"""What people leave at the end of a cell, with names that try to be more than names."""

from __future__ import annotations

from pathlib import Path

import doxeval as dx
from doxeval.demo import ANSWERS, DOCUMENTS, RUNS

HOSTILE = "<b onclick=a(1)> $x^2$"
MEASURES = "AiP iR@5 iP@5"


def scored(count: int = 4) -> dx.Scores:
    """Scores of runs of the demo, one under a hostile name and without results for some topics."""
    files = sorted(RUNS.glob("*.jsonl"))[:count]
    runs = {file.stem: dx.read_run(file) for file in files}
    rows = [{"topic": "q01", "doc": "overlap", "rank": 1, "start": 0, "end": 400}]
    return dx.evaluate(runs | {HOSTILE: rows}, ANSWERS, MEASURES, DOCUMENTS)


def outcomes_of(scores: dx.Scores) -> list[dict[str, object]]:
    """Made-up outcomes of every run and topic."""
    return [
        {"topic": topic, "run": run, "solved": (3 * t + 5 * r) % 7 > 3}
        for t, topic in enumerate(scores.topics)
        for r, run in enumerate(scores.names)
    ]


def shown(scores: dx.Scores, folder: Path) -> dict[str, object]:
    """Every kind of output, by name."""
    return {
        "scores": scores,
        "comparison": scores.compare(),
        "correlation": scores.correlate(),
        "outcomes": scores.correlate(outcomes=outcomes_of(scores), draws=100),
        "explanation": scores.explain("q01", "AiP", HOSTILE),
        "budget": dx.budget(sorted(RUNS.glob("*.jsonl"))[:2], ANSWERS),
        "diagnosis": dx.diagnose(sorted(RUNS.glob("*.jsonl"))[:2], ANSWERS, "iR@5"),
        "report": scores.report(folder / "report.html", title=HOSTILE),
    }
