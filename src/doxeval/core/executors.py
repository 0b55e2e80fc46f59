"""Where work is done: local processes, or wherever an executor's workers are; a worker's death loses nothing.

Work is a function of something shared (the plan of an evaluation, say) and of one item (a run). What is
shared travels once to each worker, with the settings of this process; items travel one by one, a few ahead.
When workers die, those that are left, or new ones, do again what is missing. An item that keeps killing its
worker is tried once more on its own, and named in an error when all the others are done.
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import AbstractContextManager, contextmanager, nullcontext
from hashlib import blake2b
from typing import Any, Protocol, TypeVar

from doxeval.core.errors import DoxevalError, MissingExtra, UsageError, nearest
from doxeval.core.settings import adopt_settings, settings_made

Item = TypeVar("Item")
Result = TypeVar("Result")
Work = Callable[[Any, Any], Any]

TRIES = 3
"""How many workers an item may lose before it is tried on its own."""

TASKS_AHEAD = 2
"""How many tasks wait for each worker, so that none idles and memory stays bounded."""

SCHEMES = ("dask",)
CONNECT_SECONDS = 10
SECONDS_TO_RECOVER = 60
SECONDS_OF_SILENCE = 5
"""After so long without a result a crew is asked whether it still works on what it was given."""


class WorkersDied(DoxevalError):
    """Some items killed every worker that tried them; everything else is done."""


class Crew(Protocol):
    """Workers who hold what is shared."""

    ahead: int

    def submit(self, function: Work, item: Any) -> Future[Any]:
        """Have `function(shared, item)` worked out."""

    def renewed(self) -> Crew:
        """A crew to go on with after a death in this one."""

    def alone(self) -> Crew | None:
        """A single worker for a suspicious item; None where the crew has given it every chance itself."""

    def has_forgotten(self) -> bool:
        """Whether workers are there and none works on what the crew was given: its results got lost."""

    def close(self, finished: bool) -> None:
        """Let the workers go, after the last task or in the middle of them."""


class LocalProcesses:
    """Processes of this machine, started afresh: the same on every platform and safe beside threads."""

    def __init__(self, jobs: int, shared: Any) -> None:
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()
        self.jobs = jobs
        self.shared = shared
        self.ahead = TASKS_AHEAD * jobs
        told = (shared, settings_made())
        self.pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _adopt, told)

    def submit(self, function: Work, item: Any) -> Future[Any]:
        with _interrupts_held_back():
            return self.pool.submit(_with_adopted, function, item)

    def renewed(self) -> LocalProcesses:
        self.close(finished=False)
        return LocalProcesses(self.jobs, self.shared)

    def alone(self) -> LocalProcesses:
        return LocalProcesses(1, self.shared)

    def has_forgotten(self) -> bool:
        return False

    def close(self, finished: bool) -> None:
        workers = {} if finished else dict(getattr(self.pool, "_processes", None) or {})
        self.pool.shutdown(wait=finished, cancel_futures=True)
        for worker in workers.values():
            worker.terminate()


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Signals wait while a process is started, which inherits this until it begins to work."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, HELD_BACK)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


HELD_BACK = {signal.SIGINT, signal.SIGTERM, *({signal.SIGHUP} if hasattr(signal, "SIGHUP") else ())}
_adopted: Any = None


def _adopt(shared: Any, settings: dict[str, str]) -> None:
    """Begin as a worker: keep what is shared, and leave Ctrl-C to the process that hands out the work."""
    global _adopted
    _adopted = shared
    adopt_settings(settings)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HELD_BACK)
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    """End this worker when the process that it works for has ended, however that came."""
    import multiprocessing

    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _with_adopted(function: Work, item: Any) -> Any:
    return function(_adopted, item)


class GivenExecutor:
    """Any executor of a caller's. Its workers unpack what is shared once each, however often it is sent."""

    def __init__(self, executor: Executor, shared: Any) -> None:
        self.executor = executor
        self.parcel: Any = Parcel(shared)
        self.jobs = getattr(executor, "_max_workers", None) or os.cpu_count() or 1
        self.ahead = TASKS_AHEAD * self.jobs

    def submit(self, function: Work, item: Any) -> Future[Any]:
        return self.executor.submit(_with_parcel, self.parcel, function, item)

    def renewed(self) -> Crew:
        """A pool that is broken stays so: local processes of our own take over."""
        return LocalProcesses(self.jobs, self.parcel.content)

    def alone(self) -> Crew | None:
        return None

    def has_forgotten(self) -> bool:
        return False

    def close(self, finished: bool) -> None:
        """The executor is the caller's."""


class Parcel:
    """Something that is packed once, and unpacked once in every process it comes to.

    `settings` are those of the process it comes from, None where that is this one.
    """

    def __init__(self, content: Any, settings: dict[str, str] | None = None) -> None:
        self.content = content
        self.settings = settings
        self._packed: tuple[bytes, str] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        if self._packed is None:
            packed = pickle.dumps((self.content, settings_made()), protocol=pickle.HIGHEST_PROTOCOL)
            self._packed = packed, blake2b(packed, digest_size=16).hexdigest()
        return _unpack, self._packed


