"""Trajectories as pages of a report: what each step showed, used and spent, and where needs were lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from doxeval.core.notices import Notices
from doxeval.core.units import UNITS
from doxeval.ground.aligned import Aligned
from doxeval.ground.need_stages import NeedStage, named_by, stages_told, used_by
from doxeval.ground.step_counters import steps_of
from doxeval.show.curves import Curve, Points, drawn
from doxeval.show.explanation.explain import spans_of
from doxeval.show.explanation.step_tables import stated_amounts, step_amounts, steps_of_topic
from doxeval.show.report.board import numbers, plain_table
from doxeval.show.report.topics_shown import Chosen
from doxeval.show.stages import LOSSES, stages_in
from doxeval.tables.runs import WHOLE
from doxeval.tables.steps import ACTIONS, AMOUNTS, Steps

LONGEST_QUERY = 400
"""Characters of the words of a search that are kept."""
EFFORTS = ("steps", *AMOUNTS)
MOST_POINTS = 40
"""Points of a curve over steps."""
SHOWN, USED, NAMED = range(3)
"""What a step did with a place."""


class TrajectoryPages(NamedTuple):
    """A trajectory in a report: `pages`, one a topic, curves of recall over effort, and stages."""

    pages: list[dict[str, Any]]
    curves: dict[str, Points]
    stages: list[NeedStage]


def effort_curve(unit: str, steps: int = 0) -> Curve:
    """The curve of recall over an effort; that over steps has points as far as this many."""
    points = np.unique(np.linspace(1, steps, min(steps, MOST_POINTS)).round().astype(int)).tolist()
    typed = tuple(Fraction(point) for point in points) if unit == "steps" else ()
    suffix = UNITS[unit].suffix
    return Curve("iR", unit, typed, f"gain-{unit}", f"Gain by {unit}", f"recall (iR@n{suffix})")


def followed(aligned: Aligned, counted: np.ndarray, topics: Chosen) -> TrajectoryPages | None:
    """The trajectory of a run over the topics that are `counted`; None for a run without steps.

    There is a page for each of them that is shown.
    """
    if aligned.run.steps is None or aligned.run.step is None:
        return None
    steps = aligned.run.steps
    known = bool((aligned.ground.unit_end < WHOLE).all())
    stages = list(stages_told(aligned, Fraction(0))) if known else []
    counts = dict(zip(aligned.ground.topics, counted.tolist(), strict=True))
    stages = [one for one in stages if counts[one.topic]]
    needs: dict[str, list[NeedStage]] = {}
    for one in stages:
        needs.setdefault(one.topic, []).append(one)
    pages = [
        {**_page(aligned, topic, needs.get(aligned.ground.topics[topic], [])), "topic": place}
        for place, topic in enumerate(topics.rows.tolist())
        if counted[topic]
    ]
    last = int(steps.number.max(initial=0))
    curves = {
        unit: drawn(effort_curve(unit, last), aligned, counted)
        for unit in EFFORTS
        if unit != aligned.ground.unit and _is_stated(steps, unit)
    }
    return TrajectoryPages(pages, curves, stages)


def _is_stated(steps: Steps, unit: str) -> bool:
    """Whether an effort is known of every step."""
    return len(steps) > 0 and (unit == "steps" or not len(steps.unstated(unit)))


def _page(aligned: Aligned, topic: int, needs: list[NeedStage]) -> dict[str, Any]:
    """The work of a trajectory on a topic, as columns over its steps, and documents with their places.

    `places` are [step, document, what was done there, start, end, start, end, ...]: `step` a place in the
    columns, `document` one in `docs`, whose rows are [name, length, relevant ranges].
    """
    steps, _ = steps_of(aligned.run, "its page in a report")
    rows, amounts = steps_of_topic(aligned, topic), step_amounts(aligned)
    places = list(_places(aligned, topic, rows))
    relevant = _relevant(aligned, topic)
    lengths: dict[str, int] = {name: length for name, (length, _) in relevant.items()}
    for _, name, length, _, spans in places:
        lengths[name] = (
            max(lengths.get(name, 0), length, *spans[1::2]) if spans else lengths.get(name, length)
        )
    number = {name: at for at, name in enumerate(lengths)}
    total = int(aligned.ground.total_relevant[topic])
    recall = np.cumsum(amounts.new[rows]) / (total or np.nan)
    return {
        "number": steps.number[rows].tolist(),
        "action": steps.action[rows].tolist(),
        "query": [_short(steps.query[row] or "") for row in rows.tolist()],
        **{name: column[rows].tolist() for name, column in amounts._asdict().items()},
        "recall": numbers(recall),
        "amounts": stated_amounts(steps, rows),
        "docs": [[name, lengths[name], relevant.get(name, (0, []))[1]] for name in number],
        "places": [[step, number[name], kind, *spans] for step, name, _, kind, spans in places],
        "needs": [[one.need, one.stage, one.places, one.away] for one in needs],
    }


def _short(query: str) -> str:
    return query if len(query) <= LONGEST_QUERY else f"{query[: LONGEST_QUERY - 1]}…"


def _relevant(aligned: Aligned, topic: int) -> dict[str, tuple[int, list[list[int]]]]:
    """The length and the relevant ranges of each document that has some for a topic."""
    ground = aligned.ground
    _, start, end = ground.relevant
    found = {}
    for pair in range(*ground.assessments.pair_offset[topic : topic + 2].tolist()):
        rows = ground.relevant_by_pair.slice(pair)
        ranges = [list(span) for span in zip(start[rows].tolist(), end[rows].tolist(), strict=True)]
        if ranges:
            code = ground.assessments.pair_doc[pair]
            found[ground.assessments.docs[code]] = (max(int(ground.length[code]), ranges[-1][1]), ranges)
    return found


def _places(aligned: Aligned, topic: int, rows: np.ndarray) -> Iterator[tuple[int, str, int, int, list[int]]]:
    """The places of a topic in order of steps: step, document, its length, what was done, start, end, ..."""
    at = {row: place for place, row in enumerate(rows.tolist())}
    found = []
    for kind, one in ((SHOWN, aligned), (USED, used_by(aligned)), (NAMED, named_by(aligned))):
        assert one.run.step is not None
        for result in range(*one.by_topic.offset[topic : topic + 2].tolist()):
            code = int(one.doc[result])
            spans = [] if kind == NAMED else [bound for span in spans_of(one, result) for bound in span]
            step = at[int(one.run.step[one.row[result]])]
            found.append((step, one.run.docs[code], int(one.doc_length[code]), kind, spans))
    yield from sorted(found, key=lambda place: (place[0], place[3]))


def plain_curve(curve: Curve, points: Sequence[Points | None]) -> dict[str, Any]:
    """A curve as the page draws it; a run without points has no line."""
    series: list[dict[str, Any]] = [
        {"x": [], "y": []}
        if one is None
        else {"x": list(map(float, one.at)), "y": numbers(np.array(one.values), 6)}
        for one in points
    ]
    return {
        "name": curve.name, "title": curve.title, "x": curve.axis.label, "y": curve.y_label,
        "logarithmic": curve.axis.logarithmic, "series": series,
    }  # fmt: skip


def of_trajectories(seen: Mapping[str, TrajectoryPages | None]) -> dict[str, Any]:
    """The page's part on all trajectories together: where needs were lost, and recall over efforts."""
    lost = {name: one.stages for name, one in seen.items() if one is not None and one.stages}
    efforts = [
        plain_curve(effort_curve(unit), [one and one.curves.get(unit) for one in seen.values()])
        | {"x": unit, "logarithmic": False}
        for unit in EFFORTS
        if any(one is not None and unit in one.curves for one in seen.values())
    ]
    return {
        "trajectories": [one is not None for one in seen.values()],
        "actions": ACTIONS,
        "stages": LOSSES,
        "losses": plain_table(stages_in(lost, Notices()).table) if lost else None,
        "efforts": efforts,
    }
