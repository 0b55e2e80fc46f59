"""How a command ends: when it is done without delay, and on a signal immediately, wherever it is.

On a signal, an exception raised at a random place can be swallowed (in a destructor, in a callback) or hit
code that is half imported; so nothing is raised, and anything that would be left behind is removed here.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from multiprocessing.process import BaseProcess

SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
SECONDS_TO_DIE = 5
SHOW_CURSOR = b"\x1b[?25h\n"


def end_at_signals() -> None:
    """From now on, end this process, which belongs to the command, on any signal that is not ignored."""
    for number in SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _end)


def _end(number: int, _: object) -> None:
    for other in SIGNALS:
        signal.signal(other, signal.SIG_IGN)
    end_workers(_held("multiprocessing", "active_children")() or [])
    _held("multiprocessing.util", "_run_finalizers")(0)
    _held("doxeval.core.unfinished", "remove_unfinished")()
    if os.isatty(sys.__stderr__.fileno() if sys.__stderr__ else -1):
        os.write(2, SHOW_CURSOR)
    if number == signal.SIGINT:
        os.write(2, b"interrupted\n")
    os._exit(128 + number)


def end_at_once(status: object = None) -> None:
    """End this process, which belongs to the command, with a status, if nothing is left to be done.

    To take all modules apart first, as the interpreter does, takes a twentieth of the time of a short
    command. It is left to the interpreter if there were other processes, if threads or profilers are at work,
    or if output cannot be written.
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


def _held(module: str, name: str) -> Callable[..., Any]:
    """A function of a module that is loaded; one that does nothing if it is not, or not yet.

    The finalizers of multiprocessing release the semaphores of workers, which are otherwise reported as lost.
    """
    return getattr(sys.modules.get(module), name, lambda *_: None)


def end_workers(workers: Sequence[BaseProcess]) -> None:
    """End processes, wherever they are, and remove their unfinished files."""
    if not workers:
        return
    from doxeval.core.unfinished import remove_unfinished_of

    for worker in workers:
        worker.kill()
    for worker in workers:
        worker.join(SECONDS_TO_DIE)
        remove_unfinished_of(worker.pid)
