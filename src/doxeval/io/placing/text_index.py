"""The text of one document, prepared for searching: exactly, folded, and approximately."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np

from doxeval.io.placing.folding import Folded, code_points, fold_letters, fold_spaces
from doxeval.tables.quotes import LEVELS, Extent

SEED_GRAM = 6
COMMON_GRAM = 64
"""Length of the grams that seed an alignment, and the most places at which one may occur."""
APPROXIMATES = find_spec("rapidfuzz") is not None
"""Whether texts can be searched for approximately, which needs the extra `anchor`."""
ONLY_LETTERS = "" if APPROXIMATES else "; pip install 'doxeval[anchor]' to search for them approximately too"
CANDIDATES = 6
LEAST_SHARE = 0.2
"""Stretches with less than this share of the best one's grams are skipped."""


LIKELY_STRETCHES = 2
PURE = 0.75
ENOUGH_LETTERS = 40
"""A part of a text counts as found if it has this many letters, or half of them, with few others between."""
PROBE = 32
EDGE = 4
"""Letters by which a place may exceed its text at either end."""
LONGEST_WORD = 24
LAST_WORD, FIRST_WORD = re.compile(r"[^\W_]+\Z"), re.compile(r"[^\W_]+")


class Match(NamedTuple):
    """A place `[start, end)` that holds `[first, last)` of a text.

    `same` is the number of the text's letters found there; `similarity` is their share of the longer one of
    text and place, `purity` their share of the place.
    """

    start: int
    end: int
    similarity: float
    first: int
    last: int
    same: int
    purity: float


