"""Places given as regions of pages: boxes, patches or whole pages, measured in area.

`region` is ``[left, top, right, bottom]`` from the upper left corner of its `page` (from 1), in the unit of
`page_size`, ``[width, height]``, or as shares of both if there is none; `regions` are several. `patches` are
numbers of patches, row by row from 0, of a `patch_grid` of ``[rows, columns]``, as models of pages have them.
A row with only a page is all of it. `cells` are ranges of cells of the grid, and `page_count` the pages of
the document.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from doxeval.core.values import is_number, quoted
from doxeval.io.formats.columns import Rows
from doxeval.io.formats.field_lines import LARGEST_OFFSET
from doxeval.io.formats.row_places import RowPlaces
from doxeval.tables.page_cells import cells_of_boxes, grid_in_use
from doxeval.tables.places import AREA, GRID
from doxeval.tables.runs import Names

AREA_KEYS = ("region", "regions", "page_size", "patches", "patch_grid", "cells", "page_count")
SIGNS = ("region", "regions", "patches", "cells")
"""Keys whose presence in a file says that its places are regions."""
OUTSIDE = "{count} {box reaches|boxes reach} beyond {its|their} page and {is|are} cut at its edge"


def regions_as_ranges(rows: Rows) -> str:
    """Replace regions by ranges of cells, and return the unit of all ranges of the rows."""
    page, count = rows.take("page"), rows.take("page_count")
    grid = grid_in_use()
    most = LARGEST_OFFSET // grid**2
    rows.refuse(page.present & ((page.values < 1) | (page.values > most)), f"a 'page' from 1 to {most:,}")
    rows.refuse(
        count.present & ((count.values < 1) | (count.values > most)), f"a 'page_count' up to {most:,}"
    )
    given = {
        key: rows.take(key) for key in ("region", "regions", "page_size", "patches", "patch_grid", "cells")
    }
    boxes: list[tuple[float, ...]] = []
    cells: list[tuple[int, int, int]] = []
    wrong: dict[int, str] = {}
    for row in np.flatnonzero(rows.kept & (page.present | given["cells"].present)).tolist():
        told = {key: column.values[row] for key, column in given.items() if column.present[row]}
        try:
            if "cells" in told:
                if grid != GRID and any(start != end for start, end in told["cells"]):
                    raise ValueError(f"cells, which are those of a grid of {GRID:,}, not of {grid:,}")
                cells += [(row, *_cells(pair)) for pair in told["cells"]]
            else:
                number = int(page.values[row])
                boxes += [(row, number, *box) for box in _boxes(told)]
        except (TypeError, ValueError) as problem:
            wrong[row] = str(problem)
    rows.refuse_wrong(wrong, "regions as [left, top, right, bottom] on a page, patches or cells")
    lost = np.logical_or.reduce([given[key].present for key in SIGNS[:3]]) & ~page.present
    rows.refuse(lost, "a 'page' with a region")
    for key in ("page", *AREA_KEYS):
        rows.columns.pop(key, None)
    if count.present.any():
        count.values = count.values * grid**2
        rows.columns["length"] = count
    rows.places = _places(rows, boxes, cells)
    return AREA


def _places(rows: Rows, boxes: list[tuple[float, ...]], cells: list[tuple[int, int, int]]) -> RowPlaces:
    """The ranges of all rows, by row."""
    table = np.array(boxes, dtype=np.float64).reshape(-1, 6)
    page, left, top, right, bottom = table[:, 1:].T
    box, start, end = cells_of_boxes(page, left, top, right, bottom, grid_in_use())
    outside = (table[:, 2:].min(axis=1, initial=1.0) < 0) | (table[:, 2:].max(axis=1, initial=0.0) > 1)
    rows.notices.add_each(OUTSIDE, table[outside, 0].astype(np.int64), rows.place, harmless=True)
    own = np.array(cells, dtype=np.int64).reshape(-1, 3)
    row = np.concatenate([table[box, 0].astype(np.int64), own[:, 0]])
    start, end = np.concatenate([start, own[:, 1]]), np.concatenate([end, own[:, 2]])
    order = np.lexsort((start, row))
    return RowPlaces(row[order], start[order], end[order], Names.none(rows.size))


def _boxes(told: dict[str, Any]) -> list[tuple[float, ...]]:
    """The boxes of a row as shares of its page: regions, patches, or all of it."""
    if "patches" in told:
        return _patches(told["patches"], told.get("patch_grid"))
    regions = told.get("regions", [told["region"]] if "region" in told else None)
    if regions is None:
        return [(0.0, 0.0, 1.0, 1.0)]
    width, height = _size(told.get("page_size", (1, 1)))
    return [_box(region, width, height) for region in regions]


def _size(given: Any) -> tuple[float, float]:
    if len(given) != 2 or not all(is_number(one) and np.isfinite(one) and one > 0 for one in given):
        raise ValueError(f"a page of size {quoted(given)}")
    return float(given[0]), float(given[1])


def _box(given: Any, width: float, height: float) -> tuple[float, ...]:
    if not isinstance(given, list | tuple) or len(given) != 4:
        raise ValueError(f"found {quoted(given)}")
    if not all(is_number(edge) and np.isfinite(edge) for edge in given):
        raise ValueError(f"found {quoted(given)}")
    left, top, right, bottom = (float(edge) for edge in given)
    if not (left <= right and top <= bottom):
        raise ValueError(f"found {quoted(given)}: left and top come first")
    return left / width, top / height, right / width, bottom / height


def _patches(numbers: Any, grid: Any) -> list[tuple[float, ...]]:
    """Patches by their numbers, row by row."""
    if (
        not isinstance(grid, list | tuple)
        or len(grid) != 2
        or not all(type(one) is int and one > 0 for one in grid)
    ):
        raise ValueError(f"a patch_grid of {quoted(grid)}; expected [rows, columns]")
    rows, columns = grid
    if not all(type(one) is int and 0 <= one < rows * columns for one in numbers):
        raise ValueError(f"patches {quoted(numbers)} of {rows} x {columns}")
    places = [divmod(one, columns) for one in numbers]
    return [(x / columns, y / rows, (x + 1) / columns, (y + 1) / rows) for y, x in places]


def _cells(pair: Any) -> tuple[int, int]:
    if not isinstance(pair, list | tuple) or len(pair) != 2 or not all(type(one) is int for one in pair):
        raise ValueError(f"cells {quoted(pair)}")
    start, end = pair
    if not 0 <= start <= end <= LARGEST_OFFSET:
        raise ValueError(f"cells {quoted(pair)}")
    return start, end
