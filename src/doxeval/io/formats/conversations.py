"""TREC CAsT and iKAT: topics of conversations, and runs with the provenance of responses.

Topics are lists of conversations ``{"number", "title", "turn": [{"number", "raw_utterance"}]}`` (CAsT) or
``{"number", "title", "turns": [{"turn_id", "utterance", "resolved_utterance"}]}`` (iKAT); the topic of a turn
is ``<conversation>_<turn>``, its wording the resolved one if it is given. Runs are ``{"run_name", "turns":
[{"turn_id", "responses": [{"rank", "passage_provenance": [{"id", "score"}]}]}]}``, in CAsT with `provenance`:
a result is a passage, in the order of the responses and their passages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from doxeval.core.errors import InputError
from doxeval.core.notices import Notices
from doxeval.io.formats.format import Format, Options
from doxeval.io.formats.other_tools import UNFORESEEN, Line, ToolFile, record_attributes, run_format
from doxeval.io.source import Source
from doxeval.tables.wordings import Topics

TURNS = re.compile(rb'"turns?"\s*:\s*\[')
RESPONSES = re.compile(rb'"responses"\s*:\s*\[')
WORDINGS = (
    "resolved_utterance", "manual_rewritten_utterance", "automatic_rewritten_utterance", "utterance",
    "raw_utterance",
)  # fmt: skip
PROVENANCE = ("passage_provenance", "provenance")


def sniff_run(head: bytes) -> bool:
    """A JSON object with turns and responses."""
    return head.startswith(b"{") and bool(TURNS.search(head)) and bool(RESPONSES.search(head))


def sniff_topics(head: bytes) -> bool:
    """A JSON list of conversations with turns."""
    return head.startswith(b"[") and bool(TURNS.search(head)) and b'"number"' in head


def run_lines(file: ToolFile) -> Iterator[Line]:
    """A line for each passage, in order, each once; a turn without any was asked."""

    def lines_of(entry: tuple[Any, Any], number: int) -> Iterator[Line]:
        tag, turn = entry
        responses = sorted(turn["responses"], key=lambda response: response.get("rank", 0))
        told = [
            passage for response in responses for key in PROVENANCE for passage in response.get(key) or ()
        ]
        passages = {passage["id"]: passage for passage in reversed(told)}
        named = {"topic": turn["turn_id"]} | ({"run": tag} if isinstance(tag, str) and tag else {})
        if not passages:
            yield named
        for rank, name in enumerate(dict.fromkeys(passage["id"] for passage in told), start=1):
            score = passages[name].get("score")
            yield named | {"doc": name, "rank": rank} | ({} if score is None else {"score": score})

    for number, content in file.records():
        turns = content.get("turns") if isinstance(content, dict) else None
        if not isinstance(turns, list):
            file.refuse("record", "a run with a list of turns", number)
            continue
        entries = enumerate(((content.get("run_name"), turn) for turn in turns), start=1)
        yield from file.lines(entries, lines_of, "a turn with an id and responses")


def read_topics(source: Source, options: Options) -> Topics:
    """Read the wording of each turn; the title and the number of its conversation are attributes."""
    file, found = ToolFile(source, Notices()), Topics()
    for number, conversation in file.records():
        try:
            turns = conversation.get("turns", conversation.get("turn"))
            for turn in turns:
                name = f"{conversation['number']}_{turn.get('turn_id', turn.get('number'))}"
                wording = next(turn[key] for key in WORDINGS if isinstance(turn.get(key), str))
                found.queries[name] = wording
                found.attributes[name] = {"conversation": str(conversation["number"])} | record_attributes(
                    conversation, ("number",)
                )
        except (*UNFORESEEN, StopIteration) as problem:
            raise InputError(
                f"{source.place(number)}: expected a conversation with its number and turns, each with its "
                f"utterance; {'no ' if isinstance(problem, KeyError) else ''}{problem}"
            ) from None
    return found


FORMATS = (
    run_format(
        "ikat",
        "iKAT or CAsT run: passages behind the responses of each turn",
        sniff_run,
        run_lines,
        sample=(
            b'{"run_name": "r", "turns": [{"turn_id": "1_1", "responses": [{"rank": 1,\n'
            b'  "text": "Tea.", "passage_provenance": [{"id": "d1:3", "score": 2.5, "used": true},\n'
            b'   {"id": "d2:0", "score": 1.5, "used": false}]}]}, {"turn_id": "1_2", "responses": []}]}\n'
        ),
    ),
    Format(
        name="cast-topics",
        kind="topics",
        summary="CAsT or iKAT topics: the wording of each turn of a conversation",
        sniff=sniff_topics,
        read=read_topics,
        sample=(
            b'[{"number": 1, "title": "Tea", "turns": [{"turn_id": 1, "utterance": "What is it?",\n'
            b'  "resolved_utterance": "What is tea?"}]}]\n'
        ),
    ),
)
