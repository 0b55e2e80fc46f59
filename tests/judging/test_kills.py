"""Servers killed at random moments of an assessment: every act that was told to be saved is there.

``DOXEVAL_JUDGE_KILLS`` says how often (``make test-kill``: 200 times).
"""

from __future__ import annotations

import http.client
import json
import os
import random
import sqlite3
import threading
import time
import uuid
from contextlib import closing
from typing import Any

import doxeval as dx
from tests.judging.serving import TIME, Served, serving, write_desk

KILLS = int(os.environ.get("DOXEVAL_JUDGE_KILLS", "3"))
LENGTH = 1000
TABS = 2


def assess(served: Served, dice: random.Random, told: dict[str, dict]) -> None:
    """Mark, take back and finish, one act after the other, until nobody answers; what is saved is noted."""
    mine: list[str] = []
    while True:
        start = dice.randrange(LENGTH - 1)
        name = uuid.uuid4().hex
        act = {"adds": [{"id": name, "start": start, "end": start + 1}], "done": dice.random() < 0.5}
        if mine and dice.random() < 0.3:
            act["takes"] = [mine.pop(dice.randrange(len(mine)))]
        mine.append(name)
        made: dict[str, Any] = {"id": uuid.uuid4().hex, "time": TIME, "topic": "t1", "doc": "d1", "act": act}
        try:
            status, _, _ = served.ask("POST", "acts", {"acts": [made]})
        except (OSError, http.client.HTTPException):
            return
        assert status == 200
        told[made["id"]] = act


def test_what_was_saved_survives_kills(tmp_path) -> None:
    arguments = write_desk(tmp_path, {"d1": "x" * LENGTH})
    told: dict[str, dict] = {}
    for number in range(KILLS):
        dice = random.Random(number)
        with serving(tmp_path, arguments=arguments) as served:
            tabs = [
                threading.Thread(target=assess, args=(served, random.Random(f"{number} {tab}"), told))
                for tab in range(TABS)
            ]
            for tab in tabs:
                tab.start()
            time.sleep(dice.uniform(0, 0.4))
            served.process.kill()
            for tab in tabs:
                tab.join()
        with closing(sqlite3.connect(tmp_path / "judgements.db")) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            kept = {name: json.loads(act) for name, act in connection.execute("SELECT id, act FROM acts")}
        assert kept.keys() >= told.keys(), f"kill {number}: {len(told.keys() - kept.keys())} acts are lost"
        assert all(kept[name] == act for name, act in told.items())
    print(f"{KILLS} kills, {len(told)} acts told as saved, all there")
    taken = {name for act in kept.values() for name in act.get("takes", ())}
    marks = {mark["id"]: mark["start"] for act in kept.values() for mark in act["adds"]}
    read = dx.read_assessments(tmp_path / "judgements.db")
    left = sorted(start for name, start in marks.items() if name not in taken)
    assert told and sorted(read.ranges.start.tolist()) == left
