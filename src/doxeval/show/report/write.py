"""Write a report from Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Unpack

from doxeval.core.options import ScoringOptions
from doxeval.io.topics import topics_of
from doxeval.scoring.evaluation import Navigation, scores_of
from doxeval.scoring.scores import Scores
from doxeval.show.report.build import SIZE, Contents, Written, build_report


def write_report(
    path: str | Path,
    runs: Any,
    assessments: Any = None,
    measures: str | Iterable[str] = (),
    documents: Any = None,
    navigation: Navigation = None,
    *,
    queries: Mapping[str, str] | str | Path | None = None,
    title: str = "doxeval report",
    results: int = 10,
    size_megabytes: float = SIZE,
    order: str = "natural",
    seed: int = 0,
    by: str | None = None,
    **options: Unpack[ScoringOptions],
) -> Written:
    """Write everything an evaluation finds into one HTML file that works offline.

    Runs, assessments, measures, documents and further options are those of :func:`doxeval.evaluate`; instead
    of all these, `runs` may be the scores that it returned. `queries` is a mapping or a file with the wording
    and the attributes of topics, `by` the attribute by which they are divided, `results` how many of the
    first results of a run can be opened, `size_megabytes` how large the file may become (what does not fit is
    counted in the page and in `left_out` of the result), `order` the reading order whose path is shown.
    """
    contents = Contents(title, results, size_megabytes, order, topics_of(queries), seed, by)
    scores = scores_of(runs, assessments, measures, documents, navigation, options, contents.look())
    written = build_report(scores, path, contents)
    if not isinstance(runs, Scores):
        scores.warn()
    return written
