"""What gold tells of the places of its quotes besides their text."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doxeval.core.ragged import Ragged
from doxeval.io.formats.columns import Column, Rows
from doxeval.io.formats.places import RowPlaces
from doxeval.tables.quotes import Hint

TEXT_HINTS = ("prefix", "suffix", "section", "occurrence")
HINT_KEYS = ("page", *TEXT_HINTS, "level", "similarity", "margin")
"""The last three tell how a quote was placed before; they are not needed to place it."""
OCCURRENCES = ("first", "all", "any")


@dataclass
class RowHints:
    """The hints of all rows."""

    page: np.ndarray
    texts: dict[str, Column]
    places: RowPlaces
    told: Ragged

    @property
    def paged(self) -> np.ndarray:
        """Which rows name a page."""
        return self.page > 0

    def of(self, row: int) -> Hint:
        """What a row tells."""
        at = self.told.slice(row)
        told = zip(self.places.start[at].tolist(), self.places.end[at].tolist(), strict=True)
        texts = {
            key: column.table[column.values[row]] for key, column in self.texts.items() if column.present[row]
        }
        return Hint(tuple(told), int(self.page[row]), **texts)


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
        np.where(page.present, page.values, 0), texts, places, Ragged.of_rows(places.row, rows.size)
    )


def _is_occurrence(text: str) -> bool:
    return text in OCCURRENCES or (text.isascii() and text.isdigit() and int(text) > 0)
