"""The unit in which the places of rows are given: one for all rows of a file."""

from __future__ import annotations

import numpy as np

from doxeval.core.errors import InputError
from doxeval.io.formats.area_places import AREA_KEYS, SIGNS, regions_as_ranges
from doxeval.io.formats.columns import Rows
from doxeval.io.formats.line_places import LINE_KEYS, lines_as_ranges
from doxeval.io.formats.time_places import TIME_KEYS, times_as_ranges
from doxeval.tables.places import AREA, SECONDS

UNIT_KEYS = (*LINE_KEYS, *TIME_KEYS, *AREA_KEYS)
"""The keys of places in other units than characters."""


def places_as_ranges(rows: Rows, others: tuple[str, ...]) -> str:
    """Replace places in any unit by ranges in it, and return the unit of all ranges of the rows.

    The `others` are the keys by which a row has a place of its own.
    """
    for key in (*TIME_KEYS, *AREA_KEYS):
        if key in rows.columns and not rows.columns[key].given.any():
            del rows.columns[key]
    found = rows.columns.keys()
    if timed := sorted(found & set(TIME_KEYS)):
        _refuse_other_units(rows, SECONDS, timed, (*others, *LINE_KEYS, *AREA_KEYS))
        return times_as_ranges(rows)
    if regions := sorted(found & set(SIGNS)):
        elsewhere = tuple(key for key in others if key != "page")
        _refuse_other_units(rows, AREA, regions, (*elsewhere, *LINE_KEYS))
        return regions_as_ranges(rows)
    return lines_as_ranges(rows, others)


def regions_apart(rows: Rows, others: tuple[str, ...]) -> np.ndarray | None:
    """A mask of the regions in a file that gives text and regions; None if it gives only one of them.

    A page alone is a region there. Rows without a document or a text describe topics.
    """
    found = rows.columns.keys()
    if not found & set(SIGNS):
        return None
    nothing = np.zeros(rows.size, dtype=bool)
    placed = np.logical_or.reduce(
        [nothing, *(rows.columns[key].given for key in ("doc", "text", "quote", "answer") if key in found)]
    )
    text = np.logical_or.reduce(
        [
            nothing,
            *(rows.columns[key].given for key in (*others, *LINE_KEYS) if key in found and key != "page"),
        ]
    )
    signs = placed & np.logical_or.reduce(
        [nothing, *(rows.columns[key].given for key in (*SIGNS, "page") if key in found)]
    )
    if not any((rows.columns[key].given & placed).any() for key in SIGNS if key in found):
        return None
    if not text.any() or not (signs & ~text).any():
        return None
    return signs & ~text


def _refuse_other_units(rows: Rows, unit: str, keys: list[str], others: tuple[str, ...]) -> None:
    """Raise an error for a file that gives some places in a unit and others in another."""
    timed = np.flatnonzero(np.logical_or.reduce([rows.columns[key].given for key in keys]))
    for key in others:
        given = np.flatnonzero(rows.columns[key].given if key in rows.columns else [])
        if len(given) and len(timed):
            raise InputError(
                f"{rows.place(int(given[0]))}: expected a place in {unit}, as in "
                f"{rows.place(int(timed[0]))}, found {key!r}; give all places of a file in one unit"
            )
