"""Measures as they are given: texts that name one or more, measures, or several of either."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from doxeval.core.errors import UsageError
from doxeval.core.grammar import split_names
from doxeval.core.values import is_several, quoted
from doxeval.measurement.base import Measure, Measures, measure_named


def listed_measures(measures: Any) -> list[str | Measure]:
    """The measures given: texts that name one or more, or measures; none if None is given."""
    several = is_several(measures)
    listed = [] if measures is None else list(measures) if several else [measures]
    for measure in listed:
        if not isinstance(measure, str | Measure):
            raise UsageError(f"expected a measure or its name, as in 'iP@5', found {quoted(measure)}")
    return listed if several else [measure for measure in listed if measure]


def measure_names(measures: Any, known: Collection[str] = ()) -> list[str]:
    """The measures given, by name: those in one text apart, unless that is one of the names known.

    >>> measure_names("AiP F(beta=1, alpha=0)@10"), measure_names(["AiP", "my own"], ["my own"])
    (['AiP', 'F(beta=1, alpha=0)@10'], ['AiP', 'my own'])
    """
    return [
        name
        for measure in listed_measures(measures)
        for name in (
            [measure.label]
            if isinstance(measure, Measure)
            else [measure]
            if measure in known
            else split_names(measure)
        )
    ]


def chosen_measures(given: Measures, navigation: str | None = None) -> list[Measure]:
    """Measures from texts that name one or more, or from measures; each label once.

    >>> chosen_measures(["iP@5 iR@5", measure_named("AiP"), "iP@5"])
    [<iP@5>, <iR@5>, <AiP>]
    """
    found: dict[str, Measure] = {}
    for asked in [given] if isinstance(given, str | Measure) else given:
        for measure in [asked] if isinstance(asked, Measure) else _measures_in(asked, navigation):
            known = found.setdefault(measure.label, measure)
            if known != measure:
                raise UsageError(
                    f"{measure.label!r} means both {known.canonical} and {measure.canonical}; "
                    "write the navigation model into one of them"
                )
    return list(found.values())


def _measures_in(text: str, navigation: str | None) -> list[Measure]:
    if not isinstance(text, str):
        raise UsageError(f"expected a measure or its name, as in 'iP@5', found {text!r}")
    return [measure_named(name, navigation) for name in split_names(text)]
