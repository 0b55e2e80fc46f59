"""Score many runs: here or in workers, and only what a store does not hold yet."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence, Sized
from contextlib import contextmanager
from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from doxeval.core.errors import DoxevalError
from doxeval.core.notices import Notices
from doxeval.core.progress import keep
from doxeval.core.quick_class import dataclass
from doxeval.scoring.loader import RunLoader
from doxeval.scoring.scores import RunScores, Unscored

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from doxeval.scoring.evaluation import Evaluation, Look
    from doxeval.scoring.store.parts import Record, Store

Scored = tuple[int, RunScores | Unscored]

MOST_THREADS = 4
"""The most threads; more would wait for each other."""
READ_AHEAD = 4
"""The number of runs whose checksums are computed, each in a thread, before they are looked up in a store."""


@dataclass
class Assignment:
    """A run to score by some of an evaluation's measures, with `look` and its known scores."""

    position: int
    load: RunLoader
    measures: list[str]
    look: Look | None = None
    known: RunScores | None = None
    record: Record | None = None
    parameters: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return str(self.load)

    def __reduce__(self) -> tuple[type[Assignment], tuple[int, RunLoader, list[str], Look | None]]:
        """Send workers the assignment without the known scores."""
        return Assignment, (self.position, self.load, self.measures, self.look)


def sweep(
    evaluation: Evaluation,
    loaders: Iterable[RunLoader],
    look: Look | None = None,
    known: Sequence[RunScores] = (),
) -> Iterator[Scored]:
    """`(position, scores)` of every run, in the order in which they are finished.

    A run that cannot be read or scored is reported as such, and the others are scored. With a store, the
    scores of each run are stored as soon as they are computed, and stored ones are not computed again; nor
    are scores that are `known`.
    """

    def ahead(at: int) -> list[RunLoader]:
        return loaders[at : at + READ_AHEAD] if isinstance(loaders, list) else []

    store = _store(evaluation, ahead(0)) if not known else None
    jobs = min(evaluation.jobs, len(loaders)) if isinstance(loaders, Sized) else evaluation.jobs
    labels = [measure.label for measure in evaluation.measures]
    settled: deque[Scored] = deque()

    def assignments() -> Iterator[Assignment]:
        for at, load in enumerate(loaders):
            task = Assignment(at, load, labels, look)
            try:
                task.parameters = load.parameters
                if store is not None or workers is not None or (jobs > 1 and not threads):
                    task.load = load.portable(workers is not None)
                if known:
                    task.known, task.measures = known[at], []
                elif store is not None:
                    task.record = store.record(task.load, ahead(at + 1))
                    task.known, task.measures = store.known(task.record)
            except DoxevalError as problem:
                settled.append((at, Unscored(str(load), problem)))
                continue
            if task.known is not None and not task.measures and look is None:
                task.known.parameters = task.parameters
                settled.append((at, task.known))
            else:
                yield task

    threads = 1 < jobs <= MOST_THREADS and look is None and threads_do(evaluation, loaders)
    with _workers(evaluation) as workers:
        for task, scores in _performed(evaluation, assignments(), jobs, workers, threads):
            if isinstance(scores, RunScores):
                if store is not None and task.record is not None and task.measures:
                    store.keep(task.record, task.measures, scores)
                scores = _joined(evaluation, task, scores)
                scores.parameters = task.parameters
            yield task.position, scores
            while settled:
                yield settled.popleft()
    yield from settled


def _store(evaluation: Evaluation, runs: Sequence[RunLoader]) -> Store | None:
    if evaluation.store is None:
        return None
    from doxeval.scoring.store.parts import Store

    keep(f"the scores of runs that were finished are kept in {evaluation.store}")
    return Store(evaluation.store, evaluation, runs)


@contextmanager
def _workers(evaluation: Evaluation) -> Iterator[Executor | None]:
    """The executor of an evaluation; notes a cluster that is slower than jobs of this machine."""
    if evaluation.executor is None:
        yield None
        return
    from doxeval.core.workers import are_here, executor_at

    with executor_at(evaluation.executor) as workers:
        if isinstance(evaluation.executor, str) and are_here(workers):
            evaluation.ground.notices.add(
                f"all workers of {evaluation.executor} are on this machine, where jobs (--jobs) are faster",
                harmless=True,
            )
        yield workers


def threads_do(evaluation: Evaluation, loaders: Iterable[RunLoader]) -> bool:
    """Whether threads score these runs faster than processes, which have to be started first.

    This is so if runs are in memory or read by kernels, and every measure counts characters: then the
    interpreter's lock is held for less than a quarter of the time.
    """
    from doxeval.io.formats.field_lines import topics_of_fields
    from doxeval.kernels import compiled

    if not (isinstance(loaders, list) and loaders and compiled()) or evaluation.ground.documents is not None:
        return False
    if not all(type(load) is RunLoader and not load.is_large for load in loaders):
        return False
    try:
        if loaders[0].path is not None and loaders[0].format_of_file.cut is not topics_of_fields:
            return False
    except DoxevalError:
        return False
    return all(measure.unlocked for measure in evaluation.measures)


def _performed(
    evaluation: Evaluation,
    assignments: Iterator[Assignment],
    jobs: int,
    workers: Executor | None,
    threads: bool,
) -> Iterator[tuple[Assignment, RunScores | Unscored]]:
    if workers is None and jobs <= 1:
        for task in assignments:
            yield task, score_assignment(evaluation, task)
        return
    from doxeval.core.worker_tasks import run_tasks
    from doxeval.core.workers import workers_for

    handed_out: dict[int, Assignment] = {}

    def noted() -> Iterator[Assignment]:
        for at, task in enumerate(assignments):
            handed_out[at] = task
            yield task

    scoring = workers_for(evaluation, jobs, workers, threads)
    for position, scores in run_tasks(scoring, score_assignment, noted()):
        yield handed_out.pop(position), scores


def score_assignment(evaluation: Evaluation, task: Assignment) -> RunScores | Unscored:
    """Score an assignment, in a worker."""
    try:
        return evaluation.score_loaded(task.load, task.measures, task.look)
    except DoxevalError as problem:
        return Unscored(str(task), problem)


def _joined(evaluation: Evaluation, task: Assignment, scores: RunScores) -> RunScores:
    """Join known and computed scores, measures in the evaluation's order."""
    if task.known is None:
        return scores
    rows = iter(scores.values)
    before = iter(task.known.values)
    values = [
        next(rows) if measure.label in task.measures else next(before) for measure in evaluation.measures
    ]
    notices = Notices(task.known.notices, scores.notices)
    return RunScores(
        scores.name,
        np.array(values),
        scores.counted,
        scores.results,
        scores.unjudged,
        notices,
        scores.seen,
        scores.bounds,
        scores.repeated or task.known.repeated,
    )