_unpacked: tuple[str, Parcel] | None = None


def _unpack(packed: bytes, digest: str) -> Parcel:
    global _unpacked
    if _unpacked is None or _unpacked[0] != digest:
        _unpacked = digest, Parcel(*pickle.loads(packed))
    return _unpacked[1]


def _with_parcel(parcel: Parcel, function: Work, item: Any) -> Any:
    if parcel.settings is not None:
        adopt_settings(parcel.settings)
    return function(parcel.content, item)


class DaskWorkers(GivenExecutor):
    """The workers of a Dask cluster, by `Client.get_executor(pure=False)`; what is shared is scattered."""

    def __init__(self, executor: Any, shared: Any) -> None:
        super().__init__(executor, shared)
        self.client = executor._client
        self.shared = shared
        self.ahead = TASKS_AHEAD * max(1, sum(self.client.nthreads().values()))
        self.parcel = self._scattered(self.parcel)

    def _scattered(self, parcel: Parcel) -> Any:
        """What all workers get; those that have just died may still be on the scheduler's list."""
        for _ in range(TRIES):
            try:
                self.client.wait_for_workers(1, timeout=SECONDS_TO_RECOVER)
                return self.client.scatter(parcel, broadcast=True, hash=False)
            except OSError as problem:
                told = problem
                time.sleep(1)
        raise WorkersDied(f"the workers of the cluster cannot be reached: {told}")

    def renewed(self) -> DaskWorkers:
        """The cluster has found other workers; what was scattered may have died with the old ones."""
        return DaskWorkers(self.executor, self.shared)

    def has_forgotten(self) -> bool:
        """After a death the client may never hear of a task that is done or lost."""
        try:
            busy = self.client.processing()
        except OSError:
            return False
        ours = (key for keys in busy.values() for key in keys if _with_parcel.__name__ in str(key))
        return bool(busy) and next(ours, None) is None


def crew_for(shared: Any, jobs: int, executor: Executor | None = None) -> Crew:
    """Those who will do the work: the executor's workers, or local processes."""
    if executor is None:
        return LocalProcesses(jobs, shared)
    if type(executor).__module__.partition(".")[0] == "distributed":
        return DaskWorkers(executor, shared)
    return GivenExecutor(executor, shared)


def workers_at(executor: Executor | str | None) -> AbstractContextManager[Executor | None]:
    """The workers of an executor, or behind an address such as ``dask://host:8786``; none where None."""
    return executor_at(executor) if isinstance(executor, str) else nullcontext(executor)


@contextmanager
def executor_at(address: str) -> Iterator[Executor]:
    """The executor behind an address such as ``dask://host:8786``."""
    scheme, separator, place = address.partition("://")
    if scheme not in SCHEMES or not separator or not place:
        raise UsageError(
            f"an executor is given as dask://host:port, not {address!r}{nearest(scheme, SCHEMES)}"
        )
    try:
        from distributed import Client
    except ImportError:
        raise MissingExtra("dask", f"--executor {address}") from None
    try:
        client = Client(f"tcp://{place}", timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as problem:
        raise UsageError(
            f"{address}: no Dask scheduler answers ({problem}); start one with 'dask scheduler', "
            f"and workers with 'dask worker {place}'"
        ) from None
    with client:
        if not client.scheduler_info()["workers"]:
            raise UsageError(
                f"{address}: the scheduler has no workers; start some with 'dask worker {place}'"
            )
        yield client.get_executor(pure=False)


def perform(
    crew: Crew,
    function: Work,
    items: Iterable[Item],
    ordered: bool = False,
    told: Callable[[Item], str] = str,
) -> Iterator[tuple[int, Any]]:
    """`(position, function(shared, item))` for every item, as they are finished or in order.

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
            f"{names}: every process that worked on it died, for want of memory perhaps; all else is done"
        )


class _Work:
    """The state of work in progress: what is unfinished, what is with the workers, who has died of what."""

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
        """Take back what workers have forgotten, to be done again."""
        for future, (position, crew) in list(self.waiting.items()):
            if future.cancel():
                del self.waiting[future]
                self._note_death(position, crew)

    def _hand_out(self) -> bool:
        """Give the workers as much as they should have ahead; False when there is nothing to wait for."""
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
        """How far the youngest unfinished item is ahead of the oldest."""
        return next(reversed(self.unfinished)) - next(iter(self.unfinished))

    def _note_death(self, position: int, crew: Crew) -> None:
        """A worker died over this item, or beside it: it is done again, by a new crew."""
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
    """Whether an exception tells of a lost worker, not of the work."""
    return isinstance(problem, BrokenExecutor | CancelledError) or type(problem).__module__.startswith(
        "distributed"
    )
