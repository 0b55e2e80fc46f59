"""A language model as the reader."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np

from doxeval.core.catalogue import some
from doxeval.core.errors import UsageError
from doxeval.core.facts import once
from doxeval.core.grammar import Expression
from doxeval.core.parameters import Parameter, share
from doxeval.core.ragged import quotient, sums_by
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.ground.wording import piece_of, require_text, retrieved_texts
from doxeval.measurement.base import Measure
from doxeval.measurement.families import phrases
from doxeval.measurement.families.terms import SumOfTerms, Terms
from doxeval.reader.effort.arrivals import arrivals

TELLING = re.compile(r"\w{4,}")
"""Words of four or more letters or digits; shorter ones occur in any text."""
DISTRACTORS_NEED = "recognising distractors needs"


def telling_words(text: str) -> set[str]:
    """The characteristic words of a text, in lower case."""
    return {word.casefold() for word in TELLING.findall(text)}


@once
def wanted_words(ground: Ground) -> list[set[str]]:
    """For each topic the words of its relevant text."""
    texts, pairs = require_text(ground, DISTRACTORS_NEED), ground.assessments
    found: list[set[str]] = [set() for _ in ground.topics]
    _, start, end = ground.relevant
    for pair, first, last in zip(ground.relevant_by_pair.row.tolist(), start, end, strict=True):
        doc = int(pairs.pair_doc[pair])
        if ground.doc_index[doc] < 0:
            given = some(ground.documents.ids if ground.documents else [])
            raise UsageError(
                f"{DISTRACTORS_NEED} the words of the relevant text, but {pairs.docs[doc]!r} is not among "
                f"the documents given, which are named {given}"
            )
        found[pairs.pair_topic[pair]] |= telling_words(
            piece_of(ground, texts[ground.doc_index[doc]], first, last)
        )
    return found


@once
def distracting(aligned: Aligned, alike: Fraction) -> np.ndarray:
    """Whether each result shows nothing relevant, but at least the share `alike` of the relevant words."""
    wanted, texts = wanted_words(aligned.ground), dict(retrieved_texts(aligned, DISTRACTORS_NEED))
    found = np.zeros(len(aligned), dtype=bool)
    for result in np.flatnonzero((aligned.relevant == 0) & (aligned.size > 0)).tolist():
        spans, text = aligned.spans.slice(result), texts[int(aligned.doc[result])]
        extents = zip(aligned.start[spans], aligned.end[spans], strict=True)
        shown = [piece_of(aligned.ground, text, *extent) for extent in extents]
        if aligned.added is not None:
            shown.append(aligned.added[result])
        aim = wanted[aligned.topic[result]]
        held = len(aim & telling_words(" ".join(shown)))
        found[result] = held > 0 and held >= alike * len(aim)
    return found


ALIKE = share("alike", Fraction(1, 2), "the share of the relevant text's words that makes a distractor")


class LanguageModelReading(SumOfTerms):
    """Relevant text in a model's window, weighed by the attention to its place, less distraction.

    The window holds what the cut-off allows: ``tLM@4000t`` has 4000 tokens. Of W characters in it those at
    place x get the attention a(x / W): `first` at the beginning, `middle` half-way, `last` at the end,
    straight lines between (the U of Liu et al. 2024: about 76, 54 and 63% of questions answered with the
    answer in the first, the middle, the last of 20 documents, as shares of the first). The value is the
    attention that new relevant characters get / all relevant characters of the topic, plus `gain`, 0 or
    below, times the share of all attention that distractors get. A distractor is a result that shows nothing
    relevant, yet at least the share `alike` of the distinct words, of four letters and more, that the topic's
    relevant text has.
    """

    name = "tLM"
    question = phrases.PATIENCE
    user = "Is a language model: attends most to the edges of its window, and is misled by lookalikes."
    no_draws = phrases.DISCOUNT
    paper = "ours, after Liu et al. 2024 (Lost in the Middle) and Cuconasu et al. 2024 (The Power of Noise)"
    parameters = (
        share("first", 1, "attention at the beginning of the window"),
        share("middle", Fraction(71, 100), "attention half-way"),
        share("last", Fraction(83, 100), "attention at the end"),
        Parameter("gain", "number", 0, "the worth of attention to distractors", low=-1, high=0),
        ALIKE,
    )
    empty_is_worst = False
    variants = ("first=0.9,middle=0.2,last=1", "gain=-0.5,alike=0.3")

    def __init__(self, expression: Expression) -> None:
        super().__init__(expression)
        if not self.given.gain and self.given.alike != ALIKE.default:
            raise UsageError(f"{self.label!r}: alike does nothing without a gain below 0, as in gain=-0.5")

    @property
    def low(self) -> float:
        return float(self.given.gain)

    def prepare(self, ground: Ground) -> None:
        super().prepare(ground)
        if self.given.gain:
            wanted_words(ground)

    def _up_to(self, place: np.ndarray) -> np.ndarray:
        """The integral of a from 0 to places in [0, 1]."""
        first, middle, last = float(self.given.first), float(self.given.middle), float(self.given.last)
        left, right = np.minimum(place, 0.5), np.maximum(place - 0.5, 0.0)
        return first * left + (middle - first) * left**2 + middle * right + (last - middle) * right**2

    def _attention(self, before: np.ndarray, length: np.ndarray, window: np.ndarray) -> np.ndarray:
        """The attention that `length` characters get in a window, after those before them."""
        reached = self._up_to(quotient(before + length, window)) - self._up_to(quotient(before, window))
        return window * reached

    def terms(self, aligned: Aligned) -> Terms:
        aligned = aligned.top(self.rank)
        window, met = aligned.by_topic.sum(aligned.size), arrivals(aligned)
        heeded = self._attention(met.shown, met.length, window[met.topic])
        gains = quotient(
            sums_by(aligned.result[met.span], heeded, len(aligned)),
            aligned.ground.total_relevant[aligned.topic],
        )
        if self.given.gain:
            before, around = aligned.by_topic.before(aligned.size), window[aligned.topic]
            taken = self._attention(before, aligned.size, around)
            share = quotient(taken, self._attention(0 * around, around, around))
            gains = gains + float(self.given.gain) * share * distracting(aligned, self.given.alike)
        meaning = "attention to new relevant text / all relevant text, less that to distractors"
        return Terms(aligned, aligned.cumulated(gains), 1.0, meaning)

    at_ranks = Measure.at_ranks
