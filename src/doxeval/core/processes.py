"""Local processes that do work: started afresh, and gone when the process they work for is."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
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
"""How many tasks wait for each worker, so that none idles and memory stays bounded."""


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
        self.workers: dict[int, BaseProcess] = {}
        self.closing = ExitStack()
        self.told = self.closing.enter_context(unfinished())
        try:
            self.told.touch(mode=0o600, exist_ok=False)
            self.told.write_bytes(pickle.dumps((shared, settings_made()), protocol=pickle.HIGHEST_PROTOCOL))
        except OSError as problem:
            self.closing.close()
            raise UsageError(
                f"{self.told.parent}: workers cannot be told their work: {problem.strerror}; set TMPDIR to a "
                "folder with room, or do without --jobs"
            ) from None
        self.pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _adopt, (self.told,))
        self.results: Any = self.pool._result_queue

    def submit(self, function: Work, item: Any) -> Future[Any]:
        with _interrupts_held_back():
            future = self.pool.submit(_with_adopted, function, item)
            self.workers.update(self.pool._processes or {})
            return future

    def renewed(self) -> LocalProcesses:
        self.close(finished=False)
        return LocalProcesses(self.jobs, self.shared)

    def alone(self) -> LocalProcesses:
        return LocalProcesses(1, self.shared)

    def has_forgotten(self) -> bool:
        """A worker that was killed while it told a result leaves the pool waiting for the rest of it."""
        return not all(worker.is_alive() for worker in self.workers.values())

    def takes_back(self, task: Future[Any]) -> bool:
        return True

    def close(self, finished: bool) -> None:
        """End the workers, also after the last task: one that was killed may have left the others waiting."""
        self.pool.shutdown(wait=False, cancel_futures=True)
        end_workers(list(self.workers.values()))
        self.results._writer.close()
        self.closing.close()


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


def _adopt(told: Path) -> None:
    """Begin as a worker: keep what is shared, and leave Ctrl-C to the process that hands out the work.

    What is shared comes in a file: who starts a process that is killed before it has read more than a pipe
    holds would wait for it for ever.
    """
    global _adopted
    _adopted, settings = pickle.loads(told.read_bytes())
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
