"""Steps: the log of what one agent, or reader, did for each topic, as columns.

A trajectory is a run with steps. Each place that a step shows is a result of the run, ranked by step; what an
edit, cite or answer step names is no result, but used. Steps that show nothing keep their number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from doxeval.core.phrases import counted
from doxeval.core.quick_class import dataclass

if TYPE_CHECKING:
    from doxeval.tables.runs import Run

ACTIONS = ("search", "open", "read", "edit", "cite", "answer", "other")
"""The actions of steps, by their code."""
SEARCH, OPEN, READ, EDIT, CITE, ANSWER, OTHER = range(len(ACTIONS))
OPENING = (OPEN, READ)
USING = (EDIT, CITE, ANSWER)
"""The actions whose places are used, and not results."""
AMOUNTS = ("tokens", "seconds", "cost")
"""The amounts that steps may state, each that of the step itself."""
DECIMALS = 9
"""The decimals of amounts that count."""


@dataclass(eq=False)
class Steps:
    """One row for each step, ordered by topic and number.

    `topic` is a code of the run's topics, `number` counts from 1 within a topic, and may leave numbers out;
    `action` is a code of :data:`ACTIONS`; `query` has the words of a search, or None. `tokens`, `seconds` and
    `cost` are the amounts of the step itself, NaN if it does not state one. `used` holds the places that
    edit, cite and answer steps name, and `named` the documents that search steps name without showing text
    of them, as whole documents: both are runs with the same topics, and their column `step` is the row here.
    """

    topic: np.ndarray
    number: np.ndarray
    action: np.ndarray
    query: list[str | None]
    tokens: np.ndarray
    seconds: np.ndarray
    cost: np.ndarray
    used: Run
    named: Run

    def __len__(self) -> int:
        return len(self.topic)

    def __repr__(self) -> str:
        return f"<Steps: {counted(len(self), 'step')}, {counted(len(np.unique(self.topic)), 'topic')}>"

    def take(self, kept: np.ndarray) -> Steps:
        """Only the steps marked, with what they used and named."""
        return replace(
            self, topic=self.topic[kept], number=self.number[kept], action=self.action[kept],
            query=[self.query[step] for step in np.flatnonzero(kept).tolist()],
            **{name: getattr(self, name)[kept] for name in AMOUNTS},
            used=of_steps(self.used, kept), named=of_steps(self.named, kept),
        )  # fmt: skip

    def unstated(self, amount: str) -> np.ndarray:
        """The rows of steps that do not state an amount."""
        return np.flatnonzero(np.isnan(getattr(self, amount)))

    def spent(self, amount: str) -> np.ndarray:
        """The amount spent from the first step of its topic to the end of each step, to nine decimals.

        Decimals are added as they are written: 0.1 and 0.2 are 0.3.
        """
        topics = np.split(getattr(self, amount), np.flatnonzero(np.diff(self.topic)) + 1)
        return np.round(np.concatenate([np.cumsum(part) for part in topics]), DECIMALS)


def of_steps(run: Run, kept: np.ndarray) -> Run:
    """Only the results of the steps marked, as the rows of these steps alone."""
    assert run.step is not None
    taken = run.take(kept[run.step])
    steps = None if run.steps is None else run.steps.take(kept)
    return replace(taken, step=(np.cumsum(kept) - 1)[taken.step], steps=steps)


def with_aliases(run: Run, aliases: Mapping[str, Sequence[str]]) -> Run:
    """The run with other names of its topics, also for what its steps used and named."""
    steps = run.steps
    if steps is not None:
        used, named = (replace(part, aliases=aliases) for part in (steps.used, steps.named))
        steps = replace(steps, used=used, named=named)
    return replace(run, aliases=aliases, steps=steps)


def no_steps(empty: Run) -> Steps:
    """The steps of somebody who did nothing; `empty` is a run without results."""
    codes, numbers, amounts = np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int64), np.zeros(0)
    nothing = replace(empty, step=numbers)
    return Steps(codes, numbers, codes.astype(np.int8), [], amounts, amounts, amounts, nothing, nothing)
