"""Answers of TREC's RAG track as a run: what they cite.

``{"run_id", "topic_id", "topic", "references": [ids], "answer": [{"text", "citations": [...]}]}``, one answer
a line. Citations are indices into the references, from 0, or ids themselves. The results of a topic are the
documents that its answer cites, in the order in which they are first cited; references that no sentence
cites are left out, and an answer without citations returned nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from doxeval.io.formats.other_tools import Line, ToolFile, ranked, run_format

NO_REFERENCE = "{count} {citation points|citations point} to no reference and {is|are} left out"
NOT_CITED = "{count} {reference is|references are} listed but cited by no sentence, and {is|are} left out"
TOPICS = ("topic_id", "narrative_id", "qid")
KEYS = (b'"answer"', b'"references"', b'"citations"')


def sniff(head: bytes) -> bool:
    """JSON objects with references and an answer in sentences with citations."""
    line = head.partition(b"\n")[0]
    return line.startswith(b"{") and all(key in line for key in KEYS)


def rows(file: ToolFile) -> Iterator[Line]:
    """A result for each document that an answer cites."""

    def rows_of(record: Any, number: int) -> Iterator[Line]:
        told = record if isinstance(record.get("metadata"), type(None)) else record["metadata"] | record
        topic = str(
            next((told[key] for key in TOPICS if told.get(key) is not None), "") or record["topic_id"]
        )
        references = [str(one) for one in record["references"]]
        cited: dict[str, None] = {}
        for sentence in record["answer"]:
            for citation in sentence.get("citations") or ():
                doc = _document(citation, references)
                if doc is None:
                    file.notices.add(NO_REFERENCE, f"{file.source.place(number)}: {citation!r}", lasting=True)
                else:
                    cited[doc] = None
        unused = len(set(references) - cited.keys())
        if unused:
            file.notices.add(NOT_CITED, count=unused, harmless=True)
        tag = {"run": str(told["run_id"])} if told.get("run_id") else {}
        yield from (row | tag for row in ranked(topic, ({"doc": doc} for doc in cited)))

    expected = "a topic_id, references, and an answer in sentences with citations"
    yield from file.lines(file.records(), rows_of, expected)


def _document(citation: Any, references: Sequence[str]) -> str | None:
    """The document of a citation: by index, by id, or an object with either."""
    if isinstance(citation, Mapping):
        given = (citation.get(key) for key in ("index", "doc", "docid", "id"))
        return _document(next((one for one in given if one is not None), None), references)
    if isinstance(citation, bool):
        return None
    if isinstance(citation, int):
        return references[citation] if 0 <= citation < len(references) else None
    return citation if isinstance(citation, str) and citation in references else None


_ANSWER = (
    b'{"run_id": "r", "topic_id": "%s", "topic": "what is hot?", "references": ["tea", "milk"], '
    b'"response_length": 7, "answer": [{"text": "Tea is hot.", "citations": [%s]}]}\n'
)
FORMAT = run_format(
    "trec-rag",
    "Answers of TREC RAG: topic_id, references, answer with citations; the run is what they cite",
    sniff,
    rows,
    priority=3,
    sample=_ANSWER % (b"t1", b"1, 0") + _ANSWER % (b"t2", b"0"),
    broken=(
        b"{",
        b'{"references": [], "answer": []}',
        b'{"topic_id": "t3", "references": [], "answer": [7]}',
        b'{"topic_id": "t3", "references": 7, "answer": [{"text": "x", "citations": []}]}',
    ),
)
