"""JSON that is not a native document: its strings in order, joined by newlines; the tags are the keys."""

from __future__ import annotations

import re
from typing import Any

from doxeval.io.documents.encoding import decode
from doxeval.io.documents.limits import Limits
from doxeval.io.documents.tree import Events, Refused, TagCodes, Tree
from doxeval.io.json_text import NotJson, json_value

ITEM = "item"
WHOLE = "json"
NOT_IN_A_TAG = re.compile(r"[\s/\[\]]+")
_CLOSE = object()


def load_json(data: bytes) -> Any:
    """The content of a JSON file or line; unpaired surrogates are refused."""
    text = decode(data)
    try:
        return json_value(text)
    except NotJson as problem:
        raise Refused("not JSON", str(problem)) from None


def parse_leaves(value: Any, tags: TagCodes, limits: Limits) -> Tree:
    """A node for every string and every container of one; members of lists have the tag `item`."""
    found = Events(tags)
    unopened: list[str] = []
    waiting: list[tuple[str, Any]] = [(WHOLE, value)]
    while waiting:
        tag, value = waiting.pop()
        if value is _CLOSE:
            if unopened:
                unopened.pop()
            else:
                found.end()
        elif isinstance(value, str) and value:
            if found.last():
                found.text("\n")
            for above in [*unopened, tag]:
                found.begin(above)
            unopened.clear()
            found.text(value)
            found.end()
        elif isinstance(value, dict | list):
            unopened.append(tag)
            waiting.append((tag, _CLOSE))
            pairs = value.items() if isinstance(value, dict) else ((ITEM, item) for item in value)
            waiting.extend(reversed([(NOT_IN_A_TAG.sub("_", key) or ITEM, inner) for key, inner in pairs]))
    if not found.last():
        raise Refused("JSON without any text")
    return found.tree(limits)
