"""The SQLite database in which judgements are kept, and the tally by which a reader knows that it is whole.

The tally holds how many acts there are and a digest of all rows; it changes in the transactions that add
them. A copy that was made while somebody wrote, or of which a part is missing or damaged, does not match it.
The database is never in WAL mode: what is confirmed is in the one file, not in a log beside it.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

from doxeval.core.errors import InputError
from doxeval.core.files import DATABASE
from doxeval.core.notices import Notices
from doxeval.core.phrases import counted
from doxeval.io.limits import input_limits
from doxeval.io.source import Source

FILE_FORMAT, WITH_LOG, WITHOUT_LOG = 18, b"\x02\x02", b"\x01\x01"
"""The place where a database states how it is written, and its value in WAL mode and otherwise."""
BUSY_SECONDS = 10
TALLY = "tally"
VERSION = 2
"""Databases of the first version have no tally."""
DATABASE_ERRORS = (sqlite3.Error, sqlite3.Warning, UnicodeError)
"""What sqlite3 raises for a damaged file."""
SCHEMA = {
    "topics": "CREATE TABLE topics (topic TEXT PRIMARY KEY, query TEXT NOT NULL)",
    "documents": "CREATE TABLE documents (doc TEXT PRIMARY KEY, length INTEGER NOT NULL, "
    "fingerprint TEXT NOT NULL)",
    "acts": "CREATE TABLE acts (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, "
    "assessor TEXT NOT NULL, time TEXT NOT NULL, topic TEXT NOT NULL, doc TEXT NOT NULL, act TEXT NOT NULL)",
    TALLY: "CREATE TABLE tally (acts INTEGER NOT NULL, last INTEGER NOT NULL, acts_digest TEXT NOT NULL, "
    "others_digest TEXT NOT NULL)",
}
OTHERS = tuple(table for table in SCHEMA if table not in ("acts", TALLY))
"""The tables besides acts whose content counts; they change seldom."""
INSERT = "INSERT INTO acts (id, assessor, time, topic, doc, act) VALUES (?, ?, ?, ?, ?, ?)"
COPY = "make copies with 'doxeval judge --to DATABASE --backup COPY'"
NOT_SEALED = (
    "{count} {database was|databases were} made by an older version; whether any judgement is missing is not "
    "known (opening it with 'doxeval judge' adds what later versions need to know it)"
)


def create_tables(connection: sqlite3.Connection) -> None:
    """Make the tables of a new database, in the transaction that has begun."""
    for table, sql in SCHEMA.items():
        if table != TALLY:
            connection.execute(sql)
    add_tally(connection)


def add_tally(connection: sqlite3.Connection) -> None:
    """Add the tally to a database that has none, in the transaction that has begun."""
    connection.execute(SCHEMA[TALLY])
    connection.execute(f"PRAGMA user_version = {VERSION}")
    seal(connection, others=True)


def check_schema(connection: sqlite3.Connection, name: str) -> None:
    """Raise an error if a database is not one of judgements, table by table."""
    found = dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'"))
    for table, sql in SCHEMA.items():
        if found.get(table, sql if table == TALLY else None) != sql:
            raise InputError(f"{name}: is an SQLite database, but not one made by 'doxeval judge'")


def is_sealed(connection: sqlite3.Connection) -> bool:
    """Whether a database has a tally, or should have one; older versions made none."""
    found = connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (TALLY,)).fetchone()
    return found is not None or connection.execute("PRAGMA user_version").fetchone() != (0,)


def seal(connection: sqlite3.Connection, others: bool = False) -> None:
    """Bring the tally up to date with new acts and, if `others`, other tables; inside a transaction."""
    row = connection.execute("SELECT acts, last, acts_digest, others_digest FROM tally").fetchone()
    count, last, digest, kept = row or (0, 0, "", "")
    rows = connection.execute("SELECT * FROM acts WHERE number > ? ORDER BY number", (last,))
    more, last, digest = _digested(rows, last, digest)
    told = (count + more, last, digest, _digest_of_others(connection) if others else kept)
    connection.execute("DELETE FROM tally")
    connection.execute("INSERT INTO tally VALUES (?, ?, ?, ?)", told)


def check_whole(connection: sqlite3.Connection, name: str) -> None:
    """Raise an error if a database or an index is damaged, or rows are not those that its tally states."""
    problems = connection.execute("PRAGMA integrity_check(1)").fetchall()
    if problems != [("ok",)]:
        raise InputError(f"{name}: is damaged: {problems[0][0]}; use a copy from before")
    if not is_sealed(connection):
        return
    tallies = connection.execute("SELECT acts, last, acts_digest, others_digest FROM tally").fetchall()
    found = _digested(connection.execute("SELECT * FROM acts ORDER BY number"), 0, "")
    acts = tallies[0][0] if len(tallies) == 1 else None
    if acts is not None and found[0] < acts:
        raise InputError(
            f"{name}: holds {found[0]:,} of {counted(acts, 'act')}: it was copied while judging went on, or "
            f"is damaged; {COPY}"
        )
    if tallies != [(*found, _digest_of_others(connection))]:
        raise InputError(
            f"{name}: is not as 'doxeval judge' left it: it was copied while judging went on, changed by "
            f"something else, or is damaged; {COPY}"
        )


def _digested(rows: Iterable[tuple[Any, ...]], last: int, digest: str) -> tuple[int, int, str]:
    """How many acts there are, the number of the last, and their digest after that of those before."""
    count = 0
    for row in rows:
        digest = blake2b((digest + _text_of(row)).encode(), digest_size=16).hexdigest()
        count, last = count + 1, row[0]
    return count, last, digest


def _digest_of_others(connection: sqlite3.Connection) -> str:
    """A digest of the tables that are not acts."""
    digest = blake2b(digest_size=16)
    for table in OTHERS:
        for row in connection.execute(f"SELECT * FROM {table} ORDER BY 1"):
            digest.update(f"{table} {_text_of(row)}\n".encode())
    return digest.hexdigest()


def _text_of(row: tuple[Any, ...]) -> str:
    return json.dumps(row, default=repr)


@contextmanager
def opened_database(source: Source, notices: Notices) -> Iterator[sqlite3.Connection]:
    """Open a database for reading, if it is whole; a compressed one is unpacked, and nothing is changed."""
    with tempfile.TemporaryDirectory() as folder:
        path = source.path
        if path is None or not first_bytes(path).startswith(DATABASE):
            path = Path(folder) / "judgements.db"
            path.write_bytes(source.read())
        check_log(path, source.name)
        try:
            with closing(_connected(path, Path(folder))) as connection:
                connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, input_limits().line)
                connection.execute("PRAGMA trusted_schema = OFF")
                connection.execute("BEGIN")
                check_schema(connection, source.name)
                check_whole(connection, source.name)
                if not is_sealed(connection):
                    notices.add(NOT_SEALED, source.name, harmless=True, lasting=True)
                yield connection
        except DATABASE_ERRORS as problem:
            raise InputError(
                f"{source.name}: cannot be read as a database of judgements: {problem}"
            ) from None


def _connected(path: Path, folder: Path) -> sqlite3.Connection:
    """A connection for reading; if a writer was killed while it wrote, to a copy from before."""
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=BUSY_SECONDS)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        return connection
    except sqlite3.OperationalError as problem:
        connection.close()
        if problem.sqlite_errorcode != sqlite3.SQLITE_READONLY_ROLLBACK:
            raise
    copy = folder / "interrupted.db"
    for ending in ("-journal", ""):
        shutil.copyfile(f"{path}{ending}", f"{copy}{ending}")
    return sqlite3.connect(copy)


def first_bytes(path: Path) -> bytes:
    """The first bytes of a file: its type, and whether there is a log next to it."""
    if not path.is_file():
        return b""
    with path.open("rb") as stream:
        return stream.read(FILE_FORMAT + len(WITH_LOG))


def check_log(path: Path, name: str) -> None:
    """Raise an error if a database keeps what is new in a log beside it, and that is not there."""
    if first_bytes(path)[FILE_FORMAT:] == WITH_LOG and not Path(f"{path}-wal").exists():
        raise InputError(
            f"{name}: was copied without its log ({path.name}-wal), in which judgements may be; copy both, "
            "or let SQLite state that nothing is missing: sqlite3 DATABASE 'PRAGMA journal_mode = DELETE'"
        )
