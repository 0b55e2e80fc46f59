"""Rows with named keys as typed columns: the one path from dicts, frames and JSON lines to the tables.

Each known key has a kind (text, integer, number or list). A value of another kind stops nothing: its row is
marked as wrong and refused later, with its place in the file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np

from doxeval.core.errors import InputError
from doxeval.core.notices import Notices
from doxeval.core.quick_class import dataclass
from doxeval.core.strings import Strings, distinct, encode, merge_tables
from doxeval.core.values import is_number, name_of, quoted
from doxeval.io.formats.field_lines import LARGEST_OFFSET
from doxeval.kernels import objects
from doxeval.kernels.arrow import names_of_stream

if TYPE_CHECKING:
    from doxeval.io.flat_parquet import FlatColumn

KIND_OF_KEY = {
    "topic": "text", "doc": "text", "run": "text", "node": "text", "path": "text", "code": "text",
    "need": "text", "set": "text", "assessor": "text", "quote": "text", "query": "text",
    "text": "text", "answer": "text", "content": "text",
    "page_content": "text", "rank": "integer", "start": "integer", "end": "integer",
    "bep": "integer", "length": "integer", "line": "integer", "score": "number", "rel": "number",
    "nodes": "list", "spans": "list", "aspects": "list", "page": "integer", "prefix": "text",
    "suffix": "text", "section": "text", "occurrence": "text", "added": "text", "level": "text",
    "similarity": "number", "margin": "number", "fingerprint": "text", "box": "list",
    "start_line": "integer", "end_line": "integer", "lines": "list", "own": "text",
    "start_s": "number", "end_s": "number", "moments": "list", "length_s": "number",
    "region": "list", "regions": "list", "page_size": "list", "patches": "list", "patch_grid": "list",
    "cells": "list", "page_count": "integer",
}  # fmt: skip
OTHER_NAMES = {
    "value": "rel", "relevance": "rel", "grade": "rel", "docid": "doc", "doc_id": "doc", "docno": "doc",
    "document": "doc", "document_id": "doc", "file_path": "doc", "qid": "topic", "query_id": "topic",
    "question_id": "topic", "topic_id": "topic", "begin": "start", "start_index": "start",
    "start_char": "start", "stop": "end", "end_index": "end", "end_char": "end", "span": "spans",
    "ranges": "spans", "node_id": "node", "xpath": "path", "line_start": "start_line", "line_end": "end_line",
    "startline": "start_line", "endline": "end_line", "first_line": "start_line", "last_line": "end_line",
    "start_seconds": "start_s", "end_seconds": "end_s",
}  # fmt: skip
"""Other usual names of our keys."""

CLOSE_ENOUGH = 0.8
"""Least similarity of a mistyped key to the one it is taken for."""

WORTH_A_JOIN = 100_000
"""Number of names of a frame up to which they are looked up one by one rather than by a join."""

VALUE_OF_KIND = {
    "text": "a string",
    "integer": f"an integer within {LARGEST_OFFSET}",
    "number": "a finite number",
    "list": "a list",
}


@dataclass
class Column:
    """The values of one key in all rows.

    `values` holds numbers, or codes of `table` (-1 where there is none), or Python objects; `wrong` holds the
    rows whose value is not of the key's kind, with the value.
    """

    values: np.ndarray
    present: np.ndarray
    wrong: dict[int, Any] = field(default_factory=dict)
    table: Sequence[str] = ()

    @property
    def given(self) -> np.ndarray:
        """A mask of the rows that have a value, of any kind."""
        given = self.present.copy()
        given[list(self.wrong)] = True
        return given

    def take(self, rows: np.ndarray) -> Column:
        """The values of some rows, in the order given, with only the strings that they use."""
        values, table = self.values[rows], self.table
        wrong = {at: self.wrong[row] for at, row in enumerate(rows.tolist()) if row in self.wrong}
        if len(table):
            used = distinct(values[values >= 0])
            code = np.full(len(table) + 1, -1, dtype=np.int32)
            code[used] = np.arange(len(used))
            values, table = code[values], [table[at] for at in used.tolist()]
        return Column(values, self.present[rows], wrong, table)

    def split(self, rows: np.ndarray) -> tuple[Column, Column]:
        """The column with the values of some rows alone, and with those of the others."""
        return self._only(rows), self._only(~rows)

    def _only(self, rows: np.ndarray) -> Column:
        present = self.present & rows
        values = self.values.copy()
        values[~present] = None if values.dtype == object else -1 if len(self.table) else 0
        wrong = {row: value for row, value in self.wrong.items() if rows[row]}
        return replace(self, values=values, present=present, wrong=wrong)

    def value(self, row: int) -> Any:
        """The value of a row that has one, as a Python object."""
        if row in self.wrong:
            return self.wrong[row]
        value = self.values[row]
        return self.table[value] if len(self.table) else value.item() if hasattr(value, "item") else value


@dataclass
class Rows:
    """Typed columns, with the place of each row in its file; refused rows are cleared in `kept`.

    Rows that were picked out of others, or lay within them, know the number of those (`at`, from 0). `kinds`
    are those of keys that only some tables know. `places` are the ranges of all rows, where another key than
    those of ranges gives them. `parameters` are those at the head of a run.
    """

    size: int
    columns: dict[str, Column]
    source: str = ""
    line: np.ndarray | None = None
    notices: Notices = field(default_factory=Notices)
    at: np.ndarray | None = None
    kinds: dict[str, str] = field(default_factory=dict)
    kept: np.ndarray = field(init=False)
    places: Any = None
    parameters: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.kept = np.ones(self.size, dtype=bool)

    def select(self, chosen: np.ndarray, without: Sequence[str] = ()) -> Rows:
        """Some rows, by a mask, and all columns but some."""
        number = np.cumsum(chosen) - 1
        columns = {
            key: Column(
                column.values[chosen], column.present[chosen],
                {int(number[row]): value for row, value in column.wrong.items() if chosen[row]}, column.table,
            )
            for key, column in self.columns.items()
            if key not in without
        }  # fmt: skip
        line = None if self.line is None else self.line[chosen]
        return Rows(int(chosen.sum()), columns, self.source, line, self.notices)

    def place(self, row: int) -> str:
        """The place of a row, for a message."""
        if self.line is None:
            number = row if self.at is None else self.at[row]
            return f"{self.source + ': ' if self.source else ''}row {number + 1}"
        return f"{self.source}:{self.line[row]}"

    def set_kinds(self, kinds: Mapping[str, str]) -> None:
        """Type the columns of keys that other tables do not know."""
        for key in kinds.keys() & self.columns.keys():
            column = self.columns[key]
            self.columns[key] = column_of(key, column.values.tolist(), kinds[key])
        self.kinds |= kinds

    def refuse(self, bad: np.ndarray, expected: str, found: Callable[[int], str] | None = None) -> None:
        """Drop the rows marked bad; report what was expected and what was found."""
        if not bad.any():
            return
        rows = np.flatnonzero(bad & self.kept)
        what = f"{self.source}: {{count}} {{line|lines}}" if self.source else "{count} {row|rows}"
        self.notices.add_each(
            f"{what} refused, expected {expected}",
            rows,
            lambda row: self.place(row) + (f": found {found(row)}" if found else ""),
        )
        self.kept[rows] = False

    def refuse_wrong(self, wrong: dict[int, str], expected: str) -> None:
        """Drop rows with wrong values, given as shown in a message."""
        bad = np.zeros(self.size, dtype=bool)
        bad[list(wrong)] = True
        self.refuse(bad, expected, wrong.__getitem__)

    def take(self, key: str) -> Column:
        """A column by its key, empty if no row has it; rows with values of the wrong kind are refused."""
        column = self.columns.get(key)
        if column is None:
            return _absent(key, self.size, self.kinds.get(key))
        if column.wrong:
            found = {row: quoted(value) for row, value in column.wrong.items()}
            kind = self.kinds.get(key) or KIND_OF_KEY[key]
            self.refuse_wrong(found, f"{VALUE_OF_KIND[kind]} as {key!r}")
        return column

    def require(self, key: str) -> Column:
        """A column that every row must have."""
        column = self.take(key)
        self.refuse(~column.present, f"a {key!r}")
        return column

    def rename(self, aliases: Sequence[str], key: str) -> None:
        """Use whichever usual name of `key` the rows have, unless they have `key` itself."""
        found = [alias for alias in aliases if alias in self.columns]
        if key in self.columns or not found:
            return
        if len(found) > 1:
            raise InputError(
                f"{self._prefix}{' and '.join(map(repr, found))} could both be the {key!r}; rename one"
            )
        self.columns[key] = self.columns.pop(found[0])

    def unknown(
        self, known: Sequence[str], fate: str = "ignored", among: np.ndarray | None = None
    ) -> list[str]:
        """The unknown keys; one that looks like a misspelt key is an error.

        Only those count that occur in the rows, or in the rows `among` them, if there are any.
        """
        found = [key for key in self.columns if key not in known]
        for key in found:
            counts = among is None or bool((self.columns[key].present & among).any())
            if (counts or not np.any(among)) and (meant := self._meant(key, known)):
                raise InputError(
                    f"{self._prefix}unknown key {key!r}; did you mean {meant!r}? Rename it or remove it"
                )
            if counts:
                self.notices.add(f"{self._prefix}unknown key {key!r} is {fate}", harmless=True)
        return found

    def _meant(self, key: str, known: Sequence[str]) -> str | None:
        """The key that an unknown one is probably meant to be: one that the rows lack."""
        missing = [one for one in known if one not in self.columns]
        folded = key.casefold().replace("-", "_")
        close = get_close_matches(folded, missing, n=1, cutoff=CLOSE_ENOUGH)
        return OTHER_NAMES[folded] if OTHER_NAMES.get(folded) in missing else next(iter(close), None)

    @property
    def _prefix(self) -> str:
        return f"{self.source}: " if self.source else ""


def column_of(key: str, values: list[Any], kind: str | None = None) -> Column:
    """A typed column from Python values, of the kind of its key; None where a row has none."""
    kind = kind or KIND_OF_KEY.get(key)
    if kind == "text":
        return _text_column(values)
    if kind in ("integer", "number"):
        return _number_column(values, kind)
    present = np.fromiter((value is not None for value in values), dtype=bool, count=len(values))
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    wrong = {}
    if kind == "list":
        wrong = {
            row: value
            for row, value in enumerate(values)
            if value is not None and not isinstance(value, list | tuple)
        }
    return Column(objects, present, wrong)


def column_of_series(key: str, series: Any) -> Column:
    """A typed column from a polars series, where possible without going through its values one by one."""
    from doxeval.core.polars_here import polars as pl

    kind = KIND_OF_KEY.get(key)
    if kind == "text" and (column := names_of_arrow(series)):
        return column
    if len(series) < WORTH_A_JOIN and not series.dtype.is_numeric():
        return column_of(key, series.to_list())
    if kind == "text" and (series.dtype == pl.String or series.dtype.is_integer()):
        texts = series.cast(pl.String).replace("", None)
        table = texts.drop_nulls().unique(maintain_order=True)
        codes = texts.replace_strict(
            table, pl.int_range(len(table), dtype=pl.Int32, eager=True), default=-1, return_dtype=pl.Int32
        )
        values = codes.fill_null(-1).to_numpy()
        return Column(values, values >= 0, table=table.to_list())
    wide = series.dtype in (pl.Int128, pl.UInt128)
    if kind in ("integer", "number") and series.dtype.is_numeric() and not wide:
        if not series.null_count():
            return checked_numbers(series.to_numpy(), np.ones(len(series), dtype=bool), kind)
        present = series.is_not_null().to_numpy()
        return checked_numbers(series.fill_null(0).to_numpy(), present, kind)
    return column_of(key, series.to_list())


def column_of_flat(key: str, column: FlatColumn) -> Column:
    """A typed column from one of a Parquet file of plain columns."""
    kind, words = KIND_OF_KEY.get(key), column.words
    if kind == "text" and words is not None:
        if "" not in words:
            return Column(column.values, column.present, table=words)
        empty = words.index("")
        values = np.where(column.values == empty, -1, column.values - (column.values > empty))
        return Column(values, values >= 0, table=words[:empty] + words[empty + 1 :])
    if kind in ("integer", "number") and column.values.dtype.kind in "if" and words is None:
        return checked_numbers(column.values, column.present, kind)
    return column_of(key, column.tolist())


def names_of_arrow(column: Any) -> Column | None:
    """The column of what holds only names, and can pass itself on as Arrow arrays; otherwise None."""
    found = None
    if len(column) and hasattr(column, "__arrow_c_stream__"):
        found = names_of_stream(column.__arrow_c_stream__(), len(column))
    return None if found is None else _names_column(found, np.ones(len(column), dtype=bool))


def columns_from_dicts(rows: list[Any]) -> dict[str, Column]:
    """Typed columns of a list of dicts; in one pass where all have the same keys, in the same order."""
    keys = list(rows[0]) if rows and type(rows[0]) is dict else []
    taken = None
    if keys and set(map(type, keys)) == {str}:
        taken = objects.columns_of_dicts(rows, keys, bytes(_expected(key, rows[0][key]) for key in keys))
    if taken is None:
        return {key: column_of(key, values) for key, values in _values_by_key(rows).items()}
    present = np.ones(len(rows), dtype=bool)
    columns = {}
    for key, column in zip(keys, taken, strict=True):
        if column is None:
            columns[key] = column_of(key, [row[key] for row in rows])
        elif isinstance(column, tuple):
            columns[key] = _names_column(column, present)
        else:
            columns[key] = checked_numbers(column, present, KIND_OF_KEY[key])
    return columns


def _expected(key: str, first: Any) -> int:
    """The kind that the values of a key probably have, by the first of them."""
    kind = KIND_OF_KEY.get(key)
    if kind == "text":
        return objects.NAME
    numbers = {int: objects.INTEGER, float: objects.FLOAT}
    return numbers.get(type(first), objects.OTHER) if kind in ("integer", "number") else objects.OTHER


def _values_by_key(rows: list[Any]) -> dict[str, list[Any]]:
    """The values of every key, None where a row has none."""
    for at, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise InputError(f"row {at + 1}: expected a dict, found {type(row).__name__}")
    found = dict.fromkeys(key for row in rows for key in row)
    return {key: [row.get(key) for row in rows] for key in found}


def rows_of_dicts(rows: list[Any], source: str, notices: Notices | None = None) -> Rows:
    """Rows from a list of dicts, each with its `line`."""
    columns = columns_from_dicts(rows)
    line = columns.pop("line").values if rows else np.zeros(0, dtype=np.int64)
    return Rows(len(rows), columns, source, line, notices or Notices())


def rows_of_columns(
    columns: dict[str, Column], size: int, source: str, parameters: dict[str, str] | None = None
) -> Rows:
    """Rows of typed columns, one of which may hold the numbers of their lines."""
    line = columns.pop("line", None)
    lines = line.values if line is not None and size else None
    return Rows(size, columns, source, lines, parameters=parameters or {})


def join_columns(parts: list[dict[str, Column]], sizes: list[int]) -> dict[str, Column]:
    """The columns of successive pieces of a file as one."""
    if len(parts) == 1:
        return parts[0]
    keys = dict.fromkeys(key for part in parts for key in part)
    return {key: _joined_column(key, [part.get(key) for part in parts], sizes) for key in keys}


def _joined_column(key: str, pieces: list[Column | None], sizes: list[int]) -> Column:
    filled = [
        _absent(key, size) if piece is None else piece for piece, size in zip(pieces, sizes, strict=True)
    ]
    first = np.cumsum([0, *sizes]).tolist()
    wrong = {first[at] + row: found for at, piece in enumerate(filled) for row, found in piece.wrong.items()}
    values, table = [piece.values for piece in filled], filled[0].table
    if KIND_OF_KEY.get(key) == "text":
        table, codes = merge_tables([piece.table for piece in filled])
        values = [np.append(new, np.int32(-1))[old] for new, old in zip(codes, values, strict=True)]
    return Column(np.concatenate(values), np.concatenate([piece.present for piece in filled]), wrong, table)


def _absent(key: str, size: int, kind: str | None = None) -> Column:
    """The column of a key that no row has."""
    kind = kind or KIND_OF_KEY.get(key, "list")
    dtype: Any = {"text": np.int32, "integer": np.int64, "number": np.float64, "list": object}[kind]
    values: np.ndarray = np.full(size, -1 if kind == "text" else 0, dtype=dtype)
    return Column(values, np.zeros(size, dtype=bool))


def _names_column(found: tuple[np.ndarray, bytes, bytes], present: np.ndarray) -> Column:
    """A column of names, as the kernels find them."""
    codes, offset, letters = found
    table = Strings(np.frombuffer(offset, dtype=np.int64), np.frombuffer(letters, dtype=np.uint8))
    return Column(codes, present, table=table)


def _text_column(values: list[Any]) -> Column:
    """Strings as codes; integers are read as names, the empty string as no value."""
    found = objects.names(values) if values else None
    if found is not None:
        return _names_column(found, np.ones(len(values), dtype=bool))
    keys: list[Any] = values
    if not set(map(type, values)) <= HASHED:
        keys = [value if type(value) in HASHED else _Odd(value) for value in values]
    raw, raw_codes = encode(keys)
    known: dict[str, int] = {}
    codes = np.full(len(raw) + 1, -1, dtype=np.int32)
    odd = np.zeros(len(raw) + 1, dtype=bool)
    for at, value in enumerate(raw):
        name = name_of(value.value if isinstance(value, _Odd) else value)
        if name:
            codes[at] = known.setdefault(name, len(known))
        elif name is None:
            odd[at] = True
    wrong = {row: values[row] for row in np.flatnonzero(odd[raw_codes]).tolist()} if odd.any() else {}
    found = codes[raw_codes]
    return Column(found, found >= 0, wrong, list(known))


HASHED = {str, int, float, type(None)}


class _Odd:
    """A value without a hash, or with the hash of another name, as `true` has that of 1."""

    def __init__(self, value: Any) -> None:
        self.value = value


def _number_column(values: list[Any], kind: str) -> Column:
    present = np.ones(len(values), dtype=bool)
    kinds = set(map(type, values))
    if kinds in ({int}, {float}):
        try:
            return checked_numbers(np.fromiter(values, kinds.pop(), len(values)), present, kind)
        except OverflowError:
            pass
    if None in values:
        present = np.fromiter((value is not None for value in values), dtype=bool, count=len(values))
        values = [0 if value is None else value for value in values]
    try:
        array = np.array(values)
    except (ValueError, OverflowError):
        array = np.empty((0, 0))
    if array.ndim == 1 and array.dtype.kind in "iuf" and not {bool, np.bool_} & set(map(type, values)):
        return checked_numbers(array, present, kind)
    odd = {row: value for row, value in enumerate(values) if not is_number(value)}
    column = checked_numbers(
        np.array([0.0 if row in odd else float(value) for row, value in enumerate(values)]), present, kind
    )
    column.wrong.update(odd)
    return column


def checked_numbers(array: np.ndarray, present: np.ndarray, kind: str | None) -> Column:
    """A column of numbers; those not finite, or not integers of a sensible size, are marked as wrong."""
    whole, wrong = array.dtype.kind in "iu", {}
    bad = np.zeros(len(array), dtype=bool) if whole else ~np.isfinite(array)
    if kind == "integer":
        bad |= (array > LARGEST_OFFSET) | (array < -LARGEST_OFFSET)
        if not whole:
            with np.errstate(invalid="ignore"):
                bad |= array != np.floor(array)
    if bad.any():
        bad &= present
        wrong = {row: array[row].item() for row in np.flatnonzero(bad).tolist()}
        array = np.where(bad, 0, array)
    return Column(array.astype(np.int64 if kind == "integer" else np.float64, copy=False), present, wrong)
