"""QASPER: questions on papers with the paragraphs that answer them, and predictions.

``{paper: {"title", "abstract", "full_text": [{"section_name", "paragraphs"}], "figures_and_tables":
[{"caption"}], "qas": [{"question", "question_id", "answers": [{"answer": {"evidence": [paragraph]}}]}]}}``. A
paper is a document, and a line of it the abstract, a paragraph, or the caption of a figure or table; evidence
is compared as text. Each answer is a reference of its own (``answer 1``, ...; see ``--merge``). Predictions
are JSON Lines of ``{"question_id", "predicted_evidence": [paragraph]}``, found in the papers (``--docs``).
Questions apart from their papers are ``{id: {"article_id", "text", "evidence", "highlighted_evidence"}}``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from doxeval.core.values import name_of
from doxeval.io.formats.items import Part, document_of_items, note_items
from doxeval.io.formats.native import keys_of_first_line
from doxeval.io.formats.other_tools import (
    Line,
    ToolFile,
    assessments_format,
    record_attributes,
    run_format,
)

PAPERS = re.compile(rb'"full_text"\s*:\s*\[')
FLOAT = "FLOAT SELECTED"
NOT_THERE = (
    "{count} {piece|pieces} of evidence {is|are} not in {its|their} paper; {it counts as a line|they count "
    "as lines} at the end of it"
)
FLOATS = (
    "{count} {figure or table is|figures or tables are} left out of the evidence: there is no text to find"
)
SAME_ID = "{count} {question has|questions have} the id of a later one, which is used"


def sniff_gold(head: bytes) -> bool:
    """A JSON object of papers with their full text."""
    return head.startswith(b"{") and PAPERS.search(head) is not None and b'"section_name"' in head


def sniff_run(head: bytes) -> bool:
    """JSON Lines with predicted evidence."""
    return {b"question_id", b"predicted_evidence"} <= keys_of_first_line(head)


def gold_lines(file: ToolFile) -> Iterator[Line]:
    """A document for each paper, and a line for each paragraph of each answer's evidence."""
    note_items(file.notices, "paragraph")
    listed = [
        entry
        for _, papers in file.records()
        for entry in (papers.items() if isinstance(papers, dict) else ())
    ]
    asked: Counter[str] = Counter()
    for _, paper in listed:
        asked.update(map(_id, paper.get("qas") or () if isinstance(paper, dict) else ()))

    def lines_of(entry: tuple[str, Any], number: int) -> Iterator[Line]:
        name, paper = entry
        parts = _parts(paper)
        known = {" ".join(text.split()) for _, _, items in parts for _, text in items}
        lost = [text for text in _all_evidence(paper) if text not in known]
        of_floats = [text for text in lost if text.startswith(FLOAT)]
        others = [text for text in lost if not text.startswith(FLOAT)]
        for text in others:
            file.notices.add(NOT_THERE, f"{name}: {text[:40]!r}", lasting=True)
        parts.append(("floats", "", [("", text) for text in of_floats]))
        parts.append(("elsewhere", "", [("", text) for text in others]))
        if file.for_documents:
            yield document_of_items(name, "paper", [part for part in parts if part[2]], "paragraph")
        line_of: dict[str, int] = {}
        for at, text in enumerate((text for _, _, items in parts for _, text in items), start=1):
            line_of.setdefault(" ".join(text.split()), at)
        for question in paper["qas"]:
            topic = _id(question) or question["question_id"]
            asked[topic] -= 1
            if asked[topic]:
                file.notices.add(SAME_ID, f"{topic}", lasting=True)
                continue
            attributes = record_attributes(question, ("question_id", "question"))
            yield {"topic": topic, "query": question["question"], "attributes": attributes}
            for at, answer in enumerate(question["answers"], start=1):
                by = {"topic": topic, "doc": name, "assessor": f"answer {at}"}
                yield by
                for text in _evidence(answer):
                    yield by | {"start_line": line_of[text], "end_line": line_of[text]}

    yield from file.lines(enumerate(listed, start=1), lines_of, "a paper with its questions")


def _id(question: Any) -> str:
    """The id of a question, empty if it has none."""
    found = name_of(question.get("question_id")) if isinstance(question, dict) else None
    return found or ""


