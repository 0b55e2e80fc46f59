"""The server's side of the network: where it listens, how long it waits, what it says, and how it ends."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import signal
import socket
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from doxeval import MissingExtra, UsageError
from doxeval.core.errors import on_one_line
from doxeval.core.harmless import visible

try:
    import uvicorn
    from uvicorn.protocols.http.h11_impl import H11Protocol
except ImportError:
    raise MissingExtra("judge", "serving a page to assessors") from None

if TYPE_CHECKING:
    from starlette.types import ASGIApp

REQUEST_SECONDS = 60.0
"""The time in which a request must have come and its answer been taken; what stays half open is closed."""
SILENT_SECONDS = 60.0
"""The same message is printed once in this time, however often there is reason for it."""
NO_DESCRIPTORS = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


def bound(host: str, port: int | None, usual: int) -> socket.socket:
    """A listening socket: on the given port, else on the usual one, or on any free one if that is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for tried in (port,) if port is not None else (usual, 0):
        listener = socket.socket(family)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, tried))
            listener.listen(128)
            return listener
        except OSError as problem:
            listener.close()
            reason = problem.strerror
    raise UsageError(f"{host}:{usual if port is None else port}: cannot listen there: {reason}")


class Teller(logging.Handler):
    """Prints what an operator should know, a line each, without repeating itself; nothing while it stops."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.said: dict[str, float] = {}
        self.is_quiet = False

    def emit(self, record: logging.LogRecord) -> None:
        """Print what a library logs."""
        problem = record.exc_info[1] if record.exc_info else None
        self.say(f"{record.getMessage()}: {on_one_line(problem)}" if problem else record.getMessage())

    def say(self, message: str) -> None:
        """Print a message, unless it was printed a short time ago."""
        now = time.monotonic()
        if self.is_quiet or now - self.said.get(message, -SILENT_SECONDS) < SILENT_SECONDS:
            return
        self.said[message] = now
        with contextlib.suppress(OSError, ValueError, AttributeError):
            print(visible(f"warning: {message}"), file=sys.stderr, flush=True)

    def say_failure(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Print what went wrong outside of any request."""
        problem = context.get("exception")
        if isinstance(problem, OSError) and problem.errno in NO_DESCRIPTORS:
            self.say(f"new connections have to wait: {problem.strerror}")
        else:
            self.say(f"{context['message']}: {on_one_line(problem)}" if problem else context["message"])


teller = Teller()


class _Connection(H11Protocol):
    """A connection that is closed if a request does not come, or its answer is not taken, in time."""

    deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Go on waiting for the request of which this is a part."""
        if self.deadline is None:
            self._wait()
        super().data_received(data)

    def on_response_complete(self) -> None:
        """Stop waiting, unless another request has come behind the one that is answered."""
        self._stop_waiting()
        super().on_response_complete()
        if self.conn.trailing_data[0] or not self.cycle.response_complete:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._stop_waiting()
        self.deadline = self.loop.call_later(REQUEST_SECONDS, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None


class _Server(uvicorn.Server):
    """A server that a signal ends without an error and without a word."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Let a signal end it, and nothing else."""
        asyncio.get_running_loop().set_exception_handler(teller.say_failure)
        usual = {
            number: signal.signal(number, self._end)
            for number in ENDING
            if signal.getsignal(number) != signal.SIG_IGN
        }
        try:
            yield
        finally:
            for number, handler in usual.items():
                signal.signal(number, handler)

    def _end(self, number: int, frame: Any) -> None:
        teller.is_quiet = True
        self.handle_exit(number, frame)


def serve(app: ASGIApp, listener: socket.socket) -> None:
    """Answer until a signal ends it."""
    config = uvicorn.Config(
        app, loop="asyncio", http=_Connection, ws="none", lifespan="on", access_log=False, log_config=None,
        server_header=False, timeout_graceful_shutdown=2,
    )  # fmt: skip
    teller.is_quiet = False
    for name in ("uvicorn", "asyncio"):
        logger = logging.getLogger(name)
        logger.propagate, logger.handlers = False, [teller]
    _Server(config).run(sockets=[listener])
