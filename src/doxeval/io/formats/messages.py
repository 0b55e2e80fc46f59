"""Messages of chats in the shapes in which frameworks write them down: their words, and who said them.

A message is ``{"role", "content"}``, ``{"role", "parts": [{"type": "text", "content"}]}`` (GenAI),
``["user", "..."]``, ``{"type": "human", "content"}``, ``{"type": "human", "data": {"content"}}`` or
``{"kwargs": {"content"}}`` (LangChain), or ``{"message": {...}}`` (OpenInference); its content is a text, or
a list of blocks with a text each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from doxeval.io.formats.nested_values import as_list, json_inside

USERS = ("user", "human")
AGENTS = ("assistant", "ai", "model")
WITHIN = ("message", "data", "kwargs")
"""Keys under which the message itself may be."""
CONTENTS = ("content", "text", "parts", "blocks", "contents")
MESSAGES = ("messages", "input_messages", "new_messages", "chat_history")
OF_A_MESSAGE = {"role", "type", "tool_call_id", "name", "lc", "kwargs", "status", "id", "artifact"}
WORDS = ("question", "query", "input", "text", "query_str", "user_input", "prompt", "task", "topic")
"""Keys of the question, if an input is an object."""
AROUND = ("query_bundle", "input", "inputs", "args", "kwargs")
RESULTS = ("output", "result", "answer", "response", "content", "text")
DEPTH = 8
"""How many objects deep words are looked for."""


def last_said(value: Any, roles: tuple[str, ...]) -> str:
    """The words of the last message by one of the roles; empty if there is none.

    >>> last_said('{"messages": [["user", "Why?"], {"role": "assistant", "content": "So."}]}', USERS)
    'Why?'
    """
    found = ""
    for message in _messages(json_inside(value)):
        role, words = _role_and_words(message)
        if role in roles and words.strip():
            found = words
    return found


def question_in(value: Any, depth: int = DEPTH) -> str:
    """The question that an input asks: its words, those of its last user, or those under a usual key.

    >>> question_in("Why?"), question_in('{"query_bundle": {"query_str": "Why?"}}'), question_in('{"a": 1}')
    ('Why?', 'Why?', '')
    """
    inside = json_inside(value)
    if isinstance(inside, str | int | float) and not isinstance(inside, bool):
        return " ".join(str(inside).split())
    said = last_said(inside, USERS)
    if not said and isinstance(inside, Mapping) and depth:
        words = (inside[key] for key in WORDS if isinstance(inside.get(key), str) and inside[key].strip())
        said = next(words, "")
        said = question_in(said, depth - 1) if said else ""
        deeper = (
            question_in(inside[key], depth - 1) for key in AROUND if isinstance(inside.get(key), Mapping)
        )
        said = said or next(filter(None, deeper), "")
    return " ".join(said.split())


def result_text(value: Any, depth: int = DEPTH) -> str:
    """The text that a tool returned: what it is, or what a message or an object around it holds.

    >>> result_text('{"type": "tool", "data": {"content": "Tea."}}'), result_text('{"tea": 1}')
    ('Tea.', '{"tea": 1}')
    """
    inside = json_inside(value)
    if isinstance(inside, str) or not depth:
        return inside if isinstance(inside, str) else ""
    if _are_blocks(inside):
        return content_text(inside)
    if isinstance(inside, Mapping):
        for key in WITHIN:
            if isinstance(inside.get(key), Mapping) and "content" in inside[key]:
                return content_text(inside[key]["content"])
        held = [key for key in RESULTS if inside.get(key) is not None]
        if held and (len(inside) == 1 or ("content" in held and OF_A_MESSAGE & inside.keys())):
            key = "content" if "content" in held else held[0]
            return content_text(inside[key]) if key == "content" else result_text(inside[key], depth - 1)
    return value if isinstance(value, str) else "" if value is None else _as_text(value)


def content_text(content: Any) -> str:
    """The words of a message's content: a text, or the texts of its blocks, one after the other."""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping) and not as_list(content):
        inner = next((content[key] for key in CONTENTS if key in content), "")
        inner = inner.get("text", "") if isinstance(inner, Mapping) else inner
        return content_text(inner) if isinstance(inner, str | list) else ""
    return "\n".join(filter(None, map(content_text, as_list(content))))


def _messages(value: Any, depth: int = DEPTH) -> Iterator[Any]:
    """The messages in a value, in order."""
    if isinstance(value, Mapping) and depth and not as_list(value):
        if "role" in value or _is_of_langchain(value) or isinstance(value.get("message"), Mapping):
            yield value
            return
        for key in MESSAGES:
            if key in value:
                yield from _messages(json_inside(value[key]), depth - 1)
                return
    elif depth:
        items = as_list(value)
        if len(items) == 2 and all(isinstance(one, str) for one in items) and items[0] in (*USERS, *AGENTS):
            yield items
            return
        for one in items:
            yield from _messages(one, depth - 1)


def _is_of_langchain(value: Mapping[str, Any]) -> bool:
    speaks = "content" in value and value.get("type") in (*USERS, *AGENTS)
    return speaks or ("data" in value and "type" in value) or ("kwargs" in value and "lc" in value)


def _role_and_words(message: Any) -> tuple[str, str]:
    if isinstance(message, list):
        return message[0], message[1]
    for key in WITHIN:
        if isinstance(message.get(key), Mapping):
            role, words = _role_and_words(message[key])
            return role or str(message.get("type") or message.get("role") or ""), words
    role = message.get("role") or message.get("type") or ""
    blocks = next((message[key] for key in CONTENTS if key in message), "")
    return str(role).lower(), content_text(blocks)


def _are_blocks(value: Any) -> bool:
    """Whether a list is one of texts as blocks of a message."""
    blocks = as_list(value)
    return bool(blocks) and all(
        isinstance(one, Mapping) and one.get("type") == "text" and isinstance(one.get("text"), str)
        for one in blocks
    )


def _as_text(value: Any) -> str:
    import json

    return json.dumps(value, ensure_ascii=False)
