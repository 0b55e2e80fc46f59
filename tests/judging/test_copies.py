"""Copies of a database that is in use: each is whole, or every command refuses it.

``DOXEVAL_JUDGE_COPIES`` says how many are made of a serving judge (``make test-kill``: 100).
"""

from __future__ import annotations

import json
import os
import random
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import doxeval as dx
from doxeval.core.errors import InputError
from doxeval.io.formats.judgement_database import SCHEMA, TALLY
from doxeval.io.formats.judgements import read_judgements
from doxeval.io.source import Source
from doxeval.judging.store import JudgementStore
from tests.judging.databases import database, mark
from tests.judging.serving import TIME, serving, write_desk
from tests.judging.test_kills import LENGTH, assess
from tests.scoring.commands import COMMANDS, outcome, write_collection

COPIES = int(os.environ.get("DOXEVAL_JUDGE_COPIES", "12"))
PAGE = 4096


def copied(source: Path, target: Path, dice: random.Random) -> None:
    """Copy a file, at once or in pieces with pauses between them, as over a network."""
    with source.open("rb") as reading, target.open("wb") as writing:
        size = dice.choice([PAGE, 5 * PAGE, 1 << 20])
        while piece := os.read(reading.fileno(), size):
            writing.write(piece)
            if size < 1 << 20:
                time.sleep(dice.choice([0, 0, 0.002]))


def acts_in(path: Path) -> set[str] | None:
    """The ids of the acts in a file; None if it is refused as something that is not whole."""
    try:
        with Source(path) as source:
            read_judgements(source)
    except InputError as problem:
        assert any(word in str(problem) for word in ("copied while", "damaged", "cannot be read")), problem
        return None
    with closing(sqlite3.connect(path)) as connection:
        return {name for (name,) in connection.execute("SELECT id FROM acts")}


def test_copies_of_a_serving_judge_are_whole_or_refused(tmp_path) -> None:
    arguments = write_desk(tmp_path, {"d1": "x" * LENGTH})
    told: dict[str, dict] = {}
    outcomes = {"whole": 0, "refused": 0}
    dice = random.Random(3)
    (tmp_path / "copies").mkdir()
    with serving(tmp_path, arguments=arguments) as served:
        tabs = [threading.Thread(target=assess, args=(served, random.Random(tab), told)) for tab in range(2)]
        for tab in tabs:
            tab.start()
        for number in range(COPIES):
            time.sleep(dice.uniform(0, 0.15))
            before = set(told)
            copy = tmp_path / "copies" / f"{number}.db"
            copied(served.database, copy, dice)
            kept = acts_in(copy)
            outcomes["refused" if kept is None else "whole"] += 1
            assert kept is None or kept >= before, f"copy {number} lacks {len(before - kept)} acts"
        before = set(told)
        dx.judge(path=served.database, backup=tmp_path / "backup.db")
        assert acts_in(tmp_path / "backup.db") >= before
        served.process.kill()
        for tab in tabs:
            tab.join()
    copied(served.database, tmp_path / "copies" / "killed.db", dice)
    kept = acts_in(tmp_path / "copies" / "killed.db")
    assert kept is None or kept >= told.keys()
    assert acts_in(served.database) >= told.keys()
    print(f"{COPIES} copies of a serving judge with {len(told)} acts: {outcomes}")
    assert outcomes["whole"]


def test_a_file_of_two_moments_is_refused(tmp_path) -> None:
    """Every mixture of an early state and a later one, at every page, as a slow copy could make it."""
    path = database(tmp_path / "j.db", [("ann", "t1", "d1", {"note": "x" * 200})] * 60, {"d1": 9})
    early, first = path.read_bytes(), acts_in(path)
    with JudgementStore(path) as store:
        for number in range(30):
            made = {"id": f"n{number}", "time": TIME, "topic": "t1", "doc": "d1", "act": {"note": "y" * 200}}
            store.add("ann", [made])
    late, all_of_them = path.read_bytes(), acts_in(path)
    mixed = tmp_path / "mixed.db"
    kept = []
    for cut in range(0, len(late) + 1, PAGE):
        for content in (early[:cut] + late[cut:], late[:cut] + early[cut:]):
            mixed.write_bytes(content)
            kept.append(acts_in(mixed))
            assert kept[-1] in (None, first, all_of_them)
    assert None in kept and first in kept and all_of_them in kept


