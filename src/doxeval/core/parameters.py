"""Typed parameters of measures and navigation models: declared once, checked, explained."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

from doxeval.core.errors import UsageError, nearest
from doxeval.core.grammar import Call, Value, parse_call, show

FINEST_STEP = 10**6
"""Numbers have at most six decimals, so that products with text lengths stay exact in 64 bits."""


@dataclass(frozen=True)
class Parameter:
    """One parameter: its kind is `number`, `integer`, `flag`, `choice`, `text` or `call`.

    A `call` is itself a name with parameters, such as a document score or a navigation model.
    """

    name: str
    kind: str
    default: Any
    help: str
    low: Fraction | int | None = None
    high: Fraction | int | None = None
    choices: tuple[str, ...] = ()

    def check(self, value: Value, where: str) -> Any:
        """The value in its proper type, or an error that says what is allowed."""
        if self.kind == "call" and isinstance(value, str):
            value = parse_call(value, where)
        fits = {
            "number": isinstance(value, Fraction),
            "integer": isinstance(value, Fraction) and value.denominator == 1,
            "flag": isinstance(value, bool),
            "choice": isinstance(value, str) and value in self.choices,
            "text": isinstance(value, str),
            "call": isinstance(value, Call),
        }[self.kind]
        if isinstance(value, Fraction) and not isinstance(value, bool):
            fits &= self.low is None or value >= self.low
            fits &= self.high is None or value <= self.high
            fits &= FINEST_STEP % value.denominator == 0
        if not fits:
            hint = nearest(show(value), self.choices) if self.choices else ""
            raise UsageError(f"{where!r}: {self.name} is {self.allowed}, not {show(value)}{hint}")
        return int(value) if self.kind == "integer" else value  # type: ignore[arg-type]

    @property
    def allowed(self) -> str:
        """What may be given, in words."""
        if self.kind == "choice":
            return "one of " + ", ".join(self.choices)
        bounds = []
        if self.low is not None:
            bounds.append(f"at least {show(Fraction(self.low))}")
        if self.high is not None:
            bounds.append(f"at most {show(Fraction(self.high))}")
        kinds = {"number": "a number with at most 6 decimals", "integer": "a whole number"}
        kinds |= {"flag": "true or false", "text": "a text", "call": "a name, with parameters if need be"}
        return " ".join([kinds[self.kind], " and ".join(bounds)]).strip()


def bind(parameters: tuple[Parameter, ...], call: Call, where: str) -> SimpleNamespace:
    """The values of all parameters: those given, checked, and defaults for the rest."""
    values = {parameter.name: parameter.default for parameter in parameters}
    known = {parameter.name: parameter for parameter in parameters}
    values |= {
        name: known[name].check(value, where) for name, value in keyed(parameters, call, where).items()
    }
    return SimpleNamespace(**values)


def keyed(parameters: tuple[Parameter, ...], call: Call, where: str) -> dict[str, Value]:
    """The arguments of a call by parameter; those without a key go to the parameters in order."""
    known = [parameter.name for parameter in parameters]
    in_order = iter(known)
    given: dict[str, Value] = {}
    for key, value in call.arguments:
        name = key or next(in_order, "")
        if name not in known:
            offered = f" (it has: {', '.join(known)})" if known else " (it has none)"
            raise UsageError(
                f"{where!r}: {call.name} has no parameter {key or show(value)!r}"
                f"{nearest(key, known)}{offered}"
            )
        if name in given:
            raise UsageError(f"{where!r}: {call.name} is given {name} twice")
        given[name] = value
    return given
