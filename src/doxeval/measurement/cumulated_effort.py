"""Cumulated effort: documents opened one after another, each with an effort (Effort section 4.2)."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.grammar import Call, Expression
from doxeval.core.parameters import Parameter, keyed
from doxeval.core.ragged import Ragged
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.measurement.base import Measure
from doxeval.measurement.document_lists import IN_CONTEXT, opened, refuse_documents, relevant_things
from doxeval.measurement.families import phrases
from doxeval.measurement.families.terms import Shares
from doxeval.reader.effort.reading_orders import ORDERS, PASSAGE, READING_STARTS
from doxeval.reader.effort.score import DOCUMENT_SCORES, score_named

EFFORT_PARAMETERS = (
    Parameter("screen", "integer", None, "characters on a screen; by default 300", low=1),
    Parameter("order", "choice", None, "the order of reading; by default natural", choices=ORDERS),
    Parameter(
        "start",
        "choice",
        None,
        "where unretrieved text is entered; by default top",
        choices=tuple(READING_STARTS),
    ),
    Parameter(
        "scale", "text", None,
        "efforts of the screens, then of an irrelevant document; by default 1/2/3/4/5",
    ),
    Parameter(
        "score", "call", Call("LE"),
        "the effort score of a document; of a score from 0 to 1, what is missing to 1 (see Waste)",
        choices=DOCUMENT_SCORES,
    ),
    Parameter("passage", "integer", None, f"{PASSAGE.help}; by default none", low=0),
    IN_CONTEXT,
)  # fmt: skip


class EffortMeasure(Measure):
    """Effort down a list of documents; its own parameters are passed to the effort score.

    With ``context=false`` the list is one of passages, like those of the focused and thorough tasks: each
    result is read by itself, and the ideal list has as many as there are relevant passages (Effort section 6
    names this reading, the details are ours).
    """

    question = phrases.EFFORT
    parameters = EFFORT_PARAMETERS
    cutoff = "required"
    ranks_documents = True
    higher_is_better = False
    unit = "effort"
    variants = ("screen=20", "screen=20,order=worst,start=bep", "scale=1/2/9", "score=LE(screen=50)",
                "screen=20,passage=15", "score=BEP(n=50)", "screen=20,context=false")  # fmt: skip
    normalised: ClassVar[bool] = True
    meaning = "effort of the document opened at this rank / ideal effort, less 1"

    def __init__(self, expression: Expression) -> None:
        super().__init__(expression)
        call = self.given.score
        given = keyed(self.parameters, expression.call, self.label)
        own = [(key, value) for key, value in given.items() if key not in ("score", "context")]
        if twice := {key for key, _ in own} & {key for key, _ in call.arguments}:
            raise UsageError(f"{self.label!r}: {', '.join(sorted(twice))} is given twice")
        if not DOCUMENT_SCORES.named(call.name, self.label).effort:
            scale = [argument for argument in own if argument[0] == "scale"]
            own = [argument for argument in own if argument[0] != "scale"]
            call, own = Call("Waste", (("of", Call(call.name, (*call.arguments, *own))),)), scale
        self.document_score = score_named(Call(call.name, (*call.arguments, *own)), self.label, effort=True)
        if not self.given.context:
            refuse_documents(self.document_score.call, self.label)
            self.ranks_documents = False
            self.meaning = self.meaning.replace("document opened", "result read")

    @property
    def call(self) -> Call:
        """The effort score with all parameters passed to it."""
        given = (("score", self.document_score.call),) if self.document_score.call != Call("LE") else ()
        return Call(self.name, (*given, *(() if self.given.context else (("context", False),))))

    def prepare(self, ground: Ground) -> None:
        super().prepare(ground)
        self.document_score.prepare(ground)

    @property
    def high(self) -> float:
        """The value of a list of irrelevant documents where the ideal list has only relevant ones."""
        waste = self.document_score.high / self.document_score.low - 1
        return math.inf if self.rank is None else waste * self.most_ranks(self.rank)

    def most_ranks(self, depth: int) -> float:
        """The number of ranks for which the effort of `depth` ranks is counted."""
        return depth

    def shares(self, aligned: Aligned) -> Shares:
        steps = self.steps(aligned)
        weights, rest = self.weighed(steps)
        added = opened(aligned, self.given.context).per_result(weights * steps.added)
        return Shares(aligned, added, rest, self.meaning)

    def weighed(self, steps: StepRatios) -> tuple[np.ndarray, np.ndarray]:
        """The weight of each rank, and the effort past the end of the list; by default a plain sum."""
        return steps.within, steps.missed

    def score(self, aligned: Aligned) -> np.ndarray:
        return self.shares(aligned).totals()

    def steps(self, aligned: Aligned) -> StepRatios:
        """The contribution of every rank to the cumulated effort."""
        things = opened(aligned, self.given.context)
        effort = self.document_score(things)
        least, most = self.document_score.low, self.document_score.high
        relevant = relevant_things(aligned.ground, self.given.context)
        if not self.normalised:
            relevant = np.full(len(relevant), np.iinfo(np.int64).max)
        return StepRatios(things.by_topic, effort, relevant, least, most, self.rank)


class StepRatios:
    """ES_j / IE_j - 1 at every rank j up to the cut-off, past the end of a list with ES = NR.

    IE_j is the least effort for the first Trel ranks, then NR (`relevant` is Trel per topic). Without a
    cut-off in ranks the depth is the length of the list, or Trel if that is larger.
    """

    def __init__(
        self,
        lists: Ragged,
        effort: np.ndarray,
        relevant: np.ndarray,
        least: float,
        most: float,
        depth: int | None,
    ) -> None:
        self.retrieved, self.topic, self.rank = lists.counts, lists.row, lists.place + 1
        self.relevant = relevant
        self.waste = most / least - 1
        ideal = np.where(self.rank <= relevant[self.topic], least, most)
        self.added = effort / ideal - 1
        unlimited = np.where(
            relevant < np.iinfo(np.int64).max, np.maximum(self.retrieved, relevant), self.retrieved
        )
        self.depth = unlimited if depth is None else np.full(len(self.retrieved), depth)

    @property
    def _padded(self) -> tuple[np.ndarray, np.ndarray]:
        """First and last rank past the end of the list at which something relevant is still missed."""
        first = self.retrieved + 1
        return first, np.maximum(np.minimum(self.depth, self.relevant), first - 1)

    @property
    def within(self) -> np.ndarray:
        """1 for every rank up to the depth: the weights of CE[i] and NCE[i]."""
        return (self.rank <= self.depth[self.topic]).astype(np.float64)

    @property
    def missed(self) -> np.ndarray:
        """Effort of the ranks past the end of the list, up to the depth."""
        first, last = self._padded
        return self.waste * (last - first + 1)

    @property
    def averaged(self) -> np.ndarray:
        """(i - j + 1) / i at rank j: the weights of the mean of the sums up to every rank."""
        depth = self.depth[self.topic]
        return np.maximum(depth - self.rank + 1, 0) / np.maximum(depth, 1)

    @property
    def missed_averaged(self) -> np.ndarray:
        """Effort of the ranks past the end of the list in that mean."""
        first, last = self._padded
        times = (last - first + 1) * (2 * self.depth - first - last + 2) / 2
        return self.waste * times / np.maximum(self.depth, 1)


class CumulatedEffort(EffortMeasure):
    """Effort wasted down the list: CE[i] = sum over j <= i of (ES(d_j) / minES - 1).

    The -1 is inside the sum (ambiguous in print). Ranks past the end of the list count as
    irrelevant documents.
    """

    name = "CE"
    user = "Opens i documents and scrolls in each until relevant text appears; the least effort is free."
    paper = "Effort section 4.2.2"
    normalised = False
    grows = True
    example = "CE(screen=300)@10"


class NormalisedCumulatedEffort(EffortMeasure):
    """Effort beyond that of an ideal list: NCE[i] = sum over j <= i of (ES(d_j) / IE[j] - 1).

    IE is the least effort for as many ranks as there are relevant documents, then NR. After those ranks a
    relevant document lowers the sum. Ranks past the end of the list count as irrelevant documents.
    """

    name = "NCE"
    user = "Opens i documents, scrolls in each until relevant text appears, and compares with an ideal list."
    paper = "Effort section 4.2.2"
    example = "NCE(screen=300)@10"


class AverageNormalisedCumulatedEffort(EffortMeasure):
    """Mean of NCE over the ranks up to i: ANCE[i] = (1/i) sum over j <= i of NCE[j].

    Equal to (1/i) sum over j of (i - j + 1)(ES_j / IE_j - 1). The mean over topics is the paper's MANCE.
    """

    name = "ANCE"
    aliases = ("MANCE",)
    user = "Stops at a random rank up to i and compares the effort so far with that of an ideal list."
    no_draws = phrases.EVERY_STOP
    paper = "Effort section 4.2.2"
    meaning = "(i - j + 1) / i times the effort beyond the ideal at rank j"
    example = "ANCE(screen=300)@600"

    def most_ranks(self, depth: int) -> float:
        return (depth + 1) / 2

    def weighed(self, steps: StepRatios) -> tuple[np.ndarray, np.ndarray]:
        return steps.averaged, steps.missed_averaged
