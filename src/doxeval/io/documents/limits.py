"""Limits beyond which a document or an archive is refused."""

from __future__ import annotations

from dataclasses import dataclass

MOST_DEPTH = 32767
"""The largest depth that its column (16 bits) can hold; :attr:`Limits.depth` cannot go beyond."""

UNSUSPICIOUS_SIZE = 1 << 20
"""Members of archives up to this size are never taken for a bomb, however well they are compressed."""


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
