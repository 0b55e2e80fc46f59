"""LoCoMo: questions over long conversations with the turns that answer them, and what was retrieved.

A list of ``{"sample_id", "conversation": {"session_1": [{"speaker", "dia_id", "text"}], ...}, "qa":
[{"question", "answer", "evidence": ["D1:3"], "category"}]}``. A conversation is a document, a session a node
of it (`session_1`), and a turn a line and a node (`D1:3`); each turn of the evidence is a need. Retrieval
rows are JSON Lines of ``{"sample_id", "question", "retrieved_ids"}`` with the names of sessions or turns, the
best first. A topic is named by its conversation and its question, the second of the same wording by ``(2)``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from doxeval.core.strings import natural_key
from doxeval.io.formats.items import document_of_items, note_items
from doxeval.io.formats.native import keys_of_first_line
from doxeval.io.formats.other_tools import (
    Line,
    ToolFile,
    assessments_format,
    record_attributes,
    run_format,
)

SESSION = re.compile(r"session_\d+")
TURN = re.compile(r"D(\d+):(\d+)")
CONVERSATIONS = re.compile(rb'"(?:qa|conversation)"\s*:\s*[\[{]')
NO_TURN = (
    "{count} {piece|pieces} of evidence {names|name} a turn that does not exist; {its|their} session counts "
    "whole"
)
NO_PLACE = "{count} {piece|pieces} of evidence left out, expected a turn such as D1:3"


def sniff_gold(head: bytes) -> bool:
    """JSON with conversations and questions."""
    turns = b'"dia_id"' in head or b'"evidence"' in head
    return head.startswith((b"[", b"{")) and turns and CONVERSATIONS.search(head) is not None


def sniff_run(head: bytes) -> bool:
    """JSON Lines with what was retrieved from a conversation."""
    return {b"sample_id", b"question", b"retrieved_ids"} <= keys_of_first_line(head)


def topic_names() -> Callable[[Any, Any], str]:
    """A function that names the topics of a file, in its order."""
    seen: dict[str, int] = {}

    def name(conversation: Any, question: Any) -> str:
        told = f"{conversation}: {question}"
        seen[told] = seen.get(told, 0) + 1
        return told if seen[told] == 1 else f"{told} ({seen[told]})"

    return name


def gold_lines(file: ToolFile) -> Iterator[Line]:
    """A document for each conversation, and a line for each turn that answers a question."""
    note_items(file.notices, "turn")
    topic_of = topic_names()

    def lines_of(record: Any, number: int) -> Iterator[Line]:
        doc, said = record["sample_id"], record["conversation"]
        sessions = sorted((name for name in said if SESSION.fullmatch(name)), key=natural_key)
        parts = [(name, [_turn(turn) for turn in said[name] or ()]) for name in sessions]
        if file.for_documents:
            yield document_of_items(doc, "conversation", [("session", *part) for part in parts], "turn")
        turns = [name for _, items in parts for name, _ in items]
        line_of = {name: at for at, name in enumerate(turns, start=1)}
        for question in record["qa"]:
            topic = topic_of(doc, question["question"])
            attributes = record_attributes(question, ("question", "evidence"))
            yield {"topic": topic, "query": question["question"], "attributes": attributes}
            yield {"topic": topic, "doc": doc}
            for place in _evidence(question.get("evidence") or (), line_of, sessions, file, number):
                yield {"topic": topic, "doc": doc} | place

    yield from file.lines(file.records(), lines_of, "a conversation with its questions")


def _turn(turn: Any) -> tuple[str, str]:
    return turn["dia_id"], f"{turn['speaker']}: {turn['text']}"


def _evidence(
    told: Any, line_of: dict[str, int], sessions: list[str], file: ToolFile, number: int
) -> Iterator[Line]:
    """The places of evidence: turns, each once, or the session of a turn that does not exist."""
    found: dict[str, Line] = {}
    for entry in told:
        where = f"{file.source.place(number)}: {entry!r}"
        named = TURN.findall(entry) if isinstance(entry, str) else []
        if not named:
            file.notices.add(NO_PLACE, where, lasting=True)
        for session, turn in named:
            name = f"D{int(session)}:{int(turn)}"
            if name in line_of:
                line = line_of[name]
                found[name] = {"need": name, "start_line": line, "end_line": line}
            elif f"session_{int(session)}" in sessions:
                file.notices.add(NO_TURN, where, lasting=True)
                found[name] = {"need": name, "node": f"session_{int(session)}", "rel": 1}
            else:
                file.notices.add(NO_PLACE, where, lasting=True)
    yield from found.values()


def run_lines(file: ToolFile) -> Iterator[Line]:
    """A line for each session or turn retrieved, in order; a question without any was asked."""
    topic_of = topic_names()

    def lines_of(record: Any, number: int) -> Iterator[Line]:
        doc = record["sample_id"]
        topic, names = topic_of(doc, record["question"]), record["retrieved_ids"]
        if not names:
            yield {"topic": topic}
        for rank, name in enumerate(names, start=1):
            if not isinstance(name, str):
                raise TypeError(f"{name!r} is not the name of a session or turn")
            yield {"topic": topic, "doc": doc, "node": name, "rank": rank}

    yield from file.lines(file.records(), lines_of, "a question with its conversation and retrieved ids")


FORMATS = (
    assessments_format(
        "locomo",
        "LoCoMo gold: conversations with questions and the turns that answer them; a turn is a line",
        sniff_gold,
        gold_lines,
        priority=1,
        sample=(
            b'[{"sample_id": "c1", "conversation": {"speaker_a": "Ann", "session_1_date_time": "May",\n'
            b'   "session_1": [{"speaker": "Ann", "dia_id": "D1:1", "text": "Tea?"},\n'
            b'    {"speaker": "Bo", "dia_id": "D1:2", "text": "Green tea."}]},\n'
            b'  "qa": [{"question": "Which tea?", "evidence": ["D1:2"], "category": 1}]}]\n'
        ),
    ),
    run_format(
        "locomo-rows",
        "retrieval rows of LoCoMo: the sessions or turns retrieved for each question",
        sniff_run,
        run_lines,
        priority=1,
        sample=(
            b'{"sample_id": "c1", "question": "Which tea?", "retrieved_ids": ["session_1"], "recall": 1.0}\n'
            b'{"sample_id": "c1", "question": "Why?", "retrieved_ids": []}\n'
        ),
        broken=(b'{"sample_id": "c1", "question": "How?", "retrieved_ids": [7]}', b'{"sample_id": "c1"'),
    ),
)
