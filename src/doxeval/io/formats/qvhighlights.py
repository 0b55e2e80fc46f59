"""QVHighlights (JSON Lines): moments of videos, and predictions of them.

Gold: ``{"qid", "query", "duration", "vid", "relevant_windows": [[start, end], ...]}`` in seconds; a video is
a document. Predictions: ``{"qid", "vid", "pred_relevant_windows": [[start, end, score], ...]}``, the best
first. The duration is an attribute of the query, not the length of the document, which would clip what is
predicted past it: the official scorer counts that. Its R1 takes windows in the order of the file, which is
the rank; its mAP sorts by score (``--rank-by score``). Saliency scores are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from doxeval.io.formats.other_tools import (
    Line,
    ToolFile,
    assessments_format,
    ranked,
    record_attributes,
    run_format,
)

GOLD = re.compile(rb'"relevant_windows"\s*:')
NAMES = ("qid", "vid")
PREDICTED = re.compile(rb'"pred_relevant_windows"\s*:')


def sniff_gold(head: bytes) -> bool:
    """JSON objects with relevant windows of a video."""
    line = head.partition(b"\n")[0]
    return line.startswith(b"{") and b'"vid"' in line and bool(GOLD.search(line))


def sniff_predictions(head: bytes) -> bool:
    """JSON objects with predicted windows of a video."""
    line = head.partition(b"\n")[0]
    return line.startswith(b"{") and b'"vid"' in line and bool(PREDICTED.search(line))


def gold_lines(file: ToolFile) -> Iterator[Line]:
    """A moment for each relevant window."""

    def lines_of(record: Any, number: int) -> Iterator[Line]:
        topic, doc = _names(record)
        asked = {"query": record["query"]} if record.get("query") else {}
        line = {"topic": topic, "doc": doc, "attributes": record_attributes(record, NAMES)} | asked
        windows = [{"start_s": start, "end_s": end} for start, end in record["relevant_windows"]]
        yield from (line | window for window in windows or [{}])

    yield from file.lines(file.records(), lines_of, "a qid, a vid and relevant_windows")


def predicted_rows(file: ToolFile) -> Iterator[Line]:
    """A result for each predicted window, in the order of the file."""

    def rows_of(record: Any, number: int) -> Iterator[Line]:
        topic, doc = _names(record)
        windows = [(start, end, float(score)) for start, end, score in record["pred_relevant_windows"]]
        yield from ranked(
            topic,
            ({"doc": doc, "start_s": start, "end_s": end, "score": score} for start, end, score in windows),
        )

    yield from file.lines(file.records(), rows_of, "a qid, a vid and pred_relevant_windows with scores")


def _names(record: Any) -> tuple[str, str]:
    """The query and the video of a record."""
    return str(record["qid"]), str(record["vid"])


FORMATS = (
    assessments_format(
        "qvhighlights",
        "QVHighlights gold: qid, query, vid, duration, relevant_windows in seconds",
        sniff_gold,
        gold_lines,
        priority=3,
        holds_documents=False,
        sample=(
            b'{"qid": 1, "query": "Tea is poured.", "duration": 150, "vid": "v1", '
            b'"relevant_windows": [[10, 24], [30.5, 42]]}\n'
            b'{"qid": 2, "query": "A cup falls.", "duration": 126.5, "vid": "v2", '
            b'"relevant_windows": [[0, 2]]}\n'
        ),
        broken=(
            b"{",
            b'{"qid": 3, "relevant_windows": [[0, 2]]}',
            b'{"qid": 3, "vid": "v1", "duration": 150, "relevant_windows": [[2]]}',
            b'{"qid": 3, "vid": "v1", "duration": 150, "relevant_windows": [[4, 2]]}',
            b'{"qid": 3, "vid": "v1", "duration": 150, "relevant_windows": [["a", "b"]]}',
        ),
    ),
    run_format(
        "qvhighlights",
        "QVHighlights predictions: qid, vid, pred_relevant_windows as [start, end, score] in seconds",
        sniff_predictions,
        predicted_rows,
        priority=3,
        sample=(
            b'{"qid": 1, "query": "Tea is poured.", "vid": "v1", "pred_relevant_windows": '
            b'[[10.0, 22.0, 0.93], [31.25, 42.0, 0.5]], "pred_saliency_scores": [0.5]}\n'
            b'{"qid": 2, "query": "A cup breaks.", "vid": "v2", "pred_relevant_windows": [[0, 2, 0.1]]}\n'
        ),
        broken=(
            b"{",
            b'{"qid": 3, "vid": "v1"}',
            b'{"qid": 3, "vid": "v1", "pred_relevant_windows": [[2, 4]]}',
            b'{"qid": 3, "vid": "v1", "pred_relevant_windows": [[4, 2, 0.5]]}',
            b'{"qid": 3, "vid": "v1", "pred_relevant_windows": [[-4, 2, 0.5]]}',
        ),
    ),
)