def _parts(paper: Any) -> list[Part]:
    """The abstract, the sections with their paragraphs, and the captions."""
    parts: list[Part] = [("abstract", "", [("", paper.get("abstract") or "")])]
    for section in paper["full_text"]:
        paragraphs = [("", text) for text in section["paragraphs"]]
        parts.append(("section", section.get("section_name") or "", paragraphs))
    captions = [figure["caption"] for figure in paper.get("figures_and_tables") or ()]
    parts.append(("floats", "", [("", f"{FLOAT}: {caption}") for caption in captions]))
    return [part for part in parts if part[2]]


def _evidence(answer: Any) -> list[str]:
    """The distinct paragraphs of an answer's evidence, with single blanks."""
    told = answer["answer"].get("evidence") or ()
    return list(dict.fromkeys(clean for text in told if (clean := " ".join(text.split()))))


def _all_evidence(paper: Any) -> list[str]:
    """The distinct paragraphs of all evidence."""
    answers = [answer for question in paper["qas"] for answer in question["answers"]]
    return list(dict.fromkeys(text for answer in answers for text in _evidence(answer)))


def run_lines(file: ToolFile) -> Iterator[Line]:
    """A line for each predicted paragraph, in order; a question without any was asked."""

    def lines_of(record: Any, number: int) -> Iterator[Line]:
        topic, found = record["question_id"], record["predicted_evidence"]
        texts = [text for text in found if text.strip()]
        if not texts:
            yield {"topic": topic}
        for rank, text in enumerate(dict.fromkeys(texts), start=1):
            yield {"topic": topic, "rank": rank, "text": text}

    yield from file.lines(file.records(), lines_of, "a question with its predicted evidence")


def question_lines(file: ToolFile) -> Iterator[Line]:
    """A quote for each paragraph of the evidence of a question, to be found in its paper."""

    def lines_of(entry: tuple[str, Any], number: int) -> Iterator[Line]:
        topic, question = entry
        doc = question["article_id"]
        yield {"topic": topic, "query": question["text"]}
        yield {"topic": topic, "doc": doc}
        for text in dict.fromkeys(question["evidence"]):
            if not isinstance(text, str):
                raise TypeError("evidence is not text")
            if text.strip() and not text.startswith(FLOAT):
                yield {"topic": topic, "doc": doc, "quote": text}
            elif text.strip():
                file.notices.add(FLOATS, f"{topic}: {text[:40]!r}", lasting=True)

    for _, content in file.records():
        questions = content.items() if isinstance(content, dict) else ()
        yield from file.lines(
            enumerate(questions, start=1), lines_of, "a question with its article and evidence"
        )


FORMATS = (
    assessments_format(
        "qasper",
        "QASPER gold: papers with questions and the evidence of each answer; a paragraph is a line",
        sniff_gold,
        gold_lines,
        priority=1,
        sample=(
            b'{"1909.1": {"title": "Tea", "abstract": "On tea.", "full_text": [{"section_name": "Intro",\n'
            b'   "paragraphs": ["Tea is a drink.", "It is hot."]}],\n'
            b'  "qas": [{"question": "What is tea?", "question_id": "q1", "answers": [\n'
            b'   {"answer": {"unanswerable": false, "evidence": ["Tea is a drink."]}},\n'
            b'   {"answer": {"unanswerable": false, "evidence": ["Tea is a drink.", "It is hot."]}}]}]}}\n'
        ),
    ),
    assessments_format(
        "qasper-questions",
        "questions of QASPER without the papers: the evidence of each as quotes",
        lambda head: head.startswith(b"{") and b'"article_id"' in head and b'"highlighted_evidence"' in head,
        question_lines,
        holds_documents=False,
        sample=(
            b'{"q1": {"article_id": "1909.1", "text": "What is tea?", "extractive_spans": [],\n'
            b'  "evidence": ["Tea is a drink."], "highlighted_evidence": ["a drink"]}}\n'
        ),
    ),
    run_format(
        "qasper",
        "QASPER predictions: paragraphs that answer each question",
        sniff_run,
        run_lines,
        sample=(
            b'{"question_id": "q1", "predicted_answer": "", "predicted_evidence": ["It is hot.", "Tea."]}\n'
            b'{"question_id": "q2", "predicted_evidence": []}\n'
        ),
        broken=(b'{"question_id": "q3", "predicted_evidence": 7}', b'{"question_id": "q3"'),
    ),
)
