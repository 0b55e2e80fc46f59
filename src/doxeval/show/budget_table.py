"""The amount of reading that each run needs to reach a recall, from the scores of the measure Reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.options import ScoringOptions
from doxeval.core.records import csv_text, rendered
from doxeval.core.table import Table
from doxeval.core.units import OF_TEXT, UNITS
from doxeval.core.values import is_several
from doxeval.scoring.scores import Scores
from doxeval.tables.places import CHARACTERS, LINES

if TYPE_CHECKING:
    from doxeval.ground.ground import Ground

NEVER_REACHED = "never"
RECALLS = ("0.25", "0.5", "0.75", "0.9")


@dataclass(repr=False)
class Budget(Table):
    """How much of runs must be read to reach recalls: a table, also as csv and json.

    `amounts` are its rows with whole names and numbers that are not rounded, None where a recall is never
    reached.
    """

    amounts: Sequence[dict[str, Any]] = ()

    def rendered(self, format: str = "table") -> bytes:
        """The table as text: `table`, `csv`, `json`, `md`, `latex` or `html`."""
        if format == "json":
            return rendered(format, lambda: self.amounts, list)
        if format == "csv":
            named = [[one["run"], *row[1:]] for one, row in zip(self.amounts, self.body, strict=True)]
            return csv_text([self.header, *named]).encode()
        return super().rendered(format)


def reach_measure(recall: str, unit: str) -> str:
    """The measure shown in one cell."""
    return f"Reach(recall={recall},unit={unit})"


def budget(
    runs: Any,
    assessments: Any,
    documents: Any = None,
    *,
    recalls: Sequence[str | float] = RECALLS,
    per_topic: bool = False,
    **options: Unpack[ScoringOptions],
) -> Budget:
    """How much of each run must be read to see each of several shares of the relevant text, the `recalls`.

    Amounts are in results and characters (or lines, or seconds of recordings), with the text of documents
    also in words, and with a tokenizer in tokens. Runs, assessments, documents and options are those of
    :func:`doxeval.evaluate`.

    >>> answers = [{"topic": "t1", "doc": "d1", "start": 0, "end": 100}]
    >>> results = [{"topic": "t1", "doc": "d1", "rank": 1, "start": 50, "end": 150}]
    >>> print(budget({"mine": results}, answers, recalls=[0.25]).plain())
    run   recall  reached  results  characters
    mine    0.25   1 of 1        1          25
    amounts are means over the topics that reach the recall; repeated text counts again
    """
    from doxeval.scoring.evaluation import Evaluation

    shares = [str(recall) for recall in (recalls if is_several(recalls) else [recalls])]
    if not shares:
        raise UsageError("name at least one recall, as in recalls=[0.5]")
    units_for = partial(budget_units, tokenizer=options.get("tokenizer"))
    evaluation = Evaluation(
        assessments,
        lambda ground: [reach_measure(recall, unit) for recall in shares for unit in units_for(ground)],
        documents,
        **options,
    )
    return budget_table(evaluation.scores(runs), shares, units_for(evaluation.ground), per_topic)


def budget_units(ground: Ground, tokenizer: Any) -> list[str]:
    """The units in which reading can be counted, in addition to the one in which text is."""
    text = ground.documents is not None and ground.documents.text is not None
    has = {"": True, "text": text, "tokenizer": bool(tokenizer)}
    offered = {name: has[UNITS[name].needs] for name in OF_TEXT}
    offered |= {CHARACTERS: text, LINES: False} | {ground.unit: ground.unit in UNITS}
    return ["results", *(name for name, is_offered in offered.items() if is_offered)]


def budget_table(scores: Scores, recalls: Sequence[str], units: Sequence[str], per_topic: bool) -> Budget:
    """One row per run and recall (and topic): how many topics reach it, and after how much, in each unit.

    Means are over the topics that reach the recall; a system that gives up early would otherwise look quick.
    """
    body, amounts = [], []
    for run in scores.runs:
        label = scores.labels.of(run.name)
        for recall in recalls:
            found = np.array(
                [run.values[scores.measures.index(reach_measure(recall, unit))] for unit in units]
            )
            if per_topic:
                for at in np.flatnonzero(run.counted & ~np.isnan(found[0])):
                    reached = "yes" if np.isfinite(found[0, at]) else "no"
                    cells = [amount(value) for value in found[:, at]]
                    body.append([label, scores.topics[at], recall, reached, *cells])
                    amounts.append((run.name, scores.topics[at], float(recall), *_told(found[:, [at]])))
            counted = found[:, run.counted & ~np.isnan(found[0])]
            body.append([label, *(["all"] if per_topic else []), recall, *_mean_cells(counted)])
            amounts.append((run.name, "all", float(recall), *_told(counted)))
    header = ["run", *(["topic"] if per_topic else []), "recall", "reached", *units]
    footer = ["amounts are means over the topics that reach the recall; repeated text counts again"]
    footer += filter(None, [scores.labels.note])
    columns = "run", "topic", "recall", "reached", "topics", *units
    named = [dict(zip(columns, row, strict=True)) for row in amounts]
    return Budget(header, body, 2 if per_topic else 1, footer, notices=scores.notices, amounts=named)


def _mean_cells(found: np.ndarray) -> list[str]:
    reached, topics, *_ = _told(found)
    return [f"{reached} of {topics}", *map(amount, _means(found))]


def _means(found: np.ndarray) -> np.ndarray:
    """The mean amount of each unit over the topics that reach the recall; infinite if none does."""
    reached = np.isfinite(found[0])
    return found[:, reached].mean(axis=1) if reached.any() else np.full(len(found), np.inf)


def _told(found: np.ndarray) -> list[Any]:
    """How many topics reach the recall, of how many, and the means; None for what is never reached."""
    means = [float(mean) if np.isfinite(mean) else None for mean in _means(found)]
    return [int(np.isfinite(found[0]).sum()), found.shape[1], *means]


def amount(value: float) -> str:
    """An amount of reading as the table shows it: a whole number, or one decimal.

    >>> amount(1200.0), amount(3.25), amount(float("inf"))
    ('1200', '3.2', 'never')
    """
    if not np.isfinite(value):
        return NEVER_REACHED
    return str(int(value)) if value == int(value) else f"{value:.1f}"
