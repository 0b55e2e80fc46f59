"""Explain the score of one topic: what each rank gains, repeats, leaves within reach, and adds."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar, Unpack

import numpy as np

from doxeval.core.errors import UsageError, nearest
from doxeval.core.grammar import parse_call
from doxeval.core.notices import Notices
from doxeval.core.options import ScoringOptions
from doxeval.core.parameters import call_in_grains
from doxeval.core.ragged import sums_by
from doxeval.core.records import rendered
from doxeval.core.table import Readable, Table
from doxeval.ground.align import align
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.measurement.base import Measure, Measures
from doxeval.measurement.families.inside import Inside
from doxeval.measurement.families.terms import Shares
from doxeval.measurement.listed import listed_measures, measure_names
from doxeval.measurement.near_miss_reader import ExposedMeasure
from doxeval.reader.exposure.expose import expose
from doxeval.reader.exposure.meetings import Reader
from doxeval.reader.navigation.model import NAVIGATIONS
from doxeval.scoring.evaluation import Evaluation, NavigationModels
from doxeval.scoring.inputs import evaluation_given
from doxeval.scoring.references import References, with_reference
from doxeval.scoring.scores import RunScores, Scores
from doxeval.show.explanation.shown_code import CodeTable, Excerpt, excerpts, symbol_around
from doxeval.show.explanation.step_tables import tables_of_steps
from doxeval.tables.documents import Documents
from doxeval.tables.page_cells import boxes_of_cells
from doxeval.tables.places import AREA, CHARACTERS, COUNTED, GRAIN, LINES, amount_in

MOST_EXPLAINED = 200
"""A measure without shares is scored once per rank, up to this many; later ranks are explained together."""

MOST_BOXES = 3


@dataclass(frozen=True)
class Rank:
    """One result: text `shown`, relevant text `gained` and `repeated`, and relevant text left afterwards.

    `reachable` is left in the documents opened so far, `unopened` in the others; `hits` and
    `near` are E[Hits] and E[Near-misses] so far (ESR Eqs. 8, 10), of the measure's own reader if it has
    one (None if nobody navigates); `added` is the result's part of the score.
    """

    rank: int
    doc: str
    place: str
    shown: int | float
    gained: int | float
    repeated: int | float
    reachable: int | float
    unopened: int | float
    hits: float | None
    near: float | None
    added: float


@dataclass(frozen=True)
class Missed:
    """The relevant text of one document that was never shown."""

    doc: str
    relevant: int | float
    missed: int | float
    retrieved: bool


@dataclass(eq=False, repr=False)
class Explanation(Readable):
    """The score of one run by one measure on one topic, taken apart."""

    run: str
    topic: str
    query: str
    measure: str
    meaning: str
    score: float
    ranks: list[Rank]
    rest: float
    missed: list[Missed]
    total_relevant: int | float
    reader: str = ""
    degrees: str = ""
    unit: str = CHARACTERS
    reference: str = ""
    inside: list[Inside] = field(default_factory=list)
    code: list[Excerpt] = field(default_factory=list)
    notices: Notices = field(default_factory=Notices)

    @property
    def sum(self) -> float:
        """The sum of the ranks and the rest, which is the score."""
        return sum(rank.added for rank in self.ranks) + self.rest

    @property
    def tables(self) -> list[Table]:
        """Tables of the ranks, of source code, of what is inside the measure, and of what was missed."""
        from doxeval.show.explanation.as_tables import missed_table, ranks_table

        inside = [table for one in self.inside for table in one.tables]
        code = [CodeTable.of(self.code)] if self.code else []
        return [ranks_table(self), *code, *inside, missed_table(self)]

    @property
    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """All tables as rows for programs, by the part they show: ranks, code, those inside, missed."""
        return {
            "ranks": [asdict(rank) for rank in self.ranks],
            **({"code": _rows_of_code(self.code)} if self.code else {}),
            **{one.name: one.rows for one in self.inside},
            "missed": [asdict(one) for one in self.missed],
        }

    @property
    def title(self) -> str:
        """The title: the measure and topic explained, with the score."""
        query = f": {self.query}" if self.query else ""
        by = f" by the reference {self.reference}" if self.reference else ""
        return f"{self.run}, topic {self.topic}{query}\n{self.measure} = {self.score!r}{by}"

    def part(self, name: str) -> Table:
        """One of the tables, on its own."""
        parts = list(self.rows)
        if name not in parts:
            hint = f"{nearest(name, parts)} (known: {', '.join(parts)})"
            raise UsageError(f"{self.measure} is not explained by {name!r}{hint}")
        return replace(self.tables[parts.index(name)], title=self.title, notices=self.notices)

    def rendered(self, format: str = "table", part: str | None = None) -> bytes:
        """All tables, or one part, as text; csv and jsonl have a row per row, json everything at once."""
        if format == "json":
            told = {**asdict(self), "notices": [str(notice) for notice in self.notices]}
            return (json.dumps(told) + "\n").encode()
        return rendered(
            format, lambda: self.rows_of(part), lambda: [self.part(part)] if part else self.tables
        )

    def rows_of(self, part: str | None = None) -> list[dict[str, Any]]:
        """The rows of one part; or of all, with `part` as their first column."""
        if part is not None:
            self.part(part)
            return self.rows[part]
        return [{"part": name, **row} for name, rows in self.rows.items() for row in rows]


def explain(
    run: Any,
    assessments: Any = None,
    measures: Measures = (),
    documents: Any = None,
    navigation: NavigationModels = None,
    *,
    topic: str,
    **options: Unpack[ScoringOptions],
) -> Explanation:
    """Explain the score of one run by one measure on one topic.

    The arguments are those of :func:`doxeval.evaluate`; instead of them, `run` may be the scores of one run
    that it returned, and `assessments` an evaluation. Without a measure, it is the first that suits the
    assessments: AiP where text is highlighted.

    >>> answers = [{"topic": "q1", "doc": "manual", "start": 100, "end": 300}]
    >>> results = [
    ...     {"topic": "q1", "doc": "manual", "rank": 1, "start": 0, "end": 200},
    ...     {"topic": "q1", "doc": "manual", "rank": 2, "start": 100, "end": 300},
    ... ]
    >>> told = explain(results, answers, "iP@2", topic="q1")
    >>> [(rank.gained, rank.repeated, rank.added) for rank in told.ranks], told.score
    ([(100, 0, 0.25), (100, 100, 0.25)], 0.5)
    """
    if isinstance(run, Scores):
        if assessments is not None or documents is not None or navigation is not None or options:
            raise UsageError("these runs are already scored; omit assessments, documents and options")
        named = measure_names(measures, run.measures)
        if len(named) > 1:
            raise UsageError("only one measure can be explained at a time")
        return run.explain(topic, named[0] if named else None)
    evaluation = evaluation_given(assessments, measures, documents, navigation, options)
    if not listed_measures(measures) and not isinstance(assessments, Evaluation):
        evaluation = evaluation.by(evaluation.measures[0].label)
    look = TopicLook.of(evaluation, topic)
    return look.told(evaluation.scores(run, look))


@dataclass(frozen=True)
class TopicLook:
    """Look at one topic of an aligned run, and explain its score by the evaluation's one measure."""

    topic: str
    navigates: ClassVar = True

    @classmethod
    def of(cls, evaluation: Evaluation, topic: str) -> TopicLook:
        """The look at a topic of an evaluation by one measure."""
        if topic not in evaluation.ground.topic_codes:
            known = evaluation.ground.topics
            raise UsageError(f"topic {topic!r} was not assessed{nearest(topic, known)}")
        if len(evaluation.measures) != 1:
            raise UsageError("only one measure can be explained at a time")
        return cls(topic)

    def __call__(self, evaluation: Evaluation, aligned: Aligned, scores: RunScores) -> Explanation:
        if evaluation.references is not None:
            return self._by_reference(evaluation, evaluation.references, aligned, scores)
        measure, navigation = evaluation.measures[0], evaluation.navigation
        number = evaluation.ground.topic_codes[self.topic]
        if not scores.counted[number]:
            raise UsageError(
                f"topic {self.topic}: does not count, because {scores.name} has no results for it"
            )
        score = float(scores.values[0, number] if len(scores.values) else measure(aligned)[number])
        if np.isnan(score):
            raise UsageError(
                f"topic {self.topic}: nothing is relevant to it, so {measure.label} has no value"
            )
        shares = measure.explain(aligned) or differences(measure, aligned.select(aligned.topic == number))
        read = (shares.aligned.topic == number) & within_cutoff(measure, shares.aligned)
        looked_at = shares.aligned.select(read)
        reader = _navigating_reader(measure, evaluation.ground, navigation)
        place = shares.aligned.by_topic.place[read] + 1
        return Explanation(
            run=scores.name,
            topic=self.topic,
            query=evaluation.ground.assessments.queries.get(self.topic, ""),
            measure=measure.label,
            meaning=shares.meaning,
            score=score,
            ranks=_ranks(looked_at, number, place, shares.added[read], reader),
            rest=float(shares.rest[number]),
            missed=_missed(looked_at, number),
            total_relevant=amount_in(evaluation.ground.unit, int(evaluation.ground.total_relevant[number])),
            reader=_reader_told(reader, evaluation.ground.unit) if reader else "",
            degrees=evaluation.ground.degrees if evaluation.ground.highlighted is None else "",
            unit=COUNTED[evaluation.ground.unit],
            code=excerpts(looked_at, range(*looked_at.by_topic.offset[number : number + 2].tolist()), place),
            inside=[*measure.inside(measure.read(aligned), number), *tables_of_steps(aligned, number)],
        )

    def _by_reference(
        self, evaluation: Evaluation, references: References, aligned: Aligned, scores: RunScores
    ) -> Explanation:
        """The explanation by the reference that gives the best value."""
        if scores.referred is None:
            raise UsageError(
                f"topic {self.topic}: a mean over references has no single explanation; follow one of them "
                f"(--merge NAME: {', '.join(references.names)})"
            )
        used = max(0, int(scores.referred.used[0, evaluation.ground.topic_codes[self.topic]]))
        alone = with_reference(evaluation, used)
        with closing(align(aligned.run, alone.ground, evaluation.conventions)) as own:
            told = self(alone, own, scores)
        return replace(told, reference=references.names[used])

    def told(self, scores: Scores) -> Explanation:
        """The explanation of the one run that was looked at."""
        if len(scores.runs) != 1:
            raise UsageError(f"only one run can be explained at a time, not {len(scores.runs)}")
        return replace(scores.runs[0].seen, notices=scores.notices)


