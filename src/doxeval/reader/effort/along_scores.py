"""Document scores along a reading order: how much of the reading was worthwhile, and for how long."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from doxeval.core.parameters import BETA, Parameter
from doxeval.core.ragged import quotient
from doxeval.reader.effort.arrivals import summed_precision
from doxeval.reader.effort.opened import Opened
from doxeval.reader.effort.reading_orders import ORDER, PASSAGE, START, Reading, read
from doxeval.reader.effort.score import DocumentScore
from doxeval.reader.effort.set_scores import f_score

TOLERATED = Parameter("n", "integer", 300, "irrelevant characters tolerated", low=0, in_characters=True)


class AlongAnOrder(DocumentScore):
    """A document score that depends on the order of reading."""

    parameters: ClassVar[tuple[Parameter, ...]] = (ORDER, START, PASSAGE)

    def reading(self, opened: Opened) -> Reading:
        """The relevant documents as they are read."""
        return read(opened, self.given.order, self.given.start, self.given.passage)


class AverageCharacterPrecision(AlongAnOrder):
    """Mean, over the relevant characters, of the precision at which each is read.

    aveChP(d) = sum over positions p of P_d(p) RL_d(p) / NRC_d. Over a relevant stretch of length L met after
    p characters, r of them relevant, the sum is L + (r - p)(H(p + L) - H(p)).
    """

    name = "aveChP"
    user = "Reads on until a random relevant character, each being equally likely to be the last one needed."
    paper = "Effort section 4.1"

    def score(self, opened: Opened) -> np.ndarray:
        reading = self.reading(opened)
        at = np.flatnonzero(reading.is_relevant)
        terms = summed_precision(reading.before[at], reading.relevant_before[at], reading.length[at])
        return quotient(opened.per_document(reading.document[at], terms), opened.relevant)


class CharacterPrecisionAt(AlongAnOrder):
    """Share of relevant characters among the first n read (or all, in a shorter document)."""

    name = "ChP"
    user = "Reads n characters of each document and leaves it."
    paper = "Effort section 4.1 (ChPR@n)"
    parameters = (
        Parameter("n", "integer", 600, "characters read", low=0, in_characters=True),
        ORDER,
        START,
        PASSAGE,
    )

    def score(self, opened: Opened) -> np.ndarray:
        reading = self.reading(opened)
        within = np.clip(self.given.n - reading.before, 0, reading.length)
        found = opened.per_document(reading.document, np.where(reading.is_relevant, within, 0))
        return quotient(found, np.minimum(self.given.n, reading.whole))


class ReadUntilFedUp(AlongAnOrder):
    """Reading that stops at the n-th irrelevant character, or at the end."""

    user = "Reads on until n irrelevant characters have gone by, then leaves the document."
    parameters: ClassVar[tuple[Parameter, ...]] = (TOLERATED, ORDER, START, PASSAGE)

    def read_until_fed_up(self, opened: Opened) -> tuple[np.ndarray, np.ndarray]:
        """Characters read of each document, and the relevant ones among them."""
        reading = self.reading(opened)
        patient = reading.is_relevant & (reading.before - reading.relevant_before < self.given.n)
        relevant = opened.per_document(reading.document, np.where(patient, reading.length, 0))
        return relevant + np.minimum(self.given.n, reading.whole - opened.relevant), relevant


class ToleratedPrecision(ReadUntilFedUp):
    """Relevant / (relevant + irrelevant) characters read until the n-th irrelevant one."""

    name = "T2I"
    paper = "Effort section 4.1 (T2Iprec); INEX 2010"

    def score(self, opened: Opened) -> np.ndarray:
        total, relevant = self.read_until_fed_up(opened)
        return quotient(relevant, total)


class ToleratedRecall(ReadUntilFedUp):
    """Share of the document's relevant characters read until the n-th irrelevant one."""

    name = "T2Ir"
    paper = "Effort section 4.1 (T2Irecall)"

    def score(self, opened: Opened) -> np.ndarray:
        return quotient(self.read_until_fed_up(opened)[1], opened.relevant)


class ToleratedF(ReadUntilFedUp):
    """F of T2I and T2Ir, over characters read instead of retrieved."""

    name = "T2If"
    paper = "Effort section 4.1 (T2If)"
    parameters = (TOLERATED, BETA, ORDER, START, PASSAGE)

    def score(self, opened: Opened) -> np.ndarray:
        total, relevant = self.read_until_fed_up(opened)
        return f_score(self.given.beta, relevant, total, opened.relevant)
