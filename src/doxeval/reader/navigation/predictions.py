"""How well navigation models predict a log of readers, side by side; parameters written as `?` are fitted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from doxeval.core.errors import UsageError
from doxeval.core.notices import Notices
from doxeval.core.records import Records
from doxeval.core.table import Table
from doxeval.core.values import is_several
from doxeval.io.read import read_documents
from doxeval.reader.navigation.fit import TO_FIT, FittedParameter, fit_navigation
from doxeval.reader.navigation.likelihood import Likelihood, held_out
from doxeval.reader.navigation.logs import Sessions, read_sessions
from doxeval.reader.navigation.model import navigation_named
from doxeval.reader.navigation.step_candidates import with_candidates

PREDICTION_COLUMNS = ("model", "log_likelihood", "steps", "ruled_out", "parameter", "value", "low", "high")
FITTED = "Fitted on the whole log, intervals by profile likelihood; likelihood of sessions not fitted on."
LEARNED = "A model that learns from the log is fitted to predict other sessions, which gives no interval."


@dataclass(frozen=True)
class Prediction:
    """A model, how well it predicts the log, and the parameters that were fitted."""

    model: str
    likelihood: Likelihood
    fitted: Sequence[FittedParameter] = ()

    @property
    def numbers(self) -> tuple[str, float, int, int]:
        """The model, its mean log-likelihood, the steps in the log, and those that it rules out."""
        return self.model, self.likelihood.mean, self.likelihood.steps, self.likelihood.impossible


def _fitted(parameter: FittedParameter | None) -> tuple[Any, ...]:
    """Name, value and interval of a fitted parameter; empty if there is none."""
    if parameter is None:
        return None, None, None, None
    return parameter.name, parameter.value, parameter.low, parameter.high


@dataclass(eq=False, repr=False)
class Predictions(Records):
    """How well models predict a log; `frame` is a polars frame with a row for each fitted parameter."""

    models: list[Prediction]
    notices: Notices = field(default_factory=Notices)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A row per model, or per parameter that was fitted."""
        return [
            dict(zip(PREDICTION_COLUMNS, (*one.numbers, *_fitted(parameter)), strict=True))
            for one in self.models
            for parameter in one.fitted or (None,)
        ]

    @property
    def table(self) -> Table:
        """A row per model."""
        header, footer = ["model", "log-likelihood", "steps", "ruled out"], list[str]()
        numbers = [prediction.numbers for prediction in self.models]
        body = [
            [model, f"{mean:.4f}", str(steps), str(ruled_out)] for model, mean, steps, ruled_out in numbers
        ]
        if any(prediction.fitted for prediction in self.models):
            header.append("fitted, with 95% interval")
            for line, prediction in zip(body, self.models, strict=True):
                line.append("; ".join(map(str, prediction.fitted)))
            learned = any(
                not parameter.interval for prediction in self.models for parameter in prediction.fitted
            )
            footer = [FITTED, *([LEARNED] if learned else [])]
            footer += [f"--nav '{prediction.model}'" for prediction in self.models if prediction.fitted]
        return Table(header, body, footer=footer, notices=self.notices)


def compare_navigations(
    log: Any, documents: Any, navigation: str | Sequence[str], *, candidates: str = "logged",
    revisits: bool | None = None, folds: int = 5, seed: int = 0,
) -> Predictions:  # fmt: skip
    """Compare navigation models by how well they predict a log: the mean log-likelihood of an unseen step.

    `log`, `documents`, `candidates` and `revisits` are as for :func:`doxeval.fit_navigation`. A model that
    learns from the log itself is trained on the other parts of it, and parameters written as `?` are fitted
    on these.

    >>> nodes = [{"id": "a", "parent": None, "tag": "a", "start": 0, "end": 9},
    ...          {"id": "b", "parent": "a", "tag": "b", "start": 0, "end": 4},
    ...          {"id": "c", "parent": "a", "tag": "b", "start": 4, "end": 9}]
    >>> log = [{"doc": "d", "route": route} for route in (["a", "b"], ["b", "a"], ["a", "c"])]
    >>> compare_navigations(log, [{"doc": "d", "length": 9, "nodes": nodes}], "hierarchical", folds=2)
    model         log-likelihood  steps  ruled out
    hierarchical         -0.4678      3          0
    the next step is chosen among nodes of the kinds in the log (a, b), not visited before
    """
    models = list(navigation) if is_several(navigation) else [navigation]
    if not models or not all(isinstance(model, str) for model in models):
        raise UsageError("name one navigation model or several, as in 'readon(mean=?)'")
    collection = read_documents(documents)
    sessions = log if isinstance(log, Sessions) else read_sessions(log, collection)
    sessions = with_candidates(sessions, collection, candidates, revisits)
    notices, found = Notices(sessions.notices), []
    for name in map(str, models):
        if TO_FIT in name:
            fitted = fit_navigation(sessions, collection, name, folds=folds, seed=seed)
            found.append(Prediction(str(fitted), fitted.likelihood, fitted.parameters))
            notices.extend(fitted.notices)
        else:
            model = navigation_named(name, collection)
            found.append(Prediction(name, held_out(model, sessions, folds, seed)))
            notices.extend(model.notices)
    return Predictions(found, notices)
