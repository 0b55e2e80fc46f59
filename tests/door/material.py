"""A small collection in every form in which people have one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import doxeval as dx

TEXT = "Press the red button twice.\n\nThen wait for the green light, and release it slowly."
NODES = [
    {"id": "a", "parent": None, "tag": "article", "start": 0, "end": len(TEXT)},
    {"id": "b", "parent": "a", "tag": "p", "start": 0, "end": 27},
    {"id": "c", "parent": "a", "tag": "p", "start": 29, "end": len(TEXT)},
]
DOCUMENTS: list[dict[str, Any]] = [{"doc": doc, "text": TEXT, "nodes": NODES} for doc in ("d1", "d2")]
TOPICS = ("t1", "t2", "t3", "t4")
ASSESSMENTS: list[dict[str, Any]] = [
    {"topic": topic, "doc": "d1", "start": 0, "end": 20 + at, "kind": "odd" if at % 2 else "even"}
    for at, topic in enumerate(TOPICS)
]
OTHERS = [row | {"end": row["end"] + 3} for row in ASSESSMENTS]
QUESTIONS = {topic: f"What about {topic}?" for topic in TOPICS}
LOG = [
    {"doc": "d1", "route": route}
    for route in (["a", "b"], ["b", "c", "a"], ["a", "c", "b"])
    for _ in range(4)
]


def results(start: int) -> list[dict[str, Any]]:
    """Two results a topic, of which the first begins somewhere in the relevant text."""
    return [
        {"topic": topic, "doc": doc, "rank": rank, "start": start + at, "end": start + at + 25}
        for at, topic in enumerate(TOPICS)
        for rank, doc in ((1, "d1"), (2, "d2"))
    ]


RUN = results(4)
RUNS = {"one": RUN, "two": results(9), "three": results(15)}
STEPS = [
    {"topic": row["topic"], "step": row["rank"], "action": "read", "doc": row["doc"], "start": row["start"],
     "end": row["end"]}
    for row in RUN
]  # fmt: skip
OUTCOMES = [{"topic": topic, "run": run, "solved": run > "t"} for run in RUNS for topic in TOPICS]
CHUNKS = [{"doc": doc, "start": start, "end": start + 40} for doc in ("d1", "d2") for start in (0, 40)]
ANSWERS = [{"topic": "t1", "answer": 'Press "the red button twice" [1].'}]


def forms(table: Any, rows: list[dict[str, Any]], path: str) -> dict[str, Callable[..., Any]]:
    """A table in every form: a path, as text or not, bytes, rows, frames and the table itself."""
    text = "".join(json.dumps(row) + "\n" for row in rows)

    def written(folder: Path) -> Path:
        (folder / path).write_text(text)
        return folder / path

    return {
        "path": written,
        "text path": lambda folder: str(written(folder)),
        "bytes": lambda folder: text.encode(),
        "rows": lambda folder: list(rows),
        "iterator": lambda folder: iter(rows),
        "polars": lambda folder: polars().DataFrame(rows),
        "lazy": lambda folder: polars().DataFrame(rows).lazy(),
        "pandas": lambda folder: pandas().DataFrame(rows),
        "table": lambda folder: table(rows),
    }


def polars() -> Any:
    import polars

    return polars


def pandas() -> Any:
    import pandas

    return pandas


RUN_FORMS = forms(dx.read_run, RUN, "run.jsonl")
STEP_FORMS = forms(dx.read_run, STEPS, "steps.jsonl")
ASSESSMENT_FORMS = forms(dx.read_assessments, ASSESSMENTS, "answers.jsonl")
DOCUMENT_FORMS = forms(dx.read_documents, DOCUMENTS, "docs.jsonl") | {
    "mapping": lambda folder: dict.fromkeys(("d1", "d2"), TEXT)
}
CHUNK_FORMS = forms(dx.read_chunks, CHUNKS, "chunks.jsonl")


def several_runs() -> dict[str, Callable[..., Any]]:
    """Runs in every form in which several can be given."""

    def paths(folder: Path) -> list[Path]:
        for name, rows in RUNS.items():
            dx.write_run(rows, folder / f"{name}.jsonl")
        return [folder / f"{name}.jsonl" for name in RUNS]

    return {
        "paths": paths,
        "text paths": lambda folder: list(map(str, paths(folder))),
        "tuple of paths": lambda folder: tuple(paths(folder)),
        "iterator of paths": lambda folder: iter(paths(folder)),
        "rows by name": lambda folder: RUNS,
        "paths by name": lambda folder: {path.stem: path for path in paths(folder)},
        "frames by name": lambda folder: {name: polars().DataFrame(rows) for name, rows in RUNS.items()},
        "tables": lambda folder: [dx.read_run(rows, name=name) for name, rows in RUNS.items()],
    }


def scores(measures: str = "iP@1 iR@1") -> dx.Scores:
    """The scores of the runs."""
    return dx.evaluate(RUNS, ASSESSMENTS, measures, DOCUMENTS)


def score_forms() -> dict[str, Callable[..., Any]]:
    """The scores of runs in every form."""

    def written(folder: Path, suffix: str) -> Path:
        scores().write(folder / f"scores.{suffix}")
        return folder / f"scores.{suffix}"

    return {
        "scores": lambda folder: scores(),
        **{
            f"{suffix} file": lambda folder, suffix=suffix: written(folder, suffix)
            for suffix in ("csv", "jsonl")
        },
        "parquet file": lambda folder: written(folder, "parquet"),
        "text path": lambda folder: str(written(folder, "csv")),
        "rows": lambda folder: scores().per_topic.to_dicts(),
        "polars": lambda folder: scores().per_topic,
        "pandas": lambda folder: scores().to_pandas(),
        "list": lambda folder: [scores().select([name]) for name in RUNS],
        "files": lambda folder: _written_apart(folder),
    }


def _written_apart(folder: Path) -> list[Path]:
    paths = []
    for name in RUNS:
        paths.append(folder / f"scores-{name}.csv")
        scores().select([name]).write(paths[-1])
    return paths
