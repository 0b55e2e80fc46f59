"""Scores from a store, selected by run, measure, topic and origin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from doxeval.core.errors import UsageError, nearest
from doxeval.core.notices import Notices
from doxeval.core.records import Records
from doxeval.core.strings import natural_key
from doxeval.core.table import Table
from doxeval.measurement.base import Measures
from doxeval.measurement.listed import measure_names
from doxeval.measurement.meaning import meaning_of
from doxeval.scoring.scores import RunScores, Scores
from doxeval.scoring.store.parts import IDENTITY, PART_COLUMNS, part_files, read_part

if TYPE_CHECKING:
    import polars

ORIGIN = ("model", "files", *IDENTITY)
KEY = ("run", "topic", "measure")
COUNTED = ("runs", "measures", "values")


def scores(
    store: str | Path,
    measures: Measures = (),
    *,
    run_names: str | Sequence[str] = (),
    topic_names: str | Sequence[str] = (),
    where: str | Sequence[str] = (),
) -> Scores:
    """The scores in a store, a folder that :func:`doxeval.evaluate` has filled (`store=`).

    Only those of some `measures`, of runs and topics with these names or patterns, and `where` a column
    (model, qrels, documents, options, version, ...) begins with a text, as in ``model=readon``. It is an
    error if a run has two values for a measure, from different inputs; :func:`doxeval.origins` lists these.
    """
    return scores_of(
        select(store, _texts(run_names), measure_names(measures), _texts(topic_names), _texts(where))
    )


def origins(
    store: str | Path,
    measures: Measures = (),
    *,
    run_names: str | Sequence[str] = (),
    topic_names: str | Sequence[str] = (),
    where: str | Sequence[str] = (),
) -> Origins:
    """The inputs that the scores in a store were computed from, selected as by :func:`doxeval.scores`."""
    frame = select(store, _texts(run_names), measure_names(measures), _texts(topic_names), _texts(where))
    return Origins(origin_rows(frame))


@dataclass(eq=False, repr=False)
class Origins(Records):
    """The inputs of stored scores, with the number of runs, measures and values computed from each."""

    found: list[dict[str, Any]]
    notices: Notices = field(default_factory=Notices)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A row per set of inputs."""
        return self.found

    @property
    def lines(self) -> list[str]:
        """A line per set of inputs."""
        return [
            f"{', '.join(f'{row[name]:,} {name}' for name in COUNTED)}: "
            + ", ".join(f"{name} {value}" for name, value in row.items() if value and name not in COUNTED)
            for row in self.found
        ]

    @property
    def table(self) -> Table:
        """A row per set of inputs."""
        names = list(self.found[0])
        return Table(names, [[str(row[name] or "") for name in names] for row in self.found], len(names))

    @property
    def listing(self) -> str:
        """A line per set of inputs, as the command line prints them."""
        return "\n".join(self.lines)


def _texts(given: str | Sequence[str]) -> Sequence[str]:
    """One text or several, as several."""
    return [given] if isinstance(given, str) else given


def select(
    folder: str | Path,
    runs: Sequence[str] = (),
    measures: Sequence[str] = (),
    topics: Sequence[str] = (),
    where: Sequence[str] = (),
) -> polars.DataFrame:
    """The matching rows of a store, each once; by default everything."""
    from doxeval.core.polars_here import polars as pl

    frame = (
        pl.concat([read_part(path) for path in part_files(folder)])
        .select(PART_COLUMNS)
        .unique(maintain_order=True)
    )
    if measures:
        frame = _by_measures(frame, measures)
    for column, wanted in (("run", runs), ("topic", topics)):
        if wanted:
            frame = frame.filter(
                pl.col(column).is_in(_matching(frame[column].unique().to_list(), wanted, column))
            )
    for condition in where:
        column, equals, text = condition.partition("=")
        if not equals or column not in ORIGIN:
            raise UsageError(
                f"--where {condition}: expected COLUMN=TEXT, the column one of {', '.join(ORIGIN)}"
            )
        frame = frame.filter(pl.col(column).str.starts_with(text))
    if frame.is_empty():
        raise UsageError(f"{folder}: no scores match; 'doxeval scores {folder} --list' shows what there is")
    return frame.with_columns(pl.col("measure").first().over("canonical"))


