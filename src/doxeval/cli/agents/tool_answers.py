"""Answers that fit: long texts and long lists are cut, and what was left out is said."""

from __future__ import annotations

import json
from typing import Any

MOST_CHARACTERS = 12_000
"""The largest answer, in characters of JSON."""
LONGEST_TEXT = 2_000
"""The longest text in it."""


def answer(found: dict[str, Any]) -> str:
    """An answer as JSON of at most :data:`MOST_CHARACTERS`, with `left_out` if something did not fit.

    >>> answer({"rows": [{"value": 1}]})
    '{"rows": [{"value": 1}]}'
    """
    told: dict[str, Any] = _with_short_texts(found)
    room = MOST_CHARACTERS - LONGEST_TEXT // 4
    lengths: dict[str, tuple[int, int]] = {}
    while len(_text(told)) > room and (longest := _longest_list(told)) is not None:
        place, several = longest
        kept = len(several) // 2
        lengths[place] = kept, lengths.get(place, (0, len(several)))[1]
        del several[kept:]
    said = [f"{place}: the first {kept:,} of {total:,} are shown" for place, (kept, total) in lengths.items()]
    if said or "left_out" in told:
        told["left_out"] = [*told.get("left_out", []), *said[:10]]
    return _text(told)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _with_short_texts(value: Any) -> Any:
    """A copy in which every text is at most :data:`LONGEST_TEXT` long."""
    if isinstance(value, dict):
        return {name: _with_short_texts(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_with_short_texts(one) for one in value]
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return f"{value[:LONGEST_TEXT]}… ({len(value) - LONGEST_TEXT:,} more characters)"
    return value


def _longest_list(value: Any, place: str = "") -> tuple[str, list[Any]] | None:
    """The list with the most text that is not empty, and its place; None if there is none."""
    found: list[tuple[int, str, list[Any]]] = []

    def look(one: Any, at: str) -> None:
        if isinstance(one, list):
            if one and at != "left_out":
                found.append((len(_text(one)), at, one))
            for number, inner in enumerate(one):
                look(inner, f"{at}[{number}]")
        elif isinstance(one, dict):
            for name, inner in one.items():
                look(inner, f"{at}.{name}" if at else str(name))

    look(value, place)
    if not found:
        return None
    _, at, several = max(found, key=lambda one: one[0])
    return at, several
