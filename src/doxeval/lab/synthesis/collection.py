"""Synthetic documents: articles with a name and a body of lead paragraphs, sections and subsections.

A paragraph is drawn first, then what begins with it: an article, a section, a subsection. Each of these
brings its nodes, so that a block's node table in document order is one mask over (paragraph, kind of node).

Lengths and highlights follow the INEX 2009 and 2010 ad hoc assessments: 86 relevant articles per topic, with
a median of 5,700 characters (standard deviation of the logarithm 1.2), and two highlighted passages per
article, with a median of 360 characters (1.9). The INEX 2008 collection had about 660,000 articles
(Effort 5), and ESR's experiments 102 and 107 topics.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from doxeval import Documents, UsageError
from doxeval.core.strings import Strings

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


TAGS = ["article", "name", "body", "section", "title", "ss1", "title", "p"]
ARTICLE, NAME, BODY, SECTION, TITLE, SUBSECTION, SUBTITLE, PARAGRAPH = range(8)
DISTINCT_TAGS = list(dict.fromkeys(TAGS))
TAG_OF_KIND = np.array([DISTINCT_TAGS.index(tag) for tag in TAGS], dtype=np.int32)
DEPTH = np.array([1, 2, 2, 3, 4, 4, 5, 0], dtype=np.int16)
SHORTEST_PARAGRAPH, LONGEST_DOCUMENT = 20, 300_000
FILLER = 1 << 20
DOCUMENTS_STREAM, TEXT_STREAM = 1, 2


def make_block(shape: Shape, seed: int, block: int) -> Documents:
    """The documents of one block.

    A block has a random stream of its own, so it is the same however many blocks there are. Draws come in a
    fixed order, and lengths are drawn for a full block even where the last one is shorter: a collection with
    more documents begins with the same ones. A row is a paragraph; `emitted[paragraph, kind]` marks nodes
    that begin there, and reading it row by row gives all nodes in document order.
    """
    random = np.random.default_rng([seed, DOCUMENTS_STREAM, block])
    first = block * BLOCK_DOCUMENTS
    size = min(BLOCK_DOCUMENTS, shape.documents - first)
    wanted = shape.document_length * np.exp(shape.document_spread * random.standard_normal(BLOCK_DOCUMENTS))
    wanted = np.minimum(wanted[:size], LONGEST_DOCUMENT)
    mean_paragraph = shape.paragraph_length * np.exp(shape.paragraph_spread**2 / 2)
    paragraphs = np.maximum(1, np.round(wanted / mean_paragraph)).astype(np.int64)
    doc = np.repeat(np.arange(size), paragraphs)
    begins_article = np.diff(doc, prepend=-1) > 0
    begins_section = random.random(len(doc)) < shape.section_chance
    in_section = _count_since(begins_section, begins_article) > 0
    begins_subsection = in_section & ~begins_section & (random.random(len(doc)) < shape.subsection_chance)
    in_subsection = _count_since(begins_subsection, begins_article | begins_section) > 0

    emitted = np.zeros((len(doc), len(TAGS)), dtype=bool)
    emitted[:, [ARTICLE, NAME, BODY]] = begins_article[:, None]
    emitted[:, [SECTION, TITLE]] = begins_section[:, None]
    emitted[:, [SUBSECTION, SUBTITLE]] = begins_subsection[:, None]
    emitted[:, PARAGRAPH] = True
    paragraph, kind = np.nonzero(emitted)
    lengths = np.zeros(emitted.shape, dtype=np.int64)
    lengths[:, [NAME, TITLE, SUBTITLE]] = random.integers(5, 40, (len(doc), 3))
    drawn = shape.paragraph_length * np.exp(shape.paragraph_spread * random.standard_normal(len(doc)))
    lengths[:, PARAGRAPH] = np.maximum(SHORTEST_PARAGRAPH, drawn)
    own = lengths[emitted]

    node_doc = doc[paragraph]
    offset = np.searchsorted(node_doc, np.arange(size + 1))
    place = np.arange(len(kind)) - offset[node_doc]
    after = np.cumsum(own)
    base = (after - own)[offset[:-1]]
    start = after - own - base[node_doc]
    total = after[offset[1:] - 1] - base
    documents = Documents(
        ids=Strings.of(f"d{number:07d}" for number in range(first, first + size)),
        length=total,
        node_offset=offset.astype(np.int64),
        parent=_parents(kind, node_doc, place, in_section[paragraph], in_subsection[paragraph]),
        tag=TAG_OF_KIND[kind],
        depth=np.where(kind == PARAGRAPH, 3 + in_section[paragraph] + in_subsection[paragraph], DEPTH[kind])
        .astype(np.int16),
        start=start,
        end=_ends(kind, node_doc, start, own, total),
        tags=DISTINCT_TAGS,
        source=f"synthetic, seed {seed}",
    )  # fmt: skip
    if shape.text:
        documents.text = _filler_texts(total, seed, random)
    return documents


def _count_since(flags: np.ndarray, resets: np.ndarray) -> np.ndarray:
    """The number of flags set since the last reset, including it; a reset must come first."""
    total = np.cumsum(flags)
    at_reset = np.maximum.accumulate(np.where(resets, np.arange(len(flags)), 0))
    return total - (total - flags)[at_reset]


def _latest(kind: np.ndarray, of_kind: int, place: np.ndarray) -> np.ndarray:
    """The place, within its document, of the last node of a kind up to each node."""
    at = np.maximum.accumulate(np.where(kind == of_kind, np.arange(len(kind)), 0))
    return place[at]


def _parents(
    kind: np.ndarray,
    node_doc: np.ndarray,
    place: np.ndarray,
    in_section: np.ndarray,
    in_subsection: np.ndarray,
) -> np.ndarray:
    section, subsection = _latest(kind, SECTION, place), _latest(kind, SUBSECTION, place)
    body = 2
    holder = np.where(in_subsection, subsection, np.where(in_section, section, body))
    kinds = ((ARTICLE,), (NAME, BODY), (SECTION,), (TITLE, SUBSECTION), (SUBTITLE,))
    parent = np.select([np.isin(kind, group) for group in kinds], [-1, 0, body, section, subsection], holder)
    return parent.astype(np.int32)


def _ends(
    kind: np.ndarray, node_doc: np.ndarray, start: np.ndarray, own: np.ndarray, total: np.ndarray
) -> np.ndarray:
    """A leaf ends after its text, a section or subsection where the next of its rank or higher begins."""
    end = start + own
    whole = total[node_doc]
    end[(kind == ARTICLE) | (kind == BODY)] = whole[(kind == ARTICLE) | (kind == BODY)]
    for of_kind, closing in ((SECTION, (ARTICLE, SECTION)), (SUBSECTION, (ARTICLE, SECTION, SUBSECTION))):
        closes = np.append(np.flatnonzero(np.isin(kind, closing)), len(kind))
        opened = np.flatnonzero(kind == of_kind)
        following = closes[np.searchsorted(closes, opened, side="right")]
        inside = following < len(kind)
        same = inside & (node_doc[np.minimum(following, len(kind) - 1)] == node_doc[opened])
        end[opened] = np.where(same, start[np.minimum(following, len(kind) - 1)], whole[opened])
    return end


@lru_cache(maxsize=2)
def _filler(seed: int) -> str:
    """About a million characters of made-up words, distributed by Zipf's law."""
    random = np.random.default_rng([seed, TEXT_STREAM])
    sizes = random.integers(2, 11, 5_000)
    letters = "".join(chr(97 + code) for code in random.integers(0, 26, int(sizes.sum())))
    ends = np.cumsum(sizes)
    words = [letters[end - size : end] for end, size in zip(ends, sizes, strict=True)]
    chances = 1 / np.arange(1, len(words) + 1)
    drawn = random.choice(len(words), FILLER // 6, p=chances / chances.sum())
    return " ".join(words[at] for at in drawn)


def _filler_texts(lengths: np.ndarray, seed: int, random: np.random.Generator) -> Strings:
    """A piece of filler for each document; a document longer than the filler repeats it."""
    filler = _filler(seed)
    texts = []
    for length, begin in zip(
        lengths.tolist(), random.integers(0, len(filler), len(lengths)).tolist(), strict=True
    ):
        rounds = (begin + length) // len(filler) + 1
        texts.append(
            (filler * rounds)[begin : begin + length] if rounds > 1 else filler[begin : begin + length]
        )
    return Strings.of(texts)
