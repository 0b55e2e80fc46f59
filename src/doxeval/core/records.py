"""Rows of named values in the forms of scores: for programs as they are, for people as a table."""

from __future__ import annotations

import io
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import TYPE_CHECKING, Any

from doxeval.core.csv_out import csv_text
from doxeval.core.readable import Readable
from doxeval.core.table import Table, render_tables

if TYPE_CHECKING:
    import polars


ROW_FORMS = ("csv", "jsonl", "json")
"""Forms of text that a program reads."""


class Records(Readable):
    """Results of which each is a row to programs (`means`, dataclasses), and all are a table to people."""

    means: Sequence[Any]

    @property
    @abstractmethod
    def table(self) -> Table:
        """What people read."""

    @property
    def tables(self) -> list[Table]:
        """All that people read."""
        return [self.table]

    @cached_property
    def frame(self) -> polars.DataFrame:
        """A polars frame, one row a result."""
        import polars

        return polars.DataFrame([asdict(mean) for mean in self.means])

    def rendered(self, form: str) -> bytes:
        """In one of the forms of scores."""
        return rendered([asdict(mean) for mean in self.means], self.table, form)


def rendered(rows: Sequence[Mapping[str, Any]], table: Table, form: str) -> bytes:
    """Rows in one of :data:`doxeval.core.output.FORMS`; `table` is what people read."""
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
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"
