"""Trajectories as they are scored: the steps that count, and what becomes of an agent's own text."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.strings import Strings, encode
from doxeval.ground.aligned import Conventions
from doxeval.tables.runs import NO_DOCUMENT, Run
from doxeval.tables.steps import ACTIONS, of_steps


def as_read(run: Run, conventions: Conventions) -> Run:
    """The run with only the steps that count; results of own text alone are left out, or in no document."""
    if conventions.before is not None:
        run = _before(run, ACTIONS.index(conventions.before))
    if run.own is None:
        return run
    only_own = (run.own != "") & (run.spans.counts == 0)
    if run.nodes is not None:
        only_own &= run.nodes.rows.counts == 0
    if run.texts is not None:
        only_own &= np.array([not text for text in run.texts], dtype=bool)
    if not only_own.any():
        return run
    if conventions.own == "free":
        left = run.take(~only_own)
        docs, doc = encode(run.docs[code] for code in left.doc.tolist())
        return replace(left, docs=Strings.of(docs), doc=doc, reach=None)
    doc = np.where(only_own, len(run.docs), run.doc).astype(run.doc.dtype)
    names = [*run.docs, NO_DOCUMENT]
    if run.reach is not None:
        return replace(run, docs=Strings.of(names), doc=doc, reach=np.append(run.reach, 0))
    docs, doc = encode(names[code] for code in doc.tolist())
    return replace(run, docs=Strings.of(docs), doc=doc)


def _before(run: Run, action: int) -> Run:
    """Only the steps of each topic before the first of an action that names a place in a document."""
    steps = run.steps
    if steps is None:
        raise UsageError(
            f"{run.source or run.name}: holds no steps; --before {ACTIONS[action]} applies to trajectories"
        )
    assert steps.used.step is not None
    using = steps.used.step[steps.action[steps.used.step] == action]
    first = np.full(len(run.topics), len(steps), dtype=np.int64)
    np.minimum.at(first, steps.topic[using], using)
    return of_steps(run, np.arange(len(steps)) < first[steps.topic])


def text_in_no_document(run: Run, rows: np.ndarray, conventions: Conventions) -> np.ndarray | None:
    """The text that results show and no document holds, as far as it counts; own text comes first."""
    counted = [
        texts[rows]
        for texts, counts in (
            (run.own, conventions.own == "shown"),
            (run.added, conventions.added == "shown"),
        )
        if texts is not None and counts
    ]
    if len(counted) < 2:
        return counted[0] if counted else None
    return np.array([_joined(own, added) for own, added in zip(*counted, strict=True)] + [None])[:-1]


def _joined(own: str, added: str) -> str:
    return own if not added else added if not own else f"{own.removesuffix(chr(10))}\n{added}"
