"""How a command ends at a signal: at once, wherever it is.

An exception raised at a random place can be swallowed (in a destructor, in a callback) or meet code that is
half imported; so nothing is raised, and what would be left behind is put away here.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from multiprocessing.process import BaseProcess

SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
SECONDS_TO_DIE = 5
SHOW_CURSOR = b"\x1b[?25h\n"


def end_at_signals() -> None:
    """From now on a signal that is not ignored ends this process, which is the command's own."""
    for number in SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _end)


def _end(number: int, _: object) -> None:
    for other in SIGNALS:
        signal.signal(other, signal.SIG_IGN)
    if "multiprocessing.process" in sys.modules:
        _let_workers_go()
    if "doxeval.core.unfinished" in sys.modules:
        from doxeval.core.unfinished import remove_unfinished

        remove_unfinished()
    if os.isatty(sys.__stderr__.fileno() if sys.__stderr__ else -1):
        os.write(2, SHOW_CURSOR)
    if number == signal.SIGINT:
        os.write(2, b"interrupted\n")
    os._exit(128 + number)


def _let_workers_go() -> None:
    """End the workers, and give back the semaphores they shared, or they would be reported as lost."""
    from multiprocessing import active_children, util

    end_workers(active_children())
    getattr(util, "_run_finalizers", lambda priority: None)(0)


def end_workers(workers: Sequence[BaseProcess]) -> None:
    """End processes, wherever they are, and remove what they have not finished."""
    from doxeval.core.unfinished import remove_unfinished_of

    for worker in workers:
        worker.kill()
    for worker in workers:
        worker.join(SECONDS_TO_DIE)
        remove_unfinished_of(worker.pid)
