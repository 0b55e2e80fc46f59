"""Places in documents: units, paths such as `/article[1]/body[1]/sec[2]`, and points in text.

Places are counted in characters or lines, moments in seconds, regions in area; INEX passages begin and end at
points.
"""

from __future__ import annotations

import re
from typing import NamedTuple

CHARACTERS, LINES, SECONDS, AREA = "characters", "lines", "seconds", "area"
UNITS_OF_PLACES = (CHARACTERS, LINES, SECONDS, AREA)
"""The units in which places can be given; a range is ``[start, end)`` in each."""
GRID = 1000
"""Pages measured in area have so many cells in a row, and as many rows, unless told otherwise."""
GRAIN = {CHARACTERS: 1, LINES: 1, SECONDS: 10**6, AREA: 1}
"""Tables hold whole numbers of this part of a unit: moments are counted in millionths of a second."""

COUNTED = {CHARACTERS: "characters", LINES: "lines", SECONDS: "seconds", AREA: "cells"}
"""What is counted, in words."""


def amount_in(unit: str, grains: int) -> int | float:
    """An amount of grains in its unit, for people.

    >>> amount_in(SECONDS, 2_500_000), amount_in(SECONDS, 3_000_000), amount_in(LINES, 7)
    (2.5, 3, 7)
    """
    whole, rest = divmod(grains, GRAIN[unit])
    return grains / GRAIN[unit] if rest else whole


STEP = re.compile(r"/([^/\[\]]+)(?:\[(\d+)\])?")
TEXT_STEP = re.compile(r"/text\(\)(?:\[(\d+)\])?(?:\.(\d+))?$")


class Point(NamedTuple):
    """A place in a document: an element's path, the number of its text node (0: none), and an offset."""

    element: str
    text_node: int
    characters: int


def split_point(path: str) -> Point:
    """Split a trailing `text()` step and its character offset from a path.

    >>> split_point("/article[1]/p[1]/text()[2].22")
    Point(element='/article[1]/p[1]', text_node=2, characters=22)
    >>> split_point("/article[1]/p[1]")
    Point(element='/article[1]/p[1]', text_node=0, characters=0)
    """
    match = TEXT_STEP.search(path)
    if match is None:
        return Point(path, 0, 0)
    return Point(path[: match.start()], int(match[1] or 1), int(match[2] or 0))


def steps(path: str) -> list[tuple[str, int]]:
    """The steps of an element's path, with 1 for a missing index; empty for anything else.

    >>> steps("/article/sec[2]")
    [('article', 1), ('sec', 2)]
    >>> steps("//sec")
    []
    """
    element = split_point(path).element.rstrip("/")
    found = STEP.findall(element)
    if "".join(f"/{tag}[{index}]" if index else f"/{tag}" for tag, index in found) != element:
        return []
    return [(tag, int(index or 1)) for tag, index in found]
