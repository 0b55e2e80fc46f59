"""Workers: local processes or threads, the workers of any executor, or those of a Dask cluster.

All take tasks `function(shared, item)`. The shared data is sent once to each worker, with the settings of
this process; :mod:`doxeval.core.worker_tasks` decides which task is submitted when, and what a worker's death
means.
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from doxeval.core.errors import DoxevalError, MissingExtra, UsageError, naming_plug_ins, nearest
from doxeval.core.exit import SIGNALS, exit_postponed, kill_processes
from doxeval.core.settings import adopt_settings, settings_to_send
from doxeval.core.temporary import temporary_file

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

WorkerTask = Callable[[Any, Any], Any]

TASKS_AHEAD = 2
"""Tasks that wait for each worker, so that none idles and memory stays bounded."""
SCHEMES = ("dask",)
CONNECT_SECONDS = 10
SECONDS_TO_RECOVER = 60
TRIES_TO_REACH = 3


class WorkersDied(DoxevalError):
    """Some items killed every worker that tried them; everything else is done."""


class Workers:
    """The workers of any executor of a caller; each unpacks the shared data once, however often it is sent.

    `ahead` is the number of tasks to submit before waiting for results.
    """

    def __init__(self, executor: Executor, shared: Any) -> None:
        self.executor = executor
        self.shared = shared
        self.shared_data: Any = SharedData(shared)
        self.jobs = getattr(executor, "_max_workers", None) or os.cpu_count() or 1
        self.ahead = TASKS_AHEAD * self.jobs

    def submit(self, function: WorkerTask, item: Any) -> Future[Any]:
        """Submit `function(shared, item)`; a :class:`BrokenExecutor` is raised if workers have died."""
        return self.executor.submit(_run_with_data, self.shared_data, function, item)

    def replaced(self) -> Workers:
        """New workers after one of these has died: local processes, since a broken executor stays broken."""
        return LocalProcesses(self.jobs, self.shared)

    def single(self) -> Workers | None:
        """A single worker for an item that may kill it; None if these are not ours to risk."""
        return None

    def has_lost_tasks(self) -> bool:
        """Whether there are workers but none works on the tasks submitted, so that results never come."""
        return False

    def give_up(self, task: Future[Any]) -> bool:
        """Give up a lost task; False if it was done after all."""
        return task.cancel()

    def close(self) -> None:
        """Release the workers, also in the middle of their tasks; an executor of the caller stays."""


class SharedData:
    """Data that is pickled once, and unpickled once in every process that receives it.

    `settings` are those of the process it comes from, None if that is this one.
    """

    def __init__(self, content: Any, settings: dict[str, str] | None = None) -> None:
        self.content = content
        self.settings = settings
        self._pickled: tuple[bytes, str] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        if self._pickled is None:
            from hashlib import blake2b

            pickled = _pickled(self.content)
            self._pickled = pickled, blake2b(pickled, digest_size=16).hexdigest()
        return _received, self._pickled


_last_received: tuple[str, SharedData] | None = None


def _received(pickled: bytes, digest: str) -> SharedData:
    """The data that arrives in a worker; nearly always the same as before."""
    global _last_received
    if _last_received is None or _last_received[0] != digest:
        _last_received = digest, SharedData(*pickle.loads(pickled))
    return _last_received[1]


def _pickled(shared: Any) -> bytes:
    """The shared data with the settings to use."""
    return pickle.dumps((shared, settings_to_send()), protocol=pickle.HIGHEST_PROTOCOL)


def _run_with_data(data: SharedData, function: WorkerTask, item: Any) -> Any:
    if data.settings is not None:
        adopt_settings(data.settings)
    with naming_plug_ins():
        return function(data.content, item)


class LocalThreads(Workers):
    """Threads of this process, for work that rarely holds the interpreter's lock.

    They start at once, with the data of this process; other processes must be started and sent it.
    """

    def __init__(self, jobs: int, shared: Any) -> None:
        from concurrent.futures import ThreadPoolExecutor

        super().__init__(ThreadPoolExecutor(jobs), shared)

    def close(self) -> None:
        """Start nothing more; tasks in progress run to their end without being waited for."""
        self.executor.shutdown(wait=False, cancel_futures=True)


class LocalProcesses(Workers):
    """Newly started processes of this machine: the same on every platform and safe with threads.

    They end with this process, for whatever reason that ends.
    """

    def __init__(self, jobs: int, shared: Any) -> None:
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()
        self.jobs = jobs
        self.shared = shared
        self.ahead = TASKS_AHEAD * jobs
        self.processes: dict[int, BaseProcess] = {}
        self.closing = ExitStack()
        data_file = self.closing.enter_context(temporary_file())
        try:
            data_file.touch(mode=0o600, exist_ok=False)
            data_file.write_bytes(_pickled(shared))
        except OSError as problem:
            self.closing.close()
            raise UsageError(
                f"{data_file.parent}: cannot pass data to workers: {problem.strerror}; set TMPDIR to a "
                "folder with space, or omit --jobs"
            ) from None
        self.pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _set_up, (data_file,))
        self.results: Any = self.pool._result_queue

    def submit(self, function: WorkerTask, item: Any) -> Future[Any]:
        """Submit a task, for which the pool may start a process."""
        with exit_postponed():
            try:
                future = self.pool.submit(_run_with_own_data, function, item)
            except OSError as problem:  # a worker died while another was started
                raise BrokenExecutor if self.pool._broken else problem from None
            self.processes.update(self.pool._processes or {})
            return future

    def replaced(self) -> LocalProcesses:
        """A new pool in place of this one."""
        self.close()
        return LocalProcesses(self.jobs, self.shared)

    def single(self) -> LocalProcesses:
        """A pool of one process."""
        return LocalProcesses(1, self.shared)

    def has_lost_tasks(self) -> bool:
        """Whether a worker was killed while sending a result, so that the pool waits for the rest of it."""
        return not all(process.is_alive() for process in self.processes.values())

    def give_up(self, task: Future[Any]) -> bool:
        """Give up a task, whose process is dead."""
        return True

    def close(self) -> None:
        """Kill the processes, even after the last task: one that was killed may have left others waiting."""
        self.pool.shutdown(wait=False, cancel_futures=True)
        kill_processes(list(self.processes.values()))
        self.results._writer.close()
        self.closing.close()


_own_data: Any = None
"""The shared data, in a local worker process."""


def _set_up(data_file: Path) -> None:
    """Set up a worker process: read the shared data, and leave Ctrl-C to the process that submits tasks.

    The data is in a file because a pipe holds little: if a worker were killed before it had read the rest of
    its data, the process that starts it would wait for it forever.
    """
    global _own_data
    _own_data, settings = pickle.loads(data_file.read_bytes())
    adopt_settings(settings)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    threading.Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    """Exit when the process that submits tasks has ended, for whatever reason."""
    import multiprocessing

    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _run_with_own_data(function: WorkerTask, item: Any) -> Any:
    with naming_plug_ins():
        return function(_own_data, item)


class DaskWorkers(Workers):
    """The workers of a Dask cluster, by `Client.get_executor(pure=False)`; the shared data is scattered."""

    def __init__(self, executor: Any, shared: Any) -> None:
        super().__init__(executor, shared)
        self.client = executor._client
        self.ahead = TASKS_AHEAD * max(1, sum(self.client.nthreads().values()))
        self.shared_data = self._scattered(self.shared_data)

    def _scattered(self, data: SharedData) -> Any:
        """Scatter data to all workers; workers that just died may still be on the scheduler's list."""
        for _ in range(TRIES_TO_REACH):
            try:
                self.client.wait_for_workers(1, timeout=SECONDS_TO_RECOVER)
                return self.client.scatter(data, broadcast=True, hash=False)
            except OSError as problem:
                reason = problem
                time.sleep(1)
        raise WorkersDied(f"the workers of the cluster cannot be reached: {reason}")

    def replaced(self) -> DaskWorkers:
        """The cluster's workers of now; scattered data may have died with the old ones."""
        return DaskWorkers(self.executor, self.shared)

    def has_lost_tasks(self) -> bool:
        """Whether tasks were lost: after a death the client may never hear of them."""
        try:
            busy = self.client.processing()
        except OSError:
            return False
        ours = (key for keys in busy.values() for key in keys if _run_with_data.__name__ in str(key))
        return bool(busy) and next(ours, None) is None


