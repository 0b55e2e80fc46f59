"""Work done in a separate process, because it may abort, never end, or take all memory.

The process is started when it is first needed and kept for the next piece of work. It ends with the process
that it works for, and receives only what it is sent: a function by name, and its arguments.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from doxeval.core.errors import DoxevalError

Result = TypeVar("Result")
Request = tuple[Callable[..., Any], tuple[Any, ...], int | None]

BOOT = "import sys; sys.path[:] = sys.argv[1:]; from doxeval.core.apart import serve; serve()"
TRIES = 2
"""The number of attempts: a process may be killed from outside; one that dies again dies of its work."""


class DiedApart(DoxevalError):
    """The process that did the work has ended; the message says how."""


class TookTooLong(DoxevalError):
    """The work was not done within its time limit."""


class Helper:
    """A process that works for this one, one call at a time."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", BOOT, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.owner = os.getpid()

    def call(self, request: Request, seconds: float | None) -> Any:
        """Call the function; returns its result, or raises its exception here."""
        assert self.process.stdin is not None and self.process.stdout is not None
        ran_out = threading.Event()

        def end() -> None:
            ran_out.set()
            self.process.kill()

        clock = threading.Timer(seconds, end) if seconds is not None else None
        try:
            if clock is not None:
                clock.daemon = True
                clock.start()
            pickle.dump(request, self.process.stdin, protocol=pickle.HIGHEST_PROTOCOL)
            self.process.stdin.flush()
            done, result = pickle.load(self.process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            status = self.close()
            if ran_out.is_set():
                raise TookTooLong(f"not done in {seconds:g} seconds") from None
            raise DiedApart(_told(status)) from None
        except BaseException:
            self.close()
            raise
        finally:
            if clock is not None:
                clock.cancel()
        if not done:
            raise result
        return result

    def close(self) -> int:
        """End the process; returns its exit status."""
        self.process.kill()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            with contextlib.suppress(OSError):
                stream.close()
        return self.process.wait()


_helper: Helper | None = None
_lock = threading.Lock()


def apart(
    function: Callable[..., Result], *arguments: Any, seconds: float | None = None, memory: int | None = None
) -> Result:
    """Call `function(*arguments)` in another process, with limits on seconds and bytes of memory."""
    global _helper
    with _lock:
        for attempts_left in reversed(range(TRIES)):
            if _helper is None or _helper.owner != os.getpid() or _helper.process.poll() is not None:
                _let_go()
                _helper = Helper()
            try:
                found: Result = _helper.call((function, arguments, memory), seconds)
                break
            except DiedApart:
                if not attempts_left:
                    raise
        return found


@atexit.register
def _let_go() -> None:
    if _helper is not None and _helper.owner == os.getpid():
        _helper.close()


def _told(status: int) -> str:
    if status >= 0:
        return f"the process that read it ended with status {status}"
    return f"the process that read it was ended by {signal.Signals(-status).name}"


def serve() -> None:
    """Serve requests until the other side is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    requests: queue.SimpleQueue[Request] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(requests,), daemon=True).start()
    while True:
        function, arguments, memory = requests.get()
        _limit_memory(memory)
        try:
            reply = True, function(*arguments)
        except (MemoryError, SystemError):  # the latter if C code that ran out of memory did not say so
            os._exit(1)
        except BaseException as problem:
            reply = False, problem
        pickle.dump(reply, replies, protocol=pickle.HIGHEST_PROTOCOL)
        replies.flush()


def _limit_memory(most: int | None) -> None:
    """Limit the memory of this process, to at most half of the machine's, where the system allows it."""
    with contextlib.suppress(ImportError, OSError, ValueError, AttributeError):
        import resource

        half = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
        resource.setrlimit(resource.RLIMIT_DATA, (min(most or half, half), resource.RLIM_INFINITY))


def _receive(requests: queue.SimpleQueue[Any]) -> None:
    try:
        while True:
            requests.put(pickle.load(sys.stdin.buffer))
    except BaseException:
        os._exit(0)
