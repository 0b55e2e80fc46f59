"""Answers given as text: what is told of their places, and what became of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doxeval.tables.runs import Names

Extent = tuple[int, int]
Pieces = tuple[Extent, ...]

LEVELS = ("exact", "white space", "letters", "approximate")
"""How a text was found, the surest way first."""
IN_PLACE, PAGE, BOX, AMBIGUOUS, LOST = "in place", "page", "box", "ambiguous", "lost"
OUTCOMES = (IN_PLACE, *LEVELS, PAGE, BOX, AMBIGUOUS, LOST)
"""What becomes of a quote: it stands where it was said to, it was found at a level, the whole page or what
is in a box on it stands for one without text, or it has no place."""


@dataclass(frozen=True)
class Hint:
    """What helps to find a quote.

    `told` is where it is said to stand, in pieces; `page` counts from 1 (0: none); `occurrence` is first,
    all, any, or a number from 1; `box` is (left, bottom, right, top) on the page, and counts without a text.
    """

    told: Pieces = ()
    page: int = 0
    prefix: str = ""
    suffix: str = ""
    section: str = ""
    occurrence: str = ""
    box: tuple[float, ...] = ()


@dataclass(frozen=True)
class Placement:
    """What became of a quote.

    `places` are the ways it may stand, each in pieces: one, unless the quote is ambiguous or any of them will
    do (`any_of`). `margin` is how much less similar the next best place is. `nearest` is, for a lost quote,
    the most similar range of the document; `also` are, for one that may stand in several documents, these.
    """

    outcome: str
    doc: int = -1
    places: tuple[Pieces, ...] = ()
    similarity: float = 0.0
    margin: float = 0.0
    any_of: bool = False
    nearest: Extent | None = None
    also: tuple[int, ...] = ()

    @property
    def placed(self) -> bool:
        """Whether the quote has a place."""
        return self.outcome not in (AMBIGUOUS, LOST)


@dataclass(eq=False)
class Quotes:
    """Answers given as text, still to be located in their documents.

    The document of one that names none is `""`; `placed` says what became of each, once that is known;
    `aspects` are as for ranges.
    """

    pair: np.ndarray
    text: list[str]
    grade: np.ndarray
    line: np.ndarray
    hints: list[Hint]
    aspects: Names | None = None
    placed: list[Placement] | None = None

    def __len__(self) -> int:
        return len(self.pair)
