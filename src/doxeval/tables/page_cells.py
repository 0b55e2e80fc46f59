"""Pages measured in area: a page is a grid of cells, and a box on it a set of them.

The grid has 1,000 x 1,000 cells on every page, whatever its size: 1/1000 of its width and height, unless
tables are read :func:`on_grid` of another size, which they keep. A box holds the cells whose centres it
contains, or the cell of its own centre if it contains none; it is exact for boxes on the grid. Cells are
numbered by page, then row from the top, then column from the left, so that ranges of them are places as
ranges of characters are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.ragged import Ragged
from doxeval.core.strings import Strings
from doxeval.tables.places import AREA, GRID
from doxeval.tables.runs import Run

if TYPE_CHECKING:
    from doxeval.tables.documents import Documents

FINEST_GRID = 10_000
"""The most cells in a row: a page then has a hundred million."""
_grid = ContextVar("grid", default=GRID)
PAGE_NAME = re.compile(r"page (\d{1,6})")
NEAR = 1e-7
"""Edges this near, in cells, to the centre of a cell are taken to be on it."""


@contextmanager
def on_grid(size: int | None) -> Iterator[None]:
    """Read boxes as cells of a grid of this size, None for the usual one."""
    if size is not None and size > FINEST_GRID:
        raise UsageError(f"grid must be at most {FINEST_GRID:,}, not {size:,}")
    token = _grid.set(size or GRID)
    try:
        yield
    finally:
        _grid.reset(token)


def grid_in_use() -> int:
    """The size of the grid that tables are being read on."""
    return _grid.get()


def cells_of_boxes(
    page: np.ndarray,
    left: np.ndarray,
    top: np.ndarray,
    right: np.ndarray,
    bottom: np.ndarray,
    grid: int = GRID,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The cells of boxes, given as shares of width and height: box, start and end of each range.

    Pages count from 1, shares from the upper left corner.

    >>> [column.tolist() for column in cells_of_boxes(*np.array([[1], [0.0], [0.0], [0.002], [0.002]]))]
    [[0, 0], [0, 1000], [2, 1002]]
    """
    x0, x1 = _first_centre(left, grid), _first_centre(right, grid)
    y0, y1 = _first_centre(top, grid), _first_centre(bottom, grid)
    empty = (x1 <= x0) | (y1 <= y0)
    x, y = (_cell_of((low + high) / 2, grid) for low, high in ((left, right), (top, bottom)))
    x0, x1 = np.where(empty, x, x0), np.where(empty, x + 1, x1)
    y0, y1 = np.where(empty, y, y0), np.where(empty, y + 1, y1)
    base = (page.astype(np.int64) - 1) * grid**2
    wide = (x0 == 0) & (x1 == grid)
    rows = Ragged.of_counts(np.where(wide, 1, y1 - y0))
    start = rows.expand(base + y0 * grid + x0) + rows.place * grid
    size = rows.expand(np.where(wide, (y1 - y0) * grid, x1 - x0))
    return rows.row, start, start + size


def _first_centre(edge: np.ndarray, grid: int) -> np.ndarray:
    """The first cell whose centre is not before an edge."""
    place = edge * grid - 0.5
    whole = np.rint(place)
    place = np.where(np.abs(place - whole) < NEAR, whole, place)
    return np.clip(np.ceil(place), 0, grid).astype(np.int64)


def _cell_of(centre: np.ndarray, grid: int) -> np.ndarray:
    return np.clip(np.floor(centre * grid), 0, grid - 1).astype(np.int64)


def boxes_of_cells(
    start: np.ndarray, end: np.ndarray, grid: int = GRID
) -> list[tuple[int, int, int, int, int]]:
    """Ranges of cells, in order, as boxes: page from 1, left, top, right and bottom in cells.

    >>> boxes_of_cells(np.array([1000003, 1001003, 2000000]), np.array([1000005, 1001005, 2001000]))
    [(2, 3, 0, 5, 2), (3, 0, 0, 1000, 1)]
    """
    found: list[tuple[int, int, int, int, int]] = []
    for begin, stop in zip(start.tolist(), end.tolist(), strict=True):
        while begin < stop:
            page, rest = divmod(begin, grid**2)
            row, column = divmod(rest, grid)
            whole = (min(stop, (page + 1) * grid**2) - begin) // grid if column == 0 else 0
            last = begin + (whole * grid if whole else min(stop - begin, grid - column))
            box = (page + 1, column, row, grid if whole else column + last - begin, row + max(1, whole))
            known = found[-1] if found else None
            if known and known[:2] == box[:2] and known[3:] == (box[3], box[2]):
                found[-1] = (*known[:4], box[4])
            else:
                found.append(box)
            begin = last
    return found


def pages_of(documents: Documents) -> np.ndarray:
    """The number of pages of each document: of its nodes called so, 0 if it has none."""
    if documents.node_ids is None:
        return np.zeros(len(documents), dtype=np.int64)
    named = np.array([PAGE_NAME.fullmatch(name) is not None for name in documents.node_ids], dtype=bool)
    return documents.nodes.sum(named.astype(np.int64))


def documents_in_area(documents: Documents, grid: int = GRID) -> Documents:
    """The same documents measured in area: a root and a node for each page, which keep their names."""
    count, cells = pages_of(documents), grid**2
    nodes = Ragged.of_counts(count + 1)
    number = nodes.place
    root = number == 0
    start = np.where(root, 0, (number - 1) * cells)
    end = np.where(root, nodes.expand(count) * cells, number * cells)
    return replace(
        documents, length=count * cells, node_offset=nodes.offset,
        parent=np.where(root, -1, 0).astype(np.int32), tag=np.where(root, 0, 1).astype(np.int32),
        depth=np.where(root, 1, 2).astype(np.int16), start=start, end=end, tags=["document", "page"],
        node_length=None, text=None, pages=documents,
        node_ids=Strings.of([f"page {at}" if at else "" for at in number.tolist()]),
    )  # fmt: skip


def pages_as_regions(run: Run, grid: int = GRID) -> Run:
    """A run whose results are pages, as regions; others are unchanged."""
    if run.nodes is None or not len(run):
        return run
    numbers = np.array(
        [int(match[1]) if (match := PAGE_NAME.fullmatch(name)) else 0 for name in run.nodes.table],
        dtype=np.int64,
    )
    counts = run.nodes.rows.counts
    if not (counts > 0).all() or not (numbers[run.nodes.codes] > 0).all():
        return run
    page, cells = numbers[run.nodes.codes], grid**2
    offset = None if (counts == 1).all() else run.nodes.offset
    return replace(
        run, start=(page - 1) * cells, end=page * cells, span_offset=offset, nodes=None, unit=AREA, grid=grid
    )
