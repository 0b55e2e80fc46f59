"""What a measure is, and the registry of all of them.

A measure is a class decorated with :func:`register`, in the module of this folder that is called as the
measure is, in small letters (or in a package that announces itself under the entry point group
``doxeval.measures``). It declares whom it models and what it needs, and turns aligned results into one number
per topic; the command line, the documentation and the invariant tests find it by themselves.
"""

from __future__ import annotations

import importlib
import pkgutil
from abc import ABC, abstractmethod
from functools import cache
from importlib.util import find_spec
from typing import ClassVar, Literal

import numpy as np

from doxeval.core.errors import UsageError, nearest
from doxeval.core.grammar import Expression, parse_call, parse_measure
from doxeval.core.parameters import Parameter, bind, keyed
from doxeval.ground.aligned import Aligned
from doxeval.ground.budget import text_cutter
from doxeval.ground.conventions import Conventions
from doxeval.ground.ground import Ground
from doxeval.measurement.families.needs import Need, require
from doxeval.measurement.families.shares import Shares

ALPHA = Parameter(
    "alpha", "number", 0, "what repeated text is worth: 0 nothing, 1 as much as at first sight", low=0, high=1
)
_REGISTRY: dict[str, type[Measure]] = {}


class Measure(ABC):
    """One measure with its parameters bound.

    `name` is what users type; `user` tells in one sentence whom it models; `paper` where it is defined.
    `cutoff` and `point` say whether ``@k`` and ``[x]`` are `"required"`, `"optional"` or `"none"`. `needs`
    names inputs beyond results and assessments. `higher_is_better`, `low` and `high` are tested for every
    registered measure; `empty_is_worst` says that nobody does worse than a run that retrieves nothing;
    `grows` claims that the value never falls as the cut-off grows.
    """

    name: ClassVar[str]
    user: ClassVar[str]
    paper: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    cutoff: ClassVar[Literal["required", "optional", "none"]] = "none"
    point: ClassVar[Literal["required", "optional", "none"]] = "none"
    needs: ClassVar[frozenset[Need]] = frozenset()
    higher_is_better: ClassVar[bool] = True
    empty_is_worst: ClassVar[bool] = True
    grows: ClassVar[bool] = False
    example: ClassVar[str] = ""

    def __init__(self, expression: Expression) -> None:
        self.expression = expression
        self.label = expression.text or str(expression)
        self._check_form()
        self.given = bind(self.parameters, expression.call, self.label)

    def _check_form(self) -> None:
        for part, value, shape in (
            (self.cutoff, self.expression.cutoff, "cut-off, as in {}@10"),
            (self.point, self.expression.point, "recall point, as in {}[0.01]"),
        ):
            if part == "none" and value is not None:
                raise UsageError(f"{self.label!r}: {self.name} takes no {shape.split(',')[0]}")
            if part == "required" and value is None:
                raise UsageError(f"{self.label!r}: {self.name} needs a {shape.format(self.name)}")
        if (
            self.expression.cutoff
            and self.expression.point is not None
            and self.expression.cutoff.unit == "ranks"
        ):
            raise UsageError(f"{self.label!r}: give either a recall point or a cut-off in ranks, not both")

    @property
    def names_navigation(self) -> bool:
        """Whether the user has typed a navigation model for this measure."""
        return "nav" in keyed(self.parameters, self.expression.call, self.label)

    @property
    def rank(self) -> int | None:
        """The cut-off in ranks, None where there is none."""
        cutoff = self.expression.cutoff
        return cutoff.amount if cutoff is not None and cutoff.unit == "ranks" else None

    @property
    def counts_in(self) -> str:
        """What reading is counted in until it stops: ranks, characters, words or tokens."""
        return self.expression.cutoff.unit if self.expression.cutoff else "ranks"

    def prepare(self, ground: Ground, conventions: Conventions = Conventions()) -> None:  # noqa: B008
        """Look at the ground truth once, before any run is opened, and refuse what cannot be scored on it."""
        for need in sorted(self.needs):
            require(self.label, need, ground)
        if self.counts_in in ("words", "tokens"):
            text_cutter(ground, self.counts_in, conventions.tokenizer)

    @property
    def low(self) -> float:
        """The least value possible."""
        return 0.0

    @property
    def high(self) -> float:
        """The greatest value possible."""
        return 1.0

    @abstractmethod
    def score(self, topics: Aligned) -> np.ndarray:
        """One value per assessed topic; what stands at topics with nothing relevant does not matter."""

    def defined(self, topics: Aligned) -> np.ndarray:
        """Which topics have something relevant; the others are left out of means."""
        return topics.ground.total_relevant > 0

    def shares(self, topics: Aligned) -> Shares | None:
        """What each result adds to its topic's value; None where the value is no sum over results."""
        return None

    def explain(self, topics: Aligned) -> Shares | None:
        """The values that a call gives, taken apart; None where the measure is no sum over results."""
        return self.shares(self._within_budget(topics))

    def _within_budget(self, topics: Aligned) -> Aligned:
        cutoff = self.expression.cutoff
        return topics.within(cutoff) if cutoff is not None and cutoff.unit != "ranks" else topics

    def __call__(self, topics: Aligned) -> np.ndarray:
        """One value per assessed topic, NaN where nothing is relevant."""
        topics = self._within_budget(topics)
        values = np.asarray(self.score(topics), dtype=np.float64)
        return np.where(self.defined(topics), values, np.nan)

    def __repr__(self) -> str:
        return f"<{self.label}>"


def register(measure: type[Measure]) -> type[Measure]:
    """Make a measure known under its name and aliases."""
    for name in (measure.name, *measure.aliases):
        if name in _REGISTRY and _REGISTRY[name].__qualname__ != measure.__qualname__:
            raise UsageError(f"two measures are called {name!r}")
        _REGISTRY[name] = measure
    return measure


def _find(name: str) -> type[Measure] | None:
    """The measure of that name. It is looked for in the module of that name first, then everywhere."""
    if name not in _REGISTRY and find_spec(f"doxeval.measurement.{name.casefold()}"):
        importlib.import_module(f"doxeval.measurement.{name.casefold()}")
    for load in (_load_own, _load_plugins):
        if name in _REGISTRY:
            break
        load()
    return _REGISTRY.get(name)


@cache
def _load_own() -> None:
    import doxeval.measurement as package

    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")


@cache
def _load_plugins() -> None:
    from importlib.metadata import entry_points

    for entry in entry_points(group="doxeval.measures"):
        entry.load()


def measures() -> dict[str, type[Measure]]:
    """Every registered measure by its own name, in alphabetical order."""
    _load_own()
    _load_plugins()
    own = {measure.name: measure for measure in _REGISTRY.values()}
    return dict(sorted(own.items(), key=lambda item: (item[0].casefold(), item[0])))


def measure_named(text: str, navigation: str | None = None) -> Measure:
    """The measure a user has typed; names we do not have are looked for among those of ir_measures.

    `navigation` is the model for a measure that takes one (as its parameter `nav`) and names none.
    """
    expression = parse_measure(text)
    found = _find(expression.call.name)
    if found is not None:
        measure = found(expression)
        if navigation and hasattr(measure.given, "nav") and not measure.names_navigation:
            measure.given.nav = parse_call(navigation.strip())
        return measure
    from doxeval.measurement.families.flat import DocumentMeasure

    if DocumentMeasure.knows(expression):
        return DocumentMeasure(expression)
    known = [*_REGISTRY, *DocumentMeasure.names()]
    raise UsageError(
        f"no measure is called {expression.call.name!r}{nearest(expression.call.name, known)} "
        "('doxeval measures' lists them)"
    )
