"""The steps of a trajectory for one topic: what each showed, used and spent, and the stage of each need."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from doxeval.core.facts import once
from doxeval.ground.aligned import Aligned
from doxeval.ground.need_stages import stages_told, used_by
from doxeval.ground.step_counters import steps_of
from doxeval.measurement.again import shown_again
from doxeval.measurement.families.inside import Inside
from doxeval.tables.places import amount_in
from doxeval.tables.runs import WHOLE
from doxeval.tables.steps import ACTIONS, AMOUNTS, Steps

MEANING = (
    "shown: text shown by the step; new: relevant text shown for the first time; again: text that an earlier "
    "step had shown",
    "used: text that an edit, cite or answer step names, and relevant text among it",
)
MEANING_OF_STAGES = (
    "how far the trajectory got with each need",
    "away: from the nearest text shown of its document; above 0 if the need lies further on, below if before",
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
    columns = {name: [getattr(one, name) for one in told] for name in ("need", "stage", "places", "away")}
    return Inside("stages", columns, MEANING_OF_STAGES, 3)


class StepAmounts(NamedTuple):
    """Columns over all steps of a run: what each showed and used, in the unit of the text.

    `new` is relevant text shown for the first time, `again` text that an earlier step had shown, `hit` the
    relevant part of what was `used`.
    """

    shown: np.ndarray
    new: np.ndarray
    again: np.ndarray
    used: np.ndarray
    hit: np.ndarray


@once
def step_amounts(aligned: Aligned) -> StepAmounts:
    """The amounts of text that each step of a trajectory showed and used."""
    steps, step = steps_of(aligned.run, "a table of steps")
    used = used_by(aligned)
    assert used.run.step is not None
    shown = (aligned.size, aligned.fresh, shown_again(aligned))
    use = (used.size, used.relevant)
    return StepAmounts(
        *(_by_step(aligned, step, column, len(steps)) for column in shown),
        *(_by_step(used, used.run.step, column, len(steps)) for column in use),
    )


def steps_of_topic(aligned: Aligned, topic: int) -> np.ndarray:
    """The rows of the steps of a topic of the assessments."""
    steps, _ = steps_of(aligned.run, "a table of steps")
    codes = aligned.ground.codes_of_topics(aligned.run.topics, aligned.run.aliases)
    return np.flatnonzero(codes[steps.topic] == topic)


def stated_amounts(steps: Steps, rows: np.ndarray) -> dict[str, list[float | None]]:
    """The amounts that some of these steps state, by name."""
    columns = {name: getattr(steps, name)[rows] for name in AMOUNTS}
    return {
        name: [_plain(amount) for amount in column.tolist()]
        for name, column in columns.items()
        if not np.isnan(column).all()
    }


def _steps_table(aligned: Aligned, topic: int) -> Inside:
    steps, _ = steps_of(aligned.run, "a table of steps")
    rows, amounts, used = steps_of_topic(aligned, topic), step_amounts(aligned), used_by(aligned)
    columns: dict[str, list[Any]] = {
        "step": steps.number[rows].tolist(),
        "action": [ACTIONS[action] for action in steps.action[rows].tolist()],
        "query": [steps.query[row] or "" for row in rows.tolist()],
        "documents": [_documents(aligned, used, row) for row in rows.tolist()],
        **{
            name: [amount_in(aligned.ground.unit, amount) for amount in column[rows].tolist()]
            for name, column in zip(("shown", "new", "again", "used", "used relevant"), amounts, strict=True)
        },
        **stated_amounts(steps, rows),
    }
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
