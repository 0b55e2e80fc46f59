"""What the parts of the study of outcomes share: tables in Markdown, measures of files, and verdicts."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

import doxeval as dx
from doxeval.core.phrases import counted


def scored(runs: Any, assessments: Any, measures: str, documents: Any = None) -> dx.Scores:
    """The scores of runs, without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        return dx.evaluate(runs, assessments, measures, documents)


def scored_with_files(runs: Any, assessments: Any, measures: str, of_files: str) -> dx.Scores:
    """The scores of runs by measures of text, and by one of whole files, which is called `... of files`."""
    text = scored(runs, assessments, measures)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        files = dx.evaluate(runs, assessments, of_files, level="file")
    assert text.topics == files.topics and text.names == files.names
    return with_column(text, f"{of_files} of files", [run.values[0] for run in files.runs])


def with_column(scores: dx.Scores, name: str, values: list[np.ndarray]) -> dx.Scores:
    """Scores with another column: its values for each run and topic."""
    runs = [
        replace(run, values=np.vstack([run.values, column]))
        for run, column in zip(scores.runs, values, strict=True)
    ]
    return replace(scores, measures=[*scores.measures, name], runs=runs, origin=None)


def only(scores: dx.Scores, names: list[str]) -> dx.Scores:
    """Scores with some of their columns, by name."""
    at = [scores.measures.index(name) for name in names]
    runs = [replace(run, values=run.values[at]) for run in scores.runs]
    return replace(scores, measures=names, runs=runs, origin=None)


def table(result: dx.OutcomeCorrelation, name: str) -> str:
    """One table of a result in Markdown, without what is printed below it."""
    found = getattr(result, name)
    return replace(found, footer=[], title="", notices=dx.Notices()).markdown().rstrip() + "\n"


def verdict(number: str, confirmed: bool, refuted: bool) -> str:
    """What the plan says of a hypothesis."""
    return f"hypothesis {number}: {'confirmed' if confirmed else 'refuted' if refuted else 'not decided'}"


def above_half(number: str, found: dx.OutcomeCorrelation, measure: str) -> str:
    """The verdict on a measure that is to predict at all."""
    low = found.at(measure).low
    return verdict(number, low is not None and low > 0.5, not (low or 0) > 0.5)


def better_than(number: str, found: dx.OutcomeCorrelation, measure: str, other: str) -> str:
    """The verdict on a measure that is to predict better than another."""
    one = next(one for one in found.differences if {one.measure, one.other} == {measure, other})
    better = (1 if one.measure == measure else -1) * (one.difference or 0)
    least = "" if one.least is None else f", least {one.least:.3f}"
    told = verdict(number, one.told_apart and better > 0, better <= 0)
    return f"{told} (difference {better:+.3f}{least})"


def confirmation(found: dx.OutcomeCorrelation, verdicts: list[str], outcome: str) -> str:
    """The cases, the tables and the verdicts of a part of the plan."""
    tables = [table(found, "measure_table"), table(found, "difference_table")]
    sizes = (counted(found.cases, "case"), counted(found.topics, "topic"), counted(len(found.runs), "run"))
    cases = f"{', '.join(sizes)}, {found.mean:.1%} {outcome}"
    return "\n".join([cases, "", *tables, *(f"- {one}" for one in verdicts), ""])
