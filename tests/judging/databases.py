"""Databases of judgements, made as the server makes them."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

from doxeval.judging.store import JudgementStore
from tests.judging.serving import TIME

NUMBERS = itertools.count()


def database(path: Path, acts: list[tuple[str, str, str, dict[str, Any]]], lengths: dict[str, int]) -> Path:
    """A database of acts, each by an assessor on a topic and a document."""
    with JudgementStore(path) as store:
        topics = {topic: "What?" if topic == "t1" else "" for _, topic, _, _ in acts}
        store.know(topics, {doc: (length, "") for doc, length in lengths.items()})
        for assessor, topic, doc, what in acts:
            made = {"id": f"act{next(NUMBERS)}", "time": TIME, "topic": topic, "doc": doc, "act": what}
            assert store.add(assessor, [made]) == 1
    return path


def mark(name: str, start: int, end: int, **more: Any) -> dict[str, Any]:
    return {"id": name, "start": start, "end": end, **more}
