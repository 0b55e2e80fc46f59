"""Write a report from Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Unpack

from doxeval.comparison.agreement.agree import Agreement
from doxeval.core.options import ScoringOptions
from doxeval.io.topics import topics_of
from doxeval.measurement.base import Measures
from doxeval.scoring.evaluation import NavigationModels
from doxeval.scoring.inputs import scores_given
from doxeval.show.report.build import SIZE, Contents, Written, build_report
from doxeval.show.report.disagreement import write_disagreement


def write_report(
    runs: Any,
    assessments: Any = None,
    measures: Measures = (),
    documents: Any = None,
    navigation: NavigationModels = None,
    path: str | Path = "report.html",
    *,
    topics_file: Any = None,
    title: str = "doxeval report",
    show_results: int = 10,
    max_megabytes: float = SIZE,
    reading_order: str = "natural",
    seed: int = 0,
    by: str | None = None,
    **options: Unpack[ScoringOptions],
) -> Written:
    """Write everything an evaluation finds into one HTML file that works offline.

    Runs, assessments, measures, documents and further options are those of :func:`doxeval.evaluate`; instead
    of all these, `runs` may be the scores that it returned, or what :func:`doxeval.agree` did: a report with
    the first assessor as truth and the others as runs. `topics_file` is a mapping or a file with the
    wording and the attributes of topics, `by` the attribute by which they are divided, `show_results` how
    many of the first results of a run can be opened, `max_megabytes` how large the file may become (what does
    not fit is counted in the page and in `left_out` of the result), `reading_order` the order of reading
    whose path is shown.
    """
    if isinstance(runs, Agreement):
        return write_disagreement(path, runs)
    topics = topics_of(topics_file)
    contents = Contents(title, show_results, max_megabytes, reading_order, topics, seed, by)
    scores = scores_given(runs, assessments, measures, documents, navigation, options, contents.look())
    return build_report(scores, path, contents)