def workers_for(shared: Any, jobs: int, executor: Executor | None = None, threads: bool = False) -> Workers:
    """The workers for some tasks: those of the executor, or local processes, or threads."""
    if executor is None:
        return LocalThreads(jobs, shared) if threads else LocalProcesses(jobs, shared)
    if type(executor).__module__.partition(".")[0] == "distributed":
        return DaskWorkers(executor, shared)
    return Workers(executor, shared)


@contextmanager
def executor_at(executor: Executor | str | None) -> Iterator[Executor | None]:
    """The executor at an address such as ``dask://host:8786``; an executor, or none, as it is."""
    if not isinstance(executor, str):
        yield executor
        return
    scheme, separator, place = executor.partition("://")
    if scheme not in SCHEMES or not separator or not place:
        raise UsageError(
            f"expected an executor as dask://host:port, found {executor!r}{nearest(scheme, SCHEMES)}"
        )
    try:
        from distributed import Client
    except ImportError:
        raise MissingExtra("dask", f"--executor {executor}") from None
    try:
        client = Client(f"tcp://{place}", timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as problem:
        raise UsageError(
            f"{executor}: no Dask scheduler answers ({problem}); start one with 'dask scheduler', "
            f"and workers with 'dask worker {place}'"
        ) from None
    with client:
        if not client.scheduler_info()["workers"]:
            raise UsageError(
                f"{executor}: the scheduler has no workers; start some with 'dask worker {place}'"
            )
        yield client.get_executor(pure=False)


def are_here(executor: Any) -> bool:
    """Whether all workers of a Dask cluster are at addresses that only this machine can reach."""
    hosts = {worker["host"] for worker in executor._client.scheduler_info()["workers"].values()}
    return all(host in ("localhost", "::1") or host.startswith("127.") for host in hosts)
