"""Trajectories as logs of readers: the places that steps show in one document are a route through its nodes.

A session is what one topic's steps show of one document, in their order; other documents in between do not
end it. A place stands for the innermost node that holds its first character: where reading begins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.notices import Notices
from doxeval.core.ragged import Ragged
from doxeval.ground.locate import place_texts
from doxeval.ground.text_unit import documents_in, run_in
from doxeval.io.formats import swe_agent, trajectories
from doxeval.io.read import read_run
from doxeval.io.source import Source
from doxeval.tables.documents import Documents
from doxeval.tables.places import CHARACTERS
from doxeval.tables.runs import Run

STEP_FIELDS = {"topic", "step", "action"}


@dataclass(eq=False)
class ShownRoutes:
    """Routes in documents `doc`: the `steps` of each are rows of nodes, with the seconds spent at each."""

    steps: Ragged
    row: np.ndarray
    doc: np.ndarray
    seconds: np.ndarray
    notices: Notices


def trajectory_given(log: Any) -> Run | None:
    """The trajectory that was given in place of a log of sessions, None if it is no trajectory."""
    if isinstance(log, Run):
        if log.steps is None:
            raise UsageError(f"{log.source or log.name}: holds ranked results; a log of readers has steps")
        return log
    if isinstance(log, str | Path):
        if Path(log).is_dir():
            return trajectory_given(read_run(log))
        with Source(log) as source:
            head = source.head
        return read_run(log) if swe_agent.sniff(head) or trajectories.sniff(head) else None
    rows = log if isinstance(log, list) else []
    is_steps = bool(rows) and isinstance(rows[0], Mapping) and rows[0].keys() >= STEP_FIELDS
    return read_run(rows) if is_steps else None


def routes_in(run: Run, documents: Documents) -> ShownRoutes:
    """The routes of a trajectory; places in other documents, and text that was not found, are counted."""
    notices = Notices(run.notices)
    plain = documents_in(documents, CHARACTERS)
    run = run_in(place_texts(run, plain, notices), plain, CHARACTERS, notices)
    assert run.steps is not None and run.step is not None
    sessions: dict[tuple[int, int], list[tuple[int, float]]] = {}
    codes, unknown, seconds = documents.codes(run.docs), 0, run.steps.seconds
    for result in np.argsort(run.step, kind="stable").tolist():
        doc = int(codes[run.doc[result]])
        begins = run.start[run.spans.slice(result)].tolist() if doc >= 0 else []
        unknown += not begins
        for start in begins[:1]:
            node = _innermost(plain, doc, start)
            route = sessions.setdefault((int(run.topic[result]), doc), [])
            route.append((node, float(seconds[run.step[result]])))
    if unknown:
        notices.add(
            "{count} {place|places} of steps left out, in no document given or without a range",
            count=unknown,
            lasting=True,
        )
    if sessions and all(documents.nodes.counts[doc] == 1 for _, doc in sessions):
        raise UsageError(
            f"{run.source or run.name}: the documents that its steps show have no parts, so that no step "
            "leads from one to another; give files that have some (Markdown, HTML, XML, source code, PDF)"
        )
    flat = [step for route in sessions.values() for step in route]
    return ShownRoutes(
        Ragged.of_counts([len(route) for route in sessions.values()]),
        np.array([row for row, _ in flat], dtype=np.int64),
        np.array([doc for _, doc in sessions], dtype=np.int64),
        np.array([spent for _, spent in flat], dtype=np.float64),
        notices,
    )


def _innermost(documents: Documents, doc: int, place: int) -> int:
    """The row of the innermost node of a document that holds a place, else of the whole document."""
    rows = slice(documents.node_offset[doc], documents.node_offset[doc + 1])
    holds = np.flatnonzero((documents.start[rows] <= place) & (place < documents.end[rows]))
    if not len(holds):
        return int(rows.start)
    depth = documents.depth[rows][holds]
    return int(rows.start) + int(holds[len(depth) - 1 - np.argmax(depth[::-1])])