def _rows_of_code(shown: list[Excerpt]) -> list[dict[str, Any]]:
    return [
        {"rank": one.rank, "doc": one.doc, "symbol": one.symbol, **asdict(line)}
        for one in shown
        for line in one.lines
    ]


def within_cutoff(measure: Measure, aligned: Aligned) -> np.ndarray:
    """Whether each result is within the cut-off in ranks; all are if there is none."""
    if measure.rank is None:
        return np.ones(len(aligned), dtype=bool)
    if not measure.ranks_documents:
        return aligned.by_topic.place < measure.rank
    opened = aligned.article
    _, first, document = np.unique(opened, return_index=True, return_inverse=True)
    is_first = np.zeros(len(aligned), dtype=np.int64)
    is_first[first] = 1
    return aligned.by_topic.cumulate(is_first)[first][document] <= measure.rank


def differences(measure: Measure, aligned: Aligned) -> Shares:
    """Shares of any measure: the change of its value at each rank, beginning with an empty list.

    If a value on the way is infinite, no result has a share of the score.
    """
    depth = min(int(aligned.count.max(initial=0)), MOST_EXPLAINED)
    values = np.array([measure(aligned.top(rank)) for rank in range(depth)] + [measure(aligned)])
    finite = np.isfinite(values).all(axis=0)
    changes = np.diff(np.where(finite, values, 0.0), axis=0)
    added = np.zeros(len(aligned))
    for topic, first in enumerate(aligned.by_topic.offset[:-1]):
        count = min(depth, int(aligned.count[topic]))
        added[first : first + count] = changes[:count, topic]
    meaning = "the score of the list down to this rank, minus that of the list before it"
    if measure.no_sum:
        meaning += f" ({measure.name} is not a sum over results: {measure.no_sum})"
    return Shares(aligned, added, np.where(finite, values[0], values[-1]), meaning)


