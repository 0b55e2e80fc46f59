"""Build the report: look at every run, gather what each view and each question's page needs, write one file.

See :mod:`doxeval.show.page` for what keeps the page safe.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from doxeval.comparison.diagnosis.look import Diagnosed, DiagnosisLook
from doxeval.core.errors import UsageError, nearest
from doxeval.core.output import atomic
from doxeval.core.phrases import agreeing
from doxeval.core.progress import each, step
from doxeval.core.values import printable
from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import Measure
from doxeval.reader.effort.opened import open_documents
from doxeval.reader.effort.reading_orders import ORDERS
from doxeval.scoring.scores import RunScores, Scores, merged
from doxeval.show.curves import Points, curves_in, drawn
from doxeval.show.frontier import text_read
from doxeval.show.page import data_block, framed, html_page
from doxeval.show.report.board import (
    board_comparisons,
    columns,
    correlated,
    described,
    effects_shown,
    known_of_runs,
    numbers,
    reading_of,
    scored,
    sliced,
    weighed,
)
from doxeval.show.report.failing import diagnosed
from doxeval.show.report.followed import TrajectoryPages, followed, of_trajectories, plain_curve
from doxeval.show.report.retrieved import InDocument, retrieved
from doxeval.show.report.topics_shown import Chosen, chosen
from doxeval.show.report.views import Contained, Views
from doxeval.show.style import stroke
from doxeval.tables.places import COUNTED, GRAIN
from doxeval.tables.wordings import Topics

if TYPE_CHECKING:
    from doxeval.ground.aligned import Aligned
    from doxeval.scoring.evaluation import Evaluation

TERM_DIGITS = 6
ROUNDED_AWAY = 1e-12
"""The largest difference between sums of terms that rounding explains."""


@dataclass(frozen=True)
class Answered:
    """One run, per topic: how many results it `listed`, and the rank of the `first` with relevant text, or 0.

    `added` has for each measure and topic what is added by later results and by no result, then what each of
    the first ranks adds, as in :func:`doxeval.explain`, without zeros at the end; `meanings` says for each
    measure what is added, or why nothing is.
    """

    listed: list[int]
    first: list[int]
    added: list[list[list[float | int]]]
    meanings: list[str]


def answered(measures: Sequence[Measure], aligned: Aligned, shown: int, topics: np.ndarray) -> Answered:
    """The answers of a run to some topics, with its first results one by one."""
    found = np.flatnonzero(aligned.relevant > 0)
    numbered, at = np.unique(aligned.topic[found], return_index=True)
    first = np.zeros(len(aligned.count), dtype=np.int64)
    first[numbered] = aligned.by_topic.place[found[at]] + 1
    added, meanings = zip(*(_added(measure, aligned, shown, topics) for measure in measures), strict=True)
    return Answered(aligned.count[topics].tolist(), first[topics].tolist(), list(added), list(meanings))


def _added(
    measure: Measure, aligned: Aligned, shown: int, topics: np.ndarray
) -> tuple[list[list[float | int]], str]:
    """The parts added elsewhere and at the first ranks, for topics with a finite value; and their meaning."""
    shares = measure.explain(aligned)
    if shares is None:
        return [], f"{measure.name} is not a sum over results: {measure.no_sum}"
    place = shares.aligned.by_topic.place
    here = place < shown
    totals = shares.totals()
    added = np.zeros((len(totals), 1 + shown))
    added[shares.aligned.topic[here], place[here] + 1] = shares.added[here]
    added[:, 0] = totals - added.sum(axis=1)
    added[(abs(added) < ROUNDED_AWAY) | ~np.isfinite(totals)[:, None]] = 0.0
    return [_trimmed(row) for row in added[topics]], shares.meaning


def _trimmed(row: np.ndarray) -> list[float | int]:
    """A row up to its last number that is not 0, zeros as short as they can be written."""
    return [value or 0 for value in numbers(np.trim_zeros(row, "b"), TERM_DIGITS)]


def divided(
    attributes: Mapping[str, Mapping[str, str]], topics: Sequence[str]
) -> dict[str, list[str | None]]:
    """The attributes that divide the topics, each with its value for every topic."""
    known = [attributes.get(topic, {}) for topic in topics]
    names = dict.fromkeys(name for one in known for name in one)
    columns = {name: [one.get(name) for one in known] for name in names}
    return {name: column for name, column in columns.items() if len(set(column)) < len(topics)}


ASSETS = Path(__file__).parent / "assets"
SCRIPTS = (
    "dom saving state runs charts answer board fails curves tradeoffs topics measures text document question "
    "reading reader lanes trajectory unpack main"
)


def page(title: str, data: Any) -> str:
    """The whole report."""
    return html_page(title, data, ASSETS, "report", SCRIPTS)


MEGABYTE = 1_000_000
MOST_MEGABYTES = 10.0
"""The largest size of a report in megabytes, by default."""

NOTES = 2_000
"""Bytes reserved for the remarks on what is left out."""


READ = 5
"""The number of first results whose text must be read, in the picture of quality against reading."""


class Seen(NamedTuple):
    """The look at one run: its curves, and for the topics shown its places, answers and steps.

    `topics` is for how many of all topics it has results; `reading` is for each topic the text that its first
    results show, NaN for those that do not count; `places` are pickled, those of each topic shown by
    themselves, which takes a tenth of the memory;
    `diagnosed` is its diagnosis, or why there is none; `text` is the mean amount of text that it shows up to
    the cut-off of each measure.
    """

    shown: Chosen
    topics: int
    curves: list[Points]
    reading: np.ndarray
    places: list[bytes]
    fetched: list[int]
    answered: Answered
    followed: TrajectoryPages | None
    diagnosed: Diagnosed | str
    text: list[float]


@dataclass(frozen=True)
class Contents:
    """The contents of a report.

    `results` is how many of the first results of a run can be opened, `size_megabytes` how large the file may
    become (scores, curves and comparisons are always in it; text and places of documents are left out beyond
    that), `order` the reading order whose path is shown, `topics` the wording and attributes of topics,
    `seed` the seed of random draws, `by` an attribute by which the topics are divided, `baseline` the run to
    compare with; `against` is the assessor whom the runs, which are assessors, are compared with.
    """

    title: str = "doxeval report"
    results: int = 10
    size_megabytes: float = MOST_MEGABYTES
    order: str = "natural"
    topics: Topics = field(default_factory=Topics)
    seed: int = 0
    by: str | None = None
    baseline: str | None = None
    against: str = ""

    def __post_init__(self) -> None:
        if self.order not in ORDERS:
            raise UsageError(f"unknown reading order {self.order!r}{nearest(self.order, ORDERS)}")

    def look(self) -> ReportLook:
        """The look at every run that the report needs."""
        return ReportLook(self.results, self.order)


@dataclass(frozen=True)
class ReportLook:
    """Look at an aligned run for a report: its curves, and what it did in documents."""

    results: int
    order: str
    runs: int = 1
    navigates: ClassVar = True
    shows_text: ClassVar = True

    def among(self, runs: int) -> ReportLook:
        """The look at one of so many runs; the more, the fewer topics are shown one by one."""
        return replace(self, runs=runs)

    def __call__(self, evaluation: Evaluation, aligned: Aligned, scores: RunScores) -> Seen:
        shown = chosen(len(aligned.count), self.runs)
        curves = [drawn(curve, aligned, scores.counted) for curve in curves_in(aligned.ground.unit)]
        documents = open_documents(aligned).by_topic.counts
        first = aligned.top(READ)
        return Seen(
            shown,
            int((documents > 0).sum()),
            curves,
            np.where(scores.counted, first.by_topic.sum(first.cost) / GRAIN[aligned.ground.unit], np.nan),
            _pickled(retrieved(aligned, self.results, self.order, evaluation.navigation, shown), shown),
            documents[shown.rows].tolist(),
            answered(evaluation.measures, aligned, self.results, shown.rows),
            followed(aligned, scores.counted, shown),
            _diagnosed(evaluation, aligned, scores),
            [text_read(measure, aligned, scores.counted) for measure in evaluation.measures],
        )


def _pickled(found: Iterable[InDocument], shown: Chosen) -> list[bytes]:
    """The documents of each topic shown."""
    by_topic: list[list[InDocument]] = [[] for _ in shown.rows]
    for place in found:
        by_topic[place.topic].append(place)
    return list(map(pickle.dumps, by_topic))


def _diagnosed(evaluation: Evaluation, aligned: Aligned, scores: RunScores) -> Diagnosed | str:
    try:
        return replace(DiagnosisLook()(evaluation, aligned, scores), showing=None)
    except UsageError as reason:
        return str(reason)


@dataclass(frozen=True, repr=False)
class Written:
    """A written report: the scores, the bytes of the file and of the documents' text, what is left out.

    Notebooks show the report itself.
    """

    path: str | Path
    scores: Scores
    size: int
    text: int
    dominant: str
    left_out: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"{self.path}: {self.told()}"

    def _repr_html_(self) -> str:
        return framed(self.path, repr(self))

    def told(self) -> str:
        """One sentence on the size of the file, and further ones on what is left out."""
        size = (
            f"{self.size / MEGABYTE:.2f} MB, {self.text / MEGABYTE:.2f} MB of it the documents' text; "
            f"of the rest, {self.dominant}"
        )
        return "\n".join([size, *self.left_out])


def build_report(scores: Scores, target: str | Path, contents: Contents) -> Written:
    """Write the report of runs that were scored and looked at."""
    if scores.origin is None:
        raise UsageError("a report needs the scored runs; give the runs and the assessments")
    evaluation, _ = scores.origin
    scores = replace(scores, attributes=merged(scores.attributes, contents.topics.attributes))
    shown: Chosen = scores.runs[0].seen.shown
    data = _data(evaluation, scores, contents, shown)
    views = _gathered(evaluation, scores, shown)
    data["found"] = views.counts()
    sizes = {name: len(data_block({name: value}).encode()) for name, value in data.items()}
    sizes["scripts and styles"] = len(page(data["title"], {}).encode())
    room = int(contents.size_megabytes * MEGABYTE) - sum(sizes.values()) - NOTES
    with step("packing documents"):
        held = views.pack(evaluation.ground.documents, max(0, room))
    left_out = [*shown.told(), *_left_out(held, contents.size_megabytes)]
    data["packed"], data["notes"] = held.packed, [*data["notes"], *left_out]
    html = page(data["title"], data).encode()
    with atomic(target) as stream:
        stream.write(html)
    sizes["views"] = len(held.packed) - held.text
    return Written(target, scores, len(html), held.text, _dominant(sizes), left_out)


def _gathered(evaluation: Evaluation, scores: Scores, shown: Chosen) -> Views:
    """Views of what is relevant and of what runs show: large, so they are built after everything else."""
    views = Views(evaluation.ground, shown)
    for topic in each(range(len(shown.rows)), "gathering what runs show"):
        views.add_topic(topic, [pickle.loads(run.seen.places[topic]) for run in scores.runs])
    for number, run in enumerate(scores.runs):
        if run.seen.followed is not None:
            views.add_trajectory(number, run.seen.followed.pages)
    return views


def _left_out(held: Contained, size: float) -> list[str]:
    """Sentences on what there is no room for."""
    room = f"the report may take {size:g} MB (--max-megabytes)"
    told = [
        (held.unfollowed, "{count} {trajectory has|trajectories have} no page"),
        (held.unopened, "{count} {document of a topic|documents of topics} cannot be opened"),
        (held.without_text, "{count} {document is shown without its|documents are shown without their} text"),
    ]
    return [f"{agreeing(sentence, count)}: {room}" for count, sentence in told if count]


DESCRIBED = {
    "values": "scores per topic",
    "views": "what the runs retrieved",
    "curves": "curves",
    "differences": "comparisons",
    "diagnosis": "what fails",
    "added": "what ranks add to scores",
}


def _dominant(sizes: dict[str, int]) -> str:
    """The part that takes the most room besides the text."""
    name = max(sizes, key=lambda name: sizes[name])
    return f"{DESCRIBED.get(name, name)} take most: {sizes[name] / MEGABYTE:.2f} MB"


def _data(evaluation: Evaluation, scores: Scores, contents: Contents, shown: Chosen) -> dict[str, Any]:
    from doxeval.core.version import __version__
    from doxeval.scoring.scores_table import footer

    notes: list[str] = [*footer(scores), *map(str, scores.notices)]
    documents = evaluation.ground.documents
    if documents is None or documents.in_characters.text is None:
        notes.append("No documents with text were given: only places are shown, no text")
    labels, topics = scores.labels, [scores.topics[row] for row in shown.rows.tolist()]
    queries = {**evaluation.ground.assessments.queries, **contents.topics.queries}
    return {
        "title": printable(contents.title),
        "version": __version__,
        "measures": described(evaluation.measures),
        "runs": scores.names,
        "numbers": [labels.number(name) for name in scores.names],
        "labels": [labels.of(name) for name in scores.names],
        "parameters": [
            {"name": name, "values": [values[labels.number(run) - 1] for run in scores.names]}
            for name, values in labels.varying.items()
        ],
        "baseline": "" if contents.baseline is None else labels.find(contents.baseline),
        "strokes": [stroke(labels.number(run) - 1) for run in scores.names],
        "topics": [[topic, queries.get(topic, "")] for topic in topics],
        "all": len(scores.topics),
        **scored(scores, shown.rows),
        **board_comparisons(scores, contents.seed, notes, contents.against),
        "reading": {
            "results": READ,
            "runs": reading_of([run.seen.reading for run in scores.runs], contents.seed),
        },
        "against": contents.against,
        **diagnosed(scores, contents.seed, contents.by, shown),
        "correlation": correlated(scores, notes),
        "effects": effects_shown(scores, contents.seed),
        "pareto": weighed(
            scores,
            COUNTED[evaluation.ground.unit],
            [run.seen.text for run in scores.runs],
            [measure.rank for measure in evaluation.measures],
        ),
        "slices": sliced(scores, contents.by, contents.seed),
        "curves": [
            plain_curve(curve, [run.seen.curves[at] for run in scores.runs])
            for at, curve in enumerate(curves_in(evaluation.ground.unit))
        ],
        **of_trajectories({run.name: run.seen.followed for run in scores.runs}),
        "order": [contents.order, ORDERS[contents.order].summary],
        "navigation": evaluation.navigation or "",
        "fetched": [run.seen.fetched for run in scores.runs],
        "about": known_of_runs(scores, [run.seen.topics for run in scores.runs]),
        "columns": columns(scores),
        "results": contents.results,
        "unit": COUNTED[evaluation.ground.unit],
        "grain": GRAIN[evaluation.ground.unit],
        "listed": [run.seen.answered.listed for run in scores.runs],
        "first": [run.seen.answered.first for run in scores.runs],
        "added": [run.seen.answered.added for run in scores.runs],
        "adds": scores.runs[0].seen.answered.meanings,
        "attributes": divided(scores.attributes, topics),
        "relevant": evaluation.ground.total_relevant[shown.rows].tolist(),
        "notes": notes,
    }  # fmt: skip
