"""ContractNLI: contracts, hypotheses about each, and the spans of evidence for each choice.

``{"documents": [{"id", "file_name", "text", "spans": [[start, end]], "annotation_sets": [{"annotations":
{key: {"choice", "spans": [index]}}}]}], "labels": {key: {"hypothesis"}}}``. Each hypothesis is asked of each
contract: the topic `3/nda-11` of contract 3. Evidence is by indices into the contract's own spans, in code
points, which are its nodes too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from doxeval.io.formats.other_tools import Line, ToolFile, assessments_format

TEXTS_IN_DOCUMENTS = re.compile(rb'"documents"\s*:\s*\[\s*\{.*?"text"\s*:', re.DOTALL)


def sniff(head: bytes) -> bool:
    """A JSON object with a list of documents that have texts."""
    return head.startswith(b"{") and bool(TEXTS_IN_DOCUMENTS.search(head)) and b'"topic"' not in head


def lines(file: ToolFile) -> Iterator[Line]:
    """A document for each contract, and a line for each piece of evidence."""
    for _, content in file.records():
        if not isinstance(content, dict) or not isinstance(content.get("documents"), list):
            continue
        labels = content.get("labels")
        asked = labels if isinstance(labels, dict) else {}
        contracts = enumerate(content["documents"], start=1)
        expected = "a contract with its text, spans and annotations"
        yield from file.lines(contracts, partial(_lines_of_contract, file, asked), expected)


def _lines_of_contract(
    file: ToolFile, asked: dict[str, Any], contract: dict[str, Any], _: int
) -> Iterator[Line]:
    where = f"{file.source.name}: contract {contract['id']}"
    text, spans = contract["text"], contract["spans"]
    doc = str(contract.get("file_name") or contract["id"])
    nodes = [{"tag": "contract", "start": 0, "end": len(text)}]
    nodes += [{"parent": 0, "tag": "span", "start": start, "end": end} for start, end in spans]
    yield {"doc": doc, "text": text, "nodes": nodes}
    kind = contract.get("document_type")
    of_document = {"document_type": kind} if isinstance(kind, str) else {}
    for judged in contract["annotation_sets"]:
        for key, found in judged["annotations"].items():
            topic = f"{contract['id']}/{key}"
            attributes = {"hypothesis": key, "choice": str(found["choice"])} | of_document
            query = asked.get(key, {}).get("hypothesis")
            yield {"topic": topic, "query": query, "attributes": attributes}
            line = {"topic": topic, "doc": doc}
            for index in found["spans"]:
                if index < 0:
                    raise ValueError(f"span {index}")
                start, end = spans[index]
                yield from (line | place for place in file.marked(text, start, end, None, where))
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
