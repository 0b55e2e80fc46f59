"""The places that rows point to: ranges, nodes, or neither; the same keys for results and assessments."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from doxeval.core.quick_class import dataclass
from doxeval.core.ragged import Ragged
from doxeval.core.values import is_number, quoted
from doxeval.io.formats.columns import Column, Rows
from doxeval.io.formats.field_lines import LARGEST_OFFSET
from doxeval.tables.quotes import Hint
from doxeval.tables.runs import Names

PLACE_KEYS = ("start", "end", "spans", "node", "path", "nodes")


@dataclass
class RowPlaces:
    """Ranges by row (rows ascending), and the names of nodes for every row (empty for most)."""

    row: np.ndarray
    start: np.ndarray
    end: np.ndarray
    names: Names

    @cached_property
    def named(self) -> np.ndarray:
        """A mask of the rows that name nodes."""
        if not len(self.names.codes):
            return np.zeros(len(self.names.offset) - 1, dtype=bool)
        return self.names.rows.counts > 0

    @property
    def given(self) -> np.ndarray:
        """A mask of the rows that have a place."""
        given = self.named.copy()
        given[self.row] = True
        return given


def pages_as_nodes(rows: Rows, elsewhere: np.ndarray) -> None:
    """Turn the `page` of rows without another place, and not `elsewhere`, into the node of that name."""
    if "page" not in rows.columns:
        return
    page, node = rows.take("page"), rows.take("node")
    if not page.present.any():
        return
    rows.refuse(page.present & (page.values < 1), "a 'page' counted from 1")
    placed = np.logical_or.reduce([elsewhere, *(rows.take(key).present for key in PLACE_KEYS)])
    wanted = page.present & ~placed & rows.kept
    numbers, code = np.unique(page.values[wanted], return_inverse=True)
    codes = node.values.copy()
    codes[wanted] = len(node.table) + code
    names = [*node.table, *(f"page {number}" for number in numbers.tolist())]
    rows.columns["node"] = replace(node, values=codes, present=node.present | wanted, table=names)


def read_places(rows: Rows) -> RowPlaces:
    """The ranges and nodes of all rows; rows with an invalid place are refused."""
    if rows.places is not None:
        return rows.places
    start, end = rows.take("start"), rows.take("end")
    rows.refuse(start.present != end.present, "'start' and 'end' together")
    _refuse_impossible(rows, start, end)
    if not rows.columns.keys() & {"spans", "node", "path", "nodes"}:
        if start.present.all():
            return RowPlaces(np.arange(rows.size), start.values, end.values, Names.none(rows.size))
        row = np.flatnonzero(start.present)
        return RowPlaces(row, start.values[row], end.values[row], Names.none(rows.size))
    spans, node, path, nodes = map(rows.take, ("spans", "node", "path", "nodes"))
    span_row, span_start, span_end = _read_spans(rows, spans)
    ranged = start.present | spans.present
    listed = _read_names(rows, nodes)
    named = node.present | path.present | nodes.present
    both = np.flatnonzero(ranged & named & rows.kept)
    rows.notices.add_each(
        "{count} {row gives|rows give} a range and a node; the range is used", both, rows.place
    )
    simple = np.flatnonzero(start.present & ~spans.present)
    row = np.concatenate([simple, span_row])
    begins = np.concatenate([start.values[simple], span_start])
    ends = np.concatenate([end.values[simple], span_end])
    if len(span_row):
        order = np.lexsort((begins, row))
        row, begins, ends = row[order], begins[order], ends[order]
    return RowPlaces(row, begins, ends, _node_names(rows.size, ~ranged, node, path, listed))


def _refuse_impossible(rows: Rows, start: Column, end: Column) -> None:
    def found(row: int) -> str:
        return f"{start.values[row]} to {end.values[row]}"

    rows.refuse(start.present & ((start.values < 0) | (end.values < 0)), "offsets of at least 0", found)
    rows.refuse(start.present & (start.values > end.values), "a start no later than the end", found)


def _read_spans(rows: Rows, spans: Column) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The ranges of `spans` lists."""
    found: list[tuple[int, int, int]] = []
    wrong: dict[int, str] = {}
    for row in np.flatnonzero(spans.present & rows.kept).tolist():
        pairs = [_as_range(span) for span in spans.values[row]]
        if None in pairs:
            wrong[row] = repr(spans.values[row])[:60]
        else:
            found.extend((row, *pair) for pair in pairs if pair is not None)
    rows.refuse_wrong(wrong, "'spans' as [[start, end], ...] with 0 <= start <= end")
    columns = np.array(found, dtype=np.int64).reshape(-1, 3)
    return columns[:, 0], columns[:, 1], columns[:, 2]


def _as_range(span: Any) -> tuple[int, int] | None:
    if not isinstance(span, list | tuple) or len(span) != 2:
        return None
    start, end = span
    if type(start) is not int or type(end) is not int or not 0 <= start <= end <= LARGEST_OFFSET:
        return None
    return start, end


def _read_names(rows: Rows, nodes: Column) -> dict[int, list[str]]:
    """The names of `nodes` lists by row."""
    found: dict[int, list[str]] = {}
    wrong: dict[int, str] = {}
    for row in np.flatnonzero(nodes.present & rows.kept).tolist():
        names = nodes.values[row]
        if names and all(isinstance(name, str | int) and name != "" for name in names):
            found[row] = [str(name) for name in names]
        else:
            wrong[row] = repr(names)[:60]
    rows.refuse_wrong(wrong, "'nodes' as a list of node ids or paths")
    return found


def _node_names(
    size: int, wanted: np.ndarray, node: Column, path: Column, listed: dict[int, list[str]]
) -> Names:
    """`node`, `path` and `nodes` of the wanted rows as one table of names."""
    table: dict[str, int] = {}
    of_node = np.array([table.setdefault(name, len(table)) for name in node.table] + [-1], dtype=np.int32)
    of_path = np.array([table.setdefault(name, len(table)) for name in path.table] + [-1], dtype=np.int32)
    parts_row, parts_code = [], []
    for column, codes in ((node, of_node), (path, of_path)):
        at = np.flatnonzero(column.present & wanted)
        parts_row.append(at)
        parts_code.append(codes[column.values[at]])
    from_lists = [
        (row, table.setdefault(name, len(table)))
        for row, names in listed.items()
        if wanted[row]
        for name in names
    ]
    pairs = np.array(from_lists, dtype=np.int64).reshape(-1, 2)
    row = np.concatenate([*parts_row, pairs[:, 0]])
    code = np.concatenate([*parts_code, pairs[:, 1].astype(np.int32)])
    order = np.argsort(row, kind="stable")
    return Names(list(table), Ragged.of_rows(row[order], size).offset, code[order])


def merge_by_row(
    row: np.ndarray, start: np.ndarray, end: np.ndarray, size: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Each row's ranges merged, touching ones too: offsets by row, starts, ends."""
    rows, *ranges = Ragged.gathered(row, size, start.astype(np.int64), end.astype(np.int64))
    joined, start, end = rows.joined(*ranges)
    return joined.offset, start, end


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
        """A mask of the rows that name a page."""
        return self.page > 0

    @property
    def any_given(self) -> np.ndarray:
        """A mask of the rows that have a hint other than their stated place."""
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
    wrong = {row: quoted(box.values[row]) for row in given if not _is_box(box.values[row])}
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
