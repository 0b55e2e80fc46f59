"""Write a report from Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from doxeval.io.read import read_assessments, read_documents
from doxeval.scoring.evaluation import RunLoader, named_runs, plan_evaluation
from doxeval.show.report.build import Options, Written, build_report
from doxeval.tables.assessments import Assessments


def write_report(
    path: str | Path,
    runs: Any,
    assessments: Any,
    measures: str | Iterable[str],
    documents: Any | None = None,
    navigation: str | None = None,
    *,
    queries: Mapping[str, str] | None = None,
    title: str = "doxeval report",
    results: int = 10,
    order: str = "natural",
    **options: Any,
) -> Written:
    """Write everything an evaluation finds into one HTML file that works offline.

    Runs, assessments, measures, documents and further options are those of :func:`doxeval.evaluate`;
    `queries` gives the wording of topics, `results` how many first results of a run can be opened, `order`
    the reading order whose path is shown.
    """
    table = assessments if isinstance(assessments, Assessments) else read_assessments(assessments)
    collection = None if documents is None else read_documents(documents)
    plan = plan_evaluation(table, measures, collection, navigation, **options)
    plan.ground.assessments.queries |= dict(queries or {})
    loaders = [RunLoader(run, name) for name, run in named_runs(runs)]
    shown = Options(title=title, results=results, order=order, navigation=navigation)
    written = build_report(plan, loaders, path, shown)
    written.scores.notices.warn()
    return written
