"""One thing of every kind that can be registered, as somebody would write it in a session."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import numpy as np

import doxeval as dx
from doxeval.comparison.intervals import t_interval
from doxeval.comparison.rankings import pearson_r
from doxeval.core.registry import REGISTRIES, Registry
from doxeval.extend import (
    AGREEMENTS,
    COEFFICIENTS,
    CORRECTIONS,
    DOCUMENT_SCORES,
    INTERVALS,
    MEASURES,
    NAVIGATIONS,
    ORDERS,
    PERTURBATIONS,
    TASKS,
    TESTS,
    Agreeing,
    Coefficient,
    Correction,
    DocumentScore,
    Format,
    Interval,
    Measure,
    Navigation,
    Parameter,
    Perturbation,
    ReadingOrder,
    SignificanceTest,
    Task,
    register,
    table_from_rows,
)
from doxeval.io.formats.format import REGISTRY_OF


class Counting(Measure):
    """The number of results, times a factor; notes how often it is computed."""

    name = "Counting"
    aliases = ("Counts",)
    user = "Counts results."
    paper = "none"
    parameters = (
        Parameter("times", "number", 1, "a factor", low=0),
        Parameter("nav", "call", dx.measure("ESRP").given.nav, "the model", choices=NAVIGATIONS),
    )
    cutoff = "optional"
    empty_is_worst = False
    unit = "results"
    example = "Counting@5"
    computed = 0

    @property
    def high(self) -> float:
        return float("inf")

    def score(self, aligned: Any) -> np.ndarray:
        Counting.computed += 1
        count = aligned.count if self.rank is None else np.minimum(aligned.count, self.rank)
        return count * float(self.given.times)


class Everywhere(Navigation):
    """p(e; f) = p."""

    name = "everywhere"
    reader = "Sees everything with the same chance."
    paper = "none"
    parameters = (Parameter("p", "number", Fraction(1, 2), "the chance", low=0, high=1),)
    example = "everywhere(p=0.3)"

    def pairs(self, doc: Any, source: Any, target: Any, coverage: Any) -> np.ndarray:
        return np.full(len(doc), float(self.given.p))


class Half(DocumentScore):
    """Every relevant document is worth one half."""

    name = "Half"
    user = "Is half content with any relevant document."
    paper = "none"

    def score(self, opened: Any) -> np.ndarray:
        return np.full(len(opened), 0.5)


def _read(source: Any, options: Any) -> dx.Run:
    rows = [line.split("|") for line in source.read().decode().splitlines()[1:]]
    return table_from_rows(
        "run",
        [
            {"topic": topic, "doc": doc, "start": int(start), "end": int(end)}
            for topic, doc, start, end in rows
        ],
        options,
    )


THINGS: list[tuple[Registry[Any], Any, str]] = [
    (MEASURES, Counting, "Counting"),
    (NAVIGATIONS, Everywhere, "everywhere"),
    (DOCUMENT_SCORES, Half, "Half"),
    (
        REGISTRY_OF["run"],
        Format("bars", "run", "bars between fields", lambda head: head.startswith(b"BARS"), _read),
        "bars",
    ),
    (
        ORDERS,
        ReadingOrder("backwards", "from the end", lambda opened: -np.arange(len(opened.pieces.start))),
        "backwards",
    ),
    (TASKS, Task("anything", "whatever there is", (), "iP@5"), "anything"),
    (TESTS, SignificanceTest("never", "no test", lambda rows, draws, seed: np.ones(len(rows))), "never"),
    (INTERVALS, Interval("tee", "Student's again", t_interval), "tee"),
    (CORRECTIONS, Correction("double", "doubled", lambda p: np.minimum(1.0, 2 * p)), "double"),
    (COEFFICIENTS, Coefficient("arr", "r again", pearson_r), "arr"),
    (
        AGREEMENTS,
        Agreeing("never", "no agreement", lambda shared, seed: np.zeros(len(shared.topics))),
        "never",
    ),
    (
        PERTURBATIONS,
        Perturbation("same", "Nothing changes.", 0, lambda aligned, strength: aligned.run),
        "same",
    ),
]
KINDS = [registry.kind for registry, _, _ in THINGS]


@contextmanager
def session() -> Iterator[None]:
    """What is registered inside is forgotten afterwards."""
    before = [(registry, registry.names(), dict(registry._things)) for registry in REGISTRIES]
    try:
        yield
    finally:
        for registry, _, things in before:
            registry._things = things


@contextmanager
def registered() -> Iterator[None]:
    """All of them registered."""
    with session():
        for _, thing, _ in THINGS:
            register(thing)
        yield
