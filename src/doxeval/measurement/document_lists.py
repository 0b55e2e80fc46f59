"""Lists of documents, each with a document score (Effort section 3.1)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.facts import once
from doxeval.core.grammar import Call, Expression
from doxeval.core.parameters import Parameter, choice
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.measurement.families import phrases
from doxeval.measurement.families.terms import SumOfTerms, Terms
from doxeval.reader.effort.opened import Opened, open_documents, open_results, relevant_passages
from doxeval.reader.effort.score import DOCUMENT_SCORES, DocumentScore, score_named

SCORE = Parameter(
    "score", "call", Call("F", (("beta", Fraction(1, 4)),)),
    "the document score: F, aveChP, ChP, T2I, T2If, BEP, ...", choices=DOCUMENT_SCORES,
)  # fmt: skip


IN_CONTEXT = Parameter(
    "context", "flag", True, "false: results are read by themselves, without their documents"
)
OF_DOCUMENTS = ("order", "start")


class DocumentListMeasure(SumOfTerms):
    """A measure of a list of documents, each with a document score from 0 to 1.

    With ``context=false`` it is a list of results, each read by itself (Effort section 6).
    """

    question = phrases.DOCUMENTS
    parameters = (SCORE, IN_CONTEXT)
    ranks_documents = True

    def __init__(self, expression: Expression) -> None:
        super().__init__(expression)
        self.document_score: DocumentScore = score_named(self.given.score, self.label, effort=False)
        if not self.given.context:
            refuse_documents(self.given.score, self.label)
            self.ranks_documents = False
            self.first_ranks_tell = False  # later results cut the text elsewhere, which shows in last digits

    def prepare(self, ground: Ground) -> None:
        super().prepare(ground)
        self.document_score.prepare(ground)

    def summed_scores(self, aligned: Aligned) -> np.ndarray:
        """The sum of S(d) down each topic's list."""
        scores = scores_of_documents(aligned, self.given.score, self.given.context)
        return self.opened(aligned).by_topic.cumulate(scores)

    def opened(self, aligned: Aligned) -> Opened:
        """The documents or results that are read."""
        return opened(aligned, self.given.context)

    def relevant(self, ground: Ground) -> np.ndarray:
        """The number of them in an ideal list of each topic."""
        return relevant_things(ground, self.given.context)


@once
def scores_of_documents(aligned: Aligned, score: Call, context: bool) -> np.ndarray:
    """S(d) of every document, or result, for all measures that use the same score."""
    return score_named(score, str(score), effort=False)(opened(aligned, context))


def opened(aligned: Aligned, context: bool) -> Opened:
    """The documents that a reader opens or, without context, results by themselves."""
    return open_documents(aligned) if context else open_results(aligned)


def relevant_things(ground: Ground, context: bool) -> np.ndarray:
    """The number of relevant documents of each topic or, without context, of relevant passages."""
    return relevant_documents(ground) if context else relevant_passages(ground)


def refuse_documents(score: Call, label: str) -> None:
    """Refuse a score, or a parameter of one, that is about documents where results are read by themselves."""
    given = [key for key, _ in score.arguments if key in OF_DOCUMENTS]
    if DOCUMENT_SCORES.named(score.name, label).of_documents or given:
        raise UsageError(
            f"{label!r}: {given[0] if given else score.name} would do nothing: it is about documents, and "
            "results are read by themselves (context=false)"
        )
    for _, value in score.arguments:
        if isinstance(value, Call):
            refuse_documents(value, label)


@once
def relevant_documents(ground: Ground) -> np.ndarray:
    """The number of relevant documents of each topic: Trel."""
    relevant = ground.assessments.pair_topic[ground.pair_relevant > 0]
    return np.bincount(relevant, minlength=len(ground.topics))


