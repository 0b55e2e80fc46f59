"""Limits on what is read: of files, which hold in workers too, and of documents and archives.

Those of files are set by options of the command line or by environment variables.
"""

from __future__ import annotations

import re
from dataclasses import fields

from doxeval.core.errors import UsageError
from doxeval.core.quick_class import dataclass
from doxeval.core.settings import PREFIX, change_setting, settings_given

SIZE_TYPED = re.compile(r"(\d{1,15})\s*([KMGT]?)(i?B)?", re.IGNORECASE)
LONGEST_LINE = 1000 << 20
"""The largest position that the scanner (31 bits) can hold."""

BYTES_IN = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
MOST_DEPTH = 32767
"""The largest depth that its column (16 bits) can hold; :attr:`Limits.depth` cannot go beyond."""

UNSUSPICIOUS_SIZE = 1 << 20
"""Members of archives up to this size are never taken for a bomb, however well they are compressed."""


@dataclass(frozen=True)
class InputLimits:
    """Sizes beyond which input is refused as hostile or broken; raise a limit if real files reach it.

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
    """The limits in force: the defaults, or values set by `DOXEVAL_MAX_LINE=256M` and the like."""
    names = {f"MAX_{field.name.upper()}": field.name for field in fields(InputLimits)}
    given = settings_given(names)
    return InputLimits(**{names[setting]: size_of(text, PREFIX + setting) for setting, text in given.items()})


def set_limit(name: str, text: str) -> None:
    """Change a limit for this process and its workers."""
    size_of(text, f"--max-{name}")
    change_setting(f"MAX_{name.upper()}", text)


def size_of(text: str, where: str) -> int:
    """A number of bytes, as typed.

    >>> size_of("2G", "--max-unpacked"), size_of("300", "--max-ratio")
    (2147483648, 300)
    """
    match = SIZE_TYPED.fullmatch(text.strip())
    if not match or not int(match[1]):
        raise UsageError(f"{where}: expected a size such as 512M or 2G, found {text!r}")
    size = int(match[1]) * BYTES_IN[match[2].upper()]
    if where.lower().endswith("line") and size > LONGEST_LINE:
        raise UsageError(f"{where}: expected at most {LONGEST_LINE >> 20}M, found {text!r}")
    return size


@dataclass(frozen=True)
class Limits:
    """Sizes beyond which documents are refused as hostile or broken; raise them if real ones reach them.

    `depth` is the deepest nesting of nodes; `document_size` the most bytes of one document, decompressed;
    `archive_size` the most bytes that all members of one archive may unpack to; `archive_ratio` how many
    times larger than its compressed form a member may be (text reaches 20 or so, bombs 1,000);
    `header_size` the most bytes of a member's header; `nodes` the most nodes of one document;
    `siblings` the most options of a list and attributes of a tag in HTML: its parser compares each with all;
    `seconds` how long the parser of a format may take over one document.
    """

    depth: int = 1000
    document_size: int = 1 << 30
    archive_size: int = 256 << 30
    archive_ratio: int = 200
    header_size: int = 1 << 20
    nodes: int = 2_000_000
    siblings: int = 10_000
    seconds: float = 60
