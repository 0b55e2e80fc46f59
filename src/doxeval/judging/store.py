"""The database of judgements, append-only: each act is on disk before it is confirmed."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import threading
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from doxeval import DoxevalError, InputError, UsageError
from doxeval.core.values import name_of, quoted
from doxeval.io.formats.judgements import INSERT, SCHEMA, SHARED_PARTS, check_schema, is_id, problem_of
from doxeval.io.formats.merging import MERGE_RULES

BUSY_SECONDS = 10
KEYS = ("id", "time", "topic", "doc", "act")
LONGEST_NAME = 200
SHARED = tuple(f"substr(act, 1, {len(part) + 3}) = '{{\"{part}\"'" for part in SHARED_PARTS)
"""Conditions on acts that concern others than who did them."""


class NotSaved(DoxevalError):
    """Acts that could not be written now (a full disk, say); they may be tried again."""


class RefusedAct(DoxevalError):
    """Acts that make no sense; trying again does not help."""


class JudgementStore:
    """A database of judgements that any number of processes may add to at the same time.

    It is in WAL mode, and synchronised at every commit; when the last one closes it, it is one file again.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        try:
            self._connection = sqlite3.connect(
                path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
        except sqlite3.Error as problem:
            raise UsageError(f"{path}: cannot be opened: {problem}") from None
        try:
            self._prepare()
        except sqlite3.Error as problem:
            self._connection.close()
            raise InputError(f"{path}: cannot be used as a database of judgements: {problem}") from None
        except InputError:
            self._connection.close()
            raise

    def _prepare(self) -> None:
        run = self._connection.execute
        run("PRAGMA trusted_schema = OFF")
        run("BEGIN IMMEDIATE")
        if not run("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            for sql in SCHEMA.values():
                run(sql)
        check_schema(self._connection, str(self.path))
        run("COMMIT")
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = FULL")

    def __enter__(self) -> JudgementStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close it; the last one leaves no log file."""
        with self._lock:
            with contextlib.suppress(sqlite3.Error):
                self._connection.execute("PRAGMA busy_timeout = 0")
                self._connection.execute("PRAGMA journal_mode = DELETE")
            self._connection.close()

    def know(self, queries: Mapping[str, str], documents: Mapping[str, tuple[int, str]]) -> None:
        """Keep the wording of topics, and the length and fingerprint of each document that is to be judged.

        A document that is known with another text is an error: its marks would be elsewhere.
        """
        with self._transaction() as connection:
            before = {
                doc: (length, mark)
                for doc, length, mark in connection.execute("SELECT doc, length, fingerprint FROM documents")
            }
            changed = [doc for doc, text in documents.items() if before.get(doc, text) != text]
            if changed:
                raise InputError(
                    f"{self.path}: document {changed[0]!r} was judged with another text; give the documents "
                    "as they were, or begin a new database and carry judgements over with 'doxeval anchor'"
                )
            rows = [(doc, *text) for doc, text in documents.items() if doc not in before]
            connection.executemany("INSERT INTO documents VALUES (?, ?, ?)", rows)
            told = [(topic, query) for topic, query in queries.items() if query]
            connection.executemany("INSERT OR REPLACE INTO topics VALUES (?, ?)", told)

    def add(self, assessor: str, acts: Iterable[Mapping[str, Any]]) -> int:
        """Add acts of an assessor, all or none; those that are there already stay. How many are new."""
        given = list(acts)
        with self._transaction() as connection:
            before = connection.total_changes
            for act in given:
                problem = _problem(act, _lengths(connection, act))
                if problem:
                    raise RefusedAct(problem)
                row = (act["id"], assessor, act["time"], act["topic"], act["doc"], json.dumps(act["act"]))
                connection.execute(f"{INSERT} ON CONFLICT (id) DO NOTHING", row)
            return connection.total_changes - before

    def acts(self, assessor: str, after: int = 0) -> list[dict[str, Any]]:
        """The acts that concern an assessor after a number, in order: their own, decisions, and rules."""
        with self._lock:
            rows = self._connection.execute(
                "SELECT number, assessor, id, time, topic, doc, act FROM acts WHERE number > ? AND "
                f"(assessor = ? OR {' OR '.join(SHARED)}) ORDER BY number",
                (after, assessor),
            ).fetchall()
        names = ("number", "by", *KEYS)
        acts = (dict(zip(names, (*row[:-1], json.loads(row[-1])), strict=True)) for row in rows)
        return [act for act in acts if assessor in act["act"].get("decides", {}).get("people", [assessor])]

    @contextlib.contextmanager
    def _transaction(self) -> Any:
        """Everything inside is on disk at the end, or nothing of it is."""
        with self._lock:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                try:
                    yield self._connection
                    self._connection.execute("COMMIT")
                except BaseException:
                    if self._connection.in_transaction:
                        self._connection.execute("ROLLBACK")
                    raise
            except sqlite3.Error as problem:
                raise NotSaved(f"{self.path.name}: {problem}") from None


def _lengths(connection: sqlite3.Connection, told: Any) -> dict[str, int]:
    """The length of the document that an act names, if it is known."""
    doc = told.get("doc") if isinstance(told, dict) else None
    named = (doc,) if isinstance(doc, str) else ("",)
    return dict(connection.execute("SELECT doc, length FROM documents WHERE doc = ?", named))


def _problem(told: Any, lengths: Mapping[str, int]) -> str:
    """Why something cannot be kept as an act; empty if it can."""
    if not isinstance(told, dict) or not all(key in told for key in KEYS):
        return f"expected an act with {', '.join(KEYS)}, found {quoted(told)}"
    if not is_id(told["id"]) or not _is_time(told["time"]):
        return f"expected an id and a time, found {quoted(told['id'])} and {quoted(told['time'])}"
    if not isinstance(told["topic"], str) or not name_of(told["topic"]):
        return f"expected a topic, found {quoted(told['topic'])}"
    if not isinstance(told["doc"], str) or told["doc"] not in lengths:
        return f"expected a document that is to be judged, found {quoted(told['doc'])}"
    return problem_of(told["act"], lengths[told["doc"]])


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