def _ranks(
    aligned: Aligned, number: int, place: np.ndarray, added: np.ndarray, reader: Reader | None
) -> list[Rank]:
    first, after = aligned.by_topic.offset[number : number + 2].tolist()
    rows = slice(first, after)
    fresh, relevant, size = aligned.fresh[rows], aligned.relevant[rows], aligned.size[rows]
    gained = np.cumsum(fresh)
    opened = np.cumsum(_newly_opened(aligned, rows))
    total = int(aligned.ground.total_relevant[number])
    seen = expose(aligned, reader) if reader else None
    names = aligned.run.docs

    def told(amount: Any) -> int | float:
        return amount_in(aligned.ground.unit, int(amount))

    return [
        Rank(
            rank=int(place[row]),
            doc=names[aligned.doc[first + row]],
            place=place_of(aligned, first + row),
            shown=told(size[row]),
            gained=told(fresh[row]),
            repeated=told(relevant[row] - fresh[row]),
            reachable=told(opened[row] - gained[row]),
            unopened=told(total - opened[row]),
            hits=None if seen is None else float(seen.hits[first + row]),
            near=None if seen is None else float(seen.near[first + row]),
            added=float(added[row]),
        )
        for row in range(after - first)
    ]


def _newly_opened(aligned: Aligned, rows: slice) -> np.ndarray:
    """The relevant text of each result's document if it is the first result in it, else 0."""
    pair = aligned.pair[rows]
    _, first = np.unique(pair, return_index=True)
    is_first = np.zeros(len(pair), dtype=bool)
    is_first[first] = True
    return np.where(is_first & (pair >= 0), aligned.ground.pair_relevant[pair], 0)


