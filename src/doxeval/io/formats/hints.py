"""Hints about the places of quotes, in addition to their text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from doxeval.core.ragged import Ragged
from doxeval.core.values import is_number, shown
from doxeval.io.formats.columns import Column, Rows
from doxeval.io.formats.places import RowPlaces
from doxeval.tables.quotes import Hint

TEXT_HINTS = ("prefix", "suffix", "section", "occurrence")
HINT_KEYS = ("page", "box", *TEXT_HINTS, "level", "similarity", "margin")
"""The last three record how a quote was placed before; they are not needed to place it."""
OCCURRENCES = ("first", "all", "any")


@dataclass
class RowHints:
    """The hints of all rows."""

    page: np.ndarray
    boxes: dict[int, tuple[float, ...]]
    texts: dict[str, Column]
    places: RowPlaces
    told: Ragged

    @property
    def paged(self) -> np.ndarray:
        """Which rows name a page."""
        return self.page > 0

    @property
    def any_given(self) -> np.ndarray:
        """Which rows have a hint other than their stated place."""
        found = np.logical_or.reduce([self.paged, *(column.present for column in self.texts.values())])
        found[list(self.boxes)] = True
        return np.asarray(found)

    def of(self, row: int) -> Hint:
        """The hints of one row."""
        at = self.told.slice(row)
        told = zip(self.places.start[at].tolist(), self.places.end[at].tolist(), strict=True)
        texts = {
            key: column.table[column.values[row]] for key, column in self.texts.items() if column.present[row]
        }
        return Hint(tuple(told), int(self.page[row]), box=self.boxes.get(row, ()), **texts)


def read_hints(rows: Rows, places: RowPlaces) -> RowHints:
    """The hints of all rows; rows with impossible ones are refused."""
    page = rows.take("page")
    rows.refuse(page.present & (page.values < 1), "a 'page' counted from 1")
    texts = {key: rows.take(key) for key in TEXT_HINTS}
    occurrence = texts["occurrence"]
    wrong = np.array([*(not _is_occurrence(text) for text in occurrence.table), False], dtype=bool)
    rows.refuse(
        occurrence.present & wrong[occurrence.values],
        "'first', 'all', 'any' or a number from 1 as 'occurrence'",
        lambda row: repr(occurrence.table[occurrence.values[row]]),
    )
    for key in ("level", "similarity", "margin"):
        rows.take(key)
    return RowHints(
        np.where(page.present, page.values, 0),
        _read_boxes(rows, page),
        texts,
        places,
        Ragged.of_rows(places.row, rows.size),
    )


def _read_boxes(rows: Rows, page: Column) -> dict[int, tuple[float, ...]]:
    """The boxes by row."""
    box = rows.take("box")
    given = np.flatnonzero(box.present & rows.kept).tolist()
    wrong = {row: shown(box.values[row]) for row in given if not _is_box(box.values[row])}
    rows.refuse_wrong(wrong, "'box' as [left, bottom, right, top] from the lower left corner of the page")
    rows.refuse(box.present & ~page.present, "a 'page' with a 'box'")
    return {row: tuple(float(edge) for edge in box.values[row]) for row in given if row not in wrong}


def _is_box(value: Any) -> bool:
    if len(value) != 4 or not all(is_number(edge) and np.isfinite(edge) for edge in value):
        return False
    left, bottom, right, top = value
    return bool(left <= right and bottom <= top)


def _is_occurrence(text: str) -> bool:
    return text in OCCURRENCES or (text.isascii() and text.isdigit() and int(text) > 0)
