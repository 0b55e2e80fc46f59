"""The database of judgements, append-only: each act is on disk before it is confirmed."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from doxeval import DoxevalError, InputError, UsageError
from doxeval.core.values import name_of, quoted
from doxeval.io.formats.judgement_database import (
    BUSY_SECONDS,
    DATABASE_ERRORS,
    INSERT,
    add_tally,
    check_log,
    check_schema,
    check_whole,
    create_tables,
    is_sealed,
    seal,
)
from doxeval.io.formats.judgements import SHARED_PARTS, is_id, problem_of
from doxeval.io.formats.merging import MERGE_RULES

KEYS = ("id", "time", "topic", "doc", "act")
LONGEST_NAME = 200
NO_FILE = re.compile(r":memory:|-|(file|[a-z][a-z0-9+.-]+:/)[:/].*", re.IGNORECASE)
"""What SQLite or somebody else takes for something that is not a file of this machine."""
SHARED = tuple(f"substr(act, 1, {len(part) + 3}) = '{{\"{part}\"'" for part in SHARED_PARTS)
"""Conditions on acts that concern others than who did them."""


class NotSaved(DoxevalError):
    """Acts that could not be written or read now (a full disk, say); they may be tried again."""


class RefusedAct(DoxevalError):
    """Acts that make no sense; trying again does not help."""


class SavedActs(NamedTuple):
    """The acts of one assessor from elsewhere, with the topics and documents that they refer to."""

    assessor: str
    queries: Mapping[str, str]
    documents: Mapping[str, tuple[int, str]]
    acts: list[Any]


class JudgementStore:
    """A database of judgements that any number of processes may add to at the same time.

    What is confirmed is in the one file and synchronised with the disk, and the file is still where it was.
    A file that is damaged, or holds less than its tally says, is refused when it is opened.
    """

    def __init__(self, path: str | Path) -> None:
        if NO_FILE.fullmatch(str(path)) or not str(path):
            raise UsageError(f"{path}: judgements are kept in a file of this machine; name one")
        self.path = Path(path).absolute()
        self.is_new = not self.path.exists()
        self._lock = threading.Lock()
        check_log(self.path, str(path))
        try:
            self._connection = sqlite3.connect(
                self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
        except sqlite3.Error as problem:
            raise UsageError(f"{path}: cannot be opened: {problem}") from None
        try:
            self._prepare(str(path))
            self._identity = _identity(self.path)
        except DATABASE_ERRORS as problem:
            self._connection.close()
            raise InputError(f"{path}: cannot be used as a database of judgements: {problem}") from None
        except InputError:
            self._connection.close()
            raise

    def _prepare(self, name: str) -> None:
        run = self._connection.execute
        run("PRAGMA trusted_schema = OFF")
        if run("PRAGMA journal_mode = DELETE").fetchone() != ("delete",):
            raise InputError(f"{name}: is in use by an older version of doxeval; stop that first")
        run("PRAGMA synchronous = EXTRA")
        run("PRAGMA cache_size = 0")
        run("BEGIN IMMEDIATE")
        if not run("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            create_tables(self._connection)
        check_schema(self._connection, name)
        check_whole(self._connection, name)
        if not is_sealed(self._connection):
            add_tally(self._connection)
        run("COMMIT")

    def __enter__(self) -> JudgementStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close it."""
        with self._lock:
            self._connection.close()

    def know(self, queries: Mapping[str, str], documents: Mapping[str, tuple[int, str]]) -> None:
        """Keep the topics with their wording, and length and fingerprint of each document to be judged.

        A document that is known with another text is an error: its marks would be elsewhere.
        """
        with self._transaction(others=True) as connection:
            self._know(connection, queries, documents)

    def add(self, assessor: str, acts: Iterable[Mapping[str, Any]]) -> int:
        """Add acts of an assessor, all or none; those that are there already stay. How many are new."""
        given = list(acts)
        with self._transaction() as connection:
            return _add(connection, assessor, given)

    def take(self, saved: Mapping[str, SavedActs]) -> list[int]:
        """Add what was saved elsewhere, by file: all of it or nothing. How many acts of each are new."""
        added = []
        with self._transaction(others=True) as connection:
            for name, one in saved.items():
                try:
                    self._know(connection, one.queries, one.documents)
                    added.append(_add(connection, one.assessor, one.acts))
                except (RefusedAct, InputError) as problem:
                    raise InputError(f"{name}: {problem}; nothing was added") from None
        return added

    def acts(self, assessor: str, after: int = 0) -> list[dict[str, Any]]:
        """The acts that concern an assessor after a number, in order: their own, decisions, and rules."""
        with self._guarded():
            rows = self._connection.execute(
                "SELECT number, assessor, id, time, topic, doc, act FROM acts WHERE number > ? AND "
                f"(assessor = ? OR {' OR '.join(SHARED)}) ORDER BY number",
                (after, assessor),
            ).fetchall()
            names = ("number", "by", *KEYS)
            acts = [dict(zip(names, (*row[:-1], json.loads(row[-1])), strict=True)) for row in rows]
        return [act for act in acts if assessor in act["act"].get("decides", {}).get("people", [assessor])]

    def _know(
        self,
        connection: sqlite3.Connection,
        queries: Mapping[str, str],
        documents: Mapping[str, tuple[int, str]],
    ) -> None:
        before = {
            doc: (length, mark)
            for doc, length, mark in connection.execute("SELECT doc, length, fingerprint FROM documents")
        }
        changed = [doc for doc, text in documents.items() if before.get(doc, text) != text]
        if changed:
            raise InputError(
                f"{self.path.name}: document {changed[0]!r} was judged with another text; give the documents "
                "as they were, or begin a new database and carry judgements over with 'doxeval anchor'"
            )
        rows = [(doc, *text) for doc, text in documents.items() if doc not in before]
        connection.executemany("INSERT INTO documents VALUES (?, ?, ?)", rows)
        connection.executemany("INSERT OR IGNORE INTO topics VALUES (?, ?)", queries.items())
        worded = [(query, topic) for topic, query in queries.items() if query]
        connection.executemany("UPDATE topics SET query = ? WHERE topic = ?", worded)

    @contextlib.contextmanager
    def _transaction(self, others: bool = False) -> Iterator[sqlite3.Connection]:
        """Everything inside is on disk at the end, in the file of that name, or nothing of it is."""
        with self._guarded():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                seal(self._connection, others)
                self._check_place()
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
            self._check_place()

    @contextlib.contextmanager
    def _guarded(self) -> Iterator[None]:
        """One use at a time; whatever is wrong with the file is an error with a reason."""
        with self._lock:
            try:
                yield
            except (*DATABASE_ERRORS, OSError, json.JSONDecodeError) as problem:
                self._check_place()
                raise NotSaved(f"{self.path.name}: {problem}") from None

    def _check_place(self) -> None:
        """Raise an error if the file is no longer where it was opened: acts would be lost with it."""
        if _identity(self.path) != self._identity:
            raise NotSaved(
                f"{self.path.name} was moved, replaced or deleted; put it back, or start 'doxeval judge' "
                "again"
            )