def test_pages_of_two_moments_are_refused(tmp_path) -> None:
    """Any pages of a later state among those of an early one, as a writer that is killed leaves them; also
    those of an index, through which acts are looked for.
    """
    dice = random.Random(7)
    names = [f"{dice.randrange(16**12):012x}" for _ in range(400)]
    path = tmp_path / "j.db"
    mixed = tmp_path / "mixed.db"
    with JudgementStore(path) as store:
        store.know({"t1": "?"}, {"d1": (9, "")})
        states = []
        for name in names:
            store.add("ann", [{"id": name, "time": TIME, "topic": "t1", "doc": "d1", "act": {"note": ""}}])
            states.append(path.read_bytes())
    refused = 0
    for at in range(399):
        early, late = (state.ljust(len(states[at + 1]), b"\0") for state in states[at : at + 2])
        places = range(0, len(late), PAGE)
        changed = [place for place in places if early[place:][:PAGE] != late[place:][:PAGE]]
        if at % 7 and len(changed) < 6:
            continue
        for mixture in (changed[:-1], changed[1:], *([place] for place in changed)):
            content = bytearray(early)
            for place in mixture:
                content[place : place + PAGE] = late[place : place + PAGE]
            mixed.write_bytes(content)
            kept = acts_in(mixed)
            refused += kept is None
            assert kept is None or kept >= set(names[: at + 1]), f"{at + 1 - len(kept)} acts are not found"
    assert refused > 20


def test_damage_anywhere_is_found(tmp_path) -> None:
    path = database(tmp_path / "j.db", [("ann", "t1", "d1", {"adds": [mark("a", 0, 4)]})] * 30, {"d1": 9})
    content, whole = path.read_bytes(), dx.read_assessments(path)
    dice = random.Random(5)
    read = 0
    for _ in range(300):
        damaged = bytearray(content)
        damaged[dice.randrange(len(damaged))] ^= 1 << dice.randrange(8)
        path.write_bytes(damaged)
        try:
            table = dx.read_assessments(path)
        except InputError:
            with pytest.raises((InputError, dx.UsageError)):
                JudgementStore(path).close()
            continue
        read += 1
        assert table.ranges.start.tolist() == whole.ranges.start.tolist(), "what is read is what was written"
    assert read < 300


LACKING = {
    "act": "DELETE FROM acts WHERE number = (SELECT max(number) FROM acts)",
    "all acts": "DELETE FROM acts",
    "mark": "UPDATE acts SET act = replace(act, '\"end\": ', '\"end\": 1') WHERE number = 1",
    "document": "UPDATE documents SET length = length + 1",
    "topic": "DELETE FROM topics",
    "tally": "DELETE FROM tally",
}


@pytest.mark.parametrize("lacking", LACKING)
def test_a_database_that_lacks_something_is_refused(tmp_path, lacking) -> None:
    acts = [("ann", "t1", "d1", {"adds": [mark("a", 0, 4)]}), ("bob", "t1", "d1", {"done": True})]
    path = database(tmp_path / "j.db", acts, {"d1": 99})
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(LACKING[lacking])
        connection.commit()
    content = path.read_bytes()
    reason = "holds [01] of 2 acts" if "act" in lacking else "is not as 'doxeval judge' left it"
    for use in (
        lambda: dx.read_assessments(path),
        lambda: dx.agree(path),
        lambda: dx.judge(path=path, export=tmp_path / "out.jsonl"),
        lambda: dx.judge(path=path, backup=tmp_path / "out.db"),
        lambda: JudgementStore(path),
    ):
        with pytest.raises(InputError, match=reason):
            use()
    assert path.read_bytes() == content and list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("command", [*COMMANDS, "validate", "convert", "agree"])
def test_every_command_refuses_a_copy_that_is_not_whole(tmp_path, monkeypatch, command) -> None:
    write_collection(tmp_path)
    monkeypatch.chdir(tmp_path)
    acts = [("ann", "t1", f"d{number}", {"adds": [mark("a", 0, 60)], "done": True}) for number in range(4)]
    path = database(tmp_path / "j.db", acts, {f"d{number}": 200 for number in range(8)})
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM acts WHERE number = 4")
        connection.commit()
    others = {
        "validate": ["validate", "j.db"],
        "convert": ["convert", "j.db", "o.txt"],
        "agree": ["agree", "j.db"],
    }
    arguments = others.get(command) or [word.replace("qrels.txt", "j.db") for word in COMMANDS[command]]
    status, *told = outcome(arguments, tmp_path)
    assert status not in (0, 70) and "holds 3 of 4 acts" in str(told), told


