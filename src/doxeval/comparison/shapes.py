"""Each run against itself in another shape: what did pointing into documents bring? (Effort, Table 4)"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from doxeval.comparison.compare import Comparison, compare
from doxeval.comparison.difference import named_as
from doxeval.core.errors import UsageError
from doxeval.core.notices import Notices
from doxeval.scoring.evaluation import Evaluation
from doxeval.scoring.scores import Scores

SHAPES = ("documents", "given")


def compare_shapes(
    evaluation: Evaluation, runs: Any, shapes: tuple[str, ...] = SHAPES, **how: Any
) -> Comparison:
    """Compare each run in the first of several shapes with itself in the others.

    A shape is `given`, `trees` or `documents`: as the option `shape` of scoring has them. `how` to compare is
    as for :func:`doxeval.compare`.

    >>> answers = [{"topic": t, "doc": "d", "start": 5, "end": 9, "length": 20} for t in "ab"]
    >>> run = [{"topic": t, "doc": "d", "rank": 1, "start": 5, "end": 9} for t in "ab"]
    >>> found = compare_shapes(Evaluation(answers, "iP@1"), {"run": run})
    >>> [(one.baseline_mean, one.run_mean, one.change) for one in found.differences]
    [(0.2, 1.0, 400.0)]
    """
    return compared({shape: evaluation.shaped(shape).scores(runs) for shape in shapes}, **how)


def compared(parts: Mapping[str, Scores], **how: Any) -> Comparison:
    """Compare scores of the same runs in several shapes."""
    first, *others = parts
    if not others:
        raise UsageError(f"there is only one shape to compare, {first}; give at least two")
    pairs = [
        (named_as(run, first), named_as(run, shape))
        for run in parts[first].names
        for shape in others
        if run in parts[shape].names
    ]
    return replace(compare(side_by_side(parts), pairs=pairs, **how), shapes=tuple(parts))


def side_by_side(parts: Mapping[str, Scores]) -> Scores:
    """The scores of the same runs in several shapes as those of runs that are named after both."""
    runs = [
        replace(run, name=named_as(run.name, shape)) for shape, scores in parts.items() for run in scores.runs
    ]
    notices = Notices(*(scores.notices for scores in parts.values()))
    return replace(next(iter(parts.values())), runs=runs, notices=notices, unscored=[], origin=None)
