"""Score many runs: here or elsewhere, and only what a store does not hold yet."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from doxeval.core.errors import DoxevalError
from doxeval.core.notices import Notices
from doxeval.scoring.scores import RunScores, Unscored

if TYPE_CHECKING:
    from concurrent.futures import Executor
    from pathlib import Path

    from doxeval.scoring.evaluation import Plan, RunLoader
    from doxeval.scoring.store.store import Record, Store

Scored = tuple[int, RunScores | Unscored]


@dataclass
class Task:
    """A run to be scored by some of the plan's measures, and what is known of it already."""

    position: int
    load: RunLoader
    measures: list[str]
    known: RunScores | None = None
    record: Record | None = None

    def __str__(self) -> str:
        return self.load.path or self.load.run_name

    def __reduce__(self) -> tuple[type[Task], tuple[int, RunLoader, list[str]]]:
        """Workers are told what to do, not what is known."""
        return Task, (self.position, self.load, self.measures)


def score_runs(
    plan: Plan,
    loaders: Sequence[RunLoader],
    *,
    jobs: int = 1,
    executor: Executor | None = None,
    store: str | Path | None = None,
) -> Iterator[Scored]:
    """`(position, scores)` of every run, in the order in which they are finished.

    A run that cannot be read or scored is told as such, and the others are scored.

    With a `store`, each run's scores are kept as soon as they are there.
    """
    if store is not None:
        from doxeval.scoring.store.store import Store

        yield from _with_store(plan, loaders, Store(store, plan), jobs, executor)
        return
    labels = [measure.label for measure in plan.measures]
    elsewhere = executor is not None or min(jobs, len(loaders)) > 1
    tasks = (
        Task(at, load.portable(executor is not None) if elsewhere else load, labels)
        for at, load in enumerate(loaders)
    )
    for task, scores in _scored(plan, tasks, min(jobs, len(loaders)), executor):
        yield task.position, scores


def _scored(
    plan: Plan, tasks: Iterator[Task], jobs: int, executor: Executor | None
) -> Iterator[tuple[Task, RunScores | Unscored]]:
    if executor is None and jobs <= 1:
        for task in tasks:
            yield task, score_task(plan, task)
        return
    from doxeval.core.executors import crew_for, perform

    handed_out: dict[int, Task] = {}

    def noted() -> Iterator[Task]:
        for at, task in enumerate(tasks):
            handed_out[at] = task
            yield task

    for position, scores in perform(crew_for(plan, jobs, executor), score_task, noted()):
        yield handed_out.pop(position), scores


def score_task(plan: Plan, task: Task) -> RunScores | Unscored:
    """What a worker does."""
    wanted = plan if len(task.measures) == len(plan.measures) else plan.only(task.measures)
    try:
        return wanted.score(task.load)
    except DoxevalError as problem:
        return Unscored(str(task), problem)


def _with_store(
    plan: Plan, loaders: Sequence[RunLoader], store: Store, jobs: int, executor: Executor | None
) -> Iterator[Scored]:
    complete: deque[Scored] = deque()

    def missing() -> Iterator[Task]:
        for at, load in enumerate(loaders):
            moved = load.portable(executor is not None)
            record = store.record(moved)
            known, labels = store.known(record)
            if known is not None and not labels:
                complete.append((at, known))
            else:
                yield Task(at, moved, labels, known, record)

    for task, scores in _scored(plan, missing(), min(jobs, len(loaders)), executor):
        if isinstance(scores, RunScores):
            assert task.record is not None
            store.keep(task.record, task.measures, scores)
            scores = _joined(plan, task, scores)
        yield task.position, scores
        while complete:
            yield complete.popleft()
    yield from complete


def _joined(plan: Plan, task: Task, scores: RunScores) -> RunScores:
    """What was known and what was computed, measures in the plan's order."""
    if task.known is None:
        return scores
    rows = iter(scores.values)
    before = iter(task.known.values)
    values = [next(rows) if measure.label in task.measures else next(before) for measure in plan.measures]
    notices = Notices()
    notices.extend(task.known.notices)
    for notice in scores.notices:
        if notice.message not in {told.message for told in task.known.notices}:
            notices.adopt(notice)
    return RunScores(scores.name, np.array(values), scores.counted, scores.results, scores.unjudged, notices)