class GeneralisedPrecision(DocumentListMeasure):
    """Mean document score of the first r documents.

    gP[r] = sum of S(d_i) over i <= r, divided by r. The results of a document count together at the rank of
    the first. Past the end of a list the sum is still divided by the cut-off (in the INEX tasks the last
    value stays). ``gP[x]`` is the largest gP at a rank where generalised recall is at least x.
    """

    name = "gP"
    user = "Opens r documents, one after another, and reads each as the document score says."
    paper = "Effort section 3.1.1; Kekäläinen and Järvelin 2002; INEX relevant in context"
    point = "optional"
    example = "gP(score=F(beta=0.25))@10"
    variants = ("score=aveChP", "score=T2I(n=30)", "score=aveChP,context=false")

    def terms(self, aligned: Aligned) -> Terms:
        opened, stays = self.opened(aligned), aligned.conventions.past_end == "last"
        meaning = f"the {'document' if self.given.context else 'result'}'s score / the rank"
        return Terms(aligned, self.summed_scores(aligned), 1.0, meaning, opened, by_rank=True, stays=stays)

    def stop(self, terms: Terms) -> int | np.ndarray | None:
        """For ``gP[x]``, the rank of the largest gP among those that reach the recall."""
        point, opened = self.expression.point, terms.opened
        if point is None or opened is None:
            return self.rank
        needed = -(-self.relevant(terms.aligned.ground) * point.numerator // point.denominator)
        return terms.best_rank(opened.by_topic.cumulate(opened.is_relevant) >= needed[opened.topic])


class GeneralisedRecall(SumOfTerms):
    """Relevant documents among the first r, divided by all relevant documents of the topic.

    A relevant document counts even if its retrieved passages miss the relevant text.
    """

    name = "gR"
    question = phrases.DOCUMENTS
    user = "Opens r documents and asks how many of all relevant ones are among them."
    paper = "Effort section 3.1.1; INEX relevant in context"
    grows = True
    first_ranks_tell = False

    def terms(self, aligned: Aligned) -> Terms:
        opened = open_documents(aligned)
        found = opened.by_topic.cumulate(opened.is_relevant)
        total = relevant_documents(aligned.ground)[opened.topic]
        return Terms(aligned, found, total, "1 / relevant documents, when one is opened", opened)


class AverageGeneralisedPrecision(DocumentListMeasure):
    """Mean of gP at the ranks of relevant documents, over all relevant documents of the topic.

    AgP = sum over ranks r of isrel(d_r) gP[r], divided by Trel. A relevant document with score 0 is still a
    recall point. The mean over topics is INEX's MAgP.
    """

    name = "AgP"
    aliases = ("MAgP",)
    user = "Opens documents until a random relevant one, and reads each as the document score says."
    no_draws = phrases.EVERY_STOP
    paper = "Effort section 3.1.1; INEX 2007-10 relevant in context"
    example = "AgP(score=aveChP)"
    variants = ("score=aveChP", "score=T2I(n=30)", "score=aveChP,context=false")

    def terms(self, aligned: Aligned) -> Terms:
        opened = self.opened(aligned)
        precision = self.summed_scores(aligned) / opened.rank
        gained = opened.by_topic.cumulate(np.where(opened.is_relevant, precision, 0))
        total = self.relevant(aligned.ground)[opened.topic]
        things = ("document", "documents") if self.given.context else ("result", "passages")
        meaning = "gP at the rank of each relevant {} / relevant {}".format(*things)
        return Terms(aligned, gained, total, meaning, opened)


class MeanDocumentScore(SumOfTerms):
    """Mean document score over the relevant documents retrieved, at any rank.

    ``aveChP@doc`` is short for ``Doc(score=aveChP)``. ``over=relevant`` divides by all relevant documents of
    the topic: one that was not retrieved counts like an irrelevant one. If no relevant document was
    retrieved, the value is that of an irrelevant document.
    """

    name = "Doc"
    question = phrases.DOCUMENTS
    user = "Is given the relevant documents of the run and reads each as the document score says."
    paper = "Effort section 4 (document scores); INEX 2006-07 for BEPD with over=relevant"
    parameters = (SCORE, choice("over", "retrieved relevant", "which documents are averaged"))
    ranks_documents = True
    example = "Doc(score=aveChP)"
    variants = ("score=LE", "score=aveChP,over=relevant", "score=LE,over=relevant")

    def __init__(self, expression: Expression) -> None:
        super().__init__(expression)
        self.document_score = score_named(self.given.score, self.label)
        if self.document_score.effort:
            self.higher_is_better, self.unit = False, "effort"

    def prepare(self, ground: Ground) -> None:
        super().prepare(ground)
        self.document_score.prepare(ground)

    @property
    def low(self) -> float:
        return self.document_score.low

    @property
    def high(self) -> float:
        return self.document_score.high

    def terms(self, aligned: Aligned) -> Terms:
        opened, nothing = open_documents(aligned), self.document_score.of_nothing
        gained = opened.by_topic.cumulate(np.where(opened.is_relevant, self.document_score(opened), 0))
        found = opened.by_topic.cumulate(opened.is_relevant)
        meaning = "the document's score / documents averaged"
        if self.given.over == "retrieved":
            return Terms(aligned, gained, found, meaning, opened, empty=nothing)
        wanted = relevant_documents(aligned.ground)
        total = wanted[opened.topic]
        return Terms(
            aligned, gained + nothing * (total - found), total, f"{meaning}, less that of one not retrieved",
            opened, start=nothing * wanted, empty=nothing,
        )  # fmt: skip
