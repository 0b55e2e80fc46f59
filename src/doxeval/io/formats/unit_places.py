"""The unit in which the places of rows are given: one for all rows of a file."""

from __future__ import annotations

import numpy as np

from doxeval.core.errors import InputError
from doxeval.io.formats.columns import Rows
from doxeval.io.formats.line_places import LINE_KEYS, lines_as_ranges
from doxeval.io.formats.time_places import TIME_KEYS, times_as_ranges

UNIT_KEYS = (*LINE_KEYS, *TIME_KEYS)
"""The keys of places in other units than characters."""


def places_as_ranges(rows: Rows, others: tuple[str, ...]) -> str:
    """Replace places in any unit by ranges in it, and return the unit of all ranges of the rows.

    The `others` are the keys by which a row has a place of its own.
    """
    timed = rows.columns.keys() & set(TIME_KEYS)
    if not timed:
        return lines_as_ranges(rows, others)
    _refuse_other_units(rows, sorted(timed), (*others, *LINE_KEYS))
    return times_as_ranges(rows)


def _refuse_other_units(rows: Rows, keys: list[str], others: tuple[str, ...]) -> None:
    """Raise an error for a file that gives some places in time and others in text."""
    timed = np.flatnonzero(np.logical_or.reduce([rows.columns[key].given for key in keys]))
    for key in others:
        given = np.flatnonzero(rows.columns[key].given) if key in rows.columns else ()
        if len(given) and len(timed):
            raise InputError(
                f"{rows.place(int(given[0]))}: expected a place in seconds, as in "
                f"{rows.place(int(timed[0]))}, found {key!r}; give all places of a file in one unit"
            )
