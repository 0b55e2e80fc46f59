"""Rows of named values in the forms of scores: data for programs, a table for people."""

from __future__ import annotations

import csv
import io
import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import TYPE_CHECKING, Any

from doxeval.core.errors import UsageError, nearest
from doxeval.core.table import TEXT_FORMS, Readable, Table, render_tables

if TYPE_CHECKING:
    import polars

ROW_FORMS = ("csv", "jsonl", "json")
"""Forms of text for programs."""
INFINITE_VALUE = re.compile(r'(?<!\\)": (-?)Infinity(?=\s*[,}]|$)', re.MULTILINE)


class Records(Readable):
    """Results that are rows for programs and a table for people; rows are by default of its `means`."""

    means: Sequence[Any]

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A row per result."""
        return [asdict(mean) for mean in self.means]

    @property
    @abstractmethod
    def table(self) -> Table:
        """The readable table."""

    @property
    def tables(self) -> list[Table]:
        """The readable tables."""
        return [self.table]

    @cached_property
    def frame(self) -> polars.DataFrame:
        """A polars frame, one row per result."""
        import polars

        return polars.DataFrame(self.rows)

    def rendered(self, format: str = "table") -> bytes:
        """The results as a table (table, md, latex or html) or as rows (csv, jsonl, json or parquet)."""
        return rendered(format, lambda: self.rows, lambda: self.tables)


def rendered(
    form: str,
    rows: Callable[[], Sequence[Mapping[str, Any]]],
    tables: Callable[[], Iterable[Table]],
    columns: Sequence[str] = (),
) -> bytes:
    """Results as readable tables or as rows for programs, whichever the form needs.

    In rows, what is not a number is empty. The `columns` are named where there may be no row.

    >>> rendered("csv", lambda: [{"run": "a", "value": float("nan")}], list)
    b'run,value\\na,\\n'
    """
    if form in TEXT_FORMS:
        return render_tables(tables(), form).encode()
    if form not in (*ROW_FORMS, "parquet"):
        known = (*TEXT_FORMS, *ROW_FORMS, "parquet")
        raise UsageError(f"unknown format {form!r}{nearest(str(form), known)} (known: {', '.join(known)})")
    data = [{name: None if value != value else value for name, value in row.items()} for row in rows()]
    if form == "parquet":
        import polars

        stream = io.BytesIO()
        polars.DataFrame(data, None if data else list(columns)).write_parquet(stream)
        return stream.getvalue()
    if form == "csv":
        names = columns or list(dict.fromkeys(name for row in data for name in row))
        return (
            csv_text([names, *([row.get(name) for name in names] for row in data)]).encode() if names else b""
        )
    import json

    if form == "jsonl":
        return "".join(valid_json(json.dumps(row, ensure_ascii=False)) + "\n" for row in data).encode()
    return (valid_json(json.dumps(data, ensure_ascii=False, indent=1)) + "\n").encode()


def valid_json(text: str) -> str:
    """JSON text with 1e999 for infinity, which JSON lacks but every parser reads as such."""
    return INFINITE_VALUE.sub(r'": \g<1>1e999', text)


class _CsvLines(list[str]):
    """Collects lines; they end with a carriage return, so that `csv` quotes fields with one in them."""

    def write(self, line: str) -> None:
        self.append(line[:-2] + "\n")


def csv_text(rows: Iterable[Iterable[Any]]) -> str:
    r"""Rows of fields as comma-separated values, which :mod:`doxeval.io.formats.csv_fields` reads back.

    >>> csv_text([("run", "topic"), ("a,b", "1\r2")])
    'run,topic\n"a,b","1\r2"\n'
    """
    lines = _CsvLines()
    csv.writer(lines, lineterminator="\r\n").writerows(rows)
    return "".join(lines)
