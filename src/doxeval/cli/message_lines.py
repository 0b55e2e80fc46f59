"""Messages on standard error: lines for people, or JSON Lines for programs (`--errors json`)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

FORMS = ("text", "json")
LEVELS = {
    "error": "why the command failed; `status` is its exit status, `kind` the class of the error",
    "warning": "something in the input is wrong or does not match; `--strict` fails on it",
    "note": "something was assumed, left out or counted in a certain way",
    "verdict": "a sentence on what the numbers say, where the output itself is JSON",
    "failed": "a check of `doxeval gate` that failed or could not be decided",
    "strict": "how many kinds of problems `--strict` failed on",
}
"""The levels of messages, and what each means."""

form = "text"
"""How messages are printed by the command that runs."""


def set_form(words: list[str]) -> None:
    """Print messages as the words of a command line ask for, even if one of them is wrong."""
    global form
    before = dict(pairwise(words)).get("--errors", "")
    form = "json" if before == "json" or "--errors=json" in words else "text"


def line(message: str, **facts: Any) -> str:
    """A message as an object of JSON: its level, the text without it, and the facts.

    >>> line("warning: 1 topic is ignored")
    '{"level": "warning", "message": "1 topic is ignored"}'
    """
    from json import dumps

    level, colon, text = message.partition(": ")
    known = level.lower()
    if not colon or known not in LEVELS:
        known, text = "note", message
    return dumps({"level": known, "message": text} | facts, ensure_ascii=False)
