"""Measures under several navigation models: every measure that names none is repeated for each."""

from __future__ import annotations

from collections.abc import Sequence

from doxeval.core.grammar import Call, Expression, Value, parse_call, parse_measure
from doxeval.measurement.base import measure_named


def under_models(measures: Sequence[str], models: Sequence[str]) -> list[str]:
    """Every measure that takes a navigation model and names none, under each of the models.

    >>> under_models(["AiP"], ["none", "hierarchical"])
    ['AiP']
    """
    found: dict[str, None] = {}
    for text in measures:
        if takes_model(text):
            found |= dict.fromkeys(with_model(text, model) for model in models)
        else:
            found[text] = None
    return list(found)


def takes_model(text: str) -> bool:
    """Whether a measure, as typed, takes a navigation model and names none."""
    measure = measure_named(text)
    return hasattr(measure.given, "nav") and not measure.names_navigation


def with_model(text: str, model: str) -> str:
    """A measure with a navigation model added to it."""
    return with_argument(text, "nav", parse_call(model.strip()))


def with_argument(text: str, key: str, value: Value) -> str:
    """A measure with one more argument.

    >>> with_argument("SRiP[0.01]", "mode", "trees")
    'SRiP(mode=trees)[0.01]'
    """
    typed = parse_measure(text)
    call = Call(typed.call.name, (*typed.call.arguments, (key, value)))
    return str(Expression(call, typed.point, typed.cutoff))
