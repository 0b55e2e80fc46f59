"""Calls of tools whose meaning is in their names and arguments: which step of a trajectory each of them is.

Tools of agents have any name. `search`, `find`, `retrieve` and the like search, `read`, `open`, `view` and
the like read a document, `write` and `edit` change one, `finish` and `submit` end with the answer; all others
are steps that show nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from doxeval.io.formats.nested_values import json_inside
from doxeval.io.formats.shown_text import (
    UNSTATED,
    Place,
    ShownResult,
    is_file_name,
    shown_by_search,
    windows_in,
)

WORDS_OF_ACTION = {
    "answer": ("finish", "submit", "answer", "final", "respond"),
    "search": ("search", "find", "query", "retrieve", "retriever", "retrieval", "lookup", "grep", "glob",
               "rg", "list", "ls", "keyword"),
    "edit": ("write", "edit", "replace", "insert", "patch", "append", "create", "save", "delete"),
    "read": ("read", "reader", "open", "view", "cat", "fetch", "get", "load", "scroll", "browse", "visit",
             "goto", "show", "page"),
}  # fmt: skip
"""The actions by words in the names of tools; the first that has one is meant."""
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
DOCUMENT_KEYS = (
    "path", "file_path", "filepath", "file", "filename", "file_name", "absolute_path", "target_file", "doc",
    "document", "doc_id", "document_id", "docid", "url", "uri", "notebook_path",
)  # fmt: skip
"""Arguments that name a document."""
PERHAPS_DOCUMENTS = ("source", "title", "page", "name", "id")
"""Arguments that name a document if they look like the name or address of a file."""
QUERY_KEYS = (
    "query", "q", "question", "pattern", "search_query", "search_term", "keywords", "keyword", "term", "text",
    "input", "regex", "name",
)  # fmt: skip
"""Arguments that hold the words of a search."""


class ToolCall(NamedTuple):
    """A call of a tool: its name, its arguments (an object, or a single text), and the text it returned."""

    name: str
    arguments: Mapping[str, Any] | str
    result: str


class ToolStep(NamedTuple):
    """A step as keys of the native form, and what its places say about where they are."""

    keys: dict[str, Any]
    stated: list[tuple[int, int, Any]]


def action_of(name: str) -> str:
    """The action of a tool, by the words in its name.

    >>> [action_of(name) for name in ("read_file", "VectorSearch", "get_search_results", "finish", "python")]
    ['read', 'search', 'search', 'answer', 'other']
    """
    words = {word.lower() for word in WORD.findall(name)}
    return next((action for action, known in WORDS_OF_ACTION.items() if words & set(known)), "other")


def arguments_in(value: Any) -> Mapping[str, Any] | str:
    """Arguments as an object, if they are one in JSON or as Python prints it; else as text."""
    inside = json_inside(value)
    if isinstance(inside, str) and inside.lstrip().startswith("{"):
        try:
            inside = ast.literal_eval(inside.strip())
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            return inside
    if isinstance(inside, Mapping):
        inner = inside.get("kwargs") if len(inside) == 1 else None
        return inner if isinstance(inner, Mapping) else inside
    return str(inside) if isinstance(inside, str | int | float) else ""


def step_of_call(call: ToolCall) -> ToolStep:
    """The step that a call is: what it shows, names or uses."""
    action = action_of(call.name)
    if action == "search":
        return _search(call)
    if action == "read":
        places = _read_places(call)
        return ToolStep({"action": "read"} | ({"shown": places} if places else {}), [UNSTATED] * len(places))
    if action == "edit":
        doc = document_named(call.arguments)
        return ToolStep({"action": "edit", "doc": doc} if doc else {"action": "other"}, [])
    return ToolStep({"action": action}, [])


def _search(call: ToolCall) -> ToolStep:
    shown: ShownResult = shown_by_search(call.result)
    keys: dict[str, Any] = {"action": "search"}
    if query := query_in(call.arguments):
        keys["query"] = query
    keys |= {"shown": shown.places} if shown.places else {}
    keys |= {"named": shown.named} if shown.named else {}
    return ToolStep(keys, shown.stated)


def _read_places(call: ToolCall) -> list[Place]:
    """The places that a reading shows: numbered lines of the document named, or else its text."""
    doc, text = document_named(call.arguments), call.result
    if not text.strip():
        return []
    windows = windows_in(text) if doc else []
    if windows and sum(len(window.lines) for window in windows) >= len(text.strip().split("\n")) - 2:
        return [{"doc": doc, "lines": [[window.first, window.last] for window in windows]}]
    return [{"text": text} | ({"doc": doc} if doc else {})]


def document_named(arguments: Mapping[str, Any] | str) -> str:
    """The document that arguments name; empty if they name none.

    A text alone must look like the name or address of a file.
    """
    if isinstance(arguments, str):
        return arguments.strip() if is_file_name(arguments.strip()) else ""
    texts = {key: value.strip() for key, value in arguments.items() if isinstance(value, str)}
    named = [texts[key] for key in DOCUMENT_KEYS if texts.get(key)]
    named += [texts[key] for key in PERHAPS_DOCUMENTS if is_file_name(texts.get(key, ""))]
    return next(iter(named), "")


def query_in(arguments: Mapping[str, Any] | str) -> str:
    """The words of a search: under a usual key, or the only text there is."""
    if isinstance(arguments, str):
        return " ".join(arguments.split())
    texts = [value for value in arguments.values() if isinstance(value, str) and value.strip()]
    usual = (arguments[key] for key in QUERY_KEYS if isinstance(arguments.get(key), str))
    found = next(filter(str.strip, usual), texts[0] if len(texts) == 1 else "")
    return " ".join(found.split())
