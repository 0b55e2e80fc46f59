"""KILT: questions with provenance in Wikipedia, and guesses.

JSON Lines of ``{"id", "input", "output": [{"answer", "provenance": [{"wikipedia_id", "title",
"start_paragraph_id", "start_character", "end_paragraph_id", "end_character"}]}]}``. A page is a document and
a paragraph, numbered from 0 in the file, a line of it; a provenance without paragraphs is the whole page. In
gold files each output with a provenance is a set of places that answers alone. A guess is a list: the
provenance of its output, in order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from doxeval.core.values import name_of
from doxeval.io.formats.items import note_items
from doxeval.io.formats.native import keys_of_first_line
from doxeval.io.formats.other_tools import Line, ToolFile, assessments_format, run_format

EXPECTED = "a question with an id and a list of outputs"
WITHIN = (
    "{count} {place begins or ends|places begin or end} within a paragraph; the whole {paragraph counts|"
    "paragraphs count}"
)
OUTPUTS = "{count} {guess has|guesses have} several outputs; the first with a provenance is used"


def sniff(head: bytes) -> bool:
    """JSON Lines with outputs and provenance, and without the keys of native lines."""
    first = head.partition(b"\n")[0]
    keys = keys_of_first_line(head)
    return {b"id", b"output"} <= keys and b'"wikipedia_id"' in first and b"topic" not in keys


def gold_lines(file: ToolFile) -> Iterator[Line]:
    """A line for each provenance, with the number of its output as its set."""
    note_items(file.notices, "paragraph")
    within: list[int] = []

    def lines_of(record: Any, number: int) -> Iterator[Line]:
        if record.get("input"):
            yield {"topic": record["id"], "query": record["input"]}
        for at, output in enumerate(record["output"], start=1):
            for place in output.get("provenance") or ():
                yield {"topic": record["id"], "set": f"{at}", "rel": 1} | _place(place)
                within.extend([number] * ("start_character" in place and "start_paragraph_id" in place))

    yield from file.lines(file.records(), lines_of, EXPECTED)
    file.notices.add_each(WITHIN, within, file.source.place, harmless=True, lasting=True)


def run_lines(file: ToolFile) -> Iterator[Line]:
    """A line for each provenance of a guess, in order; a guess without any was asked."""

    def lines_of(record: Any, number: int) -> Iterator[Line]:
        outputs = [output for output in record["output"] if output.get("provenance")]
        if len(outputs) > 1:
            file.notices.add(OUTPUTS, file.source.place(number))
        if not outputs:
            yield {"topic": record["id"]}
        for rank, place in enumerate(outputs[0]["provenance"] if outputs else (), start=1):
            yield {"topic": record["id"], "rank": rank} | _place(place)

    yield from file.lines(file.records(), lines_of, EXPECTED)


def _place(place: Any) -> Line:
    """A provenance: paragraphs of a page, or the page."""
    page = name_of(place["wikipedia_id"])
    if not page:
        raise TypeError(f"{place['wikipedia_id']!r} is not the id of a page")
    first, last = place.get("start_paragraph_id"), place.get("end_paragraph_id")
    if first is None:
        return {"doc": page.strip()}
    return {
        "doc": page.strip(),
        "start_line": int(first) + 1,
        "end_line": int(first if last is None else last) + 1,
    }


FORMATS = (
    assessments_format(
        "kilt",
        "KILT gold: provenance of each answer, any one of which is enough; a paragraph is a line",
        sniff,
        gold_lines,
        holds_documents=False,
        priority=1,
        sample=(
            b'{"id": "k1", "input": "What is tea?", "output": [{"answer": "a drink", "provenance": ['
            b'{"wikipedia_id": "7", "title": "Tea", "start_paragraph_id": 1, "end_paragraph_id": 1}]}, '
            b'{"answer": "hot"}]}\n'
            b'{"id": "k2", "input": "And heat?", "output": [{"provenance": [{"wikipedia_id": 8}]}]}\n'
        ),
        broken=(b'{"id": "k3", "output": [{"provenance": [{"title": "Tea"}]}]}', b'{"id": "k3"'),
    ),
    run_format(
        "kilt",
        "KILT guess: provenance of each question, the best first",
        sniff,
        run_lines,
        priority=1,
        sample=(
            b'{"id": "k1", "output": [{"provenance": [{"wikipedia_id": "7"}, {"wikipedia_id": 8}]}]}\n'
            b'{"id": "k2", "output": [{"answer": ""}]}\n'
        ),
        broken=(b'{"id": "k3", "output": [{"provenance": [{"title": "Tea"}]}]}', b'{"id": "k3"'),
    ),
)
