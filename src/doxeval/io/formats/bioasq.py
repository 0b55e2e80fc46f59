"""BioASQ task B, Phase A: snippets or documents, in gold files and submissions.

``{"questions": [{"id", "body", "type", "documents": [address], "snippets": [{"document", "beginSection",
"offsetInBeginSection", "endSection", "offsetInEndSection", "text"}]}]}``, keys also in snake case. A section
is a document of its own, `37341887/abstract`; published offsets are half-open. Addresses are compared by
their number. Gold files have questions (`body`); submissions need not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from doxeval.core.notices import Notices
from doxeval.core.values import name_of
from doxeval.io.formats.build_tables import build_run
from doxeval.io.formats.columns import rows_of_dicts
from doxeval.io.formats.format import Format, Options
from doxeval.io.formats.other_tools import Line, ToolFile, assessments_of_lines
from doxeval.io.source import Source
from doxeval.tables.assessments import Assessments
from doxeval.tables.file_text import FileText
from doxeval.tables.runs import Run

PlacesOf = Callable[[dict[str, Any], int, ToolFile], Iterator[Line]]
"""The snippets or documents of a question, which has a number in its file."""

QUESTION_LIST = re.compile(rb'"questions"\s*:\s*\[')
SNIPPETS, DOCUMENTS = b'"snippets"', b'"documents"'
RESULT_KEYS = ("line", "topic", "rank", "doc", "start", "end")
ASKED = re.compile(rb'"body"\s*:')
ADDRESS = "http://www.ncbi.nlm.nih.gov/pubmed/"
OTHER_ADDRESS = (
    f"{{count}} {{document has|documents have}} an address other than {ADDRESS}N; {{it is|they are}} "
    "compared by number; the official scorer gives {it, and the AP of its|them, and the AP of their} "
    "snippets, 0"
)
OTHER_LENGTH = (
    "{count} {snippet differs|snippets differ} in length from {its|their} text; {its|their} offsets are used"
)


def sniff(head: bytes, snippets: bool, gold: bool) -> bool:
    """Questions with snippets, or only with documents; in gold files they have a wording."""
    if not head.startswith(b"{") or not QUESTION_LIST.search(head):
        return False
    found = SNIPPETS in head if snippets else DOCUMENTS in head and SNIPPETS not in head
    return found and (not gold or bool(ASKED.search(head)))


def _lines_of_file(file: ToolFile, places: PlacesOf) -> Iterator[Line]:
    """A line for each question, and one for each of its snippets or documents."""

    def lines_of(question: dict[str, Any], number: int) -> Iterator[Line]:
        kind = question.get("type")
        attributes = {"attributes": {"type": kind}} if isinstance(kind, str) else {}
        yield {"topic": question["id"], "query": question.get("body")} | attributes
        for rank, place in enumerate(places(question, number, file), start=1):
            yield {"topic": question["id"], "rank": rank} | place

    for _, content in file.records():
        questions = content.get("questions") if isinstance(content, dict) else None
        numbered = enumerate(questions if isinstance(questions, list) else (), start=1)
        yield from file.lines(numbered, lines_of, "a question with its id and lists")


def _documents_of_question(question: dict[str, Any], number: int, file: ToolFile) -> Iterator[Line]:
    """Each document once, as a whole."""
    for address in dict.fromkeys(question.get("documents") or ()):
        yield {"doc": _number_of_article(address, number, file)}


def _snippets_of_question(question: dict[str, Any], number: int, file: ToolFile) -> Iterator[Line]:
    where = file.source.place(number)
    for snippet in question.get("snippets") or ():
        keys = {key.replace("_", "").lower(): value for key, value in snippet.items()}
        first, last = (str(keys[f"{which}section"]).rpartition(".")[2] for which in ("begin", "end"))
        if first != last:
            refused = "{count} {snippet|snippets} refused, expected both ends in one section"
            file.notices.add(refused, f"{where}: {first} to {last}")
            continue
        start, end, text = keys["offsetinbeginsection"], keys["offsetinendsection"], keys.get("text")
        if isinstance(text, str) and end - start != len(text):
            file.notices.add(OTHER_LENGTH, where, harmless=True, lasting=True)
        doc = f"{_number_of_article(keys['document'], number, file)}/{'abstract' if first == '0' else first}"
        yield {"doc": doc, "start": start, "end": end, "quote": text if isinstance(text, str) else None}


def _number_of_article(address: Any, number: int, file: ToolFile) -> str:
    if not isinstance(address, str):
        raise TypeError(f"{address!r} is not an address")
    if not address.startswith(ADDRESS):
        file.notices.add_names(OTHER_ADDRESS, [address], harmless=True, lasting=True)
    return address.rstrip("/").rpartition("/")[2]


def read_gold(source: Source, options: Options, places: PlacesOf, name: str) -> Assessments:
    """Read what is relevant to each question."""
    file = ToolFile(source, Notices())
    lines = list(_lines_of_file(file, places))
    for line in lines:
        if line.pop("rank", 0) and "start" not in line:
            line["rel"] = 1.0
    return replace(assessments_of_lines(lines, file), written=FileText(name, source.read()))


def read_run(source: Source, options: Options, places: PlacesOf, name: str) -> Run:
    """Read what was returned for each question, in order; questions without results are kept as asked."""
    file = ToolFile(source, Notices())
    lines = [{key: line[key] for key in RESULT_KEYS if key in line} for line in _lines_of_file(file, places)]
    answered = {name_of(line["topic"]) for line in lines if "doc" in line}
    rows = [line for line in lines if "doc" in line or name_of(line["topic"]) not in answered]
    run = build_run(rows_of_dicts(rows, source.name, file.notices), options.named_after(source))
    return replace(run, written=FileText(name, source.read()))


GOLD = (
    b'{"questions": [\n {"id": "b1", "type": "factoid", "body": "Which disease?",\n'
    b'  "documents": ["http://www.ncbi.nlm.nih.gov/pubmed/7"]%s},\n'
    b' {"id": "b2", "type": "yesno", "body": "Is it?", "documents": []%s}]}\n'
)
SUBMISSION = (
    b'{"questions": [{"id": "b1",\n'
    b'  "documents": ["http://www.ncbi.nlm.nih.gov/pubmed/7", "http://www.ncbi.nlm.nih.gov/pubmed/8"]%s}]}\n'
)
SNIPPET = (
    b', "snippets": [{"document": "http://www.ncbi.nlm.nih.gov/pubmed/7", "beginSection": "abstract",\n'
    b'   "offsetInBeginSection": 4, "endSection": "abstract", "offsetInEndSection": 9, "text": "gouty"}]'
)


def _formats(name: str, what: str, places: PlacesOf, parts: tuple[bytes, bytes]) -> list[Format]:
    snippets = places is _snippets_of_question
    return [
        Format(
            name, "assessments", f"BioASQ gold: the {what} of each question",
            partial(sniff, snippets=snippets, gold=True), partial(read_gold, places=places, name=name),
            priority=1, sample=GOLD % parts,
        ),
        Format(
            name, "run", f"BioASQ Phase A submission: the {what} of each question",
            partial(sniff, snippets=snippets, gold=False), partial(read_run, places=places, name=name),
            sample=SUBMISSION % parts[0],
        ),
    ]  # fmt: skip


FORMATS = (
    *_formats("bioasq", "snippets", _snippets_of_question, (SNIPPET, b', "snippets": []')),
    *_formats("bioasq-documents", "documents", _documents_of_question, (b"", b"")),
)
