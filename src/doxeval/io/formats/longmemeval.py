"""LongMemEval: questions over histories of chats, and logs of what was retrieved.

Gold files are lists of ``{"question_id", "question_type", "question", "haystack_session_ids",
"haystack_sessions": [[{"role", "content", "has_answer"}]], "answer_session_ids"}``. The history of a question
is a document named by its id, a session a node of it, and a turn a line and a node (the session's id, ``_``
and its number from 1). Turns with an answer are relevant; where none of an answer's session is marked, the
session is. Nothing is relevant to a question whose id ends with ``_abs``. Logs are JSON Lines of
``{"question_id", "question", "retrieval_results": {"ranked_items": [{"corpus_id"}]}}``; read as assessments,
their sessions that are called ``answer_...`` are relevant.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from doxeval.io.formats.items import document_of_items, note_items
from doxeval.io.formats.native import keys_of_first_line
from doxeval.io.formats.other_tools import (
    Line,
    ToolFile,
    assessments_format,
    record_attributes,
    run_format,
)

ABSTENTION, ANSWER = "_abs", "answer"
OF_A_LOG = "a question with its ranked items"
FROM_LOG = (
    "what is relevant is read off the names of retrieved sessions (answer_...): sessions that were not "
    "retrieved are unknown"
)


def sniff_gold(head: bytes) -> bool:
    """JSON with sessions of haystacks."""
    return head.startswith((b"[", b"{")) and b'"haystack_session' in head


def sniff_log(head: bytes) -> bool:
    """JSON Lines with ranked items."""
    return {b"question_id", b"retrieval_results", b"ranked_items"} <= keys_of_first_line(head)


def gold_lines(file: ToolFile) -> Iterator[Line]:
    """A document for each history, and a line for each turn that has an answer."""
    note_items(file.notices, "turn")

    def lines_of(record: Any, number: int) -> Iterator[Line]:
        topic, names = record["question_id"], record["haystack_session_ids"]
        sessions = list(zip(names, record["haystack_sessions"], strict=True))
        parts = [
            ("session", name, [_turn(name, at, turn) for at, turn in enumerate(turns, start=1)])
            for name, turns in sessions
        ]
        if file.for_documents:
            yield document_of_items(topic, "history", parts, "turn")
        attributes = record_attributes(record, ("question_id", "question"))
        yield {"topic": topic, "query": record["question"], "attributes": attributes}
        yield {"topic": topic, "doc": topic}
        if not str(topic).endswith(ABSTENTION):
            wanted = set(record.get("answer_session_ids") or ())
            yield from ({"topic": topic, "doc": topic} | place for place in _answers(sessions, wanted))

    yield from file.lines(file.records(), lines_of, "a question with its sessions")


def _turn(session: str, number: int, turn: Any) -> tuple[str, str]:
    return f"{session}_{number}", f"{turn['role']}: {turn['content']}"


def _answers(sessions: list[tuple[str, Any]], wanted: set[str]) -> Iterator[Line]:
    """The turns that have an answer, and the wanted sessions of which no turn is said to have one."""
    line = 0
    for name, turns in sessions:
        marked = [line + at for at, turn in enumerate(turns, start=1) if turn.get("has_answer")]
        line += len(turns)
        yield from ({"start_line": at, "end_line": at, "need": name} for at in marked)
        if name in wanted and not marked:
            yield {"node": name, "rel": 1, "need": name}


def log_lines(file: ToolFile) -> Iterator[Line]:
    """A line for each session or turn retrieved, in order; a question without any was asked."""

    def lines_of(record: Any, number: int) -> Iterator[Line]:
        topic, items = record["question_id"], record["retrieval_results"]["ranked_items"]
        if not items:
            yield {"topic": topic}
        for rank, item in enumerate(items, start=1):
            yield {"topic": topic, "doc": topic, "node": item["corpus_id"], "rank": rank}

    yield from file.lines(file.records(), lines_of, OF_A_LOG)


def gold_of_log(file: ToolFile) -> Iterator[Line]:
    """A line for each session that is called an answer."""
    file.notices.add(FROM_LOG, harmless=True, lasting=True)

    def lines_of(record: Any, number: int) -> Iterator[Line]:
        topic = record["question_id"]
        attributes = record_attributes(record, ("question_id", "question"))
        query = {"query": record["question"]} if record.get("question") else {}
        yield {"topic": topic, "doc": topic, "attributes": attributes} | query
        for item in record["retrieval_results"]["ranked_items"]:
            if item["corpus_id"].startswith(ANSWER) and not str(topic).endswith(ABSTENTION):
                yield {"topic": topic, "doc": topic, "node": item["corpus_id"], "rel": 1}

    yield from file.lines(file.records(), lines_of, OF_A_LOG)


LOG = (
    b'{"question_id": "m1", "question_type": "user", "question": "Which tea?", "retrieval_results": '
    b'{"ranked_items": [{"corpus_id": "other_2", "text": "Rain."}, {"corpus_id": "answer_1"}]}}\n'
    b'{"question_id": "m2_abs", "question": "Which milk?", "retrieval_results": {"ranked_items": '
    b'[{"corpus_id": "other_2"}]}}\n'
)
BROKEN = (
    b'{"question_id": "m3", "retrieval_results": {"ranked_items": [{"text": "Tea."}]}}',
    b'{"question_id": "m3"',
)
FORMATS = (
    assessments_format(
        "longmemeval",
        "LongMemEval gold: histories of chats with questions and the turns that answer them",
        sniff_gold,
        gold_lines,
        priority=1,
        sample=(
            b'[{"question_id": "m1", "question_type": "user", "question": "Which tea?", "answer": "green",\n'
            b'  "haystack_session_ids": ["answer_1", "other_2"], "answer_session_ids": ["answer_1"],\n'
            b'  "haystack_sessions": [[{"role": "user", "content": "Green tea!", "has_answer": true},\n'
            b'   {"role": "assistant", "content": "Nice.", "has_answer": false}],\n'
            b'   [{"role": "user", "content": "Rain."}]]}]\n'
        ),
    ),
    run_format(
        "longmemeval-log",
        "retrieval log of LongMemEval: the sessions or turns retrieved for each question",
        sniff_log,
        log_lines,
        priority=1,
        sample=LOG,
        broken=BROKEN,
    ),
    assessments_format(
        "longmemeval-log",
        "retrieval log of LongMemEval: the answering sessions by their names",
        sniff_log,
        gold_of_log,
        holds_documents=False,
        sample=LOG,
        broken=BROKEN,
    ),
)
