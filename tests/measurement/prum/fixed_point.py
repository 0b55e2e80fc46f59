"""Exact PRUM in fixed point: integers of 200 bits, so that some sixty digits are right."""

from __future__ import annotations

from typing import Any

import numpy as np

BITS = 200
ONE = 1 << BITS


def times(polynomial: np.ndarray, keep: int, take: int) -> np.ndarray:
    """A polynomial times keep + take * t."""
    grown = np.zeros(len(polynomial) + 1, dtype=object)
    grown[:-1] = polynomial * keep
    grown[1:] += polynomial * take
    return grown >> BITS


def exact_precisions(rank: Any, ideal: Any, miss: Any, ideals: int, ranks: int, unranked: int) -> np.ndarray:
    """Exact PRUM at r = 1 .. ideals of one topic; columns as for the kernel, which it shares nothing with."""
    unseen = [ONE] * ideals
    nothing = np.zeros(ideals + 1, dtype=object)
    nothing[0] = ONE
    before, leading, consulted, last = (
        nothing,
        np.zeros(ideals + 1, dtype=object),
        np.zeros(ideals + 1, dtype=object),
        0,
    )
    for now in np.unique(rank):
        moved = {int(ideal[at]): int(miss[at] * ONE) for at in np.flatnonzero(rank == now)}
        stays, after = np.array([ONE], dtype=object), np.array([ONE], dtype=object)
        still = [unseen[x] * moved[x] >> BITS if x in moved else unseen[x] for x in range(ideals)]
        for x in range(ideals):
            stays = times(stays, still[x], ONE - unseen[x])
            after = times(after, still[x], ONE - still[x])
        consulted += before * int(now - last)
        leading += before - stays
        before, unseen, last = after, still, now
    consulted += before * int(ranks - last)
    values = []
    for r in range(1, ideals + 1):
        lacking = [int(before[s]) * (r - s) for s in range(r)]
        above = int(sum(leading[:r])) + sum(lacking)
        below = int(sum(consulted[:r])) + sum(
            w * (unranked + 1) // (ideals - s + 1) for s, w in enumerate(lacking)
        )
        values.append(above / below)
    return np.array(values)
