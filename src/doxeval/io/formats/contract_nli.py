"""ContractNLI: contracts, hypotheses about each, and the spans of evidence for each choice.

``{"documents": [{"id", "file_name", "text", "spans": [[start, end]], "annotation_sets": [{"annotations":
{key: {"choice", "spans": [index]}}}]}], "labels": {key: {"hypothesis"}}}``. Each hypothesis is asked of each
contract: the topic `3/nda-11` of contract 3. Evidence is by indices into the contract's own spans, in code
points, which are its nodes too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from doxeval.core.notices import Notices
from doxeval.io.formats.other_tools import (
    Line,
    assessments_format,
    checked_range,
    json_records,
    lines_of_records,
)
from doxeval.io.source import Source

TEXTS_IN_DOCUMENTS = re.compile(rb'"documents"\s*:\s*\[\s*\{.*?"text"\s*:', re.DOTALL)


def sniff(head: bytes) -> bool:
    """A JSON object with a list of documents that have texts."""
    return head.startswith(b"{") and bool(TEXTS_IN_DOCUMENTS.search(head)) and b'"topic"' not in head


def lines(source: Source, notices: Notices) -> Iterator[Line]:
    """A document for each contract, and a line for each piece of evidence."""
    for _, file in json_records(source, notices):
        if not isinstance(file, dict) or not isinstance(file.get("documents"), list):
            continue
        labels = file.get("labels")
        asked = labels if isinstance(labels, dict) else {}

        def lines_of(contract: dict[str, Any], number: int, asked: dict[str, Any] = asked) -> Iterator[Line]:
            yield from _contract(contract, asked, f"{source.name}: contract {contract['id']}", notices)

        numbered = list(enumerate(file["documents"], start=1))
        yield from lines_of_records(
            numbered, lines_of, "a contract with its text, spans and annotations", source, notices
        )


def _contract(
    contract: dict[str, Any], asked: dict[str, Any], where: str, notices: Notices
) -> Iterator[Line]:
    text, spans = contract["text"], contract["spans"]
    doc = str(contract.get("file_name") or contract["id"])
    nodes = [{"tag": "contract", "start": 0, "end": len(text)}]
    nodes += [{"parent": 0, "tag": "span", "start": start, "end": end} for start, end in spans]
    yield {"doc": doc, "text": text, "nodes": nodes}
    for judged in contract["annotation_sets"]:
        for key, found in judged["annotations"].items():
            topic = f"{contract['id']}/{key}"
            told = {"hypothesis": key, "choice": str(found["choice"])}
            if isinstance(contract.get("document_type"), str):
                told["document_type"] = contract["document_type"]
            query = asked.get(key, {}).get("hypothesis")
            yield {"topic": topic, "query": query, "attributes": told}
            line = {"topic": topic, "doc": doc}
            for index in found["spans"]:
                if index < 0:
                    raise ValueError(f"span {index}")
                start, end = spans[index]
                places = checked_range(text, start, end, None, where, notices)
                yield from (line | place for place in places)
            if not found["spans"]:
                yield line | {"length": len(text)}


FORMAT = assessments_format(
    "contract-nli",
    "ContractNLI JSON: contracts with hypotheses, choices and evidence spans",
    sniff,
    lines,
    sample=(
        b'{"documents": [{"id": 3, "file_name": "a.pdf", "text": "Keep it secret. Always.",\n'
        b'  "spans": [[0, 15], [16, 23]], "annotation_sets": [{"annotations": {\n'
        b'   "nda-1": {"choice": "Entailment", "spans": [0]},\n'
        b'   "nda-2": {"choice": "NotMentioned", "spans": []}}}]}],\n'
        b' "labels": {"nda-1": {"hypothesis": "It is secret."}, "nda-2": {"hypothesis": "It ends."}}}\n'
    ),
)
