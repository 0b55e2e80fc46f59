"""Answers given as text: hints about their places, and the outcome of placing them."""

from __future__ import annotations

import numpy as np

from doxeval.core.quick_class import dataclass
from doxeval.tables.labels import Labels
from doxeval.tables.runs import Names

Extent = tuple[int, int]
Pieces = tuple[Extent, ...]

JOINT = " [...] "
"""What stands in a quote for the text between its pieces."""

LEVELS = ("exact", "white space", "letters", "approximate")
"""How a text was found, the most certain way first."""
IN_PLACE, AS_STATED, PAGE, BOX, AMBIGUOUS, LOST = "in place", "as stated", "page", "box", "ambiguous", "lost"
SYMBOL, RENAMED = "symbol", "renamed"
OUTCOMES = (IN_PLACE, *LEVELS, SYMBOL, RENAMED, AS_STATED, PAGE, BOX, AMBIGUOUS, LOST)
"""The outcomes of placing a quote: it is where it was stated to be, it was found at a level, its class or
function was found by its name, or under another name with the same tokens, its stated place is taken because
there are no words or no text to compare, its page or the text in a box is used for one without text, or it
has no place."""


@dataclass(frozen=True)
class Hint:
    """Hints for finding a quote.

    `told` is its stated place, in pieces; `page` counts from 1 (0: none); `occurrence` is first,
    all, any, or a number from 1; `box` is (left, bottom, right, top) on the page, and is used without a text.
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
    """The outcome of placing a quote.

    `places` are its possible places, each in pieces: one, unless the quote is ambiguous or any of them is
    enough (`any_of`). `margin` is how much less similar the next best place is. `nearest` is, for a lost
    quote, the most similar range of the document; `also` are the documents of one that may be in several.
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
    """Answers given as text, to be located in their documents.

    The document of one that names none is `""`; `placed` holds the outcome of each, once it is known;
    `aspects` and `labels` are as for ranges.
    """

    pair: np.ndarray
    text: list[str]
    grade: np.ndarray
    line: np.ndarray
    hints: list[Hint]
    aspects: Names | None = None
    placed: list[Placement] | None = None
    labels: Labels | None = None

    def __len__(self) -> int:
        return len(self.pair)

    def take(self, kept: np.ndarray) -> Quotes:
        """The rows of a mask."""
        rows = np.flatnonzero(kept).tolist()
        return Quotes(
            self.pair[kept], [self.text[row] for row in rows], self.grade[kept], self.line[kept],
            [self.hints[row] for row in rows], None if self.aspects is None else self.aspects.take(kept),
            None if self.placed is None else [self.placed[row] for row in rows],
            None if self.labels is None else self.labels.take(kept),
        )  # fmt: skip
