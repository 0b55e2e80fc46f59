"""Steps that take long, reported on standard error: what is done, how far it is, how long it will take.

Whatever takes long passes its items through :func:`each`, or is done within a :func:`step`; a command reports
these (:func:`telling`), and nobody else hears of them. On a terminal the step fills one line, which is wiped
when it ends; elsewhere there are lines, the further apart the longer it takes.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sized
from contextlib import contextmanager
from typing import IO, TypeVar

Item = TypeVar("Item")

PATIENCE = 2.0
"""Seconds after which a step is reported."""
BETWEEN_DRAWINGS = 0.25
WIPED = "\r\x1b[K"
BYTES = 1_000_000, " MB"
THINGS = 1, ""


class StepTaken:
    """A step: what is done, how many things of how many (0: that is not known), and how they are written."""

    def __init__(self, what: str, total: int = 0, unit: tuple[int, str] = THINGS) -> None:
        self.what, self.total = what, total
        self.unit, self.suffix = unit
        self.done = 0
        self.begun = time.monotonic()

    def told(self, now: float) -> str:
        """How far it is.

        >>> step = StepTaken("reading runs", 8)
        >>> step.done = 2
        >>> step.told(step.begun + 10)
        'reading runs: 2 of 8, about 30 s left'
        >>> step = StepTaken("reading a.jsonl", 750_000_000, BYTES)
        >>> step.done = 200_000_000
        >>> step.told(step.begun + 4)
        'reading a.jsonl: 200 of 750 MB, about 11 s left'
        """
        passed = now - self.begun
        done = f"{self.done // self.unit:,}"
        total = f"{self.total // self.unit:,}{self.suffix}"
        if self.total and self.done:
            left = passed / self.done * max(0, self.total - self.done)
            return f"{self.what}: {done} of {total}, about {lasting(left)} left"
        far = f": {done}{self.suffix} so far" if self.done else f": 0 of {total}" if self.total else ""
        return f"{self.what}{far}, for {lasting(passed)}"


def lasting(seconds: float) -> str:
    """A time in words.

    >>> lasting(7.6), lasting(200), lasting(9000)
    ('8 s', '3 min', '2.5 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


class StepTeller:
    """Tells the innermost of the steps that take long on a stream, from a thread of its own."""

    def __init__(self, stream: IO[str], terminal: bool) -> None:
        self.stream, self.terminal = stream, terminal
        self.steps: list[StepTaken] = []
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        self._drawn = False

    def begin(self, step: StepTaken) -> None:
        """Take note of a step."""
        self.steps.append(step)
        if self._thread is None:
            self._over.clear()
            self._thread = threading.Thread(target=self._tell, args=(step.begun,), daemon=True)
            self._thread.start()

    def end(self, step: StepTaken) -> None:
        """Forget a step; after the last one there is no thread."""
        self.steps.remove(step)
        if not self.steps and self._thread is not None:
            self._over.set()
            self._thread.join()
            self._thread = None
            self.wipe()

    def wipe(self) -> None:
        """Wipe what is on the terminal, before anything else is written there."""
        if self._drawn:
            self._write(WIPED)
        self._drawn = False

    def _tell(self, first: float) -> None:
        due = first + PATIENCE
        while not self._over.wait(BETWEEN_DRAWINGS):
            now = time.monotonic()
            long = [step for step in tuple(self.steps) if now >= step.begun + PATIENCE]
            if now < due or not long:
                continue
            if self.terminal:
                self._write(f"{WIPED}{long[-1].told(now)}")
                self._drawn = True
            else:
                self._write(f"{long[-1].told(now)}\n")
                due = now + max(10.0, (now - first) / 2)

    def _write(self, text: str) -> None:
        try:
            self.stream.write(text)
            self.stream.flush()
        except (OSError, ValueError):
            self._over.set()


_teller: StepTeller | None = None
_kept: str | None = None


@contextmanager
def telling(quiet: bool = False) -> Iterator[None]:
    """Tell steps meanwhile, unless that is not wanted."""
    from doxeval.core.screen import is_open, is_terminal

    global _teller, _kept
    before = _teller, _kept
    stream = sys.stderr
    _kept = ""
    _teller = None if quiet or not is_open(stream) else StepTeller(stream, is_terminal(stream))
    try:
        yield
    finally:
        _teller, _kept = before


@contextmanager
def step(what: str, total: int = 0, unit: tuple[int, str] = THINGS) -> Iterator[StepTaken]:
    """A step in progress; whoever takes it counts what is `done`. Steps of other threads are parts of it."""
    taken, teller = StepTaken(what, total, unit), _teller
    if teller is None or threading.current_thread() is not threading.main_thread():
        yield taken
        return
    teller.begin(taken)
    try:
        yield taken
    finally:
        teller.end(taken)


def each(items: Iterable[Item], what: str, total: int | None = None) -> Iterator[Item]:
    """Pass items on; doing something to all of them is a step."""
    if _teller is None:
        return iter(items)
    return _counted(items, what, (len(items) if isinstance(items, Sized) else 0) if total is None else total)


def _counted(items: Iterable[Item], what: str, total: int) -> Iterator[Item]:
    with step(what, total) as taken:
        for item in items:
            yield item
            taken.done += 1


def wipe() -> None:
    """Wipe the line of a step, before something else is written to the terminal."""
    if _teller is not None:
        _teller.wipe()


def keep(what: str) -> None:
    """Say what is kept if the command is interrupted from now on; outside commands, nothing is said."""
    global _kept
    if _kept is not None:
        _kept = what


def work_kept() -> bytes:
    """The words on that, for whoever interrupts."""
    return (_kept or "files are as they were before").encode(errors="replace")
