"""Places given in time: `start_s` and `end_s`, or `moments` for several ranges; `length_s` is a length.

Times are seconds from the start of the document. Tables hold them as whole microseconds, so that six decimals
are kept exactly; finer times are rounded, which is reported.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from doxeval.core.values import is_number
from doxeval.io.formats.columns import Column, Rows, column_of
from doxeval.io.formats.field_lines import LARGEST_OFFSET
from doxeval.tables.places import GRAIN, SECONDS

TIME_KEYS = ("start_s", "end_s", "moments", "length_s")
LATEST = LARGEST_OFFSET // GRAIN[SECONDS]


def in_grains(seconds: Any) -> int:
    """Seconds as whole microseconds, to the nearest.

    >>> in_grains(1.1), in_grains(94), in_grains(0.3000000000000004)
    (1100000, 94000000, 300000)
    """
    return round(seconds * GRAIN[SECONDS])


def times_as_ranges(rows: Rows) -> str:
    """Replace times by ranges of grains, and return the unit of all ranges of the rows."""
    columns = {key: _grains_of(rows, key) for key in ("start_s", "end_s", "length_s")}
    spans = _spans_of(rows, rows.take("moments"))
    for key in TIME_KEYS:
        rows.columns.pop(key, None)
    for key, column in columns.items():
        if column.present.any() or key != "length_s":
            rows.columns[key.removesuffix("_s")] = column
    if spans is not None:
        rows.columns["spans"] = spans
    return SECONDS


def _grains_of(rows: Rows, key: str) -> Column:
    """A column of times in grains; times too late are refused, and those too fine reported."""
    column = rows.take(key)
    late = column.present & (np.abs(column.values) > LATEST)
    rows.refuse(late, f"at most {LATEST:,} seconds as {key!r}", lambda row: f"{column.values[row]:g}")
    grains = np.rint(np.where(late, 0.0, column.values) * GRAIN[SECONDS])
    _note_rounded(rows, np.flatnonzero(column.present & ~late & (grains / GRAIN[SECONDS] != column.values)))
    return replace(column, values=grains.astype(np.int64), wrong={})


def _note_rounded(rows: Rows, finer: np.ndarray) -> None:
    rows.notices.add_each(
        "{count} {time has|times have} more than six decimals and {is|are} rounded to the microsecond",
        finer,
        rows.place,
        harmless=True,
    )


def _spans_of(rows: Rows, lists: Column) -> Column | None:
    """The `moments` of rows as ranges of grains."""
    if not lists.present.any():
        return None
    found: list[Any] = [None] * rows.size
    wrong: dict[int, str] = {}
    finer = []
    for row in np.flatnonzero(lists.present & rows.kept).tolist():
        pairs = lists.values[row]
        if all(map(_is_range, pairs)):
            found[row] = [[in_grains(start), in_grains(end)] for start, end in pairs]
            finer += [row] * any(in_grains(time) / GRAIN[SECONDS] != time for pair in pairs for time in pair)
        else:
            wrong[row] = repr(pairs)[:60]
    rows.refuse_wrong(wrong, "'moments' as [[start, end], ...] with 0 <= start <= end")
    _note_rounded(rows, np.array(finer, dtype=np.int64))
    return column_of("spans", found)


def _is_range(pair: Any) -> bool:
    if not isinstance(pair, list | tuple) or len(pair) != 2 or not all(map(is_number, pair)):
        return False
    return bool(0 <= pair[0] <= pair[1] <= LATEST)
