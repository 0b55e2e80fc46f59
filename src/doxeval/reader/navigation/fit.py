"""Learning the reader: the parameters of a navigation model that best predict a log (ESR 4.2, PRUM 5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.grammar import Call, Value, parse_call, show
from doxeval.core.notices import Notices
from doxeval.core.parameters import Parameter, keyed, share
from doxeval.io.read import read_documents
from doxeval.reader.navigation.likelihood import Likelihood, cross_validated, held_out
from doxeval.reader.navigation.logs import Sessions, read_sessions
from doxeval.reader.navigation.mix import Mix, terms
from doxeval.reader.navigation.model import NAVIGATIONS, Array, Navigation, navigation_named
from doxeval.reader.navigation.step_candidates import with_candidates
from doxeval.tables.documents import Documents
from doxeval.tables.runs import Run

TO_FIT = "?"
WEIGHT = share("weight", None, "the weight of a part")
FALL = 1.920729
"""Half of the 0.95 quantile of chi squared with one degree of freedom."""
LEAST, MOST = 1e-3, 1e6
"""The values tried of a parameter without bounds."""
FLAT = 1e-9
"""A difference of log-likelihoods that is none."""
GRID, ROUNDS = 37, 8


@dataclass(frozen=True)
class FittedParameter:
    """The best value of a parameter, and its 95% interval; an end is None if the log sets none.

    `interval` is False for models that learn: their parameters are chosen by held-out likelihood.
    """

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    interval: bool = True

    def __str__(self) -> str:
        if not self.interval:
            return f"{self.name} {self.value:g}"
        if self.low is None and self.high is None:
            return f"{self.name} {self.value:g} (the log cannot tell)"
        if self.high is None:
            return f"{self.name} {self.value:g} ({self.low:g} or more)"
        low = "up" if self.low is None else f"{self.low:g}"
        return f"{self.name} {self.value:g} ({low} to {self.high:g})"


@dataclass(frozen=True)
class FittedNavigation:
    """A model with the parameters that best predict a log; `str()` of it can be given to `nav` and `--nav`.

    `likelihood` is that of held-out sessions: the parameters were fitted anew, without them.
    """

    call: Call
    parameters: tuple[FittedParameter, ...]
    likelihood: Likelihood
    notices: Notices = field(default_factory=Notices, compare=False, repr=False)

    def __str__(self) -> str:
        return str(self.call)


def fit_navigation(
    log: str | Path | Run | Iterable[Mapping[str, Any]] | Sessions,
    documents: Any,
    navigation: str,
    *,
    candidates: str = "logged",
    revisits: bool | None = None,
    folds: int = 5,
    seed: int = 0,
) -> FittedNavigation:
    """Find the parameters written as `?`, as in ``readon(mean=?)``, under which a log is most likely.

    `log` is a file of JSON Lines, or a list of dicts, with `doc` and `route`, or a trajectory: what its steps
    show of a document for a topic is a route through the innermost nodes where this text begins. `documents`
    are as for :func:`doxeval.read_documents`; `navigation` is the model.

    `candidates` are the nodes among which readers choose: those of the kinds that the log leads to
    (``logged``), ``all``, or ``leaves``; `revisits` says whether they may go where they have been in the
    session, by default whether any does.

    Intervals are those of the profile likelihood: all values for which the log-likelihood, maximised over the
    other parameters, is at most 1.92 below the maximum. The likelihood is that of :mod:`.likelihood`, which
    takes chances as shares; a log says nothing about a common factor of all chances. A model that learns from
    the log, such as `routes`, is chosen by held-out likelihood, for which there is no interval.
    """
    documents = documents if isinstance(documents, Documents) else read_documents(documents)
    sessions = log if isinstance(log, Sessions) else read_sessions(log, documents)
    sessions = with_candidates(sessions, documents, candidates, revisits)
    fit = _Fit(parse_call(navigation.strip()), documents, folds, seed)
    best = fit.best(sessions)
    made = fit.model(best)
    parameters = tuple(fit.fitted(sessions, best, at, made.learns) for at in range(len(best)))
    held = cross_validated(lambda part: fit.model(fit.best(part), part), sessions, folds, seed)
    return FittedNavigation(made.call, parameters, held, Notices(sessions.notices, made.notices))


class _Fit:
    """The search for the unknown parameters of a model, by logarithms for those without an upper bound."""

    def __init__(self, call: Call, documents: Documents, folds: int, seed: int) -> None:
        self.call, self.documents, self.folds, self.seed = call, documents, folds, seed
        self._unknown: list[tuple[Parameter, tuple[float, float]]] = []

        def note(parameter: Parameter) -> Value:
            self._unknown.append((parameter, _ends(parameter)))
            return TO_FIT

        _replaced(call, note)
        if not self._unknown:
            raise UsageError(f"{str(call)!r}: write the parameters to fit as ?, as in readon(mean=?)")

    def model(self, at: Array, trained_on: Sessions | None = None) -> Navigation:
        """The model with the parameters at a point of the search."""
        values = iter([self.value(place, number) for number, place in enumerate(at)])
        model = navigation_named(_replaced(self.call, lambda _: next(values)), self.documents)
        if trained_on is not None and model.learns:
            model.learn(trained_on)
        return model

    def value(self, place: float, number: int) -> Fraction:
        """The value of a parameter at a place, with four digits."""
        parameter, (low, high) = self._unknown[number]
        plain = float(np.clip(place, low, high))
        if parameter.high is None:
            plain = float(np.exp(plain))
        digits = 0 if parameter.kind == "integer" else 6
        rounded = Fraction(f"{float(f'{plain:.4g}'):.{digits}f}")
        return rounded if parameter.low is None else max(rounded, Fraction(parameter.low))

    def likelihood(self, sessions: Sessions, at: Array) -> float:
        """The log-likelihood of all steps (held out, if the model learns), -inf if the values are invalid."""
        try:
            model = self.model(at)
        except UsageError:
            return -np.inf
        found = held_out(model, sessions, self.folds, self.seed)
        return found.mean * found.steps

    def best(self, sessions: Sessions) -> Array:
        """The most likely point: one parameter after the other over its whole range, until none gains."""
        point = np.array([low if one is WEIGHT else (low + high) / 2 for one, (low, high) in self._unknown])
        reached = -np.inf
        for _ in range(ROUNDS):
            for number in range(len(point)):
                point[number] = self._along(sessions, point, number)
            before, reached = reached, self.likelihood(sessions, point)
            if len(point) == 1 or reached - before < 1e-6:
                break
        if not np.isfinite(reached):
            self.model(point)
        return point

    def _along(self, sessions: Sessions, at: Array, number: int) -> float:
        """The best place of one parameter, the others being fixed: the best of a grid, then refined."""

        def objective(place: float) -> float:
            return self.likelihood(sessions, _moved(at, number, place))

        grid = np.unique(np.append(np.linspace(*self._unknown[number][1], num=GRID), at[number]))
        found = [objective(place) for place in grid]
        top = int(np.argmax(found))
        near = grid[max(top - 1, 0)], grid[min(top + 1, len(grid) - 1)]
        place, reached = _highest(objective, *near)
        return place if reached > found[top] else float(grid[top])

    def fitted(self, sessions: Sessions, best: Array, number: int, learns: bool) -> FittedParameter:
        """One parameter with its interval."""
        (parameter, limits), value = self._unknown[number], float(self.value(best[number], number))
        if learns:
            return FittedParameter(parameter.name, value, interval=False)
        most = self.likelihood(sessions, best)
        ends = [self._end(sessions, best, number, end, most - FALL) for end in limits]
        if all(most - self.likelihood(sessions, _moved(best, number, end)) < FLAT for end in limits):
            raise UsageError(
                f"{str(self.call)!r}: the log says nothing about {parameter.name}: every value predicts it "
                "equally well; give it a value"
            )
        low, high = (None if end is None else float(self.value(end, number)) for end in ends)
        return FittedParameter(parameter.name, value, low, high)

    def _end(self, sessions: Sessions, best: Array, number: int, limit: float, least: float) -> float | None:
        """The place on the way to a limit where the profile likelihood falls below `least`; None if none."""
        inside, step = float(best[number]), (limit - best[number]) / 2**7
        while True:
            outside = inside + step
            if (outside - limit) * np.sign(step) > 0 or not step:
                outside = limit
            if self._profile(sessions, best, number, outside) < least:
                break
            if outside == limit:
                return None
            inside, step = outside, 2 * step
        for _ in range(12):
            middle = (inside + outside) / 2
            if self._profile(sessions, best, number, middle) < least:
                outside = middle
            else:
                inside = middle
        return inside

    def _profile(self, sessions: Sessions, best: Array, number: int, place: float) -> float:
        """The largest likelihood with one parameter fixed; the others move from where they are best."""
        at = _moved(best, number, place)
        reached = self.likelihood(sessions, at)
        others = [other for other in range(len(at)) if other != number]
        for other in others * (1 if len(others) == 1 else 2):
            low, high = self._unknown[other][1]
            width = (high - low) / 8

            def objective(moved: float, other: int = other) -> float:
                return self.likelihood(sessions, _moved(at, other, moved))

            found, value = _highest(objective, at[other] - width, at[other] + width)
            if value > reached:
                at[other], reached = found, value
        return reached


def _moved(at: Array, number: int, place: float) -> Array:
    at = at.copy()
    at[number] = place
    return at


def _highest(objective: Callable[[float], float], low: float, high: float) -> tuple[float, float]:
    """The place of a maximum between two places, and its height."""
    from doxeval.core.scipy_here import optimize

    found = optimize.minimize_scalar(
        lambda place: -max(objective(float(place)), -1e300), bounds=(low, high), method="bounded",
        options={"xatol": 1e-4, "maxiter": 40},
    )  # fmt: skip
    return float(found.x), -float(found.fun)


def _ends(parameter: Parameter) -> tuple[float, float]:
    """The range searched, of logarithms for a parameter without an upper bound."""
    if parameter.high is not None:
        return float(parameter.low or 0), float(parameter.high)
    return float(np.log(max(LEAST, float(parameter.low or 0)))), float(np.log(MOST))


def _replaced(call: Call, give: Callable[[Parameter], Value]) -> Call:
    """The call with a value for each `?`, also in models inside models."""
    called, arguments = NAVIGATIONS.named(call.name, str(call)), []
    given = keyed(called.parameters, call, str(call))
    for parameter in called.parameters:
        if parameter.name in given:
            value = given[parameter.name]
            if value == TO_FIT:
                if parameter.kind not in ("number", "integer"):
                    raise UsageError(
                        f"{str(call)!r}: only numbers can be fitted; {parameter.name} is {parameter.allowed}"
                    )
                value = give(parameter)
            elif isinstance(value, Call):
                value = _replaced(value, give)
            elif called is Mix:
                value = "+".join(map(partial(_replaced_in_term, give=give), terms(str(value))))
            arguments.append((parameter.name, value))
    return Call(call.name, tuple(arguments))


def _replaced_in_term(term: str, give: Callable[[Parameter], Value]) -> str:
    """A term of a mixture, such as `?*readon(mean=?)`, with its values."""
    weight, _, model = (part.strip() for part in term.partition("*"))
    weight = show(give(WEIGHT)) if weight == TO_FIT else weight
    return f"{weight}*{_replaced(parse_call(model, term), give)}"
