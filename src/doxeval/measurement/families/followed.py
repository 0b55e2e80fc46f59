"""PRUM taken apart: the terms of Eq. 5 by recall and by rank, and all that can happen (Table III)."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np

from doxeval.measurement.families.inside import Inside, StepsToIdeals

MOST_SCENARIOS = 36
"""Everything that can happen is listed only if it is at most this much."""


class Followed:
    """A reader followed down the list of one topic, with `unranked` elements beyond it.

    `found[i, s]` is P(F_i = s), `fewer[i, r - 1]` P(F_i < r), and `leads[i, r - 1]` the chance that the
    reader of r elements consults rank i + 1 and gets from there to an unseen one.
    """

    def __init__(self, trace: np.ndarray, unranked: int) -> None:
        self.found = trace[0]
        self.fewer = np.cumsum(trace[0], axis=1)[:, :-1]
        self.leads = np.cumsum(np.diff(trace[1], axis=0), axis=1)[:, :-1]
        ideals = self.found.shape[1] - 1
        read_beyond = self.found[-1, :-1] * (unranked + 1) / (ideals + 1 - np.arange(ideals))
        self.terms = {
            "a": self.leads.sum(axis=0),
            "b": np.cumsum(self.fewer[-1]),
            "c": self.fewer[:-1].sum(axis=0),
            "d": np.cumsum(np.cumsum(read_beyond)),
        }

    def by_recall(self, most: int) -> Inside:
        """The terms of Eq. 5 for readers of 1 to `most` ideal elements."""
        leads, read = self.terms["a"] + self.terms["b"], self.terms["c"] + self.terms["d"]
        columns = {**self.terms, "CL": leads, "C": read, "precision": leads / read}
        rows = {name: column[:most].tolist() for name, column in columns.items()}
        meaning = (
            "r: ideal elements wanted; C: expected results consulted; CL: those that lead to an unseen one",
            "CL = a (in the list) + b (beyond it), C = c + d (the same); precision = CL / C (PRUM Eq. 5)",
        )
        return Inside("recall", {"r": list(range(1, most + 1)), **rows}, meaning)

    def by_rank(self, wanted: int, results: list[str]) -> Inside:
        """What each rank adds for the reader of `wanted` ideal elements; the last row is beyond the list."""
        at = wanted - 1
        read = np.append(self.fewer[:-1, at], self.terms["d"][at])
        leads = np.append(self.leads[:, at], self.terms["b"][at])
        columns = {
            "rank": [*range(1, len(results) + 1), None],
            "result": [*results, "beyond the list"],
            "consults": read.tolist(),
            "leads": leads.tolist(),
            "C": np.cumsum(read).tolist(),
            "CL": np.cumsum(leads).tolist(),
            **{f"P(F={s})": [*self.found[1:, s].tolist(), None] for s in range(wanted)},
        }
        meaning = (
            f"for r = {wanted}; consults: P(F < {wanted}) before the rank; leads: that, and an unseen ideal "
            "element is seen from there; C and CL: their sums so far",
            "P(F=s): the chance to have seen s ideal elements after the rank",
        )
        return Inside("list", columns, meaning, 2)


def scenarios(steps: StepsToIdeals, most: int, unranked: int) -> list[Inside]:
    """All ways in which the ideal elements can first be seen (Table III), if they are few."""
    firsts = [_first_seen(steps, element) for element in range(len(steps.names))]
    if prod(map(len, firsts)) > MOST_SCENARIOS:
        return []
    ways = list(product(*(chances.items() for chances in firsts)))
    table = np.array(
        [
            [prod(chance for _, chance in way), *_readers([rank for rank, _ in way], most, steps, unranked)]
            for way in ways
        ]
    )
    table = np.vstack([table, table[:, 0] @ np.column_stack([np.ones(len(ways)), table[:, 1:]])])
    numbers = ["PS", *(f"{name}({r})" for r in range(1, most + 1) for name in ("CL", "C"))]
    columns = {
        "scenario": [*map(str, range(1, len(ways) + 1)), "expected"],
        **{name: [*(way[at][0] for way in ways), None] for at, name in enumerate(steps.names)},
        **dict(zip(numbers, table.T.tolist(), strict=True)),
    }
    meaning = (
        "the rank at which each ideal element is first seen, if it is, and the chance PS of that",
        "CL(r), C(r): results that lead to an unseen one, and results in all, consulted for r of them",
    )
    return [Inside("scenarios", columns, meaning)]


def _first_seen(steps: StepsToIdeals, element: int) -> dict[int | None, float]:
    """The chance of every rank at which an ideal element can first be seen; None is beyond the list."""
    mine = steps.element == element
    chances: dict[int | None, float] = {}
    gains = np.diff(np.concatenate([[0.0], steps.seen[mine], [1.0]])).tolist()
    for rank, chance in zip([*steps.rank[mine].tolist(), None], gains, strict=True):
        if chance > 0:
            chances[rank] = chances.get(rank, 0.0) + chance
    return chances


def _readers(firsts: list[int | None], most: int, steps: StepsToIdeals, unranked: int) -> list[float]:
    """CL and C of the readers of 1 to `most` elements, which are first seen at these ranks."""
    seen = sorted(rank for rank in firsts if rank is not None)
    numbers: list[float] = []
    for wanted in range(1, most + 1):
        if wanted <= len(seen):
            stop = seen[wanted - 1]
            numbers += [len({rank for rank in seen if rank <= stop}), stop]
        else:
            lacking = wanted - len(seen)
            beyond = lacking * (unranked + 1) / (len(firsts) - len(seen) + 1)
            numbers += [len(set(seen)) + lacking, steps.results + beyond]
    return numbers
