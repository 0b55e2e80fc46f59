"""Work distributed to a crew, and taken back when a worker dies: nothing is lost.

Work is a function of something shared (such as the plan of an evaluation) and of one item (a run). The shared
data is sent once to each worker, with the settings of this process; items are sent one by one, a few ahead.
When workers die, the remaining or new ones redo what is missing. An item that keeps killing its worker is
tried once more on its own, and named in an error when all the others are done.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from typing import Any, TypeVar

from doxeval.core.crews import Crew, WorkersDied
from doxeval.core.processes import Work

Item = TypeVar("Item")

TRIES = 3
"""The number of workers an item may lose before it is tried on its own."""

SECONDS_OF_SILENCE = 5
"""Seconds without a result after which a crew is asked whether it still works on its tasks."""


def perform(
    crew: Crew,
    function: Work,
    items: Iterable[Item],
    ordered: bool = False,
    told: Callable[[Item], str] = str,
) -> Iterator[tuple[int, Any]]:
    """Yield `(position, function(shared, item))` for every item, as they are finished or in order.

    Items are taken from their iterable as workers become free; in order, never more than a few are held.
    """
    work = _Work(crew, function, items, ordered)
    finished = False
    held: dict[int, Any] = {}
    following = 0
    try:
        for position, result in work:
            if not ordered:
                yield position, result
                continue
            held[position] = result
            while following in held:
                yield following, held.pop(following)
                following += 1
        finished = True
    finally:
        work.crew.close(finished)
    if work.failed:
        names = ", ".join(told(item) for item in work.failed)
        raise WorkersDied(
            f"{names}: every process that worked on it died, perhaps for lack of memory; the rest is done"
        )


class _Work:
    """The state of work in progress: unfinished items, tasks with the workers, and deaths by item."""

    def __init__(self, crew: Crew, function: Work, items: Iterable[Any], ordered: bool) -> None:
        self.crew = crew
        self.function = function
        self.coming = enumerate(items)
        self.ordered = ordered
        self.unfinished: dict[int, Any] = {}
        self.again: deque[int] = deque()
        self.suspects: list[int] = []
        self.deaths: Counter[int] = Counter()
        self.waiting: dict[Future[Any], tuple[int, Crew]] = {}
        self.failed: list[Any] = []

    def __iter__(self) -> Iterator[tuple[int, Any]]:
        while self._hand_out():
            done, _ = wait(self.waiting, SECONDS_OF_SILENCE, return_when=FIRST_COMPLETED)
            if not done and self.crew.has_forgotten():
                self._recall()
            for future in done:
                position, crew = self.waiting.pop(future)
                try:
                    result = future.result()
                except BaseException as problem:
                    if not _is_death(problem):
                        raise
                    self._note_death(position, crew)
                else:
                    del self.unfinished[position]
                    yield position, result
        yield from self._suspicious_ones()

    def _recall(self) -> None:
        """Take back tasks that workers have forgotten, to do them again."""
        for future, (position, crew) in list(self.waiting.items()):
            if crew.takes_back(future):
                del self.waiting[future]
                self._note_death(position, crew)

    def _hand_out(self) -> bool:
        """Give the workers the tasks they should have ahead; False if there is nothing to wait for."""
        while len(self.waiting) < self.crew.ahead and (position := self._next()) is not None:
            try:
                future = self.crew.submit(self.function, self.unfinished[position])
            except BrokenExecutor:
                self.again.appendleft(position)
                self.crew = self.crew.renewed()
                continue
            self.waiting[future] = position, self.crew
        return bool(self.waiting)

    def _next(self) -> int | None:
        if self.again:
            return self.again.popleft()
        too_far = self.ordered and len(self.unfinished) > 0 and self._lead() >= 2 * self.crew.ahead
        if too_far or (following := next(self.coming, None)) is None:
            return None
        self.unfinished[following[0]] = following[1]
        return following[0]

    def _lead(self) -> int:
        """The distance from the oldest to the newest unfinished item."""
        return next(reversed(self.unfinished)) - next(iter(self.unfinished))

    def _note_death(self, position: int, crew: Crew) -> None:
        """Note that a worker died on this item, or next to it: a new crew does it again."""
        self.deaths[position] += 1
        if self.deaths[position] < TRIES:
            self.again.append(position)
        else:
            self.suspects.append(position)
        if crew is self.crew:
            self.crew = crew.renewed()

    def _suspicious_ones(self) -> Iterator[tuple[int, Any]]:
        for position in self.suspects:
            item = self.unfinished[position]
            single = self.crew.alone()
            try:
                if single is None:
                    raise CancelledError
                result = single.submit(self.function, item).result()
            except (BrokenExecutor, CancelledError):
                self.failed.append(item)
            else:
                yield position, result
            finally:
                if single is not None:
                    single.close(finished=False)


def _is_death(problem: BaseException) -> bool:
    """Whether an exception is about a lost worker rather than the work."""
    return isinstance(problem, BrokenExecutor | CancelledError) or type(problem).__module__.startswith(
        "distributed"
    )
