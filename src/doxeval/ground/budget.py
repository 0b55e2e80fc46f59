"""Cut a run where the reader's budget ends: after so much text shown, or so many documents opened.

Every unit of :data:`doxeval.core.units.UNITS` names its :class:`Counter`. That of a unit of text is a
:class:`CutCounter`, which says how a text is cut into units, any other a :class:`ResultCounter`, which says
how much has been spent at each result.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from doxeval.core.facts import Facts, once
from doxeval.core.grammar import Cutoff
from doxeval.core.units import UNITS
from doxeval.ground.tokens import CHARACTERS_A_TOKEN, STATED, Cutter, TokenBounds, token_cutter
from doxeval.ground.wording import require_text, retrieved_texts
from doxeval.ground.yardsticks import PlainYardstick, TextUnits, Yardstick
from doxeval.tables.line_map import line_ends, lines_touched
from doxeval.tables.places import LINES

if TYPE_CHECKING:
    from doxeval.ground.aligned import Aligned
    from doxeval.ground.ground import Ground
    from doxeval.io.placing.place_chunks import Chunk


class Counter(ABC):
    """How one unit is counted, in an aligned run and in chunks that were just retrieved."""

    def __init__(self, unit: str) -> None:
        self.unit = unit

    def check(self, ground: Ground, tokenizer: Any) -> None:
        """Refuse a unit that cannot be counted, before any run is opened."""
        if UNITS[self.unit].needs:
            require_text(ground, f"a cut-off in {self.unit} needs")

    @abstractmethod
    def within(self, aligned: Aligned, amount: Any) -> Aligned:
        """Only the results, or parts of them, that a reader with this budget gets to see."""

    @abstractmethod
    def spent(self, aligned: Aligned) -> np.ndarray:
        """The amount spent when a reader has come to the end of each result, in units."""

    def held(self, chunks: Sequence[Chunk]) -> int:
        """How much chunks hold for certain; a retriever is asked for more until its budget is filled."""
        return 0


class ResultCounter(Counter):
    """A unit of whole results: the budget ends between two of them."""

    def within(self, aligned: Aligned, amount: Any) -> Aligned:
        return aligned.select(self.spent(aligned) <= amount)


class RankCounter(ResultCounter):
    """Results."""

    def spent(self, aligned: Aligned) -> np.ndarray:
        return aligned.cumulated(np.ones(len(aligned), dtype=np.int64))

    def held(self, chunks: Sequence[Chunk]) -> int:
        return len(chunks)


class DocumentCounter(ResultCounter):
    """Documents: each is opened at its first result, and all its results are then at hand."""

    def spent(self, aligned: Aligned) -> np.ndarray:
        opens = np.zeros(len(aligned), dtype=np.int64)
        opens[aligned.openings] = 1
        return aligned.cumulated(opens)[aligned.first_of_article]

    def held(self, chunks: Sequence[Chunk]) -> int:
        return len({chunk.names for chunk in chunks})


class TextCounter(Counter):
    """A unit of text: the result in which the budget ends is cut there.

    All text shown counts, including repeated text; text in no document is read first, then the ranges of a
    result in document order.
    """

    @abstractmethod
    def yardstick(self, aligned: Aligned) -> Yardstick:
        """The yardstick for a run's text."""

    def spent(self, aligned: Aligned) -> np.ndarray:
        yardstick = self.yardstick(aligned)
        amount = yardstick.count(aligned.doc[aligned.result], aligned.start, aligned.end)
        total = aligned.cumulated(aligned.spans.sum(amount) + added_amounts(aligned, yardstick))
        return self.in_units(total, yardstick.grain)

    def in_units(self, amount: np.ndarray, grain: int) -> np.ndarray:
        """Amounts in whole units, each begun one in full."""
        return -(-amount // grain)

    def within(self, aligned: Aligned, amount: Any) -> Aligned:
        yardstick = self.yardstick(aligned)
        most = int(amount * yardstick.grain)
        counts = yardstick.count(aligned.doc[aligned.result], aligned.start, aligned.end)
        added = added_amounts(aligned, yardstick)
        per_result = aligned.spans.sum(counts) + added
        before = aligned.cumulated(per_result) - per_result
        keep = before < most
        kept, counts = aligned.select(keep), counts[keep[aligned.result]]
        read = kept.by_topic.over(kept.spans).before(counts) + kept.cumulated(added[keep])[kept.result]
        end = yardstick.cut(kept.doc[kept.result], kept.start, kept.end, np.maximum(most - read, 0))
        texts = kept.added
        if texts is not None:
            left = (most - before[keep]).tolist()
            cut = [_first_units(text, yardstick, rest) for text, rest in zip(texts, left, strict=True)]
            texts = np.array([*cut, None], dtype=object)[:-1]
        return replace(kept, end=end, added=texts, nodes=None, facts=Facts())

    def read_until(self, aligned: Aligned, span: np.ndarray, place: np.ndarray) -> np.ndarray:
        """The amount read up to a place in each of these ranges."""
        yardstick = self.yardstick(aligned)
        doc = aligned.doc[aligned.result]
        counts = yardstick.count(doc, aligned.start, aligned.end)
        before = aligned.by_topic.over(aligned.spans).before(counts)
        before += aligned.cumulated(added_amounts(aligned, yardstick))[aligned.result]
        needed = yardstick.needed(doc[span], aligned.start[span], aligned.end[span], place)
        return self.in_units(before[span] + needed, yardstick.grain)


class CutCounter(TextCounter):
    """A unit that is found by cutting the text of documents."""

    @abstractmethod
    def cutter(self, tokenizer: Any) -> Cutter:
        """A function that gives the places in a text where units begin, and those where they end."""

    def check(self, ground: Ground, tokenizer: Any) -> None:
        if self.unit != ground.unit:
            require_text(ground, f"a cut-off in {self.unit} needs")
        self.cutter(tokenizer)

    def held(self, chunks: Sequence[Chunk]) -> int:
        cut = self.cutter(None)
        return sum(len(cut(chunk.text)[0]) for chunk in chunks)

    def yardstick(self, aligned: Aligned) -> Yardstick:
        if self.unit == aligned.ground.unit:
            return PlainYardstick(self.cutter(None))
        return _text_units(aligned, self.unit)


class CharacterCounter(CutCounter):
    """Characters."""

    def cutter(self, tokenizer: Any) -> Cutter:
        return lambda text: (list(range(len(text))), list(range(1, len(text) + 1)))

    def held(self, chunks: Sequence[Chunk]) -> int:
        return sum(len(chunk.text) or max(0, chunk.end - chunk.start) for chunk in chunks)


class LineCounter(CutCounter):
    """Lines, with their ends."""

    def cutter(self, tokenizer: Any) -> Cutter:
        return cut_by(r"[^\n]*\n|[^\n]+")


class WordCounter(CutCounter):
    """Words, which white space separates."""

    def cutter(self, tokenizer: Any) -> Cutter:
        return cut_by(r"\S+")


class TokenCounter(CutCounter):
    """Tokens of a tokenizer; without one, some characters each."""

    def cutter(self, tokenizer: Any) -> Cutter:
        return token_cutter(tokenizer)

    def check(self, ground: Ground, tokenizer: Any) -> None:
        """Refuse a tokenizer without text; else it depends on the run, whose steps may state tokens."""
        if tokenizer is not None:
            super().check(ground, tokenizer)

    def held(self, chunks: Sequence[Chunk]) -> int:
        """As many as words, or as characters make if these are fewer; the tokenizer is not known here."""
        words, characters = (counter_of(unit).held(chunks) for unit in ("words", "characters"))
        return min(words, characters // CHARACTERS_A_TOKEN)

    def yardstick(self, aligned: Aligned) -> Yardstick:
        if aligned.conventions.tokenizer is None:
            aligned.notices.add_names(STATED, [aligned.run.name], harmless=True, lasting=True)
            found = counter_of("characters").yardstick(aligned)  # type: ignore[attr-defined]
            return replace(found, grain=CHARACTERS_A_TOKEN)
        return super().yardstick(aligned)


def cut_by(pattern: str) -> Cutter:
    r"""A function that finds the units of a text by a regular expression.

    >>> cut_by(r"\S+")("to be or")
    ([0, 3, 6], [2, 5, 8])
    """

    def cut(text: str) -> TokenBounds:
        places = [match.span() for match in re.finditer(pattern, text)]
        return [begin for begin, _ in places], [end for _, end in places]

    return cut


def counter_of(unit: str) -> Counter:
    """The counter of a unit."""
    return _counter(UNITS[unit].counter, unit)


def _counter(place: str, unit: str) -> Counter:
    """The counter at a place in the package."""
    module, _, name = place.rpartition(".")
    counter: Counter = getattr(import_module(f"doxeval.{module}"), name)(unit)
    return counter


def counter_in(aligned: Aligned, unit: str) -> Counter:
    """The counter of a unit in a run: what steps of a trajectory state is taken from them."""
    stated = UNITS[unit].stated
    return counter_of(unit) if aligned.run.steps is None or not stated else _counter(stated, unit)


@once
def cut_to_budget(aligned: Aligned, budget: Cutoff) -> Aligned:
    """Keep what is shown within the budget."""
    return counter_in(aligned, budget.unit).within(aligned, budget.amount)


@once
def ends_before(aligned: Aligned, budget: Cutoff) -> np.ndarray:
    """Whether each topic has results, but they end before the budget does."""
    return (aligned.count > 0) & (spent_in_all(aligned, budget.unit) < budget.amount)


def spent_in_all(aligned: Aligned, unit: str) -> np.ndarray:
    """The amount that each topic's whole list takes; its last result may be in a document opened before."""
    spent = counter_in(aligned, unit).spent(aligned)
    found = np.zeros(len(aligned.count), dtype=spent.dtype)
    np.maximum.at(found, aligned.topic, spent)
    return found


def added_amounts(aligned: Aligned, yardstick: Yardstick) -> np.ndarray:
    """The amount that each result shows and no document holds."""
    if aligned.added is None:
        return np.zeros(len(aligned), dtype=np.int64)
    return np.array([len(yardstick.ends(text)) for text in aligned.added], dtype=np.int64)


def _first_units(text: str, yardstick: Yardstick, most: int) -> str:
    """The first units of a text, at most `most`."""
    ends = yardstick.ends(text)
    return text if len(ends) <= most else text[: ends[most - 1]]


@once
def _text_units(aligned: Aligned, unit: str) -> TextUnits:
    """The units of all retrieved documents, found once per run."""
    what = f"a cut-off in {unit} needs"
    require_text(aligned.ground, what)
    counter = counter_of(unit)
    assert isinstance(counter, CutCounter)
    bounds = counter.cutter(aligned.conventions.tokenizer)
    begins, ends, width = [], [], 1 + int(aligned.doc_length.max(initial=0))
    for doc, text in retrieved_texts(aligned, what):
        begin, end = (np.array(places, dtype=np.int64) for places in bounds(text))
        if aligned.ground.unit == LINES:
            begin, end = lines_touched(line_ends(text), begin, end)
        begins.append(begin + doc * width)
        ends.append(end + doc * width)
    nothing = np.zeros(0, dtype=np.int64)
    return TextUnits(np.concatenate([nothing, *begins]), np.concatenate([nothing, *ends]), width, bounds)
