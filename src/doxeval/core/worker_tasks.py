"""Tasks given to workers, and given again when a worker dies: nothing is lost.

A task is a function of something shared (such as the plan of an evaluation) and of one item (a run). Items
are submitted one by one, a few ahead of the workers. When workers die, the remaining or new ones redo what is
missing. An item that keeps killing its worker is tried once more on its own, and named in an error when all
the others are done.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from typing import Any, TypeVar

from doxeval.core.workers import Workers, WorkersDied, WorkerTask

TaskItem = TypeVar("TaskItem")

MOST_DEATHS = 3
"""The number of workers that may die of an item, or beside it, before it is tried on its own."""

SECONDS_OF_SILENCE = 5
"""Seconds without a result after which workers are asked whether they still work on their tasks."""


def run_tasks(
    workers: Workers,
    function: WorkerTask,
    items: Iterable[TaskItem],
    ordered: bool = False,
    describe: Callable[[TaskItem], str] = str,
) -> Iterator[tuple[int, Any]]:
    """Yield `(position, function(shared, item))` for every item, as they are finished or in order.

    Items are taken from their iterable as workers become free; in order, never more than a few results wait.
    """
    progress = _Progress(workers, function, items, ordered)
    early: dict[int, Any] = {}
    following = 0
    try:
        for position, result in progress.results():
            if not ordered:
                yield position, result
                continue
            early[position] = result
            while following in early:
                yield following, early.pop(following)
                following += 1
    finally:
        progress.workers.close()
    if progress.failed:
        names = ", ".join(describe(item) for item in progress.failed)
        raise WorkersDied(
            f"{names}: every process that worked on it died, perhaps for lack of memory; the rest is done"
        )


class _Progress:
    """Items without a result yet, by position; the tasks that workers have; deaths by item."""

    def __init__(self, workers: Workers, function: WorkerTask, items: Iterable[Any], ordered: bool) -> None:
        self.workers = workers
        self.function = function
        self.coming = enumerate(items)
        self.ordered = ordered
        self.pending: dict[int, Any] = {}
        self.again: deque[int] = deque()
        self.suspects: list[int] = []
        self.deaths: Counter[int] = Counter()
        self.submitted: dict[Future[Any], tuple[int, Workers]] = {}
        self.failed: list[Any] = []

    def results(self) -> Iterator[tuple[int, Any]]:
        """The position and the result of each item that does not kill its workers."""
        while self._submit_tasks():
            done, _ = wait(self.submitted, SECONDS_OF_SILENCE, return_when=FIRST_COMPLETED)
            if not done and self.workers.has_lost_tasks():
                self._give_up_tasks()
            for future in done:
                position, workers = self.submitted.pop(future)
                try:
                    result = future.result()
                except BaseException as problem:
                    if not _is_death(problem):
                        raise
                    self._note_death(position, workers)
                else:
                    del self.pending[position]
                    yield position, result
        for position in self.suspects:
            yield from self._result_alone(position)

    def _submit_tasks(self) -> bool:
        """Submit as many tasks as workers should have; False if there is nothing to wait for."""
        while len(self.submitted) < self.workers.ahead and (position := self._next()) is not None:
            try:
                future = self.workers.submit(self.function, self.pending[position])
            except BrokenExecutor:
                self.again.appendleft(position)
                self.workers = self.workers.replaced()
                continue
            self.submitted[future] = position, self.workers
        return bool(self.submitted)

    def _next(self) -> int | None:
        """The next item to submit, None if all are, or if results in order would wait for too many."""
        if self.again:
            return self.again.popleft()
        if self.ordered and self.pending:
            lead = next(reversed(self.pending)) - next(iter(self.pending))
            if lead >= 2 * self.workers.ahead:
                return None
        for position, item in self.coming:
            self.pending[position] = item
            return position
        return None

    def _give_up_tasks(self) -> None:
        """Give up tasks that workers have lost, to do them again."""
        for future, (position, workers) in list(self.submitted.items()):
            if workers.give_up(future):
                del self.submitted[future]
                self._note_death(position, workers)

    def _note_death(self, position: int, workers: Workers) -> None:
        """Note that a worker died of this item, or beside it: new workers do it again."""
        self.deaths[position] += 1
        (self.again if self.deaths[position] < MOST_DEATHS else self.suspects).append(position)
        if workers is self.workers:
            self.workers = workers.replaced()

    def _result_alone(self, position: int) -> Iterator[tuple[int, Any]]:
        """The result of an item that has killed workers, or may have, by a worker of its own."""
        item = self.pending[position]
        single = self.workers.single()
        if single is None:
            self.failed.append(item)
            return
        try:
            yield position, single.submit(self.function, item).result()
        except (BrokenExecutor, CancelledError):
            self.failed.append(item)
        finally:
            single.close()


def _is_death(problem: BaseException) -> bool:
    """Whether an exception is about a lost worker rather than the task."""
    return isinstance(problem, BrokenExecutor | CancelledError) or type(problem).__module__.startswith(
        "distributed"
    )
