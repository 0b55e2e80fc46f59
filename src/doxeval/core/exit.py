"""How a command exits: when it is done without delay, and on a signal immediately, wherever it is.

On a signal, an exception raised at a random place can be swallowed (in a destructor, in a callback) or hit
code that is half imported; so nothing is raised, and anything that would be left behind is removed here.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from multiprocessing.process import BaseProcess

SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
SECONDS_TO_DIE = 5
SHOW_CURSOR = b"\x1b[?25h\n"
_postponed: list[int] | None = None
"""Signals that came while an exit is postponed; None if it is not."""


def exit_on_signals() -> None:
    """Exit on any signal that is not ignored, from now on, in a process that belongs to the command."""
    for number in SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _exit_on)


@contextmanager
def exit_postponed() -> Iterator[None]:
    """Postpone an exit on a signal, whichever thread receives it, and keep signals from what is started here.

    A process that is started meanwhile inherits that signals are blocked, until it is set up.
    """
    global _postponed
    if _postponed is not None or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    received: list[int] = []
    _postponed = received
    try:
        yield
    finally:
        _postponed = None
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for number in received[:1]:
            os.kill(os.getpid(), number)


def _exit_on(number: int, _: object) -> None:
    if _postponed is not None:
        _postponed.append(number)
        return
    for other in SIGNALS:
        signal.signal(other, signal.SIG_IGN)
    kill_processes(_if_loaded("multiprocessing", "active_children")() or [])
    # These release the semaphores of workers, which are otherwise reported as lost.
    _if_loaded("multiprocessing.util", "_run_finalizers")(0)
    _if_loaded("doxeval.core.temporary", "remove_all_files")()
    if os.isatty(sys.__stderr__.fileno() if sys.__stderr__ else -1):
        os.write(2, SHOW_CURSOR)
    if number == signal.SIGINT:
        kept = _if_loaded("doxeval.core.progress", "kept")()
        os.write(2, b"interrupted; %s\n" % kept if kept else b"interrupted\n")
    os._exit(128 + number)


def _if_loaded(module: str, name: str) -> Callable[..., Any]:
    """A function of a module that is loaded; one that does nothing if it is not, or not yet."""
    return getattr(sys.modules.get(module), name, lambda *_: None)


def exit_quickly(status: object = None) -> None:
    """Exit from this process, which belongs to the command, with a status, if nothing is left to be done.

    The interpreter would take all modules apart first, for a twentieth of the time of a short command. It is
    left to do so if there were other processes, if threads or profilers are at work, or if output cannot be
    written.
    """
    import atexit
    import threading

    if (
        "multiprocessing" in sys.modules
        or threading.active_count() > 1
        or sys.getprofile()
        or sys.gettrace()
        or not isinstance(status, int | None)
    ):
        return
    atexit._run_exitfuncs()
    with suppress(Exception):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status or 0)


def kill_processes(processes: Sequence[BaseProcess]) -> None:
    """Kill worker processes, wherever they are, and remove their temporary files."""
    if not processes:
        return
    from doxeval.core.temporary import remove_files_of

    for process in processes:
        process.kill()
    for process in processes:
        process.join(SECONDS_TO_DIE)
        remove_files_of(process.pid)
