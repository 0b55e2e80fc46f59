"""How much do rankings depend on the navigation model? Measures under several models, correlated."""

from __future__ import annotations

from collections.abc import Sequence

from doxeval.comparison.correlation import Correlation, correlate
from doxeval.core.errors import UsageError
from doxeval.core.grammar import Call, Expression, Value, parse_call, parse_measure
from doxeval.measurement.base import measure_named
from doxeval.scoring.scores import Scores


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
    """Whether a measure as typed still wants a navigation model."""
    measure = measure_named(text)
    return hasattr(measure.given, "nav") and "nav" not in dict(measure.expression.call.arguments)


def with_model(text: str, model: str) -> str:
    """A measure with a navigation model written into it."""
    return with_argument(text, "nav", parse_call(model.strip()))


def with_argument(text: str, key: str, value: Value) -> str:
    """A measure with one more argument.

    >>> with_argument("SRiP[0.01]", "mode", "trees")
    'SRiP(mode=trees)[0.01]'
    """
    typed = parse_measure(text)
    call = Call(typed.call.name, (*typed.call.arguments, (key, value)))
    return str(Expression(call, typed.point, typed.cutoff))


def sensitivity(
    scores: Scores,
    measure: str,
    models: Sequence[str],
    coefficient: str = "tau",
    samples: int = 1000,
    seed: int = 0,
) -> Correlation:
    """How one measure's ranking under each model agrees with those under the others."""
    if not takes_model(measure):
        raise UsageError(f"{measure!r} takes no navigation model, or names one already")
    names = [with_model(measure, model) for model in models]
    return correlate(scores, coefficient, names, names, samples=samples, seed=seed)
