"""Exchange of judgements: the file that an offline page saves, and exports for other tools."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from doxeval import Documents, InputError, Notices, UsageError
from doxeval.core.files import is_database
from doxeval.core.output import atomic
from doxeval.core.phrases import counted
from doxeval.core.values import quoted
from doxeval.extend import Source, json_at
from doxeval.io.formats.judgement_database import FILE_FORMAT, WITHOUT_LOG, opened_database
from doxeval.io.formats.judgements import Judgement, JudgementsFile, read_judgements
from doxeval.io.formats.merging import JudgedRange
from doxeval.judging.store import SavedActs, checked_assessor

VERSION = 1
EXPECTED = "a file saved by a page that 'doxeval judge --offline' made"
LABEL = "relevant"


def read_saved(path: str | Path) -> SavedActs:
    """The content of a file saved by an offline page."""
    with Source(path) as source:
        told = json_at(source.name, source.read())
        if not isinstance(told, dict) or told.get("judgements") != VERSION:
            raise InputError(f"{source.name}: expected {EXPECTED}, found {quoted(told)}")
        queries, documents, acts = (told.get(key, ...) for key in ("queries", "documents", "acts"))
        if not _is_known(queries, documents) or not isinstance(acts, list):
            raise InputError(f"{source.name}: expected {EXPECTED}, with queries, documents and acts")
        assessor = checked_assessor(str(told.get("assessor", "")))
        lengths = {doc: (length, mark) for doc, (length, mark) in documents.items()}
        return SavedActs(assessor, queries, lengths, acts)


def _is_known(queries: Any, documents: Any) -> bool:
    """Whether a file describes topics and documents as it should."""
    return (
        isinstance(queries, dict)
        and isinstance(documents, dict)
        and all(isinstance(query, str) for query in queries.values())
        and all(
            isinstance(one, list) and len(one) == 2 and type(one[0]) is int and isinstance(one[1], str)
            for one in documents.values()
        )
    )


def write_backup(database: str | Path, target: str | Path) -> int:
    """Write a copy of a database, also of one that somebody writes to; returns the number of its acts."""
    with Source(database) as source:
        if not is_database(database):
            raise InputError(f"{source.name}: is not a database of judgements")
        with (
            opened_database(source, Notices()) as connection,
            closing(sqlite3.connect(":memory:")) as copy,
        ):
            connection.backup(copy)
            acts = {name for (name,) in copy.execute("SELECT id FROM acts")}
            _check_older(target, acts, source.name)
            content = bytearray(copy.serialize())
            content[FILE_FORMAT : FILE_FORMAT + len(WITHOUT_LOG)] = WITHOUT_LOG
            with atomic(target) as stream:
                stream.write(content)
    return len(acts)


def _check_older(target: str | Path, acts: set[str], name: str) -> None:
    """Raise an error if a file to replace is a database with other acts, not an older copy."""
    if is_database(target):
        with Source(target) as source, opened_database(source, Notices()) as connection:
            others = {name for (name,) in connection.execute("SELECT id FROM acts")} - acts
        if others:
            raise UsageError(
                f"{target}: holds {counted(len(others), 'act')} that {name} lacks; name another file"
            )


def write_label_studio(database: str | Path, target: str | Path, documents: Documents) -> None:
    """Write tasks for Label Studio: one for each document of a topic, with an annotation by each assessor.

    Grades other than 1 are part of the label (`relevant 2`), needs are labels, notes are comments.
    """
    if documents.text is None:
        raise InputError(f"{documents.source}: holds no texts, which Label Studio's tasks need")
    with Source(database) as source:
        kept = read_judgements(source)
    names = list(kept.documents)
    codes = dict(zip(names, documents.catalogue.find(names).codes.tolist(), strict=True))
    missing = [doc for (_, doc) in kept.judgements if codes[doc] < 0]
    if missing:
        raise InputError(f"document {missing[0]!r} was judged and is not among those given")
    texts = {doc: documents.text[code] for doc, code in codes.items() if code >= 0}
    with atomic(target) as stream:
        tasks = list(_tasks(kept, texts))
        stream.write(json.dumps(tasks, ensure_ascii=False, indent=1).encode() + b"\n")


def _tasks(kept: JudgementsFile, texts: dict[str, str]) -> Iterator[dict[str, Any]]:
    people = kept.assessors
    for number, ((topic, doc), said) in enumerate(kept.judgements.items(), 1):
        text = texts[doc]
        annotations = [
            _annotation(text, one, people.index(name) + 1, name)
            for name, one in said.items()
            if one.assessed
        ]  # fmt: skip
        if annotations:
            told = {"text": text, "doc": doc, "topic": topic, "query": kept.queries.get(topic, "")}
            yield {"id": number, "data": told, "annotations": annotations}


def _annotation(text: str, said: Judgement, number: int, name: str) -> dict[str, Any]:
    return {
        "completed_by": {"id": number, "first_name": name},
        "was_cancelled": False,
        "result": [_region(text, ident, mark) for ident, mark in said.marks.items()],
    } | ({"comment": said.note} if said.note else {})


def _region(text: str, ident: str, mark: JudgedRange) -> dict[str, Any]:
    grade = LABEL if mark.rel == 1 else f"{LABEL} {mark.rel:g}"
    span = {"start": mark.start, "end": mark.end, "text": text[mark.start : mark.end]}
    return {
        "id": ident, "type": "labels", "from_name": "label", "to_name": "text",
        "value": span | {"labels": [grade, *mark.needs]},
    }  # fmt: skip


def write_rules(database: str | Path, target: str | Path) -> int:
    """Write the rule book of a database as Markdown, and return how many rules it has."""
    with Source(database) as source:
        rules = read_judgements(source).rules.values()
    with atomic(target) as stream:
        stream.write(b"# Rules for judging\n")
        for number, rule in enumerate(rules, 1):
            about = f"{rule.assessor}, {rule.time[:10]}, on document {rule.doc} of topic {rule.topic}"
            words = " ".join(_as_text(rule.text).split())
            stream.write(f"\n{number}. {words}  \n   ({_as_text(about)})\n".encode())
    return len(rules)


def _as_text(text: str) -> str:
    """A text in Markdown that is shown as it is: no markup, no links.

    >>> print(_as_text("<b>all</b> of [it](x)"))
    \\<b\\>all\\</b\\> of \\[it\\]\\(x\\)
    """
    return re.sub(r"([\\`*_{}\[\]<>()#+!|~&])", r"\\\1", text)
