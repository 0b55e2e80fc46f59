"""The steps of a trajectory for one topic: what each showed, used and spent, and the stage of each need."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.ground.need_stages import stages_told, used_by
from doxeval.measurement.again import shown_again
from doxeval.measurement.families.inside import Inside
from doxeval.tables.runs import WHOLE
from doxeval.tables.steps import ACTIONS, AMOUNTS

MEANING = (
    "shown: text shown by the step; new: relevant text shown for the first time; again: text that an earlier "
    "step had shown",
    "used: text that an edit, cite or answer step names, and relevant text among it",
)


def tables_of_steps(aligned: Aligned, topic: int) -> list[Inside]:
    """Tables of the steps and of the stages of one topic; none for a run without steps."""
    if aligned.run.steps is None:
        return []
    known = (aligned.ground.unit_end < WHOLE).all()
    return [_steps_table(aligned, topic), *([stages_table(aligned, topic, Fraction(0))] if known else [])]


def stages_table(aligned: Aligned, topic: int, part: Fraction) -> Inside:
    """The stage of each need of a topic."""
    told = [one for one in stages_told(aligned, part) if one.topic == aligned.ground.topics[topic]]
    columns = {name: [getattr(one, name) for one in told] for name in ("need", "stage", "places")}
    return Inside("stages", columns, ("how far the trajectory got with each need",), 3)


def _steps_table(aligned: Aligned, topic: int) -> Inside:
    run = aligned.run
    steps = run.steps
    assert steps is not None and run.step is not None
    rows = np.flatnonzero(aligned.ground.codes_of_topics(run.topics, run.aliases)[steps.topic] == topic)
    used = used_by(aligned)
    assert used.run.step is not None
    shown, new, again = (
        _by_step(aligned, run.step, column, len(steps))
        for column in (aligned.size, aligned.fresh, shown_again(aligned))
    )
    use, hit = (_by_step(used, used.run.step, column, len(steps)) for column in (used.size, used.relevant))
    columns: dict[str, list[Any]] = {
        "step": steps.number[rows].tolist(),
        "action": [ACTIONS[action] for action in steps.action[rows].tolist()],
        "query": [steps.query[row] or "" for row in rows.tolist()],
        "documents": [_documents(aligned, used, row) for row in rows.tolist()],
        "shown": shown[rows].tolist(),
        "new": new[rows].tolist(),
        "again": again[rows].tolist(),
        "used": use[rows].tolist(),
        "used relevant": hit[rows].tolist(),
    }
    for name in AMOUNTS:
        amounts = getattr(steps, name)[rows]
        if not np.isnan(amounts).all():
            columns[name] = [_plain(amount) for amount in amounts.tolist()]
    return Inside("steps", columns, MEANING, 4)


def _plain(amount: float) -> float | None:
    """An amount as it is shown: whole if it can be, None if it is not stated."""
    return None if amount != amount else int(amount) if amount == int(amount) else amount


def _by_step(aligned: Aligned, step: np.ndarray, column: np.ndarray, steps: int) -> np.ndarray:
    return np.bincount(step[aligned.row], weights=column, minlength=steps).astype(np.int64)


def _documents(aligned: Aligned, used: Aligned, step: int) -> str:
    """The documents that a step shows or uses."""
    found: dict[str, None] = {}
    for one in (aligned, used):
        assert one.run.step is not None
        here = one.doc[one.run.step[one.row] == step]
        found |= dict.fromkeys(one.run.docs[doc] for doc in here.tolist())
    return ", ".join(found)
