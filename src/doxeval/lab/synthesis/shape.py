"""The size of a synthetic collection and the shape of its parts.

Lengths and highlights follow the INEX 2009 and 2010 ad hoc assessments: 86 relevant articles per topic, with
a median of 5,700 characters (standard deviation of the logarithm 1.2), and two highlighted passages per
article, with a median of 360 characters (1.9). The INEX 2008 collection had about 660,000 articles
(Effort 5), and ESR's experiments 102 and 107 topics.
"""

from __future__ import annotations

from dataclasses import dataclass

from doxeval import UsageError

BLOCK_DOCUMENTS = 256
"""Documents are made this many at a time; a block depends only on the seed and its number."""


@dataclass(frozen=True)
class Shape:
    """The size of everything; the defaults are INEX-like except for the number of documents.

    For each topic, systems retrieve from `pool` documents, all of which are assessed; `relevant_share` of
    them have highlighted text.
    """

    documents: int = 10_000
    topics: int = 107
    pool: int = 512
    relevant_share: float = 0.17
    document_length: float = 5_700
    document_spread: float = 1.2
    paragraph_length: float = 420
    paragraph_spread: float = 0.8
    section_chance: float = 0.3
    subsection_chance: float = 0.12
    ranges_per_document: float = 2.0
    range_length: float = 360
    range_spread: float = 1.9
    text: bool = False

    def __post_init__(self) -> None:
        for name in ("documents", "topics", "pool"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} must be at least 1, not {getattr(self, name)}")
        for name in ("relevant_share", "section_chance", "subsection_chance"):
            if not 0 <= getattr(self, name) <= 1:
                raise UsageError(f"{name} must be between 0 and 1, not {getattr(self, name)}")
        for name in ("document_length", "paragraph_length", "range_length", "ranges_per_document"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} must be at least 1, not {getattr(self, name)}")

    @property
    def blocks(self) -> int:
        """The number of blocks of documents."""
        return -(-self.documents // BLOCK_DOCUMENTS)