@dataclass(eq=False)
class TextIndex:
    """The text of a document; foldings and grams are computed when first needed, and kept."""

    text: str

    @cached_property
    def spaced(self) -> Folded:
        """The text with white space folded."""
        return fold_spaces(self.text)

    @cached_property
    def letters(self) -> Folded:
        """The text's letters and digits."""
        return fold_letters(self.text)

    @cached_property
    def grams(self) -> tuple[np.ndarray, np.ndarray]:
        """The hashes of all grams of the letters, sorted, and the position of each."""
        hashes = gram_hashes(self.letters.text, SEED_GRAM)
        order = np.argsort(hashes, kind="stable").astype(np.int32)
        return hashes[order], order

    @cached_property
    def pages(self) -> list[Extent]:
        """The ranges between form feeds."""
        ends = [match.start() for match in re.finditer("\f", self.text)]
        return list(zip([0, *(end + 1 for end in ends)], [*ends, len(self.text)], strict=True))

    def places(self, text: str) -> tuple[str, list[Extent]]:
        r"""The most certain level at which a text is found, and all its places, if any.

        >>> TextIndex("One  exam-\nple.").places("one example")
        ('letters', [(0, 14)])
        """
        if not text or text.isspace():
            return "", []
        if found := _occurrences(self.text, text):
            return LEVELS[0], self._whole_words([(at, at + len(text)) for at in found])
        folded = " ".join(text.split())
        if found := _occurrences(self.spaced.text, folded):
            return LEVELS[1], self._whole_words(_extents(self.spaced, found, len(folded)))
        letters = fold_letters(text)
        if letters.text and (found := _occurrences(self.letters.text, letters.text)):
            places = self._whole_words(_extents(self.letters, found, len(letters.text)))
            return LEVELS[2], [self._with_marks(*place, text, letters) for place in places]
        return "", []

    def _with_marks(self, start: int, end: int, text: str, letters: Folded) -> Extent:
        """A place extended by the punctuation around its letters that it shares with the text."""
        first, last = letters.extent(0, len(letters.text))
        return self._grown(start, self.whole_letters(end), text, first, last)[:2]

    def whole_letters(self, end: int) -> int:
        """The end of a place, after the accents of its last letter, which may be characters of their own."""
        while end < len(self.text) and unicodedata.combining(self.text[end]):
            end += 1
        return end

    def _grown(self, start: int, end: int, text: str, first: int, last: int) -> tuple[int, int, int, int]:
        """A place and its `[first, last)` of a text, both extended by equal characters around them."""
        while min(start, first) > 0 and self.text[start - 1] == text[first - 1]:
            start, first = start - 1, first - 1
        while end < len(self.text) and last < len(text) and self.text[end] == text[last]:
            end, last = end + 1, last + 1
        return start, end, first, last

    def _whole_words(self, places: list[Extent]) -> list[Extent]:
        """The places that split no word, if there are any."""
        if len(places) == 1:
            return places
        return [place for place in places if not self._cuts(*place)] or places

    def _cuts(self, start: int, end: int) -> bool:
        text = self.text
        return (start > 0 and text[start - 1 : start + 1].isalnum()) or (
            end < len(text) and text[end - 1 : end + 1].isalnum()
        )

    def approximate(self, text: str, most: int = CANDIDATES) -> list[Match]:
        """The disjoint stretches most similar to a text, best first; see :data:`APPROXIMATES`."""
        if not APPROXIMATES:
            return []
        folded = fold_letters(text)
        found: list[Match] = []
        for start, end in self._stretches(folded.text, most):
            match = self._aligned(folded, start, end)
            if match is not None:
                found.append(match)
        found.sort(key=lambda match: -match.similarity)
        apart: list[Match] = []
        for match in found:
            if all(match.end <= other.start or match.start >= other.end for other in apart):
                apart.append(match)
        return apart

    def largest_part(self, text: str) -> Match | None:
        """The largest part of a text that is in this one, or None if that is small."""
        folded = fold_letters(text)
        match = self._end_part(folded)
        if match is None:
            found = [match for match in self.approximate(text, LIKELY_STRETCHES) if match.purity >= PURE]
            match = max(found, key=lambda match: match.same, default=None)
        if match is None or match.same < min(ENOUGH_LETTERS, len(folded.text) / 2):
            return None
        start, end, first, last = self._grown(match.start, match.end, text, match.first, match.last)
        return match._replace(start=start, end=end, first=first, last=last)

    def _end_part(self, text: Folded) -> Match | None:
        """The last letters of a text, if they are most of it and occur here once: others were prepended."""
        letters, size = text.text, len(text.text)
        at = self.letters.text.find(letters[-PROBE:]) if size >= 2 * PROBE else -1
        if at < 0 or self.letters.text.find(letters[-PROBE:], at + 1) >= 0:
            return None
        stop = at + PROBE
        low, high = PROBE, min(size, stop)
        while low < high:
            middle = (low + high + 1) // 2
            if self.letters.text[stop - middle : stop] == letters[size - middle :]:
                low = middle
            else:
                high = middle - 1
        if low < size / 2:
            return None
        part = text.extent(size - low, size)
        return Match(*self.letters.extent(stop - low, stop), low / size, *part, low, 1.0)

    def _stretches(self, letters: str, most: int) -> list[Extent]:
        """Ranges of letters that share most grams with others, by the diagonals they lie on."""
        if len(letters) < SEED_GRAM or len(self.letters.text) < SEED_GRAM:
            return []
        hashes, where = self.grams
        wanted = gram_hashes(letters, SEED_GRAM)
        first, after = np.searchsorted(hashes, wanted, "left"), np.searchsorted(hashes, wanted, "right")
        count = after - first
        for common in (COMMON_GRAM, 64 * COMMON_GRAM):
            seeds = np.flatnonzero((count > 0) & (count <= common))
            if len(seeds):
                break
        else:
            return []
        count, first = count[seeds], first[seeds]
        at = np.repeat(first - (np.cumsum(count) - count), count) + np.arange(count.sum())
        diagonal = where[at].astype(np.int64) - np.repeat(seeds, count)
        return _crowded(diagonal, len(letters), len(self.letters.text), most)

    def _aligned(self, text: Folded, start: int, end: int) -> Match | None:
        """The best local alignment of a text's letters with a stretch, refined on the range it needs."""
        run = best_run(common_blocks(text.text, self.letters.text[start:end]))
        if not len(run):
            return None
        size, begin, stop = len(text.text), start + run[0, 1], start + run[-1, 1] + run[-1, 2]
        start = max(start, begin - run[0, 0] - EDGE)
        end = min(end, stop + size - run[-1, 0] - run[-1, 2] + EDGE)
        run = best_run(common_blocks(text.text, self.letters.text[start:end]))
        begin, stop = start + run[0, 1], start + run[-1, 1] + run[-1, 2]
        same, length = int(run[:, 2].sum()), int(stop - begin)
        place = self.letters.extent(begin, stop)
        part = text.extent(run[0, 0], run[-1, 0] + run[-1, 2])
        return Match(*place, same / max(size, length), *part, same, same / length)

    def to_words(self, start: int, end: int) -> Extent:
        """A range extended to the ends of the words it cuts, if they are near."""
        before = LAST_WORD.search(self.text, max(0, start - LONGEST_WORD), start)
        after = FIRST_WORD.match(self.text, end, end + LONGEST_WORD)
        whole_start = before.start() if before and self.text[start].isalnum() else start
        whole_end = after.end() if after and self.text[end - 1].isalnum() else end
        return whole_start, whole_end


