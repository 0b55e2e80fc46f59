"""The stage of every need, in every run: where what was asked for was lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Unpack

from doxeval.core.notices import Notices
from doxeval.core.options import ScoringOptions
from doxeval.core.phrases import counted, percent
from doxeval.core.records import Records
from doxeval.core.run_labels import run_labels
from doxeval.core.table import Table
from doxeval.ground.need_stages import STAGES, NeedStage, stages_told
from doxeval.scoring.inputs import scores_given
from doxeval.scoring.scores import RunScores

if TYPE_CHECKING:
    from doxeval.ground.aligned import Aligned
    from doxeval.scoring.evaluation import Evaluation

LOSSES = {
    "used": "used", "read": "read, not used", "opened": "opened, not read", "found": "found, not opened",
    "never": "never found",
}  # fmt: skip


@dataclass(frozen=True)
class NeedInRun:
    """A need of a topic, and how far a run got with it; `places` are where it can be met.

    `away` is how far it is from the nearest text shown of its documents, in the unit of the text: positive if
    it lies further on, negative if before, 0 if some of it was shown, None if no text of its documents was.
    """

    run: str
    topic: str
    need: str
    stage: str
    places: str
    away: float | None


@dataclass(eq=False, repr=False)
class Stages(Records):
    """The stage of every need in every run: `means` has a row each, the table counts them."""

    means: list[NeedInRun]
    runs: list[str]
    notices: Notices = field(default_factory=Notices)

    def counts(self, run: str) -> dict[str, int]:
        """The number of needs at each stage of a run."""
        found = Counter(row.stage for row in self.means if row.run == run)
        return {stage: found[stage] for stage in STAGES}

    @property
    def table(self) -> Table:
        """A row per run and a column per stage."""
        body, labels = [], run_labels(self.runs)
        for run in self.runs:
            counts = self.counts(run)
            total = max(1, sum(counts.values()))
            body.append(
                [labels.of(run), *(f"{count:,} ({percent(count / total)})" for count in counts.values())]
            )
        needs = len(self.means) // max(1, len(self.runs))
        topics = len({row.topic for row in self.means})
        footer = [
            f"{counted(needs, 'need')} of {counted(topics, 'topic')}, each at the first stage that holds"
        ]
        return Table(["run", *LOSSES.values()], body, 1, footer, notices=self.notices)


def stages(
    runs: Any,
    assessments: Any = None,
    documents: Any = None,
    *,
    part: float = 0,
    **options: Unpack[ScoringOptions],
) -> Stages:
    """How far trajectories got with each need: used, read, opened, found or never.

    A need is shown or named if any text of one of its places is, or this `part` of it. Runs, assessments,
    documents and options are those of :func:`doxeval.evaluate`; `runs` must be trajectories.

    >>> answers = [{"topic": "t1", "doc": doc, "start": 0, "end": 9} for doc in ("d1", "d2", "d3")]
    >>> agent = [
    ...     {"topic": "t1", "step": 1, "action": "search", "named": ["d1", "d2"]},
    ...     {"topic": "t1", "step": 2, "action": "open", "doc": "d1", "start": 0, "end": 50},
    ...     {"topic": "t1", "step": 3, "action": "cite", "doc": "d1", "start": 0, "end": 9},
    ... ]
    >>> print(stages({"agent": agent}, answers).table.plain())
    run       used  read, not used  opened, not read  found, not opened  never found
    agent  1 (33%)          0 (0%)            0 (0%)            1 (33%)      1 (33%)
    3 needs of 1 topic, each at the first stage that holds
    """
    look = StageLook(Fraction(str(part)))
    scores = scores_given(runs, assessments, f"Stage(used,part={part})", documents, None, options, look)
    return stages_in({run.name: run.seen for run in scores.runs}, scores.notices)


def stages_in(seen: Mapping[str, Iterable[NeedStage]], notices: Notices) -> Stages:
    """The stages that looks at runs, by their names, have found."""
    rows = [NeedInRun(run, **asdict(one)) for run, found in seen.items() for one in found]
    return Stages(rows, list(seen), notices)


@dataclass(frozen=True)
class StageLook:
    """The stages of an aligned run."""

    part: Fraction

    def __call__(self, evaluation: Evaluation, aligned: Aligned, scores: RunScores) -> list[NeedStage]:
        counts = dict(zip(evaluation.ground.topics, scores.counted.tolist(), strict=True))
        return [one for one in stages_told(aligned, self.part) if counts[one.topic]]
