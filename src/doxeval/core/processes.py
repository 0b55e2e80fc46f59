"""Local worker processes: newly started, and gone when the process they work for ends."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Future
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from doxeval.core.ending import end_workers
from doxeval.core.errors import UsageError
from doxeval.core.settings import adopt_settings, settings_made
from doxeval.core.unfinished import unfinished

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

Work = Callable[[Any, Any], Any]

TASKS_AHEAD = 2
"""Tasks that wait for each worker, so that none idles and memory stays bounded."""


class LocalProcesses:
    """Newly started processes of this machine: the same on every platform and safe with threads."""

    def __init__(self, jobs: int, shared: Any) -> None:
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()
        self.jobs = jobs
        self.shared = shared
        self.ahead = TASKS_AHEAD * jobs
        self.workers: dict[int, BaseProcess] = {}
        self.closing = ExitStack()
        self.told = self.closing.enter_context(unfinished())
        try:
            self.told.touch(mode=0o600, exist_ok=False)
            self.told.write_bytes(pickle.dumps((shared, settings_made()), protocol=pickle.HIGHEST_PROTOCOL))
        except OSError as problem:
            self.closing.close()
            raise UsageError(
                f"{self.told.parent}: cannot pass data to workers: {problem.strerror}; set TMPDIR to a "
                "folder with space, or omit --jobs"
            ) from None
        self.pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _adopt, (self.told,))
        self.results: Any = self.pool._result_queue

    def submit(self, function: Work, item: Any) -> Future[Any]:
        with _interrupts_held_back():
            try:
                future = self.pool.submit(_with_adopted, function, item)
            except OSError as problem:  # a worker died while another was started
                raise BrokenExecutor if self.pool._broken else problem from None
            self.workers.update(self.pool._processes or {})
            return future

    def renewed(self) -> LocalProcesses:
        self.close(finished=False)
        return LocalProcesses(self.jobs, self.shared)

    def alone(self) -> LocalProcesses:
        return LocalProcesses(1, self.shared)

    def has_forgotten(self) -> bool:
        """Whether a worker was killed while sending a result, so that the pool waits for the rest of it."""
        return not all(worker.is_alive() for worker in self.workers.values())

    def takes_back(self, task: Future[Any]) -> bool:
        return True

    def close(self, finished: bool) -> None:
        """End the workers, even after the last task: one that was killed may have left others waiting."""
        self.pool.shutdown(wait=False, cancel_futures=True)
        end_workers(list(self.workers.values()))
        self.results._writer.close()
        self.closing.close()


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Block signals while a process is started, which inherits this until it begins to work."""
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


def _adopt(told: Path) -> None:
    """Initialise a worker: keep the shared data, and leave Ctrl-C to the process that hands out the work.

    The shared data comes in a file: a process that starts a worker which is killed before it has read more
    than a pipe holds would wait for it forever.
    """
    global _adopted
    _adopted, settings = pickle.loads(told.read_bytes())
    adopt_settings(settings)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HELD_BACK)
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    """End this worker when the process it works for has ended, for whatever reason."""
    import multiprocessing

    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _with_adopted(function: Work, item: Any) -> Any:
    return function(_adopted, item)
