"""SciFact: claims with rationales in abstracts, predictions, and the corpus.

Gold files are JSON Lines of ``{"id", "claim", "evidence": {doc: [{"sentences": [number], "label"}]},
"cited_doc_ids"}``: each rationale is a set of sentences that answers alone. Predictions are ``{"id",
"evidence": {doc: {"sentences", "label"}}}``, the corpus ``{"doc_id", "title", "abstract": [sentence]}``. A
sentence, numbered from 0 in the files, is a line. Labels are not scored.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from doxeval.io.formats.items import document_of_items, note_items
from doxeval.io.formats.native import keys_of_first_line
from doxeval.io.formats.other_tools import (
    Line,
    ToolFile,
    assessments_format,
    documents_format,
    run_format,
)

EXPECTED = "a claim with its evidence by document"


def sniff_gold(head: bytes) -> bool:
    """JSON Lines with claims and evidence."""
    return {b"id", b"claim", b"evidence"} <= keys_of_first_line(head)


def sniff_run(head: bytes) -> bool:
    """JSON Lines with an id and evidence, and nothing that says what else they are."""
    keys = keys_of_first_line(head)
    return {b"id", b"evidence"} <= keys and not keys & {b"claim", b"topic", b"doc", b"question", b"output"}


def sniff_corpus(head: bytes) -> bool:
    """JSON Lines with abstracts in sentences."""
    return {b"doc_id", b"abstract"} <= keys_of_first_line(head)


def gold_lines(file: ToolFile) -> Iterator[Line]:
    """A line for each rationale, which is one place and a set of its own; cited documents were judged."""
    note_items(file.notices, "sentence")

    def lines_of(record: Any, number: int) -> Iterator[Line]:
        topic = record["id"]
        yield {"topic": topic, "query": record["claim"]}
        for doc in record.get("cited_doc_ids") or ():
            yield {"topic": topic, "doc": doc}
        for doc, rationales in record["evidence"].items():
            for at, rationale in enumerate(rationales, start=1):
                name = f"{doc}, {at}"
                yield {"topic": topic, "doc": doc, "set": name, "need": name} | _sentences(rationale)

    yield from file.lines(file.records(), lines_of, EXPECTED)


def run_lines(file: ToolFile) -> Iterator[Line]:
    """A line for each predicted sentence, in the order of the file; a claim without any was asked."""

    def lines_of(record: Any, number: int) -> Iterator[Line]:
        topic, rank = record["id"], 0
        for doc, found in record["evidence"].items():
            for line in dict.fromkeys(line for line, _ in _sentences(found)["lines"]):
                rank += 1
                yield {"topic": topic, "doc": doc, "rank": rank, "start_line": line, "end_line": line}
        if not rank:
            yield {"topic": topic}

    yield from file.lines(file.records(), lines_of, EXPECTED)


def _sentences(rationale: Any) -> Line:
    """The sentences of a rationale as lines."""
    found = rationale["sentences"]
    if not isinstance(found, list) or not all(isinstance(place, int) and place >= 0 for place in found):
        raise TypeError(f"{found!r} are not numbers of sentences")
    return {"lines": [[place + 1, place + 1] for place in found]}


def corpus_lines(file: ToolFile) -> Iterator[Line]:
    """A document for each abstract."""

    def lines_of(record: Any, number: int) -> Iterator[Line]:
        items = [("", text) for text in record["abstract"]]
        made = document_of_items(record["doc_id"], "abstract", [("", "", items)], "sentence")
        yield made | {"metadata": {"title": str(record.get("title", ""))}}

    yield from file.lines(file.records(), lines_of, "a document with its abstract in sentences")


FORMATS = (
    assessments_format(
        "scifact",
        "SciFact gold: rationales of each claim, any one of which is enough; a sentence is a line",
        sniff_gold,
        gold_lines,
        holds_documents=False,
        priority=1,
        sample=(
            b'{"id": 1, "claim": "Tea is hot.", "evidence": {"7": [{"sentences": [0, 2], "label": "YES"}, '
            b'{"sentences": [4], "label": "SUPPORT"}]}, "cited_doc_ids": [7]}\n'
            b'{"id": 2, "claim": "Tea is cold.", "evidence": {}, "cited_doc_ids": [8]}\n'
        ),
        broken=(b'{"id": 3, "claim": "x", "evidence": {"7": [{"sentences": ["a"]}]}}', b'{"id": 3'),
    ),
    run_format(
        "scifact",
        "SciFact predictions: sentences that support or refute each claim",
        sniff_run,
        run_lines,
        sample=(
            b'{"id": 1, "evidence": {"7": {"sentences": [4, 5], "label": "SUPPORT"}}}\n'
            b'{"id": 2, "evidence": {}}\n'
        ),
        broken=(b'{"id": 3, "evidence": {"7": {"sentences": "4"}}}', b'{"id": 3'),
    ),
    documents_format(
        "scifact-corpus",
        "SciFact corpus: abstracts; a sentence is a line",
        sniff_corpus,
        corpus_lines,
        sample=b'{"doc_id": 7, "title": "Tea", "abstract": ["Tea is a drink.", "It is hot."]}\n',
    ),
)
