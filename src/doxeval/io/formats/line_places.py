"""Places given as lines: `start_line` and `end_line`, `lines`, or a name such as ``a.py:12-30``,
``a.py#L12-L30``.

Lines count from 1, both ends included. A table in lines has ranges of lines in place of characters: lines a
to b are the range ``[a - 1, b)``. All places of a file are in one unit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from doxeval.core.errors import InputError
from doxeval.core.strings import Strings
from doxeval.io.formats.columns import Column, Rows, column_of
from doxeval.io.formats.field_lines import LARGEST_OFFSET
from doxeval.tables.places import CHARACTERS, LINES

LINE_KEYS = ("start_line", "end_line", "lines")
NAMED_LINES = re.compile(
    r"(?P<path>.+?)(?:#L(?P<first>\d+)(?:C\d+)?(?:-L?(?P<last>\d+)(?:C\d+)?)?"
    r"|(?<=\w):(?P<from>\d+)(?:-(?P<to>\d+))?)"
)
NAMED_SYMBOL = re.compile(r"(?P<path>.+?\w)::?(?P<symbol>[^\W\d~][\w.$#]*(?:::~?[\w.$#]+)*)")
FILE = re.compile(r"(?:.*/)?(?:[^/]*\.[A-Za-z][\w+-]*|Makefile|Dockerfile|Gemfile|Rakefile|Jenkinsfile)")
"""A name that is evidently that of a file, so that what follows a colon is a place in it."""


def lines_in_name(name: str) -> tuple[str, int, int] | None:
    """The file and the lines in a name; None if it names no lines.

    >>> lines_in_name("src/a.py:12-30"), lines_in_name("src/a.py#L7"), lines_in_name("NYT.0001:12")
    (('src/a.py', 12, 30), ('src/a.py', 7, 7), None)
    """
    match = NAMED_LINES.fullmatch(name)
    if match is None or not (match["first"] or FILE.fullmatch(match["path"])):
        return None
    first = int(match["first"] or match["from"])
    last = int(match["last"] or match["to"] or first)
    return (match["path"], first, last) if 1 <= first <= last <= LARGEST_OFFSET else None


def symbol_in_name(name: str) -> tuple[str, str] | None:
    """The file and the class or function in a name; None if it names none.

    >>> symbol_in_name("src/a.py::Cart.add"), symbol_in_name("a.cpp:Cart::add"), symbol_in_name("urn:x")
    (('src/a.py', 'Cart.add'), ('a.cpp', 'Cart.add'), None)
    """
    match = NAMED_SYMBOL.fullmatch(name)
    if match is None or not FILE.fullmatch(match["path"]):
        return None
    return match["path"], match["symbol"].replace("::", ".")


def symbols_as_nodes(rows: Rows, others: tuple[str, ...]) -> None:
    """Take the classes and functions out of the names of documents, in rows without another place."""
    doc = rows.columns.get("doc")
    if doc is None or not _may_hold_places(doc.table):
        return
    named = {code: found for code, name in enumerate(doc.table) if (found := symbol_in_name(name))}
    if not named:
        return
    is_named = np.zeros(len(doc.table) + 1, dtype=bool)
    is_named[list(named)] = True
    placed = np.logical_or.reduce([rows.take(key).present for key in (*others, *LINE_KEYS)])
    taken = doc.present & is_named[doc.values] & ~placed & rows.kept
    codes = doc.values.tolist()
    node = rows.take("node")
    names = [
        None if code < 0 else named[code][0] if cut else doc.table[code]
        for code, cut in zip(codes, taken.tolist(), strict=True)
    ]
    symbols = [
        named[code][1] if cut else node.table[own] if own >= 0 else None
        for code, cut, own in zip(codes, taken.tolist(), node.values.tolist(), strict=True)
    ]
    rows.columns["doc"] = replace(column_of("doc", names), wrong=doc.wrong)
    rows.columns["node"] = replace(column_of("node", symbols), wrong=node.wrong)


def lines_as_ranges(rows: Rows, others: tuple[str, ...]) -> str:
    """Replace lines by ranges of them and return the unit of all ranges of the rows.

    Rows that also give characters keep these. The `others` are the keys by which a row has a place without
    naming lines.
    """
    symbols_as_nodes(rows, others)
    _lines_of_names(rows, others)
    if not rows.columns.keys() & set(LINE_KEYS):
        return CHARACTERS
    first, last, lists = (rows.take(key) for key in LINE_KEYS)
    rows.refuse(first.present & ~last.present & (first.values < 1), "lines counted from 1")
    first, last = _both(first, last)
    bad = first.present & ((first.values < 1) | (last.values < first.values))
    rows.refuse(
        bad,
        "a 'start_line' of at least 1 and no later than the 'end_line'",
        lambda row: f"{first.values[row]} to {last.values[row]}",
    )
    spans = _spans_of(rows, lists)
    in_characters = rows.take("start").present | rows.take("spans").present
    in_lines = (first.present | lists.present) & rows.kept
    if (in_characters & rows.kept).any():
        _check_both(rows, in_characters & rows.kept, in_lines)
        for key in LINE_KEYS:
            rows.columns.pop(key, None)
        return CHARACTERS
    rows.columns["start"] = replace(first, values=first.values - first.present)
    rows.columns["end"] = last
    if spans is not None:
        rows.columns["spans"] = spans
    for key in LINE_KEYS:
        rows.columns.pop(key, None)
    return LINES


def _both(first: Column, last: Column) -> tuple[Column, Column]:
    """First and last lines; a row with one of them has that line only."""
    present = first.present | last.present
    begin = np.where(first.present, first.values, last.values)
    end = np.where(last.present, last.values, first.values)
    return replace(first, values=begin, present=present), replace(last, values=end, present=present)


def _check_both(rows: Rows, in_characters: np.ndarray, in_lines: np.ndarray) -> None:
    """Refuse a file in which some rows give only lines and others characters."""
    only = np.flatnonzero(in_lines & ~in_characters)
    if len(only):
        other = rows.place(int(np.flatnonzero(in_characters)[0]))
        raise InputError(
            f"{rows.place(int(only[0]))}: expected a place in characters, as in {other}, found lines; "
            "give all places of a file in one unit"
        )
    both = "{count} {row gives|rows give} lines and characters; the characters are used"
    rows.notices.add(both, count=len(in_lines), harmless=True)


def _spans_of(rows: Rows, lists: Column) -> Column | None:
    """The `lines` of rows as ranges."""
    if not lists.present.any():
        return None
    found: list[Any] = [None] * rows.size
    wrong: dict[int, str] = {}
    for row in np.flatnonzero(lists.present & rows.kept).tolist():
        pairs = [_as_range(pair) for pair in lists.values[row]]
        if None in pairs:
            wrong[row] = repr(lists.values[row])[:60]
        else:
            found[row] = pairs
    rows.refuse_wrong(wrong, "'lines' as [[first, last], ...] with 1 <= first <= last")
    return column_of("spans", found)


def _as_range(pair: Any) -> list[int] | None:
    if type(pair) is int:
        pair = [pair, pair]
    if not isinstance(pair, list | tuple) or len(pair) != 2:
        return None
    first, last = pair
    if type(first) is not int or type(last) is not int or not 1 <= first <= last <= LARGEST_OFFSET:
        return None
    return [first - 1, last]


def _lines_of_names(rows: Rows, others: tuple[str, ...]) -> None:
    """Take the lines out of the names of documents, in rows without another place."""
    doc = rows.columns.get("doc")
    if doc is None or not _may_hold_places(doc.table):
        return
    named = {code: found for code, name in enumerate(doc.table) if (found := _quick(name))}
    if not named:
        return
    firsts = np.zeros(len(doc.table) + 1, dtype=np.int64)
    lasts = firsts.copy()
    for code, (_, first, last) in named.items():
        firsts[code], lasts[code] = first, last
    placed = np.logical_or.reduce([rows.take(key).present for key in (*others, *LINE_KEYS)])
    taken = doc.present & (firsts[doc.values] > 0) & ~placed & rows.kept
    if not taken.any():
        return
    start, end = rows.take("start_line"), rows.take("end_line")
    rows.columns["start_line"] = _filled(start, taken, firsts[doc.values])
    rows.columns["end_line"] = _filled(end, taken, lasts[doc.values])
    names = [
        None if code < 0 else named[code][0] if cut else doc.table[code]
        for code, cut in zip(doc.values.tolist(), taken.tolist(), strict=True)
    ]
    rows.columns["doc"] = replace(column_of("doc", names), wrong=doc.wrong)
    rows.notices.add_each(
        "{count} {name of a document is|names of documents are} read as lines of files",
        np.flatnonzero(taken),
        lambda row: repr(doc.table[doc.values[row]]),
        harmless=True,
    )


def _may_hold_places(names: Sequence[str]) -> bool:
    """Whether any of the names has what stands before lines or symbols: a colon, or the `#` of `#L`."""
    letters = names.blob.tobytes() if isinstance(names, Strings) else "\n".join(names).encode()
    return b":" in letters or b"#" in letters


def _quick(name: str) -> tuple[str, int, int] | None:
    """The lines in a name, looked for only where it ends with a digit."""
    return lines_in_name(name) if name[-1:].isdigit() else None


def _filled(column: Column, taken: np.ndarray, values: np.ndarray) -> Column:
    return replace(column, values=np.where(taken, values, column.values), present=column.present | taken)
