"""Budgets of trajectories: steps, and the amounts that steps state (seconds, cost, tokens).

A result counts if its step is within the budget: the step's number, or all that was spent from the first step
to the end of it, in steps that show nothing too.

Seconds have two meanings: the time of a trajectory's steps and, where documents are measured in time, how
much of them is watched. A ranked list has only the latter; a trajectory through recordings has both, so a
budget in seconds is refused there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.ground.budget import ResultCounter, TextCounter
from doxeval.ground.yardsticks import PlainYardstick, Yardstick
from doxeval.tables.places import GRAIN, SECONDS
from doxeval.tables.steps import no_steps

if TYPE_CHECKING:
    from doxeval.ground.aligned import Aligned
    from doxeval.tables.runs import Run
    from doxeval.tables.steps import Steps


def steps_of(run: Run, what: str) -> tuple[Steps, np.ndarray]:
    """The steps of a trajectory, and the step of each result; an error if it is a ranked list.

    A run without any results and topics has no steps, whatever it was.
    """
    if run.steps is None and not len(run) and not run.topics:
        return no_steps(run), np.zeros(0, dtype=np.int64)
    if run.steps is None or run.step is None:
        raise UsageError(
            f"{run.source or run.name}: {what} needs the steps of a trajectory, and this run holds ranked "
            "results; leave it out, or give a trajectory"
        )
    return run.steps, run.step


class StepCounter(ResultCounter):
    """Steps, by their numbers."""

    def spent(self, aligned: Aligned) -> np.ndarray:
        steps, step = steps_of(aligned.run, "a cut-off in steps")
        return steps.number[step[aligned.row]]


class AmountCounter(ResultCounter):
    """An amount that every step states; whatever steps before it spent counts too."""

    def within(self, aligned: Aligned, amount: Any) -> Aligned:
        return aligned.select(self.spent(aligned) <= float(amount))

    def spent(self, aligned: Aligned) -> np.ndarray:
        steps, step = steps_of(aligned.run, f"a cut-off in {self.unit}")
        if self.unit == aligned.ground.unit:
            raise UsageError(
                f"{aligned.run.source or aligned.run.name}: {self.unit} could be those that its steps took, "
                "or those of the recordings that they showed; cut at ranks or steps, as in iR@10steps"
            )
        self._require_all(steps, aligned.run)
        return steps.spent(self.unit)[step[aligned.row]]

    def _require_all(self, steps: Steps, run: Run) -> None:
        unstated = steps.unstated(self.unit)
        if len(unstated):
            first = int(unstated[0])
            raise UsageError(
                f"{run.source or run.name}: a cut-off in {self.unit} needs the {self.unit} of every step; "
                f"{len(unstated):,} of {len(steps):,} state none (topic {run.topics[steps.topic[first]]}, "
                f"step {steps.number[first]})"
            )


class WatchedCounter(TextCounter):
    """Seconds of recordings watched, in runs without steps; text that is in no recording takes no time."""

    def yardstick(self, aligned: Aligned) -> Yardstick:
        if aligned.ground.unit != SECONDS:
            steps_of(aligned.run, "a cut-off in seconds of text")
        return PlainYardstick(lambda text: ([], []), GRAIN[SECONDS])

    def in_units(self, amount: np.ndarray, grain: int) -> np.ndarray:
        return amount / grain
