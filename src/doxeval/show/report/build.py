"""Build the report: score the runs, gather what each view needs, write one file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from doxeval.core.output import atomic
from doxeval.ground.align import align
from doxeval.scoring.scores import Scores
from doxeval.show.curves import CURVES, cutoffs, draw
from doxeval.show.report.board import compared, correlated, described, numbers, scored
from doxeval.show.report.page import data_block, page
from doxeval.show.report.views import Views
from doxeval.show.style import COLOURS

if TYPE_CHECKING:
    from doxeval.ground.aligned import Aligned
    from doxeval.scoring.evaluation import Plan
    from doxeval.tables.runs import Run

MEGABYTE = 1_000_000
MOST_PLACES = 1_500_000
"""Bytes that places in documents may take: the report stays below 3 MB beside the documents' text."""


@dataclass(frozen=True)
class Options:
    """What the report shows: results per topic, text embedded at most, how a document is read."""

    title: str = "doxeval report"
    results: int = 10
    text_megabytes: float = 20.0
    order: str = "natural"
    navigation: str | None = None
    seed: int = 0


@dataclass(frozen=True)
class Written:
    """What was written: the scores, and bytes of the file in all and of the documents' text in it."""

    scores: Scores
    size: int
    text: int
    dominant: str

    def told(self) -> str:
        """The file's size in a sentence."""
        return (
            f"{self.size / MEGABYTE:.2f} MB, {self.text / MEGABYTE:.2f} MB of it the documents' text; "
            f"of the rest, {self.dominant}"
        )


def build_report(
    plan: Plan,
    loaders: Iterable[Callable[[], Run]],
    target: str | Path,
    options: Options = Options(),  # noqa: B008
) -> Written:
    """Score runs and write the report."""
    views = Views(plan.ground, options.results, options.order, options.navigation)
    views.add_relevant()
    parts, curves = [], []
    for number, load in enumerate(loaders):
        run = load()
        parts.append(plan.score_run(run))
        topics = align(run, plan.ground, plan.conventions)
        curves.append(_curves(topics, parts[-1].counted))
        views.add_run(number, topics)
    scores = Scores.gather(plan, parts)
    data = _data(plan, scores, curves, views, options)
    sizes = {name: len(data_block(value).encode()) for name, value in data.items()}
    text = sum(len(data_block(part).encode()) for doc in data["docs"] for _, part in doc["text"])
    html = page(options.title, data)
    with atomic(target) as stream:
        stream.write(html.encode())
    size = len(html.encode())
    sizes["docs"] -= text
    sizes["scripts and styles"] = size - sum(sizes.values()) - text
    return Written(scores, size, text, _dominant(sizes))


DESCRIBED = {
    "values": "scores per topic",
    "views": "what the runs retrieved",
    "docs": "the documents' trees",
    "curves": "curves",
    "differences": "comparisons",
}


def _dominant(sizes: dict[str, int]) -> str:
    """Which part takes the most room besides the text."""
    name = max(sizes, key=lambda name: sizes[name])
    return f"{DESCRIBED.get(name, name)} take most: {sizes[name] / MEGABYTE:.2f} MB"


def _curves(topics: Aligned, counted: np.ndarray) -> list[dict[str, Any]]:
    deepest = int(topics.count.max(initial=0))
    longest = int(topics.last(topics.cumulated(topics.size)).max(initial=0))
    found = []
    for curve in CURVES:
        points = cutoffs(curve, deepest, longest)
        values = draw(curve, topics, points, counted)
        found.append({"x": [float(point) for point in points], "y": numbers(np.array(values), 6)})
    return found


def _data(
    plan: Plan, scores: Scores, curves: list[list[dict[str, Any]]], views: Views, options: Options
) -> dict[str, Any]:
    from doxeval.core.version import __version__
    from doxeval.reader.effort.orders import ORDERS
    from doxeval.scoring.scores_table import footer

    notes: list[str] = [
        *footer(scores),
        *(str(notice) for notice in scores.notices if notice not in scores.notices.lasting),
    ]
    if dropped := views.trim(MOST_PLACES):
        notes.append(f"{dropped:,} documents cannot be opened: the report would be too large to mail")
    docs, without = views.documents(plan.ground.documents, int(options.text_megabytes * MEGABYTE))
    if without:
        notes.append(
            f"{without} documents are shown without text: more than {options.text_megabytes:g} MB in all"
        )
    if plan.ground.documents is None or plan.ground.documents.text is None:
        notes.append("No documents with text were given: places are shown, but no text")
    queries = plan.ground.assessments.queries
    return {
        "title": options.title,
        "version": __version__,
        "measures": described(plan.measures),
        "runs": scores.names,
        "colours": _colours(scores.names),
        "topics": [[topic, queries.get(topic, "")] for topic in scores.topics],
        **scored(scores),
        **compared(scores, options.seed, notes),
        "correlation": correlated(scores, options.seed, notes),
        "curves": [
            {"name": curve.name, "title": curve.title, "x": curve.x_label, "y": curve.y_label,
             "logarithmic": curve.axis == "characters", "series": [of_run[at] for of_run in curves]}
            for at, curve in enumerate(CURVES)
        ],
        "order": [options.order, ORDERS[options.order].summary],
        "navigation": options.navigation or "",
        "docs": docs,
        "views": views.topics(),
        "notes": notes,
    }  # fmt: skip


def _colours(names: Sequence[str]) -> list[str]:
    return [COLOURS[at % len(COLOURS)] for at in range(len(names))]
