"""A report on disagreement: the highlights of the first assessor as truth, those of the others as runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from doxeval.io.read import read_assessments
from doxeval.scoring.evaluation import Evaluation
from doxeval.show.report.build import Contents, Written, build_report
from doxeval.tables.topics import Topics

if TYPE_CHECKING:
    from doxeval.comparison.agreement.agree import Agreement
    from doxeval.comparison.agreement.shared import Shared

MEASURES = "F IoU iP iR"
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
    )
    scores = Evaluation(gold, MEASURES, agreement.documents).scores(runs, contents.look())
    return build_report(scores, path, contents)


def _highlights(shared: Shared, assessor: int, judged: bool = False) -> Iterator[dict[str, Any]]:
    """The highlights of an assessor as rows; if `judged`, after rows that say what was judged."""
    if judged:
        for topic, document, end in shared.judged():
            row = {"topic": shared.topics[topic], "doc": shared.names[document]}
            yield row if row["doc"] in shared.unknown else {**row, "length": end}
    for topic, document, start, end, _ in sorted(shared.units(assessor)):
        yield {"topic": shared.topics[topic], "doc": shared.names[document], "start": start, "end": end}
