"""Write a report on runs, or on how far assessors disagree."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from doxeval.comparison.agreement.agree import Agreement
from doxeval.core.errors import UsageError
from doxeval.core.options import ScoringOptions
from doxeval.io.read import read_assessments
from doxeval.io.topics import topics_of
from doxeval.measurement.base import Measures
from doxeval.scoring.evaluation import Evaluation, NavigationModels
from doxeval.scoring.inputs import scores_given
from doxeval.show.report.assemble import MOST_MEGABYTES, Contents, Written, build_report
from doxeval.tables.wordings import Topics

if TYPE_CHECKING:
    from doxeval.comparison.agreement.agree import Agreement
    from doxeval.comparison.agreement.shared import Shared

MEASURES_OF_DISAGREEMENT = "F IoU iP iR"
"""Measures of one assessor against another: F and IoU are exactly F1 and overlap for each topic."""


def write_disagreement(path: str | Path, agreement: Agreement) -> Written:
    """Write a report in which the first assessor's highlights are relevant and the others' are retrieved.

    It holds the documents that the first and another assessor judged, as :func:`doxeval.agree` takes them.
    """
    first = agreement.pairs[0].first
    pairs = [pair for pair in agreement.pairs if pair.first == first]
    judged = [row for pair in pairs for row in _highlights(pair.shared, 0, judged=True)]
    gold = read_assessments(list({tuple(row.items()): row for row in judged}.values()))
    gold.notices.extend(agreement.notices)
    runs = {pair.second: list(_highlights(pair.shared, 1)) for pair in pairs}
    contents = Contents(
        f"What {', '.join(runs)} highlighted, against {first}",
        results=max(map(len, runs.values())),
        topics=Topics(
            {t: text for table in agreement.assessments.values() for t, text in table.queries.items()}
        ),
        against=first,
    )
    scores = Evaluation(gold, MEASURES_OF_DISAGREEMENT, agreement.documents).scores(runs, contents.look())
    return build_report(scores, path, contents)


def _highlights(shared: Shared, assessor: int, judged: bool = False) -> Iterator[dict[str, Any]]:
    """The highlights of an assessor as rows; if `judged`, after rows that say what was judged."""
    if judged:
        for topic, document, end in shared.judged():
            row = {"topic": shared.topics[topic], "doc": shared.names[document]}
            yield row if row["doc"] in shared.unknown else {**row, "length": end}
    for topic, document, start, end, _ in sorted(shared.units(assessor)):
        yield {"topic": shared.topics[topic], "doc": shared.names[document], "start": start, "end": end}


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
    max_megabytes: float = MOST_MEGABYTES,
    reading_order: str = "natural",
    seed: int = 0,
    by: str | None = None,
    baseline: str | None = None,
    **options: Unpack[ScoringOptions],
) -> Written:
    """Write everything an evaluation finds into one HTML file that works offline.

    Runs, assessments, measures, documents and further options are those of :func:`doxeval.evaluate`; instead
    of all these, `runs` may be the scores that it returned, or what :func:`doxeval.agree` did: a report with
    the first assessor as truth and the others as runs. `topics_file` is a mapping or a file with the
    wording and the attributes of topics, `by` the attribute by which they are divided, `baseline` the run
    that the others are compared with at first, `show_results` how many of the first results of a run can be
    opened, `max_megabytes` how large the file may become (what does not fit is counted in the page and in
    `left_out` of the result), `reading_order` the order of reading whose path is shown.
    """
    if isinstance(runs, Agreement) and not runs.assessments:
        raise UsageError(
            "a report shows text that assessors marked; nuggets and citations have none of their own"
        )
    if isinstance(runs, Agreement):
        return write_disagreement(path, runs)
    topics = topics_of(topics_file)
    contents = Contents(title, show_results, max_megabytes, reading_order, topics, seed, by, baseline)
    scores = scores_given(runs, assessments, measures, documents, navigation, options, contents.look())
    return build_report(scores, path, contents)
