"""Reading orders: the order in which a reader goes through an opened document (Effort section 2.2).

An order puts the pieces of a document into phases; phases are read one after another, the pieces of a phase
in document order, every character once. Text without results may be entered at an entry point instead of the
document's start; reading then goes from there to the end, and on from the start. So an order costs one sort
of pieces, whatever the documents' lengths.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from doxeval.core.facts import once
from doxeval.core.parameters import Parameter, choice
from doxeval.core.ragged import Ragged
from doxeval.core.registry import Registry
from doxeval.reader.effort.opened import Opened


@dataclass(frozen=True)
class ReadingOrder:
    """One order: `phase` gives each piece a number, lower ones are read earlier.

    In one that is `led`, results lead the reader, who jumps to them; otherwise what was retrieved is ignored.
    """

    name: str
    summary: str
    phase: Callable[[Opened], np.ndarray]
    led: bool = True


@dataclass(eq=False)
class Reading:
    """Pieces in reading order: the start and length of each, and what was read before it.

    `before` includes the effort that passages take besides their text, and so does `whole`, the effort of
    reading each document to its end.
    """

    document: np.ndarray
    start: np.ndarray
    before: np.ndarray
    relevant_before: np.ndarray
    length: np.ndarray
    is_relevant: np.ndarray
    whole: np.ndarray


def _retrieved(opened: Opened) -> np.ndarray:
    return opened.pieces.first >= 0


def _from(opened: Opened, place: np.ndarray) -> np.ndarray:
    """0 from a place on, 1 for text before it."""
    return opened.pieces.start < place[opened.pieces.document]


ORDERS = Registry(
    "reading order",
    ReadingOrder(
        "natural",
        "the retrieved passages in document order, then the rest from the start",
        lambda opened: np.where(_retrieved(opened), 0, 1),
    ),
    ReadingOrder(
        "sequential",
        "from the first character to the last, ignoring what was retrieved",
        lambda opened: np.zeros(len(opened.pieces.start), dtype=np.int64),
        led=False,
    ),
    ReadingOrder(
        "rank",
        "the retrieved passages best first, then the rest from the start",
        lambda opened: np.where(_retrieved(opened), opened.pieces.first, opened.results),
    ),
    ReadingOrder(
        "worst",
        "the retrieved passages in document order, then irrelevant text, then missed relevant text",
        lambda opened: np.where(_retrieved(opened), 0, np.where(opened.pieces.is_relevant, 2, 1)),
    ),
    ReadingOrder(
        "best",
        "the retrieved passages in document order, then missed relevant text, then the rest",
        lambda opened: np.where(_retrieved(opened), 0, np.where(opened.pieces.is_relevant, 1, 2)),
    ),
    ReadingOrder(
        "bep",
        "from the best entry point to the end, then from the start: sequential with start=bep",
        lambda opened: _from(opened, opened.target),
        led=False,
    ),
    group="doxeval.orders",
)

READING_STARTS: dict[str, Callable[[Opened], np.ndarray]] = {
    "top": lambda opened: np.zeros(len(opened), dtype=np.int64),
    "bep": lambda opened: opened.target,
    "entry": lambda opened: opened.entry,
}

ORDER = Parameter("order", "choice", "natural", "the order in which a document is read", choices=ORDERS)
START = choice(
    "start", " ".join(READING_STARTS),
    "where unretrieved text is entered: the top, the best entry point, the best-ranked passage",
)  # fmt: skip
PASSAGE = Parameter(
    "passage", "integer", 0,
    "effort, in characters, that each passage to which the reader is led takes besides its text", low=0,
)  # fmt: skip


@once
def read(opened: Opened, order: str, start: str, passage: int = 0) -> Reading:
    """Read all relevant documents of a run in one order.

    Effort section 6 proposes a penalty for each retrieved passage, without a formula. Here it is due whenever
    the reader jumps to retrieved text from elsewhere; passages that adjoin are one.
    """
    pieces = opened.pieces
    led = _retrieved(opened) & ORDERS[order].led
    wrapped = ~led & _from(opened, READING_STARTS[start](opened))
    placed = np.lexsort((pieces.start, wrapped, ORDERS[order].phase(opened), pieces.document))
    document = pieces.document[placed]
    length = (pieces.end - pieces.start)[placed]
    is_relevant = pieces.is_relevant[placed]
    by_document = Ragged.of_rows(document, len(opened))
    begin = pieces.start[placed]
    opening = 0 if opened.in_context else begin - 1
    reached = by_document.previous(pieces.end[placed], opening)
    penalty = passage * (led[placed] & (begin != reached))
    return Reading(
        document,
        begin,
        by_document.before(length + penalty) + penalty,
        by_document.before(np.where(is_relevant, length, 0)),
        length,
        is_relevant,
        opened.length + by_document.sum(penalty),
    )
