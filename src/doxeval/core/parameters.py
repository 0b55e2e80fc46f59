"""Typed parameters of measures and navigation models: declared, checked, explained, compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, Protocol

from doxeval.core.errors import UsageError, nearest
from doxeval.core.grammar import Call, Value, parse_call, show
from doxeval.core.quick_class import dataclass
from doxeval.core.registry import Registry

PARAMETER_KINDS = {
    "number": "a number with at most 6 decimals",
    "levels": "a number, or all from one to another in steps of 0.05, as in 0.5..0.95,",
    "integer": "a whole number",
    "flag": "true or false",
    "choice": "one of some words",
    "text": "a text",
    "call": "a name, with parameters if needed",
}
"""The kinds of parameters, in words."""
FINEST_STEP = 10**6
"""Numbers have at most six decimals, so products with text lengths stay exact in 64 bits."""
STEP_OF_LEVELS = Fraction(1, 20)


@dataclass(frozen=True)
class Parameter:
    """One parameter: its kind is `number`, `levels`, `integer`, `flag`, `choice`, `text` or `call`.

    `levels` are one number or a range of them, see :func:`levels`. A `call` is itself a name with parameters,
    such as a document score or a navigation model: one of `choices`, a registry. `canonical` maps the
    spellings of a text to one of them. A parameter `in_characters` is an amount of text: a default must be
    given where text is counted in another unit. `in_grains` rewrites a text that names such amounts.
    """

    name: str
    kind: str
    default: Any
    help: str
    low: Fraction | int | None = None
    high: Fraction | int | None = None
    choices: tuple[str, ...] | Registry[Any] = ()
    canonical: Callable[[str], str] = str
    in_characters: bool = False
    in_grains: Callable[[str, int | Fraction], str] | None = None

    def __post_init__(self) -> None:
        if self.kind not in PARAMETER_KINDS:
            known = ", ".join(f"{kind!r} ({said})" for kind, said in PARAMETER_KINDS.items())
            raise UsageError(
                f"the kind of the parameter {self.name!r} must be one of {known}, not {self.kind!r}"
            )

    def check(self, value: Value, where: str) -> Any:
        """The value in its proper type, or an error that says what is allowed."""
        if self.kind == "call" and isinstance(value, str):
            value = parse_call(value, where)
        if self.kind == "levels" and isinstance(value, str):
            return self._range_of_levels(value, where)
        fits = {
            "number": isinstance(value, Fraction),
            "levels": isinstance(value, Fraction),
            "integer": isinstance(value, Fraction) and value.denominator == 1,
            "flag": isinstance(value, bool),
            "choice": isinstance(value, str) and self.kind == "choice" and value in self.choices,
            "text": isinstance(value, str),
            "call": isinstance(value, Call),
        }[self.kind]
        if isinstance(value, Fraction) and not isinstance(value, bool):
            fits &= self.low is None or value >= self.low
            fits &= self.high is None or value <= self.high
            fits &= FINEST_STEP % value.denominator == 0
        if not fits:
            hint = nearest(show(value), self.choices) if self.kind == "choice" else ""
            raise UsageError(f"{where!r}: {self.name} must be {self.allowed}, not {show(value)}{hint}")
        return int(value) if self.kind == "integer" else self.in_one_form(value, where)  # type: ignore[arg-type]

    def _range_of_levels(self, text: str, where: str) -> str:
        """A range of numbers in its canonical form; an error if it is none."""
        bounds = [parse_call(f"_({part})", where).arguments for part in text.split("..")]
        ends = [argument[0][1] for argument in bounds if argument]
        numbers = [self.check(end, where) for end in ends if isinstance(end, Fraction)]
        if len(numbers) != 2 or numbers[0] >= numbers[1] or (numbers[1] - numbers[0]) % STEP_OF_LEVELS:
            raise UsageError(f"{where!r}: {self.name} must be {self.allowed}, not {text}")
        return "..".join(map(show, numbers))

    def in_one_form(self, value: Any, where: str) -> Any:
        """The canonical form of a value that can be typed in several ways."""
        if self.kind == "call" and isinstance(self.choices, Registry):
            return canonical_call(self.choices, value, where)
        return self.canonical(value) if self.kind == "text" and value is not None else value

    @property
    def allowed(self) -> str:
        """The allowed values, in words."""
        if self.kind == "choice":
            return "one of " + ", ".join(self.choices)
        bounds = []
        if self.low is not None:
            bounds.append(f"at least {show(Fraction(self.low))}")
        if self.high is not None:
            bounds.append(f"at most {show(Fraction(self.high))}")
        return " ".join([PARAMETER_KINDS[self.kind], " and ".join(bounds)]).strip()


def levels(value: Fraction | str) -> list[Fraction]:
    """The numbers that a parameter of the kind `levels` stands for.

    >>> levels(Fraction(1, 2)), [float(level) for level in levels("0.5..0.6")]
    ([Fraction(1, 2)], [0.5, 0.55, 0.6])
    """
    if isinstance(value, Fraction):
        return [value]
    low, high = map(Fraction, value.split(".."))
    return [low + step * STEP_OF_LEVELS for step in range(int((high - low) / STEP_OF_LEVELS) + 1)]


def choice(name: str, words: str, help: str) -> Parameter:
    """A parameter that is one of several words, by default the first."""
    choices = tuple(words.split())
    return Parameter(name, "choice", choices[0], help, choices=choices)


BETA = Parameter("beta", "number", Fraction(1), "how much more recall matters than precision", low=0)
"""The parameter of F, of results and of documents."""


def share(name: str, default: Fraction | int | None, help: str) -> Parameter:
    """A parameter that is a number from 0 to 1."""
    return Parameter(name, "number", default, help, low=0, high=1)


class Called(Protocol):
    """Anything with a name and parameters: a class of measures, navigation models or document scores."""

    name: str
    parameters: tuple[Parameter, ...]


def bind(parameters: tuple[Parameter, ...], call: Call, where: str) -> SimpleNamespace:
    """The values of all parameters: those given, checked, and defaults for the rest."""
    given = keyed(parameters, call, where)
    return SimpleNamespace(
        **{
            parameter.name: parameter.check(given[parameter.name], where)
            if parameter.name in given
            else parameter.in_one_form(parameter.default, where)
            for parameter in parameters
        }
    )


def canonical_call(registry: Registry[Any], call: Call, where: str) -> Call:
    """The shortest form of a call: its own name, no defaults, arguments by key in the order declared."""
    called: Called = registry.named(call.name, where)
    return meant(called, bind(called.parameters, call, where), where)


def meant(called: Called, given: SimpleNamespace, where: str) -> Call:
    """The shortest call with these values."""
    arguments = []
    for parameter in called.parameters:
        value = getattr(given, parameter.name)
        if value != parameter.in_one_form(parameter.default, where):
            arguments.append((parameter.name, Fraction(value) if type(value) is int else value))
    return Call(called.name, tuple(arguments))


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
            raise UsageError(f"{where!r}: {name} of {call.name} is given twice")
        given[name] = value
    return given


def call_in_grains(called: Called, call: Call, grain: int | Fraction, where: str) -> Call:
    """A call in which amounts of text are numbers of grains, of which a unit has `grain`."""
    known = {parameter.name: parameter for parameter in called.parameters}
    arguments: list[tuple[str, Value]] = []
    for name, value in keyed(called.parameters, call, where).items():
        parameter = known[name]
        if parameter.in_characters and isinstance(value, Fraction):
            value = value * grain
        elif parameter.kind == "call" and isinstance(parameter.choices, Registry):
            inner = parse_call(value, where) if isinstance(value, str) else value
            assert isinstance(inner, Call)
            value = call_in_grains(parameter.choices.named(inner.name, where), inner, grain, where)
        elif parameter.in_grains is not None and isinstance(value, str):
            value = parameter.in_grains(value, grain)
        arguments.append((name, value))
    return Call(call.name, tuple(arguments))


def unstated_sizes(
    called: Called, call: Call, where: str, told: frozenset[str] = frozenset()
) -> Iterator[str]:
    """The parameters that would take a default in characters, here or in what the parameters name.

    What is `told` further out is passed on to parameters of the same name.
    """
    given = keyed(called.parameters, call, where)
    told |= given.keys()
    for parameter in called.parameters:
        if parameter.in_characters and parameter.default is not None and parameter.name not in told:
            yield f"{parameter.name} of {called.name}"
        value = given.get(parameter.name, parameter.default)
        if parameter.kind == "call" and isinstance(parameter.choices, Registry) and value is not None:
            inner = parse_call(value, where) if isinstance(value, str) else value
            yield from unstated_sizes(parameter.choices.named(inner.name, where), inner, where, told)
