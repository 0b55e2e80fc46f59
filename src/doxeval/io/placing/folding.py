"""Texts folded so that copies of them are equal, each with a map back to the original characters.

Two foldings: white space (every run of it is one blank), and letters and digits alone, after compatibility
decomposition (NFKD) and case folding, so that ligatures, accents, smart quotes, soft hyphens, hyphens at the
ends of lines, bullets and the marks of tables do not matter. Tags of HTML, its entities and the targets of
links in Markdown do not count as text either, so source and rendered text are equal.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from dataclasses import dataclass
from functools import cache

import numpy as np

ENCODING = "utf-32-le" if sys.byteorder == "little" else "utf-32-be"
CODES = sys.maxunicode + 1
MARKUP = re.compile(
    r"\]\([^()\s]*(?:\s+\"[^\"]*\")?\)"
    r"|</?(?:[abipqsu]|abbr|article|aside|blockquote|body|br|caption|center|cite|code|col|colgroup|dd|del|div|dl|dt|em|"
    r"figcaption|figure|font|footer|h[1-6]|head|header|hr|html|img|ins|kbd|li|main|mark|nav|ol|pre|section|small|span|"
    r"strong|sub|sup|table|tbody|td|tfoot|th|thead|title|tr|tt|ul|var)(?:\s[^<>]*)?/?>"
    r"|<!--.*?-->|&(?:[a-zA-Z]{2,8}|\#\d{1,7}|\#x[\da-fA-F]{1,6});",
    re.IGNORECASE | re.DOTALL,
)
MARKUP_SIGNS = ("](", "<", "&")


@dataclass(frozen=True, eq=False)
class Folded:
    """A folded text; `origin[i]` is the offset of its character i in the original."""

    text: str
    origin: np.ndarray

    def extent(self, start: int, end: int) -> tuple[int, int]:
        """The range in the original of a non-empty range."""
        return int(self.origin[start]), int(self.origin[end - 1]) + 1


def code_points(text: str) -> np.ndarray:
    """The code points of a text."""
    return np.frombuffer(text.encode(ENCODING, "surrogatepass"), dtype=np.uint32)


def _as_text(codes: np.ndarray) -> str:
    return codes.astype(np.uint32, copy=False).tobytes().decode(ENCODING, "surrogatepass")


@cache
def _is_space() -> np.ndarray:
    found = np.zeros(CODES, dtype=bool)
    found[[code for code in range(0x3001) if chr(code).isspace()]] = True
    return found


def fold_spaces(text: str) -> Folded:
    r"""Every run of white space as one blank; the result equals ``" ".join(copy.split())`` of its copies.

    >>> fold_spaces("one\n  two ").text, fold_spaces("one\n  two").extent(3, 5)
    ('one two ', (3, 7))
    """
    codes = code_points(text)
    space = _is_space()[codes]
    kept = ~space
    kept[:1] = True
    kept[1:] |= ~space[:-1]
    origin = np.flatnonzero(kept).astype(np.int32)
    return Folded(_as_text(np.where(space, 32, codes)[origin]), origin)


class _Letters:
    """The folded form of each character, computed when it first occurs."""

    def __init__(self) -> None:
        self.count = np.full(CODES, -1, dtype=np.int8)
        self.at = np.zeros(CODES, dtype=np.int32)
        self.letters = np.zeros(0, dtype=np.uint32)

    def learn(self, codes: np.ndarray) -> None:
        """Compute the folded form of some characters."""
        more: list[int] = []
        for code in np.unique(codes).tolist():
            letters = _letters_of(chr(code))
            self.count[code], self.at[code] = len(letters), len(self.letters) + len(more)
            more.extend(map(ord, letters))
        self.letters = np.append(self.letters, np.array(more, dtype=np.uint32))


def _letters_of(character: str) -> str:
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold())
    return "".join(part for part in folded if part.isalnum())


_KNOWN = cache(_Letters)


def fold_letters(text: str) -> Folded:
    r"""Only the letters and digits, in lower case.

    >>> fold_letters("The ﬁrst exam-\nple: <b>Café</b> &amp; [more](http://x.y)").text
    'thefirstexamplecafemore'
    """
    known = _KNOWN()
    codes = code_points(text)
    count = known.count[codes]
    if (count < 0).any():
        known.learn(codes[count < 0])
        count = known.count[codes]
    if any(mark in text for mark in MARKUP_SIGNS):
        for match in MARKUP.finditer(text):
            count[match.start() : match.end()] = 0
    if (count <= 1).all():
        origin = np.flatnonzero(count)
        return Folded(_as_text(known.letters[known.at[codes[origin]]]), origin.astype(np.int32))
    origin = np.repeat(np.arange(len(codes)), count)
    first = np.repeat(np.cumsum(count, dtype=np.int64) - count, count)
    letters = known.letters[known.at[codes[origin]] + np.arange(len(origin)) - first]
    return Folded(_as_text(letters), origin.astype(np.int32))