def gram_hashes(letters: str, size: int) -> np.ndarray:
    """A hash of each run of `size` characters."""
    codes = code_points(letters).astype(np.uint64)
    count = len(codes) - size + 1
    hashes = np.zeros(max(0, count), dtype=np.uint64)
    for at in range(size if count > 0 else 0):
        hashes *= np.uint64(0x9E3779B97F4A7C15)
        hashes += codes[at : at + count]
    hashes ^= hashes >> np.uint64(29)
    hashes *= np.uint64(0xBF58476D1CE4E5B9)
    return hashes


def _occurrences(text: str, wanted: str) -> list[int]:
    """The positions of a text in another, including overlapping ones."""
    found = []
    at = text.find(wanted)
    while at >= 0:
        found.append(at)
        at = text.find(wanted, at + 1)
    return found


def _extents(folded: Folded, found: list[int], length: int) -> list[Extent]:
    return [folded.extent(at, at + length) for at in found]


def _crowded(diagonal: np.ndarray, size: int, length: int, most: int) -> list[Extent]:
    """The ranges around the most crowded diagonals."""
    width = max(16, size // 4)
    bins, votes = np.unique(diagonal // width, return_counts=True)
    after = np.searchsorted(bins, bins + 1)
    joined = votes + np.where(
        (after < len(bins)) & (bins[np.minimum(after, len(bins) - 1)] == bins + 1),
        votes[np.minimum(after, len(bins) - 1)],
        0,
    )
    chosen: list[int] = []
    for place in np.argsort(-joined, kind="stable").tolist():
        if joined[place] < LEAST_SHARE * joined.max() or len(chosen) == most:
            break
        if all(abs(int(bins[place]) - other) > 1 for other in chosen):
            chosen.append(int(bins[place]))
    return [
        (max(0, (place - 1) * width), min(length, (place + 3) * width + size))
        for place in chosen
        if (place + 3) * width + size > 0
    ]


def common_blocks(first: str, second: str) -> np.ndarray:
    """Rows (place in the first, place in the second, length) of a longest common subsequence."""
    from rapidfuzz.distance import Indel

    found = [
        (code.src_start, code.dest_start, code.src_end - code.src_start)
        for code in Indel.opcodes(first, second)
        if code.tag == "equal"
    ]
    return np.array(found, dtype=np.int64).reshape(-1, 3)


def best_run(blocks: np.ndarray) -> np.ndarray:
    """The blocks in a row that hold most letters, less those between them: a local alignment."""
    if not len(blocks):
        return blocks
    best, best_from, best_to = 0, 0, 0
    total, since = 0, 0
    before = None
    for at, (first, second, length) in enumerate(blocks.tolist()):
        if before is not None:
            total -= max(first - before[0], second - before[1])
        if total <= 0:
            total, since = 0, at
        total += length
        if total > best:
            best, best_from, best_to = total, since, at + 1
        before = (first + length, second + length)
    return blocks[best_from:best_to]