def test_a_database_of_an_older_version_is_read_with_a_note_and_sealed(tmp_path) -> None:
    path = database(tmp_path / "j.db", [("ann", "t1", "d1", {"adds": [mark("a", 0, 4)]})], {"d1": 9})
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"DROP TABLE {TALLY}")
        connection.execute("PRAGMA user_version = 0")
        connection.commit()
    table = dx.read_assessments(path)
    assert any("made by an older version" in str(notice) for notice in table.notices.lasting)
    JudgementStore(path).close()
    assert not any("older version" in str(one) for one in dx.read_assessments(path).notices.lasting)
    with closing(sqlite3.connect(path)) as connection:
        found = dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'"))
    assert {name: found[name] for name in SCHEMA} == SCHEMA


def test_a_copy_without_its_log_is_refused(tmp_path) -> None:
    path = database(tmp_path / "j.db", [("ann", "t1", "d1", {"adds": [mark("a", 0, 4)]})], {"d1": 9})
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("SELECT * FROM acts").fetchall()
        copy = tmp_path / "copy.db"
        copy.write_bytes(path.read_bytes())
        for use in (dx.read_assessments, JudgementStore):
            with pytest.raises(InputError, match="was copied without its log"):
                use(copy)
        dx.judge(path=path, backup=tmp_path / "good.db")
        assert dx.read_assessments(tmp_path / "good.db").ranges.start.tolist() == [0]


def test_what_a_killed_writer_had_begun_is_not_read(tmp_path) -> None:
    path = database(tmp_path / "j.db", [("ann", "t1", "d1", {"adds": [mark("a", 0, 4)]})], {"d1": 9})
    before = path.read_bytes()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("BEGIN IMMEDIATE")
        for number in range(200):
            row = (f"n{number}", "ann", TIME, "t1", "d1", json.dumps({"note": "y" * 300}))
            connection.execute(
                "INSERT INTO acts (id, assessor, time, topic, doc, act) VALUES (?, ?, ?, ?, ?, ?)", row
            )
        killed = tmp_path / "killed.db"
        killed.write_bytes(path.read_bytes())
        Path(f"{killed}-journal").write_bytes(Path(f"{path}-journal").read_bytes())
        connection.execute("ROLLBACK")
    content = killed.read_bytes()
    assert content != before and Path(f"{killed}-journal").stat().st_size
    assert dx.read_assessments(killed).ranges.start.tolist() == [0]
    assert killed.read_bytes() == content, "reading changes nothing"
    with JudgementStore(killed) as store:
        assert len(store.acts("ann")) == 1


@pytest.mark.parametrize("place", [":memory:", "-", "file:j.db?mode=memory", "https://x/j.db", "s3://x/j.db"])
def test_what_is_no_file_is_refused(tmp_path, monkeypatch, place) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(dx.UsageError, match="kept in a file of this machine"):
        JudgementStore(place)
    assert not list(tmp_path.iterdir())


GIVEN: dict[str, Any] = {
    "judgements": 1, "assessor": "bob", "queries": {"t1": "What?", "t2": ""},
    "documents": {"d1": [9, "beef"]},
    "acts": [{"id": "a", "time": TIME, "topic": "t1", "doc": "d1", "act": {"done": True}}],
}  # fmt: skip


@pytest.mark.parametrize(
    "wrong", [{"acts": [GIVEN["acts"][0] | {"doc": "d9"}]}, {"acts": [GIVEN["acts"][0] | {"topic": "t9"}]},
              {"documents": {"d1": [9, "other"]}}, {"assessor": "cyd"}],
)  # fmt: skip
def test_files_are_taken_all_or_none_of_them(tmp_path, wrong) -> None:
    """Of topics and documents, too: nothing of any file is there if one of them is refused."""
    good, bad, path = tmp_path / "good.json", tmp_path / "bad.json", tmp_path / "j.db"
    good.write_text(json.dumps(GIVEN))
    bad.write_text(json.dumps(GIVEN | {"queries": {"t7": "Why?", **GIVEN["queries"]}} | wrong))
    with pytest.raises(InputError, match=r"bad\.json: .*nothing was added"):
        dx.judge(path=path, take=[good, bad])
    assert not path.exists()
    dx.judge(path=path, take=good)
    content = path.read_bytes()
    with pytest.raises(InputError, match="nothing was added"):
        dx.judge(path=path, take=[good, bad])
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT topic, query FROM topics").fetchall() == [
            ("t1", "What?"),
            ("t2", ""),
        ]
        assert connection.execute("SELECT count(*) FROM acts").fetchall() == [(1,)]
    assert path.read_bytes() == content
