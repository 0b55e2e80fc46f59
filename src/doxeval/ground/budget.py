"""Cut a run where the reader's budget ends: after so much text shown, or documents opened."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from doxeval.core.facts import Facts, once
from doxeval.core.grammar import Cutoff
from doxeval.ground.tokens import CHARACTERS_A_TOKEN, STATED, Bounds, Cutter, token_cutter
from doxeval.ground.wording import require_text, retrieved_texts
from doxeval.tables.lines import line_ends, lines_touched

if TYPE_CHECKING:
    from doxeval.ground.aligned import Aligned
    from doxeval.ground.ground import Ground

WORD = re.compile(r"\S+")


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
class Plain:
    """Text counted in the unit of the evaluation."""

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
    """Text counted in units found in it, such as words; a unit partly inside a range counts in full.

    Units are in the order of documents and text; places are `doc * width + character`.
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


@once
def cut_to_budget(aligned: Aligned, budget: Cutoff) -> Aligned:
    """Keep what is shown within the budget; the result in which it ends is cut there.

    All text shown counts, including repeated text; text in no document is read first, then the ranges
    of a result in document order. A budget of documents keeps all results in the first of them, each document
    at the rank of its first result.
    """
    if budget.unit == "documents":
        opens = np.zeros(len(aligned), dtype=np.int64)
        opens[aligned.openings] = 1
        return aligned.select(aligned.cumulated(opens)[aligned.first_of_article] <= budget.amount)
    yardstick = yardstick_for(aligned, budget.unit)
    most = budget.amount * yardstick.grain
    amount = yardstick.count(aligned.doc[aligned.result], aligned.start, aligned.end)
    added = added_amounts(aligned, yardstick)
    per_result = aligned.spans.sum(amount) + added
    before = aligned.cumulated(per_result) - per_result
    keep = before < most
    kept, amount = aligned.select(keep), amount[keep[aligned.result]]
    read = kept.by_topic.over(kept.spans).before(amount) + kept.cumulated(added[keep])[kept.result]
    end = yardstick.cut(kept.doc[kept.result], kept.start, kept.end, np.maximum(most - read, 0))
    texts = kept.added
    if texts is not None:
        left = (most - before[keep]).tolist()
        cut = [_first_units(text, yardstick, rest) for text, rest in zip(texts, left, strict=True)]
        texts = np.array([*cut, None], dtype=object)[:-1]
    return replace(kept, end=end, added=texts, nodes=None, facts=Facts())


def added_amounts(aligned: Aligned, yardstick: Yardstick) -> np.ndarray:
    """The amount that each result shows and no document holds."""
    if aligned.added is None:
        return np.zeros(len(aligned), dtype=np.int64)
    return np.array([len(yardstick.ends(text)) for text in aligned.added], dtype=np.int64)


def _first_units(text: str, yardstick: Yardstick, most: int) -> str:
    """The first units of a text, at most `most`."""
    ends = yardstick.ends(text)
    return text if len(ends) <= most else text[: ends[most - 1]]


def yardstick_for(aligned: Aligned, unit: str) -> Plain | TextUnits:
    """The yardstick for a run's text in `unit`; words and tokens are found once per run."""
    if _is_estimated(unit, aligned.conventions.tokenizer):
        return replace(yardstick_for(aligned, "characters"), grain=CHARACTERS_A_TOKEN)
    if unit == aligned.ground.unit:
        return Plain(CUTTERS[unit](None))
    return _text_units(aligned, unit)


def _is_estimated(unit: str, tokenizer: Any) -> bool:
    """Whether tokens are counted by characters, as no tokenizer was named."""
    return unit == "tokens" and tokenizer is None


def text_cutter(ground: Ground, unit: str, tokenizer: Any) -> Cutter:
    """A function that cuts a text into units; an error without text or tokenizer."""
    require_text(ground, f"a cut-off in {unit} needs")
    return CUTTERS[unit](tokenizer)


def check_unit(ground: Ground, unit: str, tokenizer: Any) -> None:
    """Refuse a unit that cannot be counted; report how tokens are counted without a tokenizer."""
    if _is_estimated(unit, tokenizer):
        ground.notices.add(STATED, harmless=True, lasting=True)
        unit = "characters"
    if unit in CUTTERS and unit != ground.unit:
        text_cutter(ground, unit, tokenizer)


@once
def _text_units(aligned: Aligned, unit: str) -> TextUnits:
    bounds = text_cutter(aligned.ground, unit, aligned.conventions.tokenizer)
    begins, ends, width = [], [], 1 + int(aligned.doc_length.max(initial=0))
    for doc, text in retrieved_texts(aligned, f"a cut-off in {unit} needs"):
        begin, end = (np.array(places, dtype=np.int64) for places in bounds(text))
        if aligned.ground.unit == "lines":
            begin, end = lines_touched(line_ends(text), begin, end)
        begins.append(begin + doc * width)
        ends.append(end + doc * width)
    nothing = np.zeros(0, dtype=np.int64)
    return TextUnits(np.concatenate([nothing, *begins]), np.concatenate([nothing, *ends]), width, bounds)


def _words(text: str) -> Bounds:
    """The words of a text, separated by white space."""
    found = [match.span() for match in WORD.finditer(text)]
    return [begin for begin, _ in found], [end for _, end in found]


def _lines(text: str) -> Bounds:
    """The lines of a text, with their ends."""
    ends = line_ends(text).tolist()
    return [0, *ends][: len(ends)], ends


def _characters(text: str) -> Bounds:
    """The characters of a text."""
    return list(range(len(text))), list(range(1, len(text) + 1))


CUTTERS: dict[str, Callable[[Any], Cutter]] = {
    "characters": lambda tokenizer: _characters,
    "lines": lambda tokenizer: _lines,
    "words": lambda tokenizer: _words,
    "tokens": token_cutter,
}
"""Functions that cut a text into the units of :data:`doxeval.core.grammar.UNITS` that are found in it."""
