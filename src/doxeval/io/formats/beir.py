"""BEIR: a folder with ``corpus.jsonl``, ``queries.jsonl`` and ``qrels/*.tsv``, or one of these files.

Qrels are ``query-id TAB corpus-id TAB score`` under a header; the corpus is JSON Lines of ``{"_id", "title",
"text"}``, a document being its title, if it has one, and its text on the next line; queries are ``{"_id",
"text"}``. Of several files of qrels in a folder ``test.tsv`` is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from doxeval.core.errors import InputError
from doxeval.core.notices import Notices
from doxeval.io.formats.build_tables import used_names
from doxeval.io.formats.csv_fields import csv_rows, decoded_text, text_rows
from doxeval.io.formats.field_lines import note_repeated
from doxeval.io.formats.format import Format, Options
from doxeval.io.formats.native import keys_of_first_line
from doxeval.io.formats.other_tools import Line, ToolFile, documents_format, record_attributes
from doxeval.io.source import COMPRESSED_SUFFIXES, Source
from doxeval.tables.assessments import Assessments, Ranges, build_assessments
from doxeval.tables.runs import WHOLE
from doxeval.tables.wordings import Topics

HEADER = b"query-id\tcorpus-id\tscore"
HEADER_FIELDS = HEADER.decode().split("\t")
QUERY_KEYS = {b"_id", b"text"}
TEST = "test.tsv"


def sniff_qrels(head: bytes) -> bool:
    """The header of BEIR's qrels."""
    return head.startswith(HEADER)


def sniff_corpus(head: bytes) -> bool:
    """JSON Lines with the title and text of documents."""
    keys = keys_of_first_line(head)
    return QUERY_KEYS | {b"title"} <= keys and b"doc" not in keys


def sniff_queries(head: bytes) -> bool:
    """JSON Lines with the text of queries."""
    keys = keys_of_first_line(head)
    return keys >= QUERY_KEYS and not keys & {b"title", b"topic"}


def read_qrels(source: Source, options: Options) -> Assessments:
    """Read qrels: whole documents with grades."""
    lines = (row for row in csv_rows(decoded_text(source), "\t") if row[1] != HEADER_FIELDS)
    rows = text_rows(("topic", "doc", "rel"), lines, source)
    topic, doc, rel = rows.require("topic"), rows.require("doc"), rows.require("rel")
    topics, docs, grade = used_names(topic, rows.kept), used_names(doc, rows.kept), rel.values[rows.kept]
    assert rows.line is not None
    told = "the highest grade counts"
    note_repeated((docs.codes, topics.codes), rows.line[rows.kept], told, source, rows.notices)
    row = np.flatnonzero(grade > 0)
    whole = np.full(len(row), WHOLE)
    return build_assessments(
        topics.table, docs.table, topics.codes, docs.codes, Ranges(row, whole * 0, whole, grade[row]),
        floor=np.minimum(grade, 0), source=source.name, notices=rows.notices,
    )  # fmt: skip


def corpus_lines(file: ToolFile) -> Iterator[Line]:
    """A document for each line of the corpus."""

    def lines_of(record: Any, number: int) -> Iterator[Line]:
        title, text = record.get("title") or "", record["text"]
        nodes = [{"id": "article", "parent": None, "tag": "article", "start": 0, "end": 0}]
        at = len(title) + 1 if title else 0
        if title:
            nodes.append({"id": "title", "parent": "article", "tag": "title", "start": 0, "end": len(title)})
        nodes.append({"id": "text", "parent": "article", "tag": "p", "start": at, "end": at + len(text)})
        nodes[0]["end"] = at + len(text)
        yield {"doc": record["_id"], "text": f"{title}\n{text}" if title else text, "nodes": nodes}

    yield from file.lines(file.records(), lines_of, 'a document with "_id" and "text"')


def read_queries(source: Source, options: Options) -> Topics:
    """Read the wording of topics, and the short values beside it."""
    file, found = ToolFile(source, Notices()), Topics()
    for number, record in file.records():
        topic, text = record.get("_id"), record.get("text")
        if not topic or not isinstance(text, str):
            raise InputError(f'{source.place(number)}: expected a query with "_id" and "text"')
        found.queries[str(topic)] = text
        if told := record_attributes(record, ("_id", "text")):
            found.attributes[str(topic)] = told
    return found


def file_of_folder(folder: Path, kind: str) -> Path | None:
    """The file of a BEIR folder that holds its documents, assessments or topics; None in other folders."""
    corpus, queries = _named(folder, "corpus.jsonl"), _named(folder, "queries.jsonl")
    if corpus is None or queries is None:
        return None
    if kind != "assessments":
        return corpus if kind == "documents" else queries
    tables = sorted((folder / "qrels").glob("*.tsv"))
    if len(tables) > 1:
        tables = [path for path in tables if path.name == TEST] or tables
    if len(tables) != 1:
        found = ", ".join(path.name for path in tables) or "none"
        raise InputError(
            f"{folder}: expected one file of qrels, or qrels/{TEST}; found {found}; name the file"
        )
    return tables[0]


def _named(folder: Path, name: str) -> Path | None:
    """The file of a name in a folder, packed or not."""
    names = (name, *(f"{name}{suffix}" for suffix in COMPRESSED_SUFFIXES))
    return next((folder / one for one in names if (folder / one).is_file()), None)


FORMATS = (
    Format(
        name="beir",
        kind="assessments",
        summary="BEIR qrels: query-id, corpus-id and score between tabs, under a header; or a BEIR folder",
        sniff=sniff_qrels,
        read=read_qrels,
        priority=1,
        sample=b"query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq2\td 3\t1\n",
        broken=(b"q1\td1", b"q1\td1\tyes"),
    ),
    documents_format(
        "beir-corpus",
        "BEIR corpus: title and text of documents",
        sniff_corpus,
        corpus_lines,
        sample=b'{"_id": "d1", "title": "Tea", "text": "Tea is a drink.", "metadata": {}}\n',
    ),
    Format(
        name="beir-queries",
        kind="topics",
        summary="BEIR queries: the wording of each topic",
        sniff=sniff_queries,
        read=read_queries,
        sample=b'{"_id": "q1", "text": "what is tea"}\n',
    ),
)
