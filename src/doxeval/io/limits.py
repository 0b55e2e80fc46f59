"""How much a run, a file of assessments or of chunks may ask for; documents have limits of their own.

The environment holds them, so that worker processes obey the same ones; the command line's options set it.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, fields

from doxeval.core.errors import UsageError

PREFIX = "DOXEVAL_MAX_"
SIZE = re.compile(r"(\d{1,15})\s*([KMGT]?)(i?B)?", re.IGNORECASE)
LONGEST_LINE = 1000 << 20
"""What the scanner's positions (31 bits) can hold."""

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


@dataclass(frozen=True)
class InputLimits:
    """What is refused as hostile or broken; raise a limit where real files meet it.

    `line` is the most bytes of one line, `unpacked` the most that a compressed file may unpack to, `ratio`
    how many times its size that may be, once it is more than `unsuspicious`. Run files larger than `whole`
    are scored block by block.
    """

    line: int = 64 << 20
    unpacked: int = 64 << 30
    ratio: int = 200
    unsuspicious: int = 64 << 20
    whole: int = 512 << 20


def input_limits() -> InputLimits:
    """The limits that hold now: the defaults, changed by `DOXEVAL_MAX_LINE=256M` and the like."""
    given = {field.name: os.environ.get(f"{PREFIX}{field.name.upper()}") for field in fields(InputLimits)}
    return InputLimits(
        **{name: size_of(text, f"{PREFIX}{name.upper()}") for name, text in given.items() if text}
    )


def set_limit(name: str, text: str) -> None:
    """Change a limit for this process and those it starts."""
    size_of(text, f"--max-{name}")
    os.environ[f"{PREFIX}{name.upper()}"] = text


def size_of(text: str, where: str) -> int:
    """A number of bytes, as typed.

    >>> size_of("2G", "--max-unpacked"), size_of("300", "--max-ratio")
    (2147483648, 300)
    """
    match = SIZE.fullmatch(text.strip())
    if not match or not int(match[1]):
        raise UsageError(f"{where}: expected a size such as 512M or 2G, found {text!r}")
    size = int(match[1]) * UNITS[match[2].upper()]
    if where.lower().endswith("line") and size > LONGEST_LINE:
        raise UsageError(f"{where}: at most {LONGEST_LINE >> 20}M, found {text!r}")
    return size
