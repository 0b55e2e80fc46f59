"""Chunk evaluation: questions with references as CSV, and lists of all chunks as CSV or JSON Lines.

Questions are ``question,references,corpus_id``, the references a JSON list of ``{"content", "start_index",
"end_index"}``. Topics are numbered in the order of the file: q000, q001, ...
"""

from __future__ import annotations

import json
from typing import IO, Any

from doxeval.core.notices import Notices
from doxeval.core.records import csv_text
from doxeval.io.formats.build_tables import build_chunks, collect_assessments
from doxeval.io.formats.columns import rows_of_dicts
from doxeval.io.formats.csv_fields import csv_records, value_in_field
from doxeval.io.formats.format import Format, Options
from doxeval.io.formats.native import keys_of_first_line, read_rows
from doxeval.io.json_text import NotJson, json_value
from doxeval.io.source import Source
from doxeval.tables.assessments import Assessments
from doxeval.tables.runs import Chunks

QUESTION_COLUMNS = ("question", "references", "corpus_id")
CHUNK_COLUMNS = ("doc", "start", "end")


def numbered_topic(number: int, topics: int) -> str:
    """The name of a topic by its number: three digits, or more where there are more topics.

    >>> numbered_topic(7, 472), numbered_topic(7, 6858)
    ('q007', 'q0007')
    """
    return f"q{number:0{max(3, len(str(max(0, topics - 1))))}d}"


def _columns_of_header(head: bytes) -> set[str]:
    line = head.split(b"\n", 1)[0].decode(errors="replace")
    return {name.strip().strip('"') for name in line.split(",")}


def sniff_questions(head: bytes) -> bool:
    """The header of a file of questions."""
    return set(QUESTION_COLUMNS) <= _columns_of_header(head)


def sniff_chunks_csv(head: bytes) -> bool:
    """The header of a list of chunks."""
    header = _columns_of_header(head)
    return set(CHUNK_COLUMNS) <= header and "topic" not in header


def sniff_chunks_jsonl(head: bytes) -> bool:
    """JSON objects with a range of a document, and no topic."""
    keys = keys_of_first_line(head)
    return {b"doc", b"start", b"end"} <= keys and not keys & {b"topic", b"nodes", b"length"}


def read_questions(source: Source, options: Options) -> Assessments:
    """Read questions and their references, with their words; one without indices is a quote to locate."""
    notices = Notices()
    records = csv_records(source, QUESTION_COLUMNS)
    rows: list[dict[str, Any]] = []
    for number, (line, record) in enumerate(records):
        topic = numbered_topic(number, len(records))
        base = {"topic": topic, "doc": record.get("corpus_id"), "line": line}
        references = _references(record.get("references") or "")
        if references is None:
            notices.add(
                f"{source.name}: {{count}} {{record|records}} refused, expected references as a JSON list of "
                "objects",
                f"{source.name}:{line}",
            )
            continue
        rows.append(base | {"query": record.get("question")})
        rows.extend(base | _reference(reference) for reference in references)
    return collect_assessments(rows_of_dicts(rows, source.name, notices))


def _references(text: str) -> list[dict[str, Any]] | None:
    try:
        references = json_value(text or "[]")
    except NotJson:
        return None
    fine = isinstance(references, list) and all(isinstance(item, dict) for item in references)
    return references if fine else None


def _reference(reference: dict[str, Any]) -> dict[str, Any]:
    return {
        "start": reference.get("start_index"),
        "end": reference.get("end_index"),
        "quote": reference.get("content"),
    }


def read_chunks_csv(source: Source, options: Options) -> Chunks:
    """Read a list of chunks from CSV."""
    records = csv_records(source, CHUNK_COLUMNS)
    rows = [
        {"line": line} | {key: value_in_field(key, record[key]) for key in CHUNK_COLUMNS}
        for line, record in records
    ]
    return build_chunks(rows_of_dicts(rows, source.name))


def read_chunks_jsonl(source: Source, options: Options) -> Chunks:
    """Read a list of chunks from JSON Lines."""
    return build_chunks(read_rows(source))


def write_chunks_csv(chunks: Chunks, stream: IO[str], options: Options) -> None:
    """Write a list of chunks as CSV."""
    docs = (chunks.docs[code] for code in chunks.doc.tolist())
    rows = zip(docs, chunks.start.tolist(), chunks.end.tolist(), strict=True)
    stream.write(csv_text([CHUNK_COLUMNS, *rows]))


def write_chunks_jsonl(chunks: Chunks, stream: IO[str], options: Options) -> None:
    """Write a list of chunks as JSON Lines."""
    for doc, start, end in zip(chunks.doc.tolist(), chunks.start.tolist(), chunks.end.tolist(), strict=True):
        stream.write(
            json.dumps({"doc": chunks.docs[doc], "start": start, "end": end}, ensure_ascii=False) + "\n"
        )


FORMATS = (
    Format(
        name="chunk-eval-csv",
        kind="assessments",
        summary="Chunk-evaluation CSV: question,references,corpus_id; topics are numbered q000, q001, ...",
        sniff=sniff_questions,
        read=read_questions,
        sample=(
            b"question,references,corpus_id\n"
            b'"What, then?","[{""content"": ""so"", ""start_index"": 3, ""end_index"": 5}]",notes\n'
            b'Where?,"[{""content"": ""here it is""}]",notes\n'
        ),
        broken=(b"A?,[{,notes",),
    ),
    Format(
        name="chunks-csv",
        kind="chunks",
        summary="All chunks of a collection as CSV: doc,start,end",
        sniff=sniff_chunks_csv,
        read=read_chunks_csv,
        write=write_chunks_csv,
        suffixes=(".csv",),
        sample=b"doc,start,end\na,0,400\na,400,800\n",
        broken=(b"a,9,x", b"a,9", b",1,2", b"a,9,3"),
    ),
    Format(
        name="chunks-jsonl",
        kind="chunks",
        summary="All chunks of a collection as JSON Lines: doc, start, end",
        sniff=sniff_chunks_jsonl,
        read=read_chunks_jsonl,
        write=write_chunks_jsonl,
        suffixes=(".jsonl",),
        sample=b'{"doc": "a", "start": 0, "end": 400}\n{"doc": "b", "start": 1, "end": 2}\n',
        broken=(b"{", b'{"doc": "a", "start": 0}', b'{"doc": "a", "start": 5, "end": 4}'),
    ),
)
