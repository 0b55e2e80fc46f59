"""Scores from a store, selected by run, measure, topic and origin."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from doxeval.core.errors import UsageError, nearest
from doxeval.core.strings import natural_key
from doxeval.measurement.meaning import meaning_of
from doxeval.scoring.scores import RunScores, Scores
from doxeval.scoring.store.store import COLUMNS, IDENTITY, part_files, read_part

if TYPE_CHECKING:
    import polars

ORIGIN = ("model", "files", *IDENTITY)
KEY = ("run", "topic", "measure")


def select(
    folder: str | Path,
    runs: Sequence[str] = (),
    measures: Sequence[str] = (),
    topics: Sequence[str] = (),
    where: Sequence[str] = (),
) -> polars.DataFrame:
    """The matching rows of a store, each once; by default everything."""
    import polars as pl

    frame = (
        pl.concat([read_part(path) for path in part_files(folder)])
        .select(COLUMNS)
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
    import polars as pl

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


def origins_text(frame: polars.DataFrame) -> str:
    """The origins of the scores, one per line: with the number of runs, measures and values."""
    import polars as pl

    columns = [name for name in ORIGIN if name != "run_content"]
    counts = frame.group_by(columns, maintain_order=True).agg(
        pl.col("run").n_unique().alias("runs"),
        pl.col("measure").n_unique().alias("measures"),
        pl.len().alias("values"),
    )
    lines = []
    for row in counts.iter_rows(named=True):
        told = ", ".join(f"{row[name]:,} {name}" for name in ("runs", "measures", "values"))
        origin = ", ".join(f"{name} {row[name]}" for name in columns if row[name])
        lines.append(f"{told}: {origin}\n")
    return "".join(lines)
