"""Faults injected into a serving judge: what was told to be saved is in the database, exactly, and no more.

Part of `python -m tests.robustness.faults`.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import random
import resource
import signal
import sqlite3
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import doxeval as dx
from tests.judging.serving import TIME, Served, serving, write_desk

LENGTH = 1000
TABS = 2


@dataclass
class Sitting:
    """What assessors sent to a server, and what of it they were told to be saved; by id."""

    sent: dict[str, dict[str, Any]] = field(default_factory=dict)
    saved: dict[str, dict[str, Any]] = field(default_factory=dict)
    statuses: set[int] = field(default_factory=set)
    is_over: bool = False

    def assess(self, served: Served, dice: random.Random) -> None:
        """Act, again and again, until it is over or nobody answers."""
        while not self.is_over:
            start = dice.randrange(LENGTH - 1)
            act = {"adds": [{"id": uuid.uuid4().hex, "start": start, "end": start + 1}], "note": "x" * 500}
            made: dict[str, Any] = {
                "id": uuid.uuid4().hex,
                "time": TIME,
                "topic": "t1",
                "doc": "d1",
                "act": act,
            }
            self.sent[made["id"]] = act
            try:
                status, _, _ = served.ask("POST", "acts", {"acts": [made]})
            except (OSError, http.client.HTTPException):
                return
            self.statuses.add(status)
            if status == 200:
                self.saved[made["id"]] = act


Disturb = Callable[[Served, random.Random], None]


def signalled(number: signal.Signals, served: Served, _: random.Random) -> None:
    served.process.send_signal(number)


def full_disk(served: Served, dice: random.Random) -> None:
    """No file may grow any more, for a while."""
    most = (served.database.stat().st_size, resource.RLIM_INFINITY)
    resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE, most)
    time.sleep(dice.uniform(0.05, 0.3))
    resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)


def no_descriptors(served: Served, dice: random.Random) -> None:
    """No file can be opened, for a while."""
    opened = len(list(Path(f"/proc/{served.process.pid}/fd").iterdir()))
    before = resource.prlimit(served.process.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(served.process.pid, resource.RLIMIT_NOFILE, (opened, before[1]))
    time.sleep(dice.uniform(0.05, 0.3))
    resource.prlimit(served.process.pid, resource.RLIMIT_NOFILE, before)


def moved_file(served: Served, dice: random.Random) -> None:
    """The database is elsewhere, for a while."""
    elsewhere = served.database.with_name("elsewhere.db")
    served.database.rename(elsewhere)
    time.sleep(dice.uniform(0.05, 0.3))
    elsewhere.rename(served.database)


def busy_database(served: Served, dice: random.Random) -> None:
    """Another process writes, and takes its time."""
    with closing(sqlite3.connect(served.database, isolation_level=None, timeout=20)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        time.sleep(dice.uniform(0.05, 0.3))
        connection.execute("ROLLBACK")


SERVING: dict[str, tuple[Disturb, tuple[int, ...]]] = {
    **{
        f"serving judge, {number.name}": (partial(signalled, number), (ended,))
        for number, ended in (
            (signal.SIGTERM, 0), (signal.SIGINT, 0), (signal.SIGHUP, 0), (signal.SIGKILL, -signal.SIGKILL),
        )
    },
    "serving judge, full disk": (full_disk, (0,)),
    "serving judge, no descriptors": (no_descriptors, (0,)),
    "serving judge, moved file": (moved_file, (0,)),
    "serving judge, busy database": (busy_database, (0,)),
}  # fmt: skip


def serve_disturbed(fault: str, folder: Path, dice: random.Random) -> tuple[int, list[str]]:
    """Serve, judge and disturb once: the server's exit status, and everything that must not be."""
    disturb, allowed = SERVING[fault]
    folder.mkdir()
    arguments = write_desk(folder, {"d1": "x" * LENGTH})
    closed = dice.choice([(), (), (0,), (2,), (0, 2)])
    sitting = Sitting()
    with serving(folder, arguments=arguments, prepare=partial(_prepare, closed)) as served:
        tabs = [
            threading.Thread(target=sitting.assess, args=(served, random.Random(dice.random())))
            for _ in range(TABS)
        ]
        for tab in tabs:
            tab.start()
        time.sleep(dice.uniform(0.05, 0.4))
        disturb(served, dice)
        time.sleep(0.1)
        sitting.is_over = True
        for tab in tabs:
            tab.join()
        last = _last_act(served, sitting) if 0 in allowed and served.process.poll() is None else 200
    problems = [] if last == 200 or _is_ending(fault) else [f"status {last} when all was well again"]
    return served.process.returncode, [*problems, *_complaints(served, sitting, allowed)]


def _prepare(closed: tuple[int, ...]) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    for descriptor in closed:
        os.close(descriptor)


def _is_ending(fault: str) -> bool:
    return "SIG" in fault


def _last_act(served: Served, sitting: Sitting) -> int:
    """Judge once more when nothing is wrong any more."""
    with contextlib.suppress(OSError, http.client.HTTPException):
        made: dict[str, Any] = {
            "id": uuid.uuid4().hex,
            "time": TIME,
            "topic": "t1",
            "doc": "d1",
            "act": {"done": True},
        }
        sitting.sent[made["id"]] = made["act"]
        status, _, _ = served.ask("POST", "acts", {"acts": [made]})
        if status == 200:
            sitting.saved[made["id"]] = made["act"]
        return status
    return 0


def _complaints(served: Served, sitting: Sitting, allowed: tuple[int, ...]) -> Iterator[str]:
    if served.process.returncode not in allowed:
        yield f"status {served.process.returncode}: {served.told()}"
    if not sitting.statuses <= {200, 503}:
        yield f"answers {sitting.statuses}"
    if any(word in served.told() for word in ("Traceback", "Exception", "Error:")):
        yield served.told()
    try:
        dx.judge(path=served.database, backup=served.database.with_name("copy.db"))
    except dx.InputError as problem:
        yield f"not whole: {problem}"
        return
    with closing(sqlite3.connect(served.database.with_name("copy.db"))) as connection:
        kept = {name: json.loads(act) for name, act in connection.execute("SELECT id, act FROM acts")}
    if lost := {name for name, act in sitting.saved.items() if kept.get(name) != act}:
        yield f"{len(lost)} of {len(sitting.saved)} acts told as saved are lost"
    if strange := {name for name, act in kept.items() if sitting.sent.get(name) != act}:
        yield f"{len(strange)} acts that nobody sent"
    known = {"docs.jsonl", "pool.jsonl", "told.txt", "judgements.db", "copy.db"}
    known |= {"judgements.db-journal"} if served.process.returncode == -signal.SIGKILL else set()
    if left := {path.name for path in served.database.parent.iterdir()} - known:
        yield f"{left} are left"
