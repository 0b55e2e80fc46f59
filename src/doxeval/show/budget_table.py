"""The amount of reading that each run needs to reach a recall, from the scores of the measure Reach."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.options import ScoringOptions
from doxeval.core.records import csv_text
from doxeval.core.table import Table
from doxeval.core.units import OF_TEXT, UNITS
from doxeval.core.values import is_several
from doxeval.scoring.scores import RunScores, Scores
from doxeval.tables.places import CHARACTERS, LINES

if TYPE_CHECKING:
    from doxeval.ground.ground import Ground

NEVER_REACHED = "never"
RECALLS = ("0.25", "0.5", "0.75", "0.9")


class Budget(Table):
    """How much of runs must be read to reach recalls: a table, also as csv."""

    def rendered(self, format: str = "table") -> bytes:
        """The table as text: `table`, `csv`, `md`, `latex` or `html`."""
        return csv_text(self.rows).encode() if format == "csv" else super().rendered(format)


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

    Amounts are in results and characters, with the text of documents also in words, and with a tokenizer in
    tokens. Runs, assessments, documents and options are those of :func:`doxeval.evaluate`.

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
    offered |= {CHARACTERS: text, LINES: False} | {ground.unit: True}
    return ["results", *(name for name in OF_TEXT if offered[name])]


def budget_table(scores: Scores, recalls: Sequence[str], units: Sequence[str], per_topic: bool) -> Budget:
    """One row per run and recall (and topic): how many topics reach it, and after how much, in each unit.

    Means are over the topics that reach the recall; a system that gives up early would otherwise look quick.
    """
    body = []
    for run in scores.runs:
        for recall in recalls:
            found = np.array(
                [run.values[scores.measures.index(reach_measure(recall, unit))] for unit in units]
            )
            if per_topic:
                for at in np.flatnonzero(run.counted & ~np.isnan(found[0])):
                    reached = "yes" if np.isfinite(found[0, at]) else "no"
                    cells = [amount(value) for value in found[:, at]]
                    body.append([run.name, scores.topics[at], recall, reached, *cells])
            body.append([run.name, *(["all"] if per_topic else []), recall, *_mean_cells(run, found)])
    header = ["run", *(["topic"] if per_topic else []), "recall", "reached", *units]
    note = "amounts are means over the topics that reach the recall; repeated text counts again"
    return Budget(header, body, 2 if per_topic else 1, [note], notices=scores.notices)


def _mean_cells(run: RunScores, found: np.ndarray) -> list[str]:
    defined = run.counted & ~np.isnan(found[0])
    reached = defined & np.isfinite(found[0])
    means = found[:, reached].mean(axis=1) if reached.any() else np.full(len(found), np.inf)
    return [f"{reached.sum()} of {defined.sum()}", *map(amount, means)]


def amount(value: float) -> str:
    """An amount of reading as the table shows it: a whole number, or one decimal.

    >>> amount(1200.0), amount(3.25), amount(float("inf"))
    ('1200', '3.2', 'never')
    """
    if not np.isfinite(value):
        return NEVER_REACHED
    return str(int(value)) if value == int(value) else f"{value:.1f}"
