"""Rows of named values in the forms of scores: for programs as they are, for people as a table."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

from doxeval.core.csv_out import csv_text
from doxeval.core.table import Table, render_tables


def rendered(rows: Sequence[Mapping[str, Any]], table: Table, form: str) -> bytes:
    """Rows in one of :data:`doxeval.core.output.FORMS`; `table` is what people read.

    >>> rendered([{"run": "a", "value": None}], Table(["run"], [["a"]]), "csv")
    b'run,value\\na,\\n'
    """
    import json

    if form == "parquet":
        import polars

        stream = io.BytesIO()
        polars.DataFrame(rows).write_parquet(stream)
        return stream.getvalue()
    if form == "csv":
        return csv_text([list(rows[0]), *(row.values() for row in rows)]).encode()
    if form == "jsonl":
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    if form == "json":
        return (json.dumps(rows, ensure_ascii=False, indent=1) + "\n").encode()
    return render_tables([table], form).encode()
