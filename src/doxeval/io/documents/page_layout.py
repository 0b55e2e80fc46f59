"""The layout of a document's text on its pages: from boxes to ranges, and from ranges to boxes.

Boxes are (left, bottom, right, top) in points, from the lower left corner of the page; pages count from 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from doxeval.core.errors import UsageError

Box = tuple[float, float, float, float]
ENOUGH = 0.5
"""The share of a piece, or of the box if that is smaller, that must lie in the other."""


@dataclass(eq=False)
class Layout:
    """Pieces of text in reading order, each with its `page`, its `box` and its range `[start, end)`.

    A piece is a character of a PDF file, or an item of a Docling document.
    """

    page: np.ndarray
    box: np.ndarray
    start: np.ndarray
    end: np.ndarray

    @classmethod
    def of_rows(cls, rows: Iterable[tuple[float, ...]]) -> Layout:
        """Pieces as rows: page, left, bottom, right, top, start, end."""
        columns = np.array(list(rows), dtype=np.float64).reshape(-1, 7)
        columns = columns[np.argsort(columns[:, 5], kind="stable")]
        page, start, end = (columns[:, at].astype(np.int64) for at in (0, 5, 6))
        return cls(page, columns[:, 1:5], start, end)

    def ranges(self, page: int, box: Box) -> list[tuple[int, int]]:
        """The ranges of the text in a box: pieces that follow one another are one range.

        A piece is in the box if at least half of it is, or half of the box in the piece.
        """
        left, bottom, right, top = box
        if not (left <= right and bottom <= top):
            raise UsageError(f"a box is (left, bottom, right, top) from the lower left corner, not {box}")
        low, high = np.maximum(self.box[:, :2], box[:2]), np.minimum(self.box[:, 2:], box[2:])
        shared = np.prod(np.clip(high - low, 0, None), axis=1)
        area = np.prod(self.box[:, 2:] - self.box[:, :2], axis=1)
        least = np.minimum(area, (right - left) * (top - bottom))
        inside = np.flatnonzero((self.page == page) & (shared > 0) & (shared >= ENOUGH * least))
        if not len(inside):
            return []
        groups = np.split(inside, np.flatnonzero(np.diff(inside) > 1) + 1)
        return [(int(self.start[group[0]]), int(self.end[group].max())) for group in groups]

    def boxes(self, start: int, end: int) -> list[tuple[int, Box]]:
        """The pages and boxes of a range: one box for the pieces of a line."""
        inside = np.flatnonzero((self.start < end) & (self.end > start))
        if not len(inside):
            return []
        new = [self._new_line(one, other) for one, other in pairwise(inside.tolist())]
        lines = np.split(inside, np.flatnonzero(new) + 1)
        return [(int(self.page[line[0]]), _around(self.box[line])) for line in lines]

    def _new_line(self, one: int, other: int) -> bool:
        """Whether a piece is on another page or line than the one before it, or left of it."""
        before, after = self.box[one], self.box[other]
        low, high = max(before[1], after[1]), min(before[3], after[3])
        apart = high - low < ENOUGH * min(before[3] - before[1], after[3] - after[1])
        return bool(self.page[one] != self.page[other] or apart or after[2] < before[0])


def _around(boxes: np.ndarray) -> Box:
    low, high = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
    return (float(low[0]), float(low[1]), float(high[0]), float(high[1]))
