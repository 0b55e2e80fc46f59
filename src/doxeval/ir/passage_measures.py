"""Our measures as objects of ir_measures: called, cut off, printed, parsed and compared as theirs are."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import ir_measures
import numpy as np

import doxeval
from doxeval import UsageError
from doxeval.core.grammar import NUMBER, Call, Expression, Value, parse_measure, show
from doxeval.extend import MEASURES, DocumentMeasure, Measure, Parameter, mean

TYPES = {"number": (int, float), "integer": int, "flag": bool}
CUTOFF_INFO = ir_measures.ParamInfo(
    dtype=(int, str, float), desc="results, or text ('2000c', '300w', '1000t'), or a recall point (0.01)"
)
POINT = ir_measures.ParamInfo(dtype=float, desc="recall point, if there is also a cut-off in text")


class PassageMeasure(ir_measures.Measure):
    """A measure of doxeval under the grammar of ir_measures.

    ``iR@5`` looks at five results, ``iR@'2000c'`` at 2,000 characters, ``iP@0.01`` (in Python also
    ``iP[0.01]``) at a recall point. It prints as it is written shortest, so that two are equal when they mean
    the same.
    """

    NAME: str
    kind: ClassVar[type[Measure]]
    of_doxeval: ClassVar[bool] = True
    DEFAULT = float("nan")

    def __init__(self, **params: Any) -> None:
        if isinstance(params.get("cutoff"), float):
            params["point"] = params.pop("cutoff")
        super().__init__(**params)

    def __getitem__(self, key: str | float) -> Any:
        return self(point=float(key)) if isinstance(key, int | float) else super().__getitem__(key)

    @cached_property
    def bound(self) -> Measure:
        """The measure with its parameters checked; an error that says what is wrong with them."""
        return doxeval.measure(str(expression_of(self)))

    def validate_params(self) -> None:
        """Checked, as ir_measures requires before anything is computed."""
        assert self.bound

    def __repr__(self) -> str:
        try:
            params = params_of(self.bound)
        except UsageError:
            params = dict(self.params)
        at = params.pop("cutoff", None) or params.pop("point", None)
        inside = ",".join(f"{key}={value!r}" for key, value in params.items())
        return self.NAME + (f"({inside})" if inside else "") + ("" if at is None else f"@{at!r}")

    def aggregator(self) -> MeanOfDefined:
        """The mean as doxeval has it, of counts the sum; topics with nothing relevant are left out."""
        return MeanOfDefined(self.bound.summed)


class MeanOfDefined(ir_measures.MeanAgg):
    """The mean, or the sum, of the values that are defined."""

    def __init__(self, summed: bool) -> None:
        super().__init__()
        self.summed = summed
        self.values: list[float] = []

    def add(self, value: float) -> None:
        """Take one topic's value."""
        self.values.append(value)

    def result(self) -> float:
        """NaN if no topic has a value."""
        values = np.array(self.values)
        defined = values[~np.isnan(values)]
        return float(defined.sum()) if self.summed and len(defined) else mean(values)


def offer(name: str) -> PassageMeasure | None:
    """The measure of that name, made known to ir_measures; None where there is none, or it has its own."""
    known = ir_measures.measures.registry.get(name)
    if known is not None:
        return known if isinstance(known, PassageMeasure) else None
    kind = MEASURES.find(name)
    if kind is None:
        return None
    params = {parameter.name: _param_info(parameter) for parameter in kind.parameters}
    params |= {"point": POINT} if kind.point != "none" else {}
    params |= {"cutoff": CUTOFF_INFO} if kind.cutoff != "none" or kind.point != "none" else {}
    made = type(
        f"_{kind.name}",
        (PassageMeasure,),
        {
            "__name__": kind.name, "NAME": kind.name, "PRETTY_NAME": kind.name, "SHORT_DESC": kind.user,
            "__doc__": kind.__doc__, "SUPPORTED_PARAMS": params, "kind": kind,
        },
    )()  # fmt: skip
    free = [alias for alias in kind.aliases if alias not in ir_measures.measures.registry]
    ir_measures.measures.register(made, free, kind.name)
    return made


def measure(text: str | Measure) -> Any:
    """A measure typed in our grammar, as one of ir_measures.

    >>> measure("iP[0.01]"), measure("iR@2000c"), measure("ESRP(nav=readon(mean=200))@10")
    (iP@0.01, iR@'2000c', ESRP(nav='readon(mean=200)')@10)
    """
    meant = doxeval.measure(text)
    if isinstance(meant, DocumentMeasure):
        return meant.measure
    if (ours := offer(meant.name)) is None:
        raise UsageError(f"ir_measures has its own {meant.name}, which is not that of doxeval")
    return ours(**params_of(meant))


def params_of(meant: Measure) -> dict[str, Any]:
    """The parameters for ir_measures with which a measure is written shortest."""
    given = {key: _literal(value) for key, value in meant.call.arguments}
    point, cutoff = meant.expression.point, meant.expression.cutoff
    given |= {} if point is None else {"point": float(point)}
    if cutoff is not None:
        given["cutoff"] = cutoff.amount if cutoff.unit == "ranks" else str(cutoff).removeprefix("@")
    return given


def expression_of(asked: Any) -> Expression:
    """A measure of ir_measures, ours or theirs, in our grammar."""
    given = {key: _value(value) for key, value in asked.params.items() if value is not None}
    point = given.pop("point" if isinstance(asked, PassageMeasure) else "recall", None)
    cutoff = given.pop("cutoff", None)
    where = None if cutoff is None else parse_measure(f"{asked.NAME}@{show(cutoff)}").cutoff
    recall = point if isinstance(point, Fraction) else None
    return Expression(Call(asked.NAME, tuple(given.items())), recall, where)


def _param_info(parameter: Parameter) -> Any:
    return ir_measures.ParamInfo(
        dtype=TYPES.get(parameter.kind, str), default=_literal(parameter.default), desc=parameter.help
    )


def _value(value: Any) -> Value:
    """A parameter's value in our grammar; gains (a dict) as they are typed."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{key}:{gain}" for key, gain in value.items()) + "}"
    if isinstance(value, bool) or (isinstance(value, str) and not NUMBER.fullmatch(value)):
        return value
    return Fraction(str(value))


def _literal(value: Any) -> Any:
    """A value of ours as Python writes it; what is below zero as text, since theirs has no sign."""
    if isinstance(value, Fraction):
        number = int(value) if value.denominator == 1 else float(value)
        return str(number) if number < 0 else number
    return str(value) if isinstance(value, Call) else value
