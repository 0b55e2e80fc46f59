"""Documents whose lines are items that count one each: sentences, paragraphs, turns of a conversation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from doxeval.core.notices import Notices

Part = tuple[str, str, Sequence[tuple[str, str]]]
"""A part of a document: its tag, its name, and its items, each a name and a text.

A part without a tag is no node."""


def document_of_items(doc: Any, tag: str, parts: Iterable[Part], item_tag: str) -> dict[str, Any]:
    """A native document with a line for each item, in parts; what has no name is numbered.

    >>> made = document_of_items("d", "talk", [("session", "s1", [("D1:1", "Hi.\\nYou?"), ("", "")])], "turn")
    >>> made["text"], [(node["id"], node["start"], node["end"]) for node in made["nodes"][1:]]
    ('Hi. You?\\n\\n', [('s1', 0, 10), ('D1:1', 0, 8), ('turn 2', 9, 9)])
    """
    lines: list[str] = []
    used: dict[str, int] = {}
    root: dict[str, Any] = {"id": _fresh(tag, used), "parent": None, "tag": tag, "start": 0}
    nodes, at = [root], 0
    for number, (part_tag, part_name, items) in enumerate(parts, start=1):
        above = root
        if part_tag:
            name = _fresh(part_name or f"{part_tag} {number}", used)
            above = {"id": name, "parent": root["id"], "tag": part_tag, "start": at}
            nodes.append(above)
        for item_name, text in items:
            line = " ".join(text.split())
            lines.append(line)
            name = _fresh(item_name or f"{item_tag} {len(lines)}", used)
            extent = {"start": at, "end": at + len(line)}
            nodes.append({"id": name, "parent": above["id"], "tag": item_tag, **extent})
            at += len(line) + 1
        above["end"] = at
    root["end"] = at
    return {"doc": doc, "text": "".join(f"{line}\n" for line in lines), "nodes": nodes}


def _fresh(name: str, used: dict[str, int]) -> str:
    """The name, numbered where it has been used before."""
    used[name] = used.get(name, 0) + 1
    return name if used[name] == 1 else _fresh(f"{name} ({used[name]})", used)


def note_items(notices: Notices, item: str) -> None:
    """Say under every table what the lines are."""
    notices.add(f"a line is a {item}", harmless=True, lasting=True)
