"""Yardsticks: how much text ranges hold in a unit, and where they end when cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from doxeval.core.quick_class import dataclass
from doxeval.ground.tokens import Cutter


class Yardstick(Protocol):
    """A way to count text; `grain` counts make one unit."""

    grain: int

    def count(self, doc: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
        """The amount of text in each range."""

    def cut(self, doc: np.ndarray, start: np.ndarray, end: np.ndarray, amount: np.ndarray) -> np.ndarray:
        """The end of each range when cut to an amount; an amount of 0 leaves nothing."""

    def needed(self, doc: np.ndarray, start: np.ndarray, end: np.ndarray, place: np.ndarray) -> np.ndarray:
        """The least amount to which each range can be cut and still reach a place inside."""

    def ends(self, text: str) -> Sequence[int]:
        """The end of each unit of a text that is in no document."""


@dataclass
class PlainYardstick:
    """Text counted in the unit of the evaluation; `bounds` finds such units in a text that is in no
    document."""

    bounds: Cutter
    grain: int = 1

    def count(self, doc: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
        return end - start

    def cut(self, doc: np.ndarray, start: np.ndarray, end: np.ndarray, amount: np.ndarray) -> np.ndarray:
        return np.minimum(start + amount, end)

    def needed(self, doc: np.ndarray, start: np.ndarray, end: np.ndarray, place: np.ndarray) -> np.ndarray:
        return place - start

    def ends(self, text: str) -> Sequence[int]:
        return self.bounds(text)[1]


@dataclass(eq=False)
class TextUnits:
    """Text counted in units of the documents, such as words; a unit partly inside a range counts in full.

    Units are in the order of documents and text; places are `doc * width + place`, in the unit of the
    evaluation.
    """

    begin: np.ndarray
    end: np.ndarray
    width: int
    bounds: Cutter
    grain: int = 1

    def ends(self, text: str) -> Sequence[int]:
        return self.bounds(text)[1]

    def _first(self, doc: np.ndarray, start: np.ndarray) -> np.ndarray:
        return np.searchsorted(self.end, doc * self.width + start, side="right")

    def count(self, doc: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
        after = np.searchsorted(self.begin, doc * self.width + end, side="left")
        return np.where(end > start, np.maximum(after - self._first(doc, start), 0), 0)

    def cut(self, doc: np.ndarray, start: np.ndarray, end: np.ndarray, amount: np.ndarray) -> np.ndarray:
        fits = self.count(doc, start, end) <= amount
        last = np.clip(self._first(doc, start) + amount - 1, 0, max(0, len(self.end) - 1))
        ends = self.end[last] - doc * self.width if len(self.end) else end
        return np.where(amount > 0, np.where(fits, end, np.minimum(ends, end)), start)

    def needed(self, doc: np.ndarray, start: np.ndarray, end: np.ndarray, place: np.ndarray) -> np.ndarray:
        ended = np.searchsorted(self.end, doc * self.width + place, side="left") - self._first(doc, start)
        return np.maximum(np.minimum(ended + 1, self.count(doc, start, end)), 1)
