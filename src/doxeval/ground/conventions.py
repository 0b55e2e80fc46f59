"""How a run is interpreted, including where official scorers differ."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from doxeval.core.options import ConventionOptions, check_names, defaults

OFFICIAL = {"repeated": "full", "past_end": "cutoff", "official": False}
USUAL = {**defaults(ConventionOptions), "rank_by": "rank", **OFFICIAL}


class Conventions(SimpleNamespace):
    """Choices that apply to all measures of an evaluation: those of :class:`ConventionOptions` and three.

    `repeated`: the cost in denominators of text shown again, its size (`"full"`) or, in relevant documents,
    nothing (`"free"`, as in INEX's thorough task). `past_end`: gP past the end of a list divides by the
    `"cutoff"`, or keeps the `"last"` value. `official`: the figures are those of the task's official scorer.

    >>> Conventions(depth=5).depth, Conventions().rank_by
    (5, 'rank')
    """

    def __init__(self, **given: Any) -> None:
        check_names(given, USUAL, "a convention")
        super().__init__(**USUAL | given)

    def but(self, **changes: Any) -> Conventions:
        """The same with some changes."""
        return Conventions(**vars(self) | changes)
