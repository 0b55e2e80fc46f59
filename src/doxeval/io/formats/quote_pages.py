"""Questions with quotes and their pages: FinanceBench and OHR-Bench.

FinanceBench: JSON Lines of ``{"financebench_id", "question", "doc_name", "evidence": [{"evidence_text",
"doc_name", "evidence_page_num"}]}``. OHR-Bench: a JSON list of ``{"ID", "questions", "doc_name",
"evidence_context", "evidence_page_no"}``, in which context and page may be lists. Both count pages from 0,
native lines from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from doxeval.io.formats.other_tools import Line, ToolFile, assessments_format, record_attributes

PAGE_KEY = re.compile(rb'"evidence_page_(num|no)"\s*:')
NO_ATTRIBUTES = (
    "financebench_id", "ID", "question", "questions", "answer", "answers", "justification", "doc_name",
    "evidence_context", "evidence_page_no",
)  # fmt: skip


def sniff(head: bytes) -> bool:
    """JSON with pages of evidence."""
    return head.startswith((b"{", b"[")) and bool(PAGE_KEY.search(head))


def lines(file: ToolFile) -> Iterator[Line]:
    """A line for each quote."""
    return file.lines(file.records(), _lines_of_question, "a question with quotes and pages")


def _lines_of_question(record: dict[str, Any], number: int) -> Iterator[Line]:
    asked = {
        "topic": record.get("financebench_id", record.get("ID")),
        "query": record.get("question", record.get("questions")),
    }
    yield asked | {"attributes": record_attributes(record, NO_ATTRIBUTES)}
    for doc, quote, page in _evidence_of(record):
        line = asked | {"doc": doc, "quote": quote}
        yield line if page is None else line | {"page": page + 1}


def _evidence_of(record: dict[str, Any]) -> Iterator[tuple[Any, Any, Any]]:
    """Document, quote and page of each piece of evidence."""
    own = record.get("doc_name")
    if "evidence" in record:
        for piece in record["evidence"]:
            yield piece.get("doc_name", own), piece["evidence_text"], piece.get("evidence_page_num")
        return
    quotes, pages = record["evidence_context"], record.get("evidence_page_no")
    quotes = quotes if isinstance(quotes, list) else [quotes]
    pages = pages if isinstance(pages, list) else [pages] * len(quotes)
    yield from ((own, quote, page) for quote, page in zip(quotes, pages, strict=True))


FORMAT = assessments_format(
    "quote-pages",
    "Quotes with pages: FinanceBench (JSON Lines) and OHR-Bench (JSON)",
    sniff,
    lines,
    sample=(
        b'{"financebench_id": "f1", "question": "How much?", "doc_name": "A_10K", "question_type": "plain",'
        b' "evidence": [{"evidence_text": "12 million", "doc_name": "A_10K", "evidence_page_num": 4}]}\n'
        b'{"financebench_id": "f2", "question": "Who?", "doc_name": "A_10K",'
        b' "evidence": [{"evidence_text": "The board", "evidence_page_num": 0}]}\n'
    ),
    broken=(
        b"{",
        b'{"financebench_id": "f3", "question": "What?", "doc_name": "A_10K", "evidence": 7}',
        b'{"financebench_id": "f3", "question": "What?", "evidence": [{"evidence_page_num": 1}]}',
    ),
)
