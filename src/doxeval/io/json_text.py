"""JSON from outside: its value, or the reason why it is not valid."""

from __future__ import annotations

import json
from typing import Any

from doxeval.core.errors import InputError


class NotJson(InputError):
    """Text that is not JSON; the message says why, without a place."""


def json_value(text: bytes | str) -> Any:
    r"""The value of a JSON text in UTF-8; an error if it has text that cannot be written again.

    >>> json_value(b'{"p": [0.5, null]}')
    {'p': [0.5, None]}
    >>> json_value('{"p": 1')
    Traceback (most recent call last):
    ...
    doxeval.io.json_text.NotJson: Expecting ',' delimiter at column 8
    """
    value = parsed_json(text)
    if has_escaped_halves(text) and not is_whole_text(value):
        raise NotJson("it has half a surrogate pair as an escape, such as \\ud800")
    return value


def parsed_json(text: bytes | str) -> Any:
    """The value of a JSON text in UTF-8, including unpaired surrogates."""
    try:
        decoded = text if isinstance(text, str) else text.decode("utf-8-sig")
        return json.loads(decoded)
    except json.JSONDecodeError as problem:
        line = f"line {problem.lineno}, " if "\n" in decoded.rstrip() else ""
        raise NotJson(f"{problem.msg} at {line}column {problem.colno}") from None
    except UnicodeDecodeError:
        raise NotJson("not UTF-8") from None
    except RecursionError:
        raise NotJson("nested too deeply") from None
    except ValueError:
        raise NotJson("a number has too many digits") from None


def has_escaped_halves(text: bytes | str) -> bool:
    """Whether a JSON text has escapes of surrogates, which make a character only in pairs."""
    halves: Any = (b"\\ud", b"\\uD") if isinstance(text, bytes) else ("\\ud", "\\uD")
    return any(half in text for half in halves)


def is_whole_text(value: Any) -> bool:
    """Whether all text in a value can be written: it has no unpaired surrogates."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError):
        return False
    return True


def json_at(place: str, text: bytes | str) -> Any:
    """The value of a JSON text; an error that names its place if it is not valid."""
    try:
        return json_value(text)
    except NotJson as problem:
        raise InputError(f"{place}: is not JSON: {problem}") from None
