"""Kendall's count of pairs of systems that two rankings order alike, by sorting, and its p-value."""

from __future__ import annotations

from dataclasses import dataclass
from math import erfc, factorial, sqrt

import numpy as np

MOST_EXACT = 33
"""The most systems for which all orders are counted, unless the rankings are almost the same or opposite."""
MOST_ORDERS = 170
"""The most systems whose number of orders a double holds."""


@dataclass(frozen=True)
class CountedPairs:
    """Pairs of systems in each two rankings: those ordered differently, and those tied in either or both."""

    systems: int
    different: np.ndarray
    tied_x: np.ndarray
    tied_y: np.ndarray
    tied_both: np.ndarray

    @property
    def pairs(self) -> int:
        """The number of pairs."""
        return self.systems * (self.systems - 1) // 2

    @property
    def balance(self) -> np.ndarray:
        """Pairs ordered alike minus those ordered differently."""
        return self.pairs - self.tied_x - self.tied_y + self.tied_both - 2 * self.different

    @property
    def tau_b(self) -> np.ndarray:
        """Kendall's tau-b; NaN if a ranking is constant."""
        one, other = (1.0 * (self.pairs - tied) for tied in (self.tied_x, self.tied_y))
        known = (one > 0) & (other > 0)
        return np.where(known, self.balance / np.sqrt(np.where(known, one * other, 1)), np.nan)


def places_in_order(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each value of a row the first and the last place of its equals, if the row were in order.

    >>> [places.tolist() for places in places_in_order(np.array([[5.0, 1.0, 5.0]]))]
    [[[1, 0, 1]], [[2, 0, 2]]]
    """
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    place = np.broadcast_to(np.arange(values.shape[-1]), values.shape)
    edges = ordered[..., 1:] != ordered[..., :-1]
    first, last = np.zeros_like(place), np.full_like(place, values.shape[-1] - 1)
    first[..., 1:] = np.where(edges, place[..., 1:], 0)
    last[..., :-1] = np.where(edges, place[..., :-1], last[..., :-1])
    first = np.maximum.accumulate(first, axis=-1)
    last = np.minimum.accumulate(last[..., ::-1], axis=-1)[..., ::-1]
    found = np.empty_like(place), np.empty_like(place)
    for told, of_ordered in zip(found, (first, last), strict=True):
        np.put_along_axis(told, order, of_ordered, axis=-1)
    return found


def counted_pairs(x: np.ndarray, y: np.ndarray) -> CountedPairs:
    """Count the pairs of rankings without NaN, `x[..., system]` and `y[..., system]`."""
    systems = x.shape[-1]
    (first_x, last_x), (first_y, last_y) = places_in_order(x), places_in_order(y)
    both = first_x * systems + first_y
    first_both, last_both = places_in_order(both)
    in_order_of_x = np.take_along_axis(first_y, np.argsort(both, axis=-1, kind="stable"), axis=-1)
    ties = ((last - first).sum(axis=-1) // 2 for first, last in (
        (first_x, last_x), (first_y, last_y), (first_both, last_both),
    ))  # fmt: skip
    return CountedPairs(systems, _in_wrong_order(in_order_of_x), *ties)


def _in_wrong_order(numbers: np.ndarray) -> np.ndarray:
    """How many pairs of each row have the larger number first.

    By their bits, the highest first: among numbers alike so far, those with a 1 before one with a 0.

    >>> _in_wrong_order(np.array([[3, 1, 2], [0, 2, 2]])).tolist()
    [2, 0]
    """
    wrong = np.zeros(numbers.shape[:-1], dtype=np.int64)
    for bit in reversed(range(int(numbers.max(initial=0)).bit_length())):
        numbers = np.take_along_axis(
            numbers, np.argsort(numbers >> (bit + 1), axis=-1, kind="stable"), axis=-1
        )
        one = numbers >> bit & 1
        before = np.cumsum(one, axis=-1) - one
        group = numbers >> (bit + 1)
        begins = np.ones(numbers.shape, dtype=bool)
        begins[..., 1:] = group[..., 1:] != group[..., :-1]
        earlier = np.maximum.accumulate(np.where(begins, before, 0), axis=-1)
        wrong += np.where(one == 0, before - earlier, 0).sum(axis=-1)
    return wrong


def kendall_p_value(x: np.ndarray, y: np.ndarray) -> float:
    """The two-sided p-value of tau-b between two rankings: exact, or as normal, as scipy chooses."""
    found = counted_pairs(x, y)
    least = int(min(found.different, found.pairs - found.different))
    if not found.tied_x and not found.tied_y and (found.systems <= MOST_EXACT or least <= 1):
        return _share_of_orders(found.systems, least)
    n = found.systems
    tied = []
    for values in (x, y):
        first, last = places_in_order(values)
        others = last - first
        tied.append((float((others * (others - 1)).sum()), float((others * (2 * others + 7)).sum())))
    (three_x, weight_x), (three_y, weight_y) = tied
    pairs = n * (n - 1.0)
    variance = (pairs * (2 * n + 5) - weight_x - weight_y) / 18
    variance += 2 * float(found.tied_x) * float(found.tied_y) / pairs
    variance += three_x * three_y / (9 * pairs * (n - 2)) if n > 2 else 0.0
    return erfc(abs(float(found.balance)) / sqrt(2 * variance)) if variance > 0 else float("nan")


def _share_of_orders(systems: int, different: int) -> float:
    """The share of all orders with at most so many pairs different, or at most so many alike."""
    if 4 * different == systems * (systems - 1) or systems < 3:
        return 1.0
    if different <= 1:
        last = systems - different
        return 2 / factorial(last) if last <= MOST_ORDERS else 0.0
    ways = [1] + [0] * different
    for item in range(2, systems + 1):
        for at in range(1, different + 1):
            ways[at] += ways[at - 1]
        for at in range(different, item - 1, -1):
            ways[at] -= ways[at - item] if at >= item else 0
    return min(1.0, 2 * sum(ways) / factorial(systems))
