"""LegalBench-RAG: ``{"tests": [{"query", "snippets": [{"file_path", "span": [start, end], "answer"}]}]}``.

Topics are numbered in the order of the file: q000, q001, ...; documents are named by `file_path`. Spans are
offsets in files as Python reads them: the byte order mark at the beginning of one counts as a character.
`answer` is the text of a span.
"""

from __future__ import annotations

import re
from typing import Any

from doxeval.core.errors import InputError
from doxeval.core.notices import Notices
from doxeval.io.formats.build_tables import collect_assessments
from doxeval.io.formats.chunking import numbered_topic
from doxeval.io.formats.columns import rows_of_dicts
from doxeval.io.formats.format import Format, Options
from doxeval.io.json_text import json_at
from doxeval.io.source import Source
from doxeval.tables.assessments import Assessments

TEST_LIST = re.compile(rb'"tests"\s*:\s*\[')


def sniff(head: bytes) -> bool:
    """A JSON object with a list of tests."""
    return head.startswith(b"{") and bool(TEST_LIST.search(head))


def read(source: Source, options: Options) -> Assessments:
    """Read the tests, each of which is a topic; messages give the number of the test as its line."""
    notices = Notices()
    tests = _tests(source)
    rows: list[dict[str, Any]] = []
    for number, test in enumerate(tests):
        snippets = test.get("snippets") if isinstance(test, dict) else None
        if not isinstance(snippets, list) or not all(isinstance(item, dict) for item in snippets):
            notices.add(
                f"{source.name}: {{count}} {{test|tests}} refused, expected a query and a list of snippets",
                f"test {number + 1}",
            )
            continue
        base = {"topic": numbered_topic(number, len(tests)), "line": number + 1}
        rows.append(base | {"query": test.get("query")})
        rows.extend(base | _snippet(item) for item in snippets)
    return collect_assessments(rows_of_dicts(rows, source.name, notices), counts_mark=True)


def _snippet(item: dict[str, Any]) -> dict[str, Any]:
    return {"doc": item.get("file_path"), "spans": [item.get("span")], "quote": item.get("answer")}


def _tests(source: Source) -> list[Any]:
    content = json_at(source.name, source.read())
    tests = content.get("tests") if isinstance(content, dict) else None
    if not isinstance(tests, list):
        raise InputError(f"{source.name}: expected an object with a list of tests")
    return tests


FORMAT = Format(
    name="legalbench-rag",
    kind="assessments",
    summary='LegalBench-RAG JSON: {"tests": [{"query", "snippets": [{"file_path", "span", "answer"}]}]}',
    sniff=sniff,
    read=read,
    sample=(
        b'{\n "tests": [{"query": "Who?", "snippets": [\n'
        b'    {"file_path": "nda/a.txt", "span": [4, 9], "answer": "party"}]},\n'
        b'  {"query": "When?", "snippets": []}]\n}\n'
    ),
)
