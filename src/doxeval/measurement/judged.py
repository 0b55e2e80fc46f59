"""The share of what was retrieved that was judged."""

from __future__ import annotations

import numpy as np

from doxeval.core.parameters import Parameter
from doxeval.core.units import UNITS
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.measurement.families import phrases
from doxeval.measurement.families.terms import SumOfTerms, Terms


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
