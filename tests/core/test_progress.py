"""Steps that take long: told after a while, in one line of a terminal or in lines, and to nobody else."""

from __future__ import annotations

import io
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from doxeval.core import progress
from doxeval.core.progress import BYTES, WIPED, StepTaken, StepTeller, each, keep, step, telling, work_kept


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "BETWEEN_DRAWINGS", 0.005)


def _wait_for(stream: io.StringIO) -> None:
    end = time.monotonic() + 10
    while not stream.getvalue() and time.monotonic() < end:
        time.sleep(0.005)


def test_nothing_is_told_unless_somebody_listens(monkeypatch, hurried, capsys) -> None:
    assert list(each([1, 2], "counting")) == [1, 2]
    with telling(quiet=True), step("waiting"):
        assert progress._teller is None
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("terminal", [True, False])
def test_steps_are_told_where_standard_error_goes(monkeypatch, hurried, terminal: bool) -> None:
    stream = Terminal() if terminal else io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    passed = []
    with telling():
        for item in each("ab", "reading runs"):
            passed.append(item)
            if item == "b":
                _wait_for(stream)
    told = stream.getvalue()
    assert passed == ["a", "b"] and "reading runs: " in told and "of 2" in told
    assert told.startswith(WIPED) == terminal and told.endswith(WIPED if terminal else "\n")


def test_what_takes_no_time_is_not_told(monkeypatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "PATIENCE", 2.0)
    with telling(), step("a"), step("b"):
        pass
    assert stream.getvalue() == "" and progress._teller is None


def test_the_innermost_step_is_told_and_no_thread_is_left() -> None:
    teller = StepTeller(io.StringIO(), terminal=False)
    outer, inner = StepTaken("outer"), StepTaken("inner")
    teller.begin(outer)
    teller.begin(inner)
    thread = teller._thread
    assert teller.steps[-1] is inner and thread is not None and thread.is_alive()
    teller.end(inner)
    teller.end(outer)
    assert not thread.is_alive() and teller._thread is None


class LateThread(threading.Thread):
    """A thread of a busy machine, which begins when somebody waits for it."""

    def start(self) -> None:
        pass

    def join(self, timeout: float | None = None) -> None:
        self.run()


def test_a_step_may_be_over_before_its_thread_begins(monkeypatch) -> None:
    monkeypatch.setattr(threading, "Thread", LateThread)
    stream, taken = io.StringIO(), StepTaken("quick")
    teller = StepTeller(stream, terminal=False)
    teller.begin(taken)
    teller.end(taken)
    assert teller._thread is None and stream.getvalue() == ""


@pytest.mark.parametrize("terminal", [True, False])
def test_of_steps_within_another_only_those_that_take_long_are_told(monkeypatch, terminal: bool) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.2)
    monkeypatch.setattr(progress, "BETWEEN_DRAWINGS", 0.005)
    stream = Terminal() if terminal else io.StringIO()
    teller = StepTeller(stream, terminal)
    outer, inner = StepTaken("scoring runs"), StepTaken("reading a.jsonl")
    outer.begun = inner.begun = time.monotonic() - 60
    teller.begin(outer)
    for _ in range(3):
        short = StepTaken("reading b.jsonl")
        teller.begin(short)
        teller.end(short)
    _wait_for(stream)
    assert "scoring runs, for 60 s" in stream.getvalue() and "b.jsonl" not in stream.getvalue()
    teller.begin(inner)
    end = time.monotonic() + 10
    while terminal and "reading a.jsonl" not in stream.getvalue() and time.monotonic() < end:
        time.sleep(0.005)
    teller.end(inner)
    teller.end(outer)
    assert ("reading a.jsonl, for 60 s" in stream.getvalue()) == terminal


def test_steps_of_other_threads_are_not_told(monkeypatch, hurried) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)

    def work() -> None:
        with step("a part of it"):
            assert progress._teller is not None and not progress._teller.steps

    with telling(), ThreadPoolExecutor(1) as pool:
        pool.submit(work).result()
    assert stream.getvalue() == ""


@pytest.mark.parametrize(
    ("total", "done", "told"),
    [(750_000_000, 200_000_000, "w: 200 of 750 MB, about 14 s left"),
     (750_000_000, 0, "w: 0 of 750 MB, for 5 s"), (0, 1_234_000_000, "w: 1,234 MB so far, for 5 s")],
)  # fmt: skip
def test_bytes_are_told_in_megabytes(total: int, done: int, told: str) -> None:
    one = StepTaken("w", total, BYTES)
    one.done = done
    assert one.told(one.begun + 5) == told


@pytest.mark.parametrize(
    ("total", "done", "told"),
    [(4, 1, "w: 1 of 4, about 15 s left"), (4, 0, "w: 0 of 4, for 5 s"), (0, 3, "w: 3 so far, for 5 s"),
     (0, 0, "w, for 5 s"), (4, 4, "w: 4 of 4, about 0 s left")],
)  # fmt: skip
def test_how_far_a_step_is(total: int, done: int, told: str) -> None:
    one = StepTaken("w", total)
    one.done = done
    assert one.told(one.begun + 5) == told


def test_what_is_kept_belongs_to_the_command() -> None:
    with telling(quiet=True):
        keep("two runs are in the store")
        assert work_kept() == b"two runs are in the store"
    keep("what Python does is nobody's to interrupt")
    assert work_kept() == b"files are as they were before"
