"""Slow twins of the navigating measures, in fractions, by enumeration of everything that can happen."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise, permutations, product
from math import prod

Chances = list[list[Fraction]]
"""`chances[i][x]`: the chance to see ideal x from the result at rank i + 1 (a repeat has all 0)."""


def unseen(chances: Chances, ideals: int) -> list[list[Fraction]]:
    """The chance of every ideal to be unseen after 0, 1, ... ranks (PRUM Eq. 6)."""
    rows = [[Fraction(1)] * ideals]
    for row in chances:
        rows.append([q * (1 - p) for q, p in zip(rows[-1], row, strict=True)])
    return rows


def chance_of(count: int, unseen_now: list[Fraction]) -> Fraction:
    """PRUM Eq. 7: the sum over all sets of so many ideals that they are seen and no others."""
    everybody = range(len(unseen_now))
    return sum(
        (
            prod(((1 - unseen_now[x]) if x in seen else unseen_now[x] for x in everybody), start=Fraction(1))
            for seen in combinations(everybody, count)
        ),
        start=Fraction(0),
    )


def prum(chances: Chances, ideals: int, wanted: int, unranked: int) -> Fraction:
    """PRUM Eqs. 5-8 as they are written."""
    rows = unseen(chances, ideals)
    above = below = Fraction(0)
    for before, after in pairwise(rows):
        for s in range(wanted):
            here = chance_of(s, before)
            below += here
            if here:
                misses = Fraction(1)
                for x in range(ideals):
                    without = before[:x] + before[x + 1 :]
                    misses *= 1 - (before[x] - after[x]) * chance_of(s, without) / here
                above += here * (1 - misses)
    for s in range(wanted):
        lacking = chance_of(s, rows[-1]) * (wanted - s)
        above += lacking
        below += lacking * (1 + Fraction(unranked - (ideals - s), ideals - s + 1))
    return above / below


def scenarios(chances: Chances, ideals: int) -> list[tuple[Fraction, tuple[int | None, ...]]]:
    """All ways in which ideals can first be seen (PRUM Table III): the chance of each, and the ranks."""
    ranks: list[int | None] = [*range(1, len(chances) + 1), None]
    rows = unseen(chances, ideals)
    found = []
    for firsts in product(ranks, repeat=ideals):
        chance = Fraction(1)
        for x, first in enumerate(firsts):
            chance *= rows[-1][x] if first is None else rows[first - 1][x] - rows[first][x]
        if chance:
            found.append((chance, firsts))
    return found


def exact_prum(chances: Chances, ideals: int, wanted: int, unranked: int) -> Fraction:
    """PRUM over all scenarios; who is not done with the list goes on among the unranked in random order."""
    leads = reads = Fraction(0)
    for chance, firsts in scenarios(chances, ideals):
        seen = sorted(first for first in firsts if first is not None)
        if len(seen) >= wanted:
            stop = seen[wanted - 1]
            leads += chance * len({first for first in seen if first <= stop})
            reads += chance * stop
        else:
            lacking, left = wanted - len(seen), ideals - len(seen)
            leads += chance * (len(set(seen)) + lacking)
            reads += chance * (len(chances) + Fraction(lacking * (unranked + 1), left + 1))
    return leads / reads


def eprum(chances: Chances, ideals: int, wanted: int) -> Fraction:
    """The mean over all scenarios of what was wanted / the rank at which it was reached."""
    total = Fraction(0)
    for chance, firsts in scenarios(chances, ideals):
        seen = sorted(first for first in firsts if first is not None)
        if len(seen) >= wanted:
            total += chance * Fraction(wanted, seen[wanted - 1])
    return total


def orders(blocks: list[list[str]]) -> list[list[str]]:
    """Every order in which tied results can be read."""
    return [
        [name for block in choice for name in block] for choice in product(*(permutations(b) for b in blocks))
    ]


def listed(blocks: list[list[str]], rank: int) -> dict[str, Fraction]:
    """P(L): the share of all orders in which an element is within the rank."""
    every = orders(blocks)
    return {
        name: Fraction(sum(name in order[:rank] for order in every), len(every))
        for name in {name for block in blocks for name in block}
    }


def expected_reading(blocks: list[list[int]], wanted: int) -> Fraction:
    """How many elements are read until so many relevant ones (1) were met, over all orders of the ties."""
    total = count = 0
    for order in orders([[f"{value}.{at}" for at, value in enumerate(block)] for block in blocks]):
        met = 0
        for place, name in enumerate(order, 1):
            met += name.startswith("1")
            if met == wanted:
                total, count = total + place, count + 1
                break
    return Fraction(total, count)
