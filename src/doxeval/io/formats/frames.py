"""Tables from rows in memory: lists of dicts, polars frames, pandas frames.

The keys are those of the native format (see ``doxeval formats native-run``). A key `line` gives the line
number of a row for messages. In pandas frames a missing value (NaN, None, NaT) counts as absent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from doxeval.core.errors import InputError
from doxeval.core.notices import Notices
from doxeval.core.run_parameters import plain_parameters
from doxeval.core.values import is_several
from doxeval.io.formats.build_tables import build_chunks, collect_assessments
from doxeval.io.formats.columns import (
    KIND_OF_KEY,
    Column,
    Rows,
    checked_numbers,
    column_of,
    column_of_series,
    columns_from_dicts,
    names_of_arrow,
    rows_of_columns,
)
from doxeval.io.formats.format import Options
from doxeval.io.formats.other_tools import ToolFile
from doxeval.io.formats.spans import records_of_frame
from doxeval.io.formats.step_lines import run_of_rows
from doxeval.io.formats.traces import run_of_records
from doxeval.io.parquet_files import plain_frame
from doxeval.io.run_descriptions import header_of
from doxeval.io.source import Source


def table_from_rows(kind: str, data: Any, options: Options) -> Any:
    """A run, assessments or chunks from rows.

    >>> rows = [{"topic": "t1", "doc": "d1", "start": 3, "end": 9}]
    >>> table_from_rows("run", rows, Options(name="mine"))
    <Run 'mine': 1 result, 1 topic, 1 document>
    >>> table_from_rows("assessments", rows, Options())
    <Assessments: 1 topic, 1 assessed document, 1 range>
    """
    if kind == "run" and (spans := records_of_frame(data)) is not None:
        return run_of_records(ToolFile(Source(b"", "spans"), Notices()), enumerate(spans, start=1), options)
    rows = rows_of(data)
    if kind == "run":
        return run_of_rows(rows, options)
    return collect_assessments(rows) if kind == "assessments" else build_chunks(rows)


def rows_of(data: Any, source: str = "") -> Rows:
    """Typed columns of rows of any supported type."""
    module = type(data).__module__.partition(".")[0]
    parameters: dict[str, str] = {}
    if module == "polars":
        if type(data).__name__ == "LazyFrame":
            data = data.collect()
        data = plain_frame(data)
        columns = {name: column_of_series(name, data.get_column(name)) for name in data.columns}
        size = data.height
    elif module == "pandas":
        columns = {str(name): _column_of_pandas(str(name), data[name]) for name in data.columns}
        size = len(data)
    else:
        if not is_several(data):
            hint = "; put a single row into a list" if isinstance(data, Mapping) else ""
            raise InputError(
                f"expected a path, a list of dicts or a frame, found {type(data).__name__}{hint}"
            )
        rows = data if type(data) is list else list(data)
        if rows and header_of(rows[0]):
            parameters, rows = plain_parameters(rows[0]["parameters"], "row 1"), rows[1:]
        columns = columns_from_dicts(rows)
        size = len(rows)
    return rows_of_columns(columns, size, source, parameters)


def _column_of_pandas(name: str, series: Any) -> Column:
    kind = KIND_OF_KEY.get(name)
    if kind in ("integer", "number") and isinstance(series.dtype, np.dtype) and series.dtype.kind in "iuf":
        numbers = series.to_numpy()
        present = ~np.isnan(numbers)
        return checked_numbers(np.where(present, numbers, 0), present, kind)
    if (
        kind == "text"
        and getattr(series.dtype, "storage", "") == "pyarrow"
        and (column := names_of_arrow(series.array.__arrow_array__()))
    ):
        return column
    present = ~series.isna().to_numpy()
    values = series.tolist()
    if not present.all():
        values = [value if there else None for value, there in zip(values, present.tolist(), strict=True)]
    return column_of(name, values)
