"""Rows of named values in the forms of scores: data for programs, a table for people."""

from __future__ import annotations

import csv
import io
import re
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import TYPE_CHECKING, Any

from doxeval.core.errors import UsageError, nearest
from doxeval.core.table import FORMS as TEXT_FORMS
from doxeval.core.table import Readable, Table, render_tables

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
        return super().rendered(format) if format in TEXT_FORMS else rendered(self.rows, self.table, format)


def rendered(rows: Sequence[Mapping[str, Any]], table: Table, form: str) -> bytes:
    """Rows in one of :data:`doxeval.core.output.FORMS`; `table` is the readable form."""
    if form not in (*ROW_FORMS, "parquet", *TEXT_FORMS):
        known = (*TEXT_FORMS, *ROW_FORMS, "parquet")
        raise UsageError(f"unknown format {form!r}{nearest(str(form), known)} (known: {', '.join(known)})")
    if form == "parquet":
        import polars

        stream = io.BytesIO()
        polars.DataFrame(rows).write_parquet(stream)
        return stream.getvalue()
    if form in ROW_FORMS:
        return rows_text(rows, form).encode()
    return render_tables([table], form).encode()


def rows_text(rows: Sequence[Mapping[str, Any]], form: str) -> str:
    """Rows of the same columns in one of :data:`ROW_FORMS`.

    >>> rows_text([{"run": "a", "value": None}], "csv")
    'run,value\\na,\\n'
    """
    if form == "csv":
        return csv_text([list(rows[0]), *(row.values() for row in rows)])
    import json

    if form == "jsonl":
        return "".join(valid_json(json.dumps(row, ensure_ascii=False)) + "\n" for row in rows)
    return valid_json(json.dumps(rows, ensure_ascii=False, indent=1)) + "\n"


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