def _navigating_reader(measure: Measure, ground: Ground, navigation: str | None) -> Reader | None:
    """The measure's own reader, else a reader of text by the given model; None if nobody navigates."""
    if isinstance(measure, ExposedMeasure):
        reader = measure.reader(ground)
        return reader if reader.mode == "trees" or reader.navigation.name != "none" else None
    if navigation is None:
        return None
    call, grain = parse_call(navigation.strip()), GRAIN[ground.unit]
    if grain > 1:
        call = call_in_grains(NAVIGATIONS.named(call.name, navigation), call, grain, navigation)
    return Reader(call, "text", "length", Fraction(0), "esr", "sum")


def _reader_told(reader: Reader, unit: str) -> str:
    """A reader for people, with amounts of text as they were typed."""
    call = reader.navigation
    typed = call_in_grains(NAVIGATIONS.named(call.name, str(call)), call, Fraction(1, GRAIN[unit]), str(call))
    return f"{typed}, mode={reader.mode}, rel={reader.rel}"


def place_of(aligned: Aligned, result: int) -> str:
    """The place of a result, for people: its class or function, the path of its node, else its ranges."""
    documents = aligned.ground.documents
    doc = -1 if documents is None else int(documents.codes([aligned.run.docs[aligned.doc[result]]])[0])
    if aligned.nodes is not None and documents is not None:
        rows, node = aligned.nodes
        nodes = node[rows.slice(result)]
        if len(nodes):
            return " ".join(_node_name(documents, doc, int(one)) for one in nodes)
    spans = spans_of(aligned, result)
    if aligned.ground.unit == LINES:
        text = ", ".join(f"L{start + 1}-L{end}" for start, end in spans if end > start) or "nothing"
    elif aligned.ground.unit == AREA:
        return _regions(spans, aligned.ground.assessments.grid)
    else:
        told = partial(amount_in, aligned.ground.unit)
        text = ", ".join(f"{told(start)}-{told(end)}" for start, end in spans) or "nothing"
    if documents is None or doc < 0 or not spans:
        return text
    symbol = symbol_around(documents, doc, min(start for start, _ in spans), max(end for _, end in spans))
    return f"{symbol} {text}" if symbol else text


def _regions(spans: list[tuple[int, int]], grid: int) -> str:
    """Regions for people: the page, and the corners of boxes as shares of its width and height."""
    start, end = np.array(spans, dtype=np.int64).reshape(-1, 2).T
    boxes = boxes_of_cells(start, end, grid)
    told = [
        f"page {page}" if (left, top, right, bottom) == (0, 0, grid, grid)
        else f"page {page} ({left / grid:g}, {top / grid:g})-({right / grid:g}, {bottom / grid:g})"
        for page, left, top, right, bottom in boxes[:MOST_BOXES]
    ]  # fmt: skip
    return ", ".join(told) + ", ..." * (len(boxes) > MOST_BOXES) or "nothing"


def _node_name(documents: Documents, doc: int, node: int) -> str:
    """The name of a class or function, the path of any other node."""
    name = documents.labels(doc)[node] if documents.is_source(doc) and node else ""
    return name or documents.path(doc, node)


def spans_of(aligned: Aligned, result: int) -> list[tuple[int, int]]:
    """The ranges of a result, clipped to its document."""
    spans = aligned.spans.slice(result)
    return list(zip(aligned.start[spans].tolist(), aligned.end[spans].tolist(), strict=True))


def _missed(aligned: Aligned, number: int) -> list[Missed]:
    """The relevant documents of a topic and their text that was never shown, the largest loss first."""
    ground = aligned.ground
    first, after = aligned.by_topic.offset[number : number + 2]
    pairs = range(*ground.assessments.pair_offset[number : number + 2].tolist())
    stretches = aligned.stretches
    shown = stretches.first >= 0
    gained = sums_by(stretches.pair[shown], stretches.weight[shown], len(ground.pair_relevant))
    retrieved = set(aligned.pair[first:after].tolist())
    found = [
        Missed(
            ground.assessments.docs[ground.assessments.pair_doc[pair]],
            amount_in(ground.unit, int(ground.pair_relevant[pair])),
            amount_in(ground.unit, int(ground.pair_relevant[pair] - gained[pair])),
            pair in retrieved,
        )
        for pair in pairs
        if ground.pair_relevant[pair]
    ]
    return sorted(found, key=lambda one: (-one.missed, one.doc))