def _by_measures(frame: polars.DataFrame, wanted: Sequence[str]) -> polars.DataFrame:
    """The rows of measures with one of the names, or the same meaning."""
    from doxeval.core.polars_here import polars as pl

    labels, meant = (frame[column].unique().to_list() for column in ("measure", "canonical"))
    spelled = [name if _fitting(labels, name) else meaning_of(name).canonical for name in wanted]
    found = _matching([*labels, *meant], spelled, "measure")
    return frame.filter(pl.col("measure").is_in(found) | pl.col("canonical").is_in(found))


def _fitting(names: Sequence[str], pattern: str) -> set[str]:
    """The names equal to or matching a pattern; `[` is literal, as names of measures have it."""
    return {name for name in names if name == pattern or fnmatchcase(name, pattern.replace("[", "[[]"))}


def _matching(names: list[str], patterns: Sequence[str], what: str) -> list[str]:
    """The names equal to or matching one of the patterns."""
    found: set[str] = set()
    for pattern in patterns:
        fits = _fitting(names, pattern)
        if not fits:
            raise UsageError(f"the store has no {what} {pattern!r}{nearest(pattern, names)}")
        found |= fits
    return sorted(found)


def scores_of(frame: polars.DataFrame) -> Scores:
    """Rows as scores; an error if a run has two values for a measure, from different inputs."""
    _check_unambiguous(frame)
    topics = sorted(frame["topic"].unique().to_list(), key=natural_key)
    measures = frame["measure"].unique(maintain_order=True).to_list()
    column = {topic: at for at, topic in enumerate(topics)}
    line = {measure: at for at, measure in enumerate(measures)}
    parts = []
    for run in sorted(frame["run"].unique().to_list(), key=natural_key):
        rows = frame.filter(frame["run"] == run)
        at = [column[topic] for topic in rows["topic"]]
        values = np.full((len(measures), len(topics)), np.nan)
        values[[line[measure] for measure in rows["measure"]], at] = (
            rows["value"].fill_null(float("nan")).to_numpy()
        )
        counted = np.zeros(len(topics), dtype=bool)
        counted[at] = True
        parts.append(RunScores(run, values, counted, int(rows["results"][0]), int(rows["unjudged"][0])))
    return Scores(measures, topics, parts)


def _check_unambiguous(frame: polars.DataFrame) -> None:
    twice = frame.filter(frame.select(KEY).is_duplicated())
    if twice.is_empty():
        return
    first = twice.select(KEY).row(0)
    same = twice.filter(
        (twice["run"] == first[0]) & (twice["topic"] == first[1]) & (twice["measure"] == first[2])
    )
    differ = [name for name in ORIGIN if same[name].n_unique() > 1]
    choices = "; ".join(
        f"--where {name}={text}" for name in differ[:1] for text in same[name].unique().sort()
    )
    raise UsageError(
        f"{first[0]} has {len(same)} values of {first[2]}, which differ in {', '.join(differ)}; "
        f"choose: {choices}"
    )


def origin_rows(frame: polars.DataFrame) -> list[dict[str, Any]]:
    """The origins of the scores: the number of runs, measures and values of each, and what identifies it."""
    from doxeval.core.polars_here import polars as pl

    columns = [name for name in ORIGIN if name != "run_content"]
    counts = frame.group_by(columns, maintain_order=True).agg(
        pl.col("run").n_unique().alias("runs"),
        pl.col("measure").n_unique().alias("measures"),
        pl.len().alias("values"),
    )
    return counts.select(*COUNTED, *columns).to_dicts()
