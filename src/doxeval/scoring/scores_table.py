"""Scores as a table for people."""

from __future__ import annotations

import numpy as np

from doxeval.core.table import Table, shown
from doxeval.scoring.scores import Scores

WIDEST = 120


def scores_table(scores: Scores, per_topic: bool = False) -> Table:
    """A row a run, or a run and topic with the mean last; a row a measure where that would be too wide."""
    body = []
    for run in scores.runs:
        means = [
            shown(scores.overall(measure, values))
            for measure, values in zip(scores.measures, run.values, strict=True)
        ]
        if per_topic:
            for at in np.flatnonzero(run.counted):
                body.append(
                    [run.name, scores.topics[at], *(shown(value) for value in run.values[:, at].tolist())]
                )
            body.append([run.name, "all", *means])
        else:
            body.append([run.name, *means])
    header = ["run", *(["topic"] if per_topic else []), *scores.measures]
    table = Table(header, body, 2 if per_topic else 1, footer(scores))
    too_wide = table.width > WIDEST and len(scores.measures) > len(scores.runs)
    return table.turned() if too_wide and not per_topic else table


def footer(scores: Scores) -> list[str]:
    """What a reader of the table must know: topics averaged, topics undefined, text nobody has judged."""
    if not scores.runs:
        return []
    counted = [int(run.counted.sum()) for run in scores.runs]
    undefined = max(int(np.isnan(run.values[:, run.counted]).all(axis=0).sum()) for run in scores.runs)
    low, high = min(counted) - undefined, max(counted) - undefined
    lines = [f"mean over {low if low == high else f'{low} to {high}'} topic{'' if high == 1 else 's'}"]
    if undefined:
        lines[0] += f"; {undefined} more have no value: nothing relevant, or less than asked for"
    if scores.summed:
        lines[0] += f"; {', '.join(name for name in scores.measures if name in scores.summed)}: summed"
    unjudged, results = (sum(getattr(run, name) for run in scores.runs) for name in ("unjudged", "results"))
    if unjudged:
        share = f"{100 * unjudged / results:.1f}%"
        lines.append(
            f"{share} of the results are in documents nobody judged for the topic; they count as irrelevant"
        )
    return [*lines, *map(str, scores.notices.lasting)]
