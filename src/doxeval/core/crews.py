"""Workers: local processes or threads, the workers of any executor, or those of a Dask cluster."""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Protocol

from doxeval.core.errors import DoxevalError, MissingExtra, UsageError, nearest
from doxeval.core.processes import TASKS_AHEAD, LocalProcesses, Work
from doxeval.core.settings import adopt_settings, settings_made

SCHEMES = ("dask",)
CONNECT_SECONDS = 10
SECONDS_TO_RECOVER = 60
TRIES_TO_REACH = 3


class WorkersDied(DoxevalError):
    """Some items killed every worker that tried them; everything else is done."""


class Crew(Protocol):
    """Workers that hold the shared data."""

    ahead: int

    def submit(self, function: Work, item: Any) -> Future[Any]:
        """Submit `function(shared, item)`."""

    def renewed(self) -> Crew:
        """A crew to continue with after a worker of this one died."""

    def alone(self) -> Crew | None:
        """A single worker for a suspicious item; None if the crew has already tried everything."""

    def has_forgotten(self) -> bool:
        """Whether there are workers but none works on the tasks given: their results were lost."""

    def takes_back(self, task: Future[Any]) -> bool:
        """Take back a forgotten task; False if it was done after all."""

    def close(self, finished: bool) -> None:
        """Release the workers, after the last task or in the middle of them."""


class GivenExecutor:
    """Any executor of a caller. Its workers unpack the shared data once each, however often it is sent."""

    def __init__(self, executor: Executor, shared: Any) -> None:
        self.executor = executor
        self.parcel: Any = Parcel(shared)
        self.jobs = getattr(executor, "_max_workers", None) or os.cpu_count() or 1
        self.ahead = TASKS_AHEAD * self.jobs

    def submit(self, function: Work, item: Any) -> Future[Any]:
        return self.executor.submit(_with_parcel, self.parcel, function, item)

    def renewed(self) -> Crew:
        """Local processes, since a broken pool stays broken."""
        return LocalProcesses(self.jobs, self.parcel.content)

    def alone(self) -> Crew | None:
        return None

    def has_forgotten(self) -> bool:
        return False

    def takes_back(self, task: Future[Any]) -> bool:
        return task.cancel()

    def close(self, finished: bool) -> None:
        """Do nothing: the executor belongs to the caller."""


class Parcel:
    """Data that is packed once, and unpacked once in every process that receives it.

    `settings` are those of the process it comes from, None if that is this one.
    """

    def __init__(self, content: Any, settings: dict[str, str] | None = None) -> None:
        self.content = content
        self.settings = settings
        self._packed: tuple[bytes, str] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        if self._packed is None:
            from hashlib import blake2b

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


class LocalThreads(GivenExecutor):
    """Threads of this process, for work that rarely holds the interpreter's lock.

    They start at once, with the data of this process; other processes must be started and sent it.
    """

    def __init__(self, jobs: int, shared: Any) -> None:
        from concurrent.futures import ThreadPoolExecutor

        super().__init__(ThreadPoolExecutor(jobs), shared)

    def close(self, finished: bool) -> None:
        """Start nothing more; tasks in progress run to their end without being waited for."""
        self.executor.shutdown(wait=False, cancel_futures=True)


class DaskWorkers(GivenExecutor):
    """The workers of a Dask cluster, by `Client.get_executor(pure=False)`; the shared data is scattered."""

    def __init__(self, executor: Any, shared: Any) -> None:
        super().__init__(executor, shared)
        self.client = executor._client
        self.shared = shared
        self.ahead = TASKS_AHEAD * max(1, sum(self.client.nthreads().values()))
        self.parcel = self._scattered(self.parcel)

    def _scattered(self, parcel: Parcel) -> Any:
        """Scatter data to all workers; workers that just died may still be on the scheduler's list."""
        for _ in range(TRIES_TO_REACH):
            try:
                self.client.wait_for_workers(1, timeout=SECONDS_TO_RECOVER)
                return self.client.scatter(parcel, broadcast=True, hash=False)
            except OSError as problem:
                told = problem
                time.sleep(1)
        raise WorkersDied(f"the workers of the cluster cannot be reached: {told}")

    def renewed(self) -> DaskWorkers:
        """A crew for new workers of the cluster, as scattered data may have died with the old ones."""
        return DaskWorkers(self.executor, self.shared)

    def has_forgotten(self) -> bool:
        """Whether tasks were lost: after a death the client may never hear of them."""
        try:
            busy = self.client.processing()
        except OSError:
            return False
        ours = (key for keys in busy.values() for key in keys if _with_parcel.__name__ in str(key))
        return bool(busy) and next(ours, None) is None


def crew_for(shared: Any, jobs: int, executor: Executor | None = None, threads: bool = False) -> Crew:
    """The crew for some work: the executor's workers, or local processes, or threads."""
    if executor is None:
        return LocalThreads(jobs, shared) if threads else LocalProcesses(jobs, shared)
    if type(executor).__module__.partition(".")[0] == "distributed":
        return DaskWorkers(executor, shared)
    return GivenExecutor(executor, shared)


def workers_at(executor: Executor | str | None) -> AbstractContextManager[Executor | None]:
    """The workers of an executor, or at an address such as ``dask://host:8786``, or none."""
    return executor_at(executor) if isinstance(executor, str) else nullcontext(executor)


@contextmanager
def executor_at(address: str) -> Iterator[Executor]:
    """The executor at an address such as ``dask://host:8786``."""
    scheme, separator, place = address.partition("://")
    if scheme not in SCHEMES or not separator or not place:
        raise UsageError(
            f"expected an executor as dask://host:port, found {address!r}{nearest(scheme, SCHEMES)}"
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
