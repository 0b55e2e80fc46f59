"""How far the assessments reach: the amount by which a value could still rise, and the share judged."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.facts import once
from doxeval.core.grammar import Call, Expression
from doxeval.core.parameters import Parameter
from doxeval.core.ragged import quotient
from doxeval.core.units import UNITS
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.ground.open_text import open_text, text_shown, with_open_text
from doxeval.measurement.base import MEASURES, Measure, measures
from doxeval.measurement.families import phrases
from doxeval.measurement.families.terms import SumOfTerms, Terms


@once
def worth(aligned: Aligned, alpha: Fraction) -> np.ndarray:
    """g_i = (new relevant + alpha * repeated relevant characters) / characters of result i, from 0 to 1."""
    gain = aligned.fresh + float(alpha) * (aligned.relevant - aligned.fresh)
    return quotient(gain, aligned.size)


@once
def unjudged(aligned: Aligned) -> Aligned:
    """The same results, as if exactly the text they show of unjudged documents were relevant."""
    return with_open_text(aligned, open_text(aligned.ground, [text_shown(aligned)]))


def most_worth(aligned: Aligned, alpha: Fraction) -> np.ndarray:
    """The largest possible worth: all unjudged text is relevant."""
    return worth(aligned, alpha) + worth(unjudged(aligned), alpha)


class WithResidual(SumOfTerms):
    """A measure with a residual."""

    question = phrases.PATIENCE

    @abstractmethod
    def most(self, aligned: Aligned) -> np.ndarray:
        """The largest value of each topic, whatever follows the list and whatever the unjudged text is."""

    def residual(self, aligned: Aligned) -> np.ndarray:
        """The most that could be added to the value."""
        read = aligned.top(self.rank)
        return np.maximum(self.most(read) - self.score(read), 0.0)


class Residual(Measure):
    """The most that unseen results and unjudged text could add to the value of a measure.

    ``Residual(of=tRBP(p=0.8))@10`` belongs to ``tRBP(p=0.8)@10``: the true value lies between that and the
    sum of both. Any results may follow beyond the list or the cut-off; a document without any assessment line
    for the topic is unjudged, and all text shown of it may be relevant.
    """

    name = "Residual"
    question = phrases.ASSESSMENTS
    user = "No reader: it shows how much the list and the assessments leave open."
    no_draws = phrases.NO_READER
    paper = "Moffat and Zobel 2008, section 4.3, for measures on text"
    parameters = (
        Parameter("of", "call", Call("tRBP"), "the measure: tRBP, tINST, tU or tTBG", choices=MEASURES),
    )
    cutoff = "optional"
    first_ranks_tell = True
    higher_is_better = False
    no_sum = "it is a bound on what further results and judgements could add"
    variants = ("of=tINST(T=2)", "of=tU(L=100)", "of=tTBG(speed=0.1)")

    def __init__(self, expression: Expression) -> None:
        super().__init__(expression)
        self.unit = self.measure.unit

    @property
    def measure(self) -> WithResidual:
        """The measure whose residual it is, at the same cut-off."""
        measure = MEASURES.named(self.given.of.name, self.label)(
            Expression(self.given.of, None, self.expression.cutoff)
        )
        if not isinstance(measure, WithResidual):
            having = [name for name, known in measures().items() if issubclass(known, WithResidual)]
            raise UsageError(
                f"{self.label!r}: {measure.name} has no residual; measures that have one: {', '.join(having)}"
            )
        return measure

    @property
    def high(self) -> float:
        return self.measure.high

    def prepare(self, ground: Ground) -> None:
        super().prepare(ground)
        self.measure.prepare(ground)

    def score(self, aligned: Aligned) -> np.ndarray:
        return self.measure.residual(aligned)


class Judged(SumOfTerms):
    """Share of the first k results that lie in documents with any assessment line for the topic.

    With ``chars=true`` the share of their characters. Unjudged text counts as irrelevant elsewhere unless
    ``--unjudged skip`` removes it: a low value means that the other scores are lower bounds. Past the end of
    a list the last value stays.
    """

    name = "Judged"
    question = phrases.ASSESSMENTS
    user = "No reader: it shows how far the assessments reach."
    no_draws = phrases.NO_READER
    paper = "Judged@k of document evaluators"
    parameters = (Parameter("chars", "flag", False, "count characters instead of results"),)
    variants = ("chars=true",)
    divides_by_list = True

    @property
    def reads_text(self) -> bool:
        return bool(self.given.chars) or UNITS[self.counts_in].of_text

    def reads_highlights(self, ground: Ground) -> bool:
        return False

    def ignores_grades(self, ground: Ground) -> bool:
        """No: it does not ask what is relevant."""
        return False

    def terms(self, aligned: Aligned) -> Terms:
        weight = aligned.size if self.given.chars else np.ones(len(aligned), dtype=np.int64)
        known = aligned.cumulated(np.where(aligned.pair >= 0, weight, 0))
        return Terms(aligned, known, aligned.cumulated(weight), "judged / all")
