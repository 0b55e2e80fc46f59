"""Numbers in files: plain digits, no underscores, no digits of other scripts."""

from __future__ import annotations

import re

INTEGER = re.compile(r"[ \t]*-?[0-9]{1,18}[ \t]*")
NUMBER = re.compile(
    r"[ \t]*[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?[ \t]*|[-+]?(inf|infinity|nan)", re.IGNORECASE
)


def integer_in(text: str) -> int | None:
    """A text as an integer, None if it is not one.

    >>> integer_in("10"), integer_in("1_0"), integer_in("\u0661")
    (10, None, None)
    """
    return int(text) if INTEGER.fullmatch(text) else None


def number_in(text: str) -> float | None:
    """A text as a number, None if it is not one; callers refuse infinite ones.

    >>> number_in("1e3"), number_in("1_0.5")
    (1000.0, None)
    """
    return float(text) if NUMBER.fullmatch(text) else None