def _identity(path: Path) -> tuple[int, int] | None:
    """The identity of the file at a path; None if there is none.

    (To open it would release SQLite's locks on it.)
    """
    try:
        state = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return state.st_dev, state.st_ino


def _add(connection: sqlite3.Connection, assessor: str, acts: Iterable[Any]) -> int:
    """Add acts of an assessor in a transaction; returns how many are new."""
    count = 0
    for act in acts:
        problem = _problem(act, connection)
        if problem:
            raise RefusedAct(problem)
        kept = connection.execute(
            "SELECT assessor, topic, doc, act FROM acts WHERE id = ?", (act["id"],)
        ).fetchone()
        if kept is None:
            row = (act["id"], assessor, act["time"], act["topic"], act["doc"], json.dumps(act["act"]))
            connection.execute(INSERT, row)
            count += 1
        elif (*kept[:3], json.loads(kept[3])) != (assessor, act["topic"], act["doc"], act["act"]):
            raise RefusedAct(f"the id {act['id']!r} is that of another act")
    return count


def _problem(told: Any, connection: sqlite3.Connection) -> str:
    """The reason why something cannot be kept as an act; empty if it can."""
    if not isinstance(told, dict) or not all(key in told for key in KEYS):
        return f"expected an act with {', '.join(KEYS)}, found {quoted(told)}"
    if not is_id(told["id"]) or not _is_time(told["time"]):
        return f"expected an id and a time, found {quoted(told['id'])} and {quoted(told['time'])}"
    if _known(connection, "SELECT 1 FROM topics WHERE topic = ?", told["topic"]) is None:
        return f"expected a topic that is to be judged, found {quoted(told['topic'])}"
    length = _known(connection, "SELECT length FROM documents WHERE doc = ?", told["doc"])
    if length is None:
        return f"expected a document that is to be judged, found {quoted(told['doc'])}"
    return problem_of(told["act"], length)


def _known(connection: sqlite3.Connection, query: str, name: Any) -> Any:
    """The value that a query finds for a name; None if it is unknown, or no name."""
    if not isinstance(name, str) or not name_of(name):
        return None
    found = connection.execute(query, (name,)).fetchone()
    return None if found is None else found[0]


def _is_time(value: Any) -> bool:
    try:
        return isinstance(value, str) and len(value) <= LONGEST_NAME and bool(datetime.fromisoformat(value))
    except ValueError:
        return False


def checked_assessor(name: str) -> str:
    """The name of an assessor, if valid: not a rule of ``--merge``, and short."""
    if name in MERGE_RULES or not name.strip() or not name.isprintable() or len(name) > LONGEST_NAME:
        rules = ", ".join(MERGE_RULES)
        raise UsageError(f"expected an assessor by a short name that is not {rules}; found {quoted(name)}")
    return name
