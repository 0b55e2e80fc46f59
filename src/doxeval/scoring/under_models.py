"""Measures under several navigation models: every measure that names none is repeated for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from doxeval.core.grammar import Call, Expression, Value, parse_call, parse_measure
from doxeval.measurement.base import measure_named


def under_models(measures: Sequence[str], models: Sequence[str]) -> list[str]:
    """Every measure that takes a navigation model and names none, under each of the models.

    >>> under_models(["AiP"], ["none", "hierarchical"])
    ['AiP']
    """
    found: dict[str, None] = {}
    for text in measures:
        if measure_named(text).takes_navigation:
            found |= dict.fromkeys(with_model(text, model) for model in models)
        else:
            found[text] = None
    return list(found)


def with_model(text: str, model: str) -> str:
    """A measure, or the one of which it is the mean, with a navigation model added to it.

    >>> with_model("Mean(of=SRP)@5", "none")
    'Mean(of=SRP(nav=none))@5'
    """
    typed, nav = parse_measure(text), ("nav", parse_call(model.strip()))
    of = dict(typed.call.arguments).get("of")
    if of is None:
        return with_argument(text, *nav)
    inner = of if isinstance(of, Call) else Call(str(of))
    call = Call(typed.call.name, (("of", Call(inner.name, (*inner.arguments, nav))),))
    return str(replace(typed, call=call))


def with_argument(text: str, key: str, value: Value) -> str:
    """A measure with one more argument.

    >>> with_argument("SRiP[0.01]", "mode", "trees")
    'SRiP(mode=trees)[0.01]'
    """
    typed = parse_measure(text)
    call = Call(typed.call.name, (*typed.call.arguments, (key, value)))
    return str(Expression(call, typed.point, typed.cutoff))
