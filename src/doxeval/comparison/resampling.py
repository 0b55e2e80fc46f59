"""Random draws in blocks: memory stays bounded, and the numbers do not depend on the size of a block.

Every generator below restarts from the seed and takes its draws row by row, so a row is the same in whatever
block it is returned.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import numpy as np

from doxeval.core.progress import each

Result = TypeVar("Result")

BLOCK_NUMBERS = 1 << 18
"""The number of random numbers that a thread holds at once."""

HELD_NUMBERS = 1 << 23
"""The most random numbers that are kept, to be used for all comparisons."""

COMPARISONS_AT_ONCE = 64
"""Comparisons whose draws are held at once."""

DRAWN_TOGETHER = 100
"""Draws that depend on each other: the next ones begin anew, with random numbers of their own."""

ROUNDING = 1e-12
"""Relative tolerance: two sums of the same numbers in another order differ by less than this."""


def block_sizes(rows: int, width: int) -> Iterator[int]:
    """Sizes of blocks of rows of `width` numbers that hold about :data:`BLOCK_NUMBERS`."""
    step = max(1, BLOCK_NUMBERS // max(1, width))
    for first in range(0, rows, step):
        yield min(step, rows - first)


def in_threads(work: Callable[[int], np.ndarray], rows: int, what: str) -> np.ndarray:
    """Results of `work` for the first of every :data:`DRAWN_TOGETHER` rows, in as many threads as cores."""
    from concurrent.futures import ThreadPoolExecutor

    firsts = range(0, rows, DRAWN_TOGETHER)
    with ThreadPoolExecutor(min(cores(), len(firsts))) as threads:
        return np.concatenate(list(each(threads.map(work, firsts), what, len(firsts))))


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def over_blocks(work: Callable[[slice], Result], rows: int, what: str) -> Iterator[tuple[slice, Result]]:
    """Blocks of some comparisons each, and the result of `work` for them, in as many threads as cores."""
    from concurrent.futures import ThreadPoolExecutor

    blocks = [slice(first, first + COMPARISONS_AT_ONCE) for first in range(0, rows, COMPARISONS_AT_ONCE)]
    if len(blocks) < 2:
        yield from ((block, work(block)) for block in blocks)
        return
    with ThreadPoolExecutor(min(cores(), len(blocks))) as threads:
        yield from each(zip(blocks, threads.map(work, blocks), strict=True), what, len(blocks))


def held_or_drawn_again(
    blocks: Callable[[], Iterator[np.ndarray]], numbers: int
) -> Callable[[], Iterable[np.ndarray]]:
    """A function that gives the same blocks at every call: kept if they are few numbers, else drawn again."""
    if numbers > HELD_NUMBERS:
        return blocks
    held = list(blocks())
    return lambda: held


def random_words(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Words of 64 random bits."""
    return random.integers(0, 2**64 - 1, size=shape, dtype=np.uint64, endpoint=True)


def deals_of_words(systems: int) -> np.ndarray:
    """For each word that deals out a topic anew, the places it deals: from the first down to after the last.

    A word holds as many choices as there are at most 2^32 ways to make them.
    """
    deals = []
    place = systems - 1
    while place > 0:
        first, ways = place, 1
        while place > 0 and ways * (place + 1) <= 1 << 32:
            ways *= place + 1
            place -= 1
        deals.append((first, place))
    return np.array(deals, dtype=np.int64).reshape(-1, 2)


def sign_blocks(rows: int, topics: int, seed: int) -> Iterator[np.ndarray]:
    """Rows of random signs, +1 or -1, one for each topic."""
    random = np.random.default_rng([seed, 1])
    for size in block_sizes(rows, topics):
        words = random_words(random, (size, -(-topics // 64))).astype("<u8", copy=False)
        yield 2.0 * np.unpackbits(words.view(np.uint8), axis=1, count=topics) - 1.0


def count_blocks(rows: int, topics: int, seed: int) -> Iterator[np.ndarray]:
    """Bootstrap samples of topics: the count of each, in rows that sum to the number of topics."""
    random = np.random.default_rng([seed, 2])
    for size in block_sizes(rows, topics):
        drawn = random.integers(topics, size=(size, topics))
        drawn += np.arange(size)[:, None] * topics
        yield np.bincount(drawn.ravel(), minlength=size * topics).reshape(size, topics).astype(np.float64)


def order_blocks(rows: int, items: int, seed: int) -> Iterator[np.ndarray]:
    """Random orders of `items`, one per row."""
    random = np.random.default_rng([seed, 3])
    for size in block_sizes(rows, items):
        yield np.argsort(random.random((size, items)), axis=1, kind="stable")


def monte_carlo_p(hits: np.ndarray, drawn: int) -> np.ndarray:
    """The p-value of `hits` draws as extreme as the observed value, which itself counts as one draw."""
    return (hits + 1) / (drawn + 1)


def just_reached(seen: np.ndarray) -> np.ndarray:
    """The least draws that are as large as an observed value, apart from rounding."""
    least: np.ndarray = seen - ROUNDING * np.maximum(1.0, np.abs(seen))
    return least


def reaches(drawn: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """Whether draws are as large as the observed value, apart from rounding."""
    return drawn >= just_reached(seen)
