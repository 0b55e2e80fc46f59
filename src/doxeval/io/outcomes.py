"""Outcomes of topics: whether, or how well, what a run returned for a topic served its purpose.

A table has a row per topic and run, under a header or as JSON Lines: `topic` (also `instance_id`,
`question_id`, ...), `run` (also `submission`, `system`, ...), and one or more columns of outcomes, which are
yes or no, or numbers. Rows without a run are of the run that the file is named after, or of the only one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from doxeval.core.errors import InputError, UsageError, nearest
from doxeval.core.notices import Notices
from doxeval.core.values import is_number, name_of, number_in, quoted
from doxeval.io.encodings import GUESS
from doxeval.io.formats.build_tables import joined_texts
from doxeval.io.formats.columns import OTHER_NAMES, Rows
from doxeval.io.formats.csv_fields import csv_rows, decoded_text, text_rows
from doxeval.io.formats.frames import rows_of
from doxeval.io.formats.native import read_rows
from doxeval.io.parquet_files import parquet_frame
from doxeval.io.source import PARQUET_MARK, UTF8_MARK, Source

TOPIC_KEYS = ("topic", "instance_id", *(name for name, key in OTHER_NAMES.items() if key == "topic"))
RUN_KEYS = ("run", "submission", "system", "model_name_or_path", "run_id", "run_name", "run_tag")
OUTCOME_KEYS = ("outcome", "resolved", "solved", "success", "succeeded", "correct", "passed")
"""Usual names of a column of outcomes: where there is one of them, it is the outcome."""
YES_NO = {"true": 1.0, "yes": 1.0, "1": 1.0, "false": 0.0, "no": 0.0, "0": 0.0}


@dataclass
class OutcomeTable:
    """Rows of outcomes: the topic and the run of each, its place, and all columns.

    A row that names no run has the name of its file as such (`from_file`), or nothing.
    """

    topic: list[str]
    run: list[str]
    from_file: list[bool]
    place: list[str]
    columns: dict[str, list[Any]]
    notices: Notices = field(default_factory=Notices)

    def chosen(self, name: str | None = None) -> str:
        """The column of outcomes: the one named, the only one that can be, or the one of a usual name."""
        if name is not None:
            if name not in self.columns:
                raise UsageError(
                    f"the outcomes have no column {name!r}{nearest(name, self.columns)} "
                    f"(they have {', '.join(self.columns)})"
                )
            return name
        usual = [key for key in self.columns if key.casefold() in OUTCOME_KEYS]
        if len(usual) == 1:
            return usual[0]
        possible = usual or [key for key, values in self.columns.items() if _are_outcomes(values)]
        if len(possible) == 1:
            return possible[0]
        if not possible:
            raise InputError(
                f"{self._source}no column has outcomes: expected one of true and false, yes and no, 1 and 0, "
                f"or numbers; found {', '.join(self.columns) or 'no other column'}"
            )
        raise UsageError(
            f"{self._source}{', '.join(possible)} could be the outcome; name one: --outcome {possible[0]} "
            f"(outcome_column={possible[0]!r} in Python)"
        )

    def numbers(self, name: str) -> np.ndarray:
        """The outcomes in a column, 1 for yes and 0 for no, NaN if missing; other values are refused."""
        found = np.array([_outcome(value) for value in self.columns[name]], dtype=np.float64)
        wrong = np.flatnonzero(np.isinf(found))
        self.notices.add_each(
            f"{{count}} {{line|lines}} refused, expected yes or no, or a finite number, as {name!r}",
            wrong,
            lambda row: f"{self.place[row]}: found {quoted(self.columns[name][row])}",
        )
        missing = np.flatnonzero(np.isnan(found))
        self.notices.add_each(
            f"{{count}} {{row has|rows have}} no {name!r} and {{is|are}} left out",
            missing,
            self.place.__getitem__,
            lasting=True,
        )
        found[wrong] = np.nan
        return found

    @property
    def attributes(self) -> dict[str, dict[str, str]]:
        """The other values of each topic, as attributes of it."""
        told: dict[str, dict[str, list[Any]]] = {topic: {} for topic in dict.fromkeys(self.topic)}
        for key, values in self.columns.items():
            for topic, value in zip(self.topic, values, strict=True):
                told[topic].setdefault(key, []).append(value)
        return {topic: joined_texts(values) for topic, values in told.items()}

    @property
    def _source(self) -> str:
        return f"{self.place[0].rpartition(':')[0]}: " if self.place and ":" in self.place[0] else ""


def outcomes_of(given: Any) -> OutcomeTable:
    """Outcomes from CSV, TSV, JSON Lines or Parquet, rows or a frame, or several of these.

    >>> table = outcomes_of([{"instance_id": "t1", "submission": "a", "resolved": True, "steps": 7}])
    >>> table.topic, table.run, table.chosen(), table.numbers("resolved").tolist()
    (['t1'], ['a'], 'resolved', [1.0])
    """
    if isinstance(given, OutcomeTable):
        return given
    several = isinstance(given, list | tuple) and given and not isinstance(given[0], Mapping)
    tables = [_one_table(part) for part in (given if several else [given])]
    return tables[0] if len(tables) == 1 else _joined(tables)


def _one_table(given: Any) -> OutcomeTable:
    """The outcomes of one file, or of rows in memory."""
    if not isinstance(given, str | Path | bytes):
        return _table(rows_of(given, "outcomes"), "")
    with Source(given, encoding=GUESS) as source:
        return _table(_rows(source), "" if isinstance(given, bytes) else source.stem)


def _rows(source: Source) -> Rows:
    head = source.head.removeprefix(UTF8_MARK).lstrip()
    if head.startswith(PARQUET_MARK):
        return rows_of(parquet_frame(source.read(), source.name), source.name)
    if head.startswith(b"{"):
        return read_rows(source)
    separator = "\t" if b"\t" in head.partition(b"\n")[0] else ","
    lines = csv_rows(decoded_text(source), separator)
    _, header = next(lines, (1, []))
    columns = [name.strip().removeprefix("\ufeff") for name in header]
    if not set(columns) & set(TOPIC_KEYS):
        raise InputError(
            f"{source.name}:1: expected a header with a topic, a run and an outcome, as in "
            f"topic,run,solved, or JSON Lines; found {quoted(','.join(columns))}{_meant(columns)}"
        )
    return text_rows(columns, lines, source)


def _table(rows: Rows, file_name: str) -> OutcomeTable:
    """The rows of one source; those without a topic are refused."""
    if "topic" not in rows.columns and not set(TOPIC_KEYS) & set(rows.columns):
        source = f"{rows.source}: " if rows.source else ""
        found = ", ".join(rows.columns) or "nothing"
        raise InputError(
            f"{source}expected rows with a topic, a run and an outcome; found {found}{_meant(rows.columns)}"
        )
    rows.rename(TOPIC_KEYS[1:], "topic")
    rows.rename(RUN_KEYS[1:], "run")
    topic = _names(rows, "topic")
    run = _names(rows, "run")
    rows.refuse(np.array([not name for name in topic], dtype=bool), "a 'topic'")
    rows.refuse(np.array([name is None for name in run], dtype=bool), "a name as 'run'")
    kept = np.flatnonzero(rows.kept).tolist()
    if not kept:
        raise InputError(f"{rows.source or 'outcomes'}: there is no row of outcomes")
    columns = {key: _values(rows, key, kept) for key in rows.columns if key not in ("topic", "run")}
    return OutcomeTable(
        [str(topic[row]) for row in kept],
        [run[row] or file_name for row in kept],
        [not run[row] for row in kept],
        [rows.place(row) for row in kept],
        columns,
        rows.notices,
    )


def _values(rows: Rows, key: str, kept: Sequence[int]) -> list[Any]:
    """The values of a column in some rows, None where there is none."""
    column, given = rows.columns[key], rows.columns[key].given
    return [column.value(row) if given[row] else None for row in kept]


def _names(rows: Rows, key: str) -> list[str | None]:
    """The names in a column, empty where there is none, None where the value is no name."""
    column = rows.columns.get(key)
    if column is None:
        return [""] * rows.size
    given = column.given
    return [name_of(column.value(row)) if given[row] else "" for row in range(rows.size)]


def _joined(tables: Sequence[OutcomeTable]) -> OutcomeTable:
    """The rows of several files; a column that one of them lacks is empty there."""
    keys = dict.fromkeys(key for table in tables for key in table.columns)
    return OutcomeTable(
        [topic for table in tables for topic in table.topic],
        [run for table in tables for run in table.run],
        [unnamed for table in tables for unnamed in table.from_file],
        [place for table in tables for place in table.place],
        {
            key: [value for table in tables for value in table.columns.get(key, [None] * len(table.topic))]
            for key in keys
        },
        Notices(*(table.notices for table in tables)),
    )


def _outcome(value: Any) -> float:
    """A value as an outcome; NaN if there is none, infinite if it is none."""
    if value is None or value == "" or (isinstance(value, float) and value != value):
        return float("nan")
    if isinstance(value, bool | np.bool_):
        return float(value)
    if isinstance(value, str):
        number = number_in(value.strip())
        found = YES_NO.get(value.strip().casefold(), number)
        return float("inf") if found is None or found != found else found
    return float(value) if is_number(value) else float("inf")


def _are_outcomes(values: Sequence[Any]) -> bool:
    """Whether all values of a column are outcomes, and some are given."""
    found = np.array([_outcome(value) for value in values])
    return not np.isinf(found).any() and not np.isnan(found).all()


def _meant(columns: Any) -> str:
    """A hint for a header in which the topic is mistyped."""
    return next((hint for name in columns if (hint := nearest(str(name), TOPIC_KEYS, 1))), "")
