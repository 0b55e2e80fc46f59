"""Values of any type from outside: whether they are names, texts or numbers, and how a message shows them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

import numpy as np

LONGEST_SHOWN = 60
LARGEST_NUMBER = 1 << 1000
INTEGER_TEXT = re.compile(r"[ \t]*-?[0-9]{1,18}[ \t]*")
NUMBER_TEXT = re.compile(
    r"[ \t]*[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?[ \t]*|[-+]?(inf|infinity|nan)", re.IGNORECASE
)
"""Numbers in files: plain digits, no underscores, no digits of other scripts."""
UNPRINTABLE = "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]"


def quoted(value: Any) -> str:
    """A value for a message, shortened.

    >>> quoted({"a": 1}), quoted("x" * 100)[-5:]
    ("{'a': 1}", 'xx...')
    """
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        text = f"a {type(value).__name__} that is too large to be shown"
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}..."


def is_several(value: Any) -> bool:
    """Whether a value is several things to go through, and neither text, a mapping nor an open file.

    >>> is_several(["a", "b"]), is_several(iter("ab")), is_several("ab"), is_several({"a": 1}), is_several(3)
    (True, True, False, False, False)
    """
    return (
        isinstance(value, Iterable)
        and not isinstance(value, str | bytes | Mapping)
        and not hasattr(value, "read")
    )


def name_of(value: Any) -> str | None:
    """A value as a name: empty if missing, None if it is not a name; whole numbers are names.

    >>> name_of("d1"), name_of(7), name_of(7.0), name_of(None), name_of(0.5), name_of(True)
    ('d1', '7', '7', '', None, None)
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value if value.isascii() or is_text(value) else None
    if not is_number(value) or not np.isfinite(float(value)) or value != int(value):
        return None
    return str(int(value))


def printable(text: str) -> str:
    r"""A text with U+FFFD for what XML and figures cannot show: control codes and lone surrogates.

    >>> printable("a\x01b\tc") == "a\ufffdb\tc"
    True
    """
    return re.sub(UNPRINTABLE, "\ufffd", text)


def is_number(value: Any) -> bool:
    """Whether a value is a number within the range of floats; `true` is not.

    >>> is_number(1), is_number(0.5), is_number(True), is_number("1"), is_number(10**400)
    (True, True, False, False, False)
    """
    kinds = int | float | np.integer | np.floating | Decimal
    if isinstance(value, bool) or not isinstance(value, kinds):
        return False
    return not isinstance(value, int) or abs(value) < LARGEST_NUMBER


def is_text(value: str) -> bool:
    """Whether a string can be written: it has no lone surrogates."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def integer_in(text: str) -> int | None:
    """A text as an integer, None if it is not one.

    >>> integer_in("10"), integer_in("1_0"), integer_in("\u0661")
    (10, None, None)
    """
    return int(text) if INTEGER_TEXT.fullmatch(text) else None


def number_in(text: str) -> float | None:
    """A text as a number, None if it is not one; callers refuse infinite ones.

    >>> number_in("1e3"), number_in("1_0.5")
    (1000.0, None)
    """
    return float(text) if NUMBER_TEXT.fullmatch(text) else None
