"""Questions about documents of pages, pictures and tables: MMLongBench-Doc and MMDocIR, measured in area.

MMLongBench-Doc: ``[{"doc_id", "question", "evidence_pages": "[5]", "evidence_sources", "answer_format"}]``,
lists as Python literals, pages from 1: each page is relevant, all of it. MMDocIR: ``{"doc_name",
"page_indices", "questions": [{"Q", "page_id", "layout_mapping": [{"page", "page_size", "bbox"}]}]}``, pages
from 0: each box is relevant, or the pages where there are no boxes. A question is a topic, called
``document/number``; those without evidence are kept, with nothing relevant.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from typing import Any

from doxeval.io.formats.other_tools import Line, ToolFile, assessments_format, record_attributes

WHOLE_PAGE = [0, 0, 1, 1]
TEXTS = ("answer", "question", "doc_id", "evidence_pages", "evidence_sources")


def sniff_questions(head: bytes) -> bool:
    """A list of objects with evidence pages."""
    return head.startswith((b"[", b"{")) and b'"evidence_pages"' in head and b'"doc_id"' in head


def sniff_boxes(head: bytes) -> bool:
    """Objects of documents with questions and the layout of their evidence."""
    return head.startswith((b"[", b"{")) and b'"layout_mapping"' in head and b'"doc_name"' in head


def question_lines(file: ToolFile) -> Iterator[Line]:
    """A page for each page of evidence."""
    met: Counter[str] = Counter()

    def lines_of(record: Any, number: int) -> Iterator[Line]:
        doc, pages = str(record["doc_id"]), _listed(record["evidence_pages"])
        met[doc] += 1
        told = record_attributes(record, TEXTS) | _joined("evidence_sources", record.get("evidence_sources"))
        line = {"topic": f"{doc}/{met[doc]}", "query": record["question"], "attributes": told, "doc": doc}
        yield from _evidence(
            line, [{"page": _page(page), "region": WHOLE_PAGE} for page in dict.fromkeys(pages)]
        )

    yield from file.lines(file.records(), lines_of, "a doc_id, a question and evidence_pages")


def box_lines(file: ToolFile) -> Iterator[Line]:
    """A region for each box of evidence."""

    def lines_of(record: Any, number: int) -> Iterator[Line]:
        doc, (first, after) = str(record["doc_name"]), record["page_indices"]
        about = {"domain": str(record["domain"])} if record.get("domain") else {}
        for at, question in enumerate(record["questions"], start=1):
            told = about | _joined("type", question.get("type"))
            line = {"topic": f"{doc}/{at}", "query": question["Q"], "attributes": told, "doc": doc,
                    "page_count": after - first}  # fmt: skip
            boxes = [
                {"page": _page(box["page"]) + 1, "page_size": box["page_size"], "region": box["bbox"]}
                for box in question.get("layout_mapping") or ()
            ]
            pages = [
                {"page": _page(page) + 1, "region": WHOLE_PAGE} for page in question.get("page_id") or ()
            ]
            yield from _evidence(line, boxes or pages)

    yield from file.lines(
        file.records(), lines_of, "a doc_name, page_indices and questions with their layout"
    )


def _evidence(line: Line, places: list[Line]) -> Iterator[Line]:
    """A line for each place of a question; one that says that nothing is relevant if there is none."""
    line["attributes"] |= {"answerable": "yes" if places else "no"}
    yield from (line | place for place in places or [{}])


def _page(number: Any) -> int:
    if type(number) is not int:
        raise TypeError(f"page {number!r}")
    return number


def _listed(value: Any) -> list[Any]:
    """A list, which may be written as a Python literal."""
    if isinstance(value, str):
        try:
            value = ast.literal_eval(value)
        except (SyntaxError, MemoryError):
            raise ValueError(f"{value[:40]!r} is no list") from None
    if not isinstance(value, list | tuple):
        raise TypeError(f"{value!r} is no list")
    return list(value)


def _joined(name: str, value: Any) -> dict[str, str]:
    """An attribute with several values, if there are any."""
    try:
        found = _listed(value or [])
    except (TypeError, ValueError):
        return {}
    texts = [str(one) for one in found]
    return {name: ", ".join(texts)} if texts else {}


_QUESTION = (
    b' {"doc_id": "tea.pdf", "doc_type": "Guidebook", "question": "%s", "answer": "2",\n'
    b'  "evidence_pages": "%s", "evidence_sources": "[\'Figure\']", "answer_format": "Int"}'
)
_BOX = b'{"page": 14, "page_size": [612.0, 792.0], "bbox": [41, 369.5, 264, 381]}'
_DOCUMENT = (
    b'{"doc_name": "%s", "domain": "Guidebook", "page_indices": [3, 19], "questions": [{"Q": "How hot?", '
    b'"A": "6", "page_id": [14], "type": "[\'Table\']", "layout_mapping": [' + _BOX + b"]}]}\n"
)
FORMATS = (
    assessments_format(
        "mmlongbench-doc",
        "MMLongBench-Doc: doc_id, question, evidence_pages (from 1); pages are relevant",
        sniff_questions,
        question_lines,
        priority=3,
        holds_documents=False,
        sample=b"[\n"
        + _QUESTION % (b"How many cups?", b"[5, 6]")
        + b",\n"
        + _QUESTION % (b"Why?", b"[]")
        + b"\n]\n",
    ),
    assessments_format(
        "mmdocir",
        "MMDocIR: doc_name, questions with layout_mapping (page from 0, page_size, bbox); boxes are relevant",
        sniff_boxes,
        box_lines,
        priority=3,
        holds_documents=False,
        sample=_DOCUMENT % b"tea.pdf" + _DOCUMENT % b"milk.pdf",
        broken=(
            b"{",
            b'{"doc_name": "x.pdf", "questions": []}',
            b'{"doc_name": "x.pdf", "page_indices": [0, 4], "questions": [{"layout_mapping": []}]}',
            b'{"doc_name": "x.pdf", "page_indices": [0, 4], "questions": [{"Q": "?", "page_id": [""]}]}',
        ),
    ),
)
