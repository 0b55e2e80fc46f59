"""Answers of LongCite and LongBench-Cite as a run: the sentences of the document that they cite.

``{"idx", "prediction": "<statement>text<cite>[6-8][12-12]</cite></statement> ..."}``, or with `statements`,
each with `citation` as ``[{"st_sent", "ed_sent"}]``. Sentences are numbered from 0, both ends included:
sentence 6 is line 7 here, and the document, called like the topic, is its sentences, one a line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from doxeval.io.formats.other_tools import Line, ToolFile, ranked, run_format

STATEMENT = re.compile(r"<statement>(.*?)<cite>([^<]*)</cite>\s*</statement>", re.DOTALL)
EXTENT = re.compile(r"\[(\d{1,9})(?:-(\d{1,9}))?\]")
SIGN = (b"<statement>", b'"st_sent"')
TEXTS = ("prediction", "response", "answer", "output", "result")
TOPICS = ("topic", "idx", "id", "_id")
NOT_UNDERSTOOD = "{count} {citation is|citations are} not of the form [first-last] and {is|are} left out"


def sniff(head: bytes) -> bool:
    """JSON objects with statements that cite sentences."""
    line = head.partition(b"\n")[0]
    return line.startswith((b"{", b"[")) and any(sign in line for sign in SIGN)


def rows(file: ToolFile) -> Iterator[Line]:
    """A result for each stretch of sentences that is cited, in the order of the answer."""

    def rows_of(record: Any, number: int) -> Iterator[Line]:
        topic = str(_first(record, TOPICS, lambda value: value is not None))
        if isinstance(record.get("statements"), list):
            pairs = [_ends(one) for statement in record["statements"] for one in statement["citation"]]
        else:
            text = _first(record, TEXTS, lambda value: isinstance(value, str))
            pairs = [pair for _, cited in STATEMENT.findall(text) for pair in _extents(cited, file, number)]
        places = dict.fromkeys(pairs)
        yield from ranked(
            topic, ({"doc": topic, "start_line": first + 1, "end_line": last + 1} for first, last in places)
        )

    yield from file.lines(file.records(), rows_of, "an idx and statements with their citations")


def _first(record: Mapping[str, Any], keys: Sequence[str], fits: Callable[[Any], bool]) -> Any:
    """The first value that fits, under any of the keys."""
    for key in keys:
        if fits(record.get(key)):
            return record[key]
    raise KeyError(keys[0])


def _ends(citation: Mapping[str, Any]) -> tuple[int, int]:
    first, last = citation["st_sent"], citation["ed_sent"]
    if type(first) is not int or type(last) is not int or not 0 <= first <= last:
        raise ValueError(f"sentences {first} to {last}")
    return first, last


def _extents(text: str, file: ToolFile, number: int) -> Iterator[tuple[int, int]]:
    """The sentences that a citation names; what is something else is reported."""
    for first, last in EXTENT.findall(text):
        if int(first) <= int(last or first):
            yield int(first), int(last or first)
    if rest := EXTENT.sub("", text).strip(" ,;"):
        file.notices.add(NOT_UNDERSTOOD, f"{file.source.place(number)}: {rest[:40]!r}", lasting=True)


_ANSWER = (
    b'{"idx": %d, "query": "?", "prediction": "<statement>It is hot.<cite>[6-8][12-12]</cite></statement>'
    b'\\n\\n<statement>So there.<cite></cite></statement>"}\n'
)
FORMAT = run_format(
    "longcite",
    "Answers of LongCite: idx, prediction with <statement>...<cite>[6-8]</cite></statement>",
    sniff,
    rows,
    priority=3,
    sample=_ANSWER % 1 + _ANSWER % 2,
    broken=(
        b"{",
        b'{"prediction": "<statement>x<cite>[1-2]</cite></statement>"}',
        b'{"idx": 3, "statements": [{"citation": [{"st_sent": 4, "ed_sent": 2}]}]}',
        b'{"idx": 3, "statements": [{"citation": [{"st_sent": "a"}]}]}',
    ),
)
