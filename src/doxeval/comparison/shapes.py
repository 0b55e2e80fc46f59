"""Each run against itself in another shape: what did pointing into documents bring? (Effort, Table 4)"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

from doxeval.comparison.compare import Comparison, ComparisonOptions, compare
from doxeval.comparison.difference import named_as
from doxeval.core.errors import UsageError
from doxeval.core.notices import Notices
from doxeval.core.options import ScoringOptions
from doxeval.measurement.base import Measures
from doxeval.scoring.evaluation import Look, NavigationModels
from doxeval.scoring.inputs import evaluation_given
from doxeval.scoring.loader import repeatable
from doxeval.scoring.scores import Scores

SHAPES = ("documents", "given")
COMPARING = ComparisonOptions.__annotations__.keys() - ScoringOptions.__annotations__.keys()


def compare_shapes(
    runs: Any,
    assessments: Any = None,
    measures: Measures = (),
    documents: Any = None,
    navigation: NavigationModels = None,
    *,
    shapes: Sequence[str] = SHAPES,
    **options: Unpack[ComparisonOptions],
) -> Comparison:
    """Compare each run in the first of several shapes with itself in the others.

    A shape is `given`, `trees` or `documents`, as the option `shape` of scoring has them. The other options
    are those of :func:`doxeval.compare` and :func:`doxeval.evaluate`.

    >>> answers = [{"topic": t, "doc": "d", "start": 5, "end": 9, "length": 20} for t in "ab"]
    >>> run = [{"topic": t, "doc": "d", "rank": 1, "start": 5, "end": 9} for t in "ab"]
    >>> found = compare_shapes({"run": run}, answers, "iP@1")
    >>> [(one.baseline_mean, one.run_mean, one.change) for one in found.differences]
    [(0.2, 1.0, 400.0)]
    """
    how = {name: options.pop(name) for name in COMPARING if name in options}  # type: ignore[misc]
    parts = scores_in_shapes(runs, assessments, measures, documents, navigation, shapes, options)
    return compare_parts(parts, **how)


def scores_in_shapes(
    runs: Any, assessments: Any, measures: Measures, documents: Any, navigation: NavigationModels,
    shapes: Sequence[str], options: Mapping[str, Any], look: Look | None = None,
) -> dict[str, Scores]:  # fmt: skip
    """The scores of the same runs in each of several shapes."""
    if isinstance(shapes, str) or not all(isinstance(shape, str) for shape in shapes):
        raise UsageError(f"expected two or more shapes, as in {SHAPES}, found {shapes!r}")
    if assessments is None:
        raise UsageError("runs are scored anew in each shape; give the runs and the assessments, not scores")
    evaluation = evaluation_given(assessments, measures, documents, navigation, options)
    again = repeatable(runs)
    return {shape: evaluation.shaped(shape).scores(again, look) for shape in shapes}


def compare_parts(parts: Mapping[str, Scores], **how: Any) -> Comparison:
    """Compare scores of the same runs in several shapes."""
    if len(parts) < 2:
        only = f"only one shape to compare, {', '.join(parts)}" if parts else "no shape to compare"
        raise UsageError(f"there is {only}; give at least two")
    first, *others = parts
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
