"""Shared by the measures that weigh results, or text, by how likely or how late they are read.

The C/W/L framework (Moffat, Bailey, Scholer, Thomas 2017) on text: a result is worth the share of it that is
relevant, and every measure has a residual: how much the value could still rise.
"""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction

import numpy as np

from doxeval.core.facts import once
from doxeval.core.ragged import quotient
from doxeval.ground.aligned import Aligned
from doxeval.ground.open_text import open_text, text_shown, with_open_text
from doxeval.measurement.families import questions
from doxeval.measurement.families.terms import SumOfTerms


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

    question = questions.PATIENCE

    @abstractmethod
    def most(self, aligned: Aligned) -> np.ndarray:
        """The largest value of each topic, whatever follows the list and whatever the unjudged text is."""

    def residual(self, aligned: Aligned) -> np.ndarray:
        """The most that could be added to the value."""
        read = aligned if self.rank is None else aligned.top(self.rank)
        return np.maximum(self.most(read) - self.score(read), 0.0)
