"""Measures and parameters chosen on some topics and reported on the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from doxeval.comparison.outcomes.cases import Cases, one_outcome
from doxeval.comparison.outcomes.resampled import Sampler
from doxeval.core.errors import UsageError, nearest
from doxeval.core.grammar import name_groups
from doxeval.core.phrases import percent
from doxeval.core.values import number_in
from doxeval.measurement.base import Measure, Measures
from doxeval.measurement.listed import listed_measures
from doxeval.scoring.scores import Scores, check_attribute
from doxeval.scoring.under_models import under_models

MOST_NAMED = 9
"""Most values of an attribute that a message names."""


@dataclass(frozen=True)
class Tried:
    """One setting of a measure on the topics where measures are chosen, and whether it was chosen."""

    group: str
    measure: str
    cases: int
    value: float | None
    chosen: bool


@dataclass(frozen=True)
class Choice:
    """The topics on which measures are chosen, in words and as a mask."""

    words: str
    topics: np.ndarray


def measure_groups(scores: Scores, measures: Measures, models: Sequence[str]) -> list[list[str]]:
    """The measures of the scores, those together that were listed as settings of one."""
    groups: list[list[str]] = []
    for text in listed_measures(measures):
        for names in [[text.label]] if isinstance(text, Measure) else _typed_groups(text, scores):
            labels = under_models(names, models) if len(models) > 1 else names
            groups.append([scores.measures[scores.position(label)] for label in labels])
    first = {label: group for group in reversed(range(len(groups))) for label in groups[group]}
    named = [
        [label for label in dict.fromkeys(group) if first[label] == at] for at, group in enumerate(groups)
    ]
    return [group for group in named if group] + [[one] for one in scores.measures if one not in first]


def _typed_groups(text: str, scores: Scores) -> list[list[str]]:
    return [[text]] if text in scores.measures else name_groups(text)


def chosen_topics(
    cases: Cases, attributes: Mapping[str, Mapping[str, str]], chosen_on: str | float, seed: int
) -> Choice:
    """The topics named by ``ATTRIBUTE=VALUE``, or a share of all topics drawn at random."""
    name, equals, value = str(chosen_on).partition("=")
    if not equals:
        return _share(cases, chosen_on, seed)
    check_attribute(name, attributes)
    told = [attributes.get(topic, {}).get(name, "") for topic in cases.topics]
    chosen = np.array([one == value for one in told], dtype=bool)
    if chosen.all():
        raise UsageError(f"all topics with an outcome have {name}={value}; none is left to report on")
    if not chosen.any():
        known = sorted(filter(None, set(told)))
        have = f"they have {', '.join(known[:MOST_NAMED])}" if known else "they have none"
        raise UsageError(f"no topic with an outcome has {name}={value}{nearest(value, known)} ({have})")
    return Choice(f"{name}={value}", chosen)


def _share(cases: Cases, chosen_on: str | float, seed: int) -> Choice:
    share = number_in(str(chosen_on))
    if share is None or not 0 < share < 1:
        raise UsageError(
            "expected ATTRIBUTE=VALUE or a share between 0 and 1 as --chosen-on (chosen_on), found "
            f"{chosen_on!r}"
        )
    number = round(share * len(cases.topics))
    chosen = np.zeros(len(cases.topics), dtype=bool)
    chosen[np.random.default_rng([seed, 8]).permutation(len(chosen))[:number]] = True
    return Choice(f"{percent(share)} of the topics at random (seed {seed})", chosen)


def tried(cases: Cases, groups: Sequence[Sequence[str]]) -> list[Tried]:
    """The value of every setting on the cases where measures are chosen; the best of each group is chosen."""
    sampler = Sampler(cases, 0, 0)
    found = []
    for group in groups:
        values = [_value(sampler, cases.measures.index(label)) for label in group]
        best = max(range(len(group)), key=lambda at: -1.0 if values[at] is None else float(values[at] or 0))
        if values[best] is None:
            raise UsageError(
                f"{group[best]} cannot be chosen: where measures are chosen, the cases for which it has a "
                "value have one outcome only"
            )
        for at, label in enumerate(group):
            defined = int(cases.defined[cases.measures.index(label)].sum())
            found.append(Tried(" ".join(group), label, defined, values[at], at == best))
    return found


def _value(sampler: Sampler, measure: int) -> float | None:
    """A measure's concordance where it is defined; None if outcomes do not differ there."""
    kept = sampler.cases.defined[measure]
    return None if one_outcome(sampler.cases.where(kept)) else sampler.sample(measure, kept).value
