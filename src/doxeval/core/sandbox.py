"""A sandboxed process, for work that may abort, never end, or take all memory.

The process is started when it is first needed, and kept for the next call. It ends with the process
that it works for, and receives only what it is sent: a function by name, and its arguments.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
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
from doxeval.core.forks import in_child

Result = TypeVar("Result")
Request = tuple[Callable[..., Any], tuple[Any, ...], int | None]

BOOT = "import sys; sys.path[:] = sys.argv[1:]; from doxeval.core import sandbox; sandbox.answer_requests()"
ATTEMPTS = 2
"""A process may be killed from outside; one that dies again dies of its work."""


class SandboxDied(DoxevalError):
    """The sandboxed process has ended; the message says how."""


class SandboxTimeout(DoxevalError):
    """The call was not done within its time limit."""


class Sandbox:
    """A process that works for this one, one call at a time."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", BOOT, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.owner = os.getpid()

    @property
    def is_usable(self) -> bool:
        """Whether it is alive and belongs to this process, which may be a fork of the one that started it."""
        return self.owner == os.getpid() and self.process.poll() is None

    def call(self, request: Request, seconds: float | None) -> Any:
        """Call the function; returns its result, or raises its exception here."""
        assert self.process.stdin is not None and self.process.stdout is not None
        timed_out = threading.Event()

        def stop() -> None:
            timed_out.set()
            self.process.kill()

        timer = threading.Timer(seconds or 0, stop)
        timer.daemon = True
        try:
            if seconds is not None:
                timer.start()
            pickle.dump(request, self.process.stdin, protocol=pickle.HIGHEST_PROTOCOL)
            self.process.stdin.flush()
            succeeded, result = pickle.load(self.process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            status = self.close()
            if timed_out.is_set():
                raise SandboxTimeout(f"not done in {seconds:g} seconds") from None
            raise SandboxDied(f"the process that read it {_how_it_ended(status)}") from None
        except BaseException:
            self.close()
            raise
        finally:
            timer.cancel()
        if not succeeded:
            raise result
        return result

    def leave(self) -> None:
        """Cut the connection on this side alone, in a fork of the process that started it."""
        with open(os.devnull, "r+b", buffering=0) as nothing:  # noqa: PTH123
            for stream in (self.process.stdin, self.process.stdout):
                assert stream is not None
                with contextlib.suppress(ValueError):  # it is closed already
                    os.dup2(nothing.fileno(), stream.fileno(), inheritable=False)

    def close(self) -> int:
        """End the process; returns its exit status."""
        self.process.kill()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            with contextlib.suppress(OSError):
                stream.close()
        return self.process.wait()


_sandbox: Sandbox | None = None
_lock = threading.Lock()


def run_sandboxed(
    function: Callable[..., Result], *arguments: Any, seconds: float | None = None, memory: int | None = None
) -> Result:
    """Call `function(*arguments)` in the sandboxed process, with limits on seconds and bytes of memory."""
    global _sandbox
    with _lock:
        for attempts_left in reversed(range(ATTEMPTS)):
            if _sandbox is None or not _sandbox.is_usable:
                _close_sandbox()
                _sandbox = Sandbox()
            try:
                result: Result = _sandbox.call((function, arguments, memory), seconds)
                break
            except SandboxDied:
                if not attempts_left:
                    raise
        return result


@atexit.register
def _close_sandbox() -> None:
    if _sandbox is not None and _sandbox.owner == os.getpid():
        _sandbox.close()


@in_child
def _leave_sandbox_to_parent() -> None:
    """A fork starts its own process, and sends nothing that is left in a buffer to that of its parent."""
    global _sandbox, _lock
    _lock = threading.Lock()
    if _sandbox is not None:
        _sandbox.leave()
    _sandbox = None


def _how_it_ended(status: int) -> str:
    return f"ended with status {status}" if status >= 0 else f"was ended by {signal.Signals(-status).name}"


def answer_requests() -> None:
    """Answer requests, in the sandboxed process, until the other side is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever the function prints is no reply
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
            if _is_for_want_of_memory(problem):
                os._exit(1)
            reply = False, problem
        pickle.dump(reply, replies, protocol=pickle.HIGHEST_PROTOCOL)
        replies.flush()


def _is_for_want_of_memory(problem: BaseException) -> bool:
    """Whether a module was not imported as its folder could not be listed, or its code not be mapped."""
    if isinstance(problem, ImportError):
        return "failed to map segment" in str(problem) or os.strerror(errno.ENOMEM) in str(problem)
    return isinstance(problem, OSError) and problem.errno == errno.ENOMEM


def _limit_memory(most: int | None) -> None:
    """Limit the memory of this process, to at most half of the machine's, where the system allows it."""
    with contextlib.suppress(ImportError, OSError, ValueError, AttributeError):
        import resource

        half = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
        resource.setrlimit(resource.RLIMIT_DATA, (min(most or half, half), resource.RLIM_INFINITY))


def _receive(requests: queue.SimpleQueue[Any]) -> None:
    """Receive requests in a thread, which exits when the other side is gone, even in the middle of a call."""
    try:
        while True:
            requests.put(pickle.load(sys.stdin.buffer))
    except BaseException:
        os._exit(0)
