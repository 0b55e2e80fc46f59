"""A diagnosis: rows of topics, classes and mendings, tables, and sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields
from functools import partial
from typing import TYPE_CHECKING, Any

from doxeval.comparison.diagnosis.look import Diagnosed
from doxeval.core.notices import Notices
from doxeval.core.records import rendered
from doxeval.core.run_labels import RunLabels, run_labels
from doxeval.core.table import Readable, Table
from doxeval.scoring.scores import ALL

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True)
class DiagnosedTopic:
    """A topic of a run: its class, its value, and that with what would help its class mended, if anything.

    `rank` is that of the first result with anything relevant, `met` of `needs` needs are met at the cut-off,
    where the text shown has a `precision`; `gap` (in the unit of text) or `chance` says how near the nearest
    relevant text is to it.
    """

    run: str
    topic: str
    diagnosis: str
    value: float | None
    mending: str
    mended: float | None
    rank: int | None
    met: int
    needs: int
    precision: float
    gap: int | None
    chance: float | None


@dataclass(frozen=True)
class ClassCount:
    """The topics of a run, or of a slice of it, in one class."""

    run: str
    slice: str
    diagnosis: str
    topics: int
    share: float


@dataclass(frozen=True)
class Mended:
    """The value of a run, or of a slice of it, if just one thing were mended in the topics that it concerns.

    `gain` is the difference, with an interval over topics; with a `ceiling`, relevant places stand in for
    chunks, which are not known. If it is `refused`, the reason is given instead.
    """

    run: str
    slice: str
    mending: str
    topics: int
    value: float | None
    mended: float | None
    gain: float | None
    low: float | None
    high: float | None
    ceiling: bool
    refused: str


@dataclass(eq=False, repr=False)
class Diagnosis(Readable):
    """The class of every topic of every run by a measure, and the effect of mending.

    `counts` and `mending` have a row for each run, those of slices last; `seen` are the columns behind them,
    for each run a number for every one of the `topics`. `direction` is -1 if lower values are better;
    `labels` are those of the runs in tables and sentences.
    """

    measure: str
    cutoff: str
    unit: str
    thresholds: str
    runs: list[str]
    topics: list[str]
    seen: list[Diagnosed]
    counts: list[ClassCount]
    mending: list[Mended]
    confidence: float
    direction: int = 1
    by: str | None = None
    labels: RunLabels = field(default_factory=partial(run_labels, ()))
    notices: Notices = field(default_factory=Notices)

    @property
    def classes(self) -> dict[str, dict[str, int]]:
        """For each run the number of topics in each class; they add up to the topics that count."""
        found: dict[str, dict[str, int]] = {run: {} for run in self.runs}
        for one in self.counts:
            if one.slice == ALL:
                found[one.run][one.diagnosis] = one.topics
        return found

    @property
    def per_topic(self) -> list[DiagnosedTopic]:
        """Every topic that counts of every run."""
        from doxeval.comparison.diagnosis.per_topic import diagnosed_topics

        return [topic for run, seen in self.by_run() for topic in diagnosed_topics(self, run, seen)]

    def by_run(self) -> Iterator[tuple[str, Diagnosed]]:
        """The name of each run and its columns."""
        return zip(self.runs, self.seen, strict=True)

    @property
    def tables(self) -> list[Table]:
        """The classes of the topics, and what mending would bring."""
        from doxeval.comparison.diagnosis.diagnosis_tables import diagnosis_tables

        return diagnosis_tables(self)

    @property
    def sentences(self) -> list[str]:
        """The classes of the best runs in words, and the mendings that would help."""
        from doxeval.comparison.diagnosis.diagnosis_tables import runs_told

        return runs_told(self)

    @property
    def notes(self) -> list[str]:
        """How far results are read, what the classes mean, and what is done where something is mended."""
        from doxeval.comparison.diagnosis.diagnosis_tables import notes

        return notes(self)

    def rows(self, per_topic: bool = False) -> list[dict[str, Any]]:
        """A row per class and mending of each run, or one per topic of each run."""
        if per_topic:
            return [asdict(topic) for topic in self.per_topic]
        rest = [one.name for one in fields(Mended) if one.name not in ("run", "slice", "mending", "topics")]
        names = ("run", "slice", "what", "name", "topics", "share", *rest)
        rows = [asdict(one) | {"what": "class", "name": one.diagnosis} for one in self.counts]
        rows += [asdict(one) | {"what": "mending", "name": one.mending} for one in self.mending]
        return [{name: row.get(name) for name in names} for row in rows]

    def frame(self, per_topic: bool = True) -> polars.DataFrame:
        """A polars frame, one row per topic of each run, or per class and mending."""
        from doxeval.core.polars_here import polars

        return polars.DataFrame(self.rows(per_topic), infer_schema_length=None)

    def rendered(self, format: str = "table", per_topic: bool = False) -> bytes:
        """Tables of classes, mending and, on request, topics; csv, jsonl, json and parquet have rows."""
        from doxeval.comparison.diagnosis.diagnosis_tables import diagnosis_tables

        return rendered(format, lambda: self.rows(per_topic), lambda: diagnosis_tables(self, per_topic))
