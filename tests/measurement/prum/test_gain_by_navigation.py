"""xCG with navigation against readers one by one: all ways in which they may reach what they look for."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.golden.elements import Case
from tests.measurement.prum.test_gain import ALPHAS, QUARTERS, Twin
from tests.measurement.prum.trees import ancestors, trees

RANKS, NEVER = 4, 99


def hierarchical(nodes: list[dict], one: str, other: str) -> float:
    size = {node["id"]: node["end"] - node["start"] for node in nodes}
    nested = one in ancestors(nodes, other) or other in ancestors(nodes, one)
    return min(size[one], size[other]) / max(size[one], size[other]) if nested else 0.0


def best_of_paths(nodes: list[dict], values: dict[str, float]) -> list[str]:
    """The best of every path from a root to a leaf among valued nodes, never one inside another."""
    valued = [node["id"] for node in nodes if values.get(node["id"], 0) > 0]
    path = {name: [one for one in valued if one == name or one in ancestors(nodes, name)] for name in valued}
    leaves = [name for name in valued if not any(name in path[other][:-1] for other in valued)]
    chosen = {max(path[leaf], key=lambda one: values[one]) for leaf in leaves}
    return [name for name in valued if name in chosen and not chosen & set(path[name][:-1])]


Gained = Callable[[dict[str, int]], list[float]]


def expected(chances: dict[str, list[float]], gained: Gained) -> list[float]:
    """The mean of the gains over all readers; `gained` has those of one who reaches each aim at some rank."""
    totals = [0.0] * RANKS
    for when in product([*range(RANKS), NEVER], repeat=len(chances)):
        weight = 1.0
        for rank, chance in zip(when, chances.values(), strict=True):
            for earlier in range(min(rank, RANKS)):
                weight *= 1 - chance[earlier]
            weight *= chance[rank] if rank < RANKS else 1.0
        for rank, gain in enumerate(gained(dict(zip(chances, when, strict=True)))):
            totals[rank] += weight * gain
    return [sum(totals[: rank + 1]) for rank in range(RANKS)]


def gain_as_readers_have_it(
    nodes: list[dict], values: dict[str, float], run: list[str], alpha: float
) -> None:
    """Compare xCG of judged nodes with the readers one by one."""
    aims = best_of_paths(nodes, values)
    twin = Twin(nodes, values, set(aims), alpha)
    own = [twin.show(name) for name in run]

    def left(aim: str, shown: list[str]) -> float:
        if {aim, *ancestors(nodes, aim)} & set(shown):
            return 0.0
        parts = sum(gain for gain, name in zip(own, shown, strict=False) if aim in ancestors(nodes, name))
        return max(0.0, values[aim] - parts)

    def gained(reached: dict[str, int]) -> list[float]:
        gains = list(own)
        for rank, name in enumerate(run):
            new = max(0.0, own[rank] - (1 - alpha) * values.get(name, 0))
            for aim in aims:
                if reached[aim] == rank:
                    gains[rank] += left(aim, run[: rank + 1])
                elif reached[aim] < rank and (name == aim or aim in ancestors(nodes, name)):
                    gains[rank] -= new
                elif reached[aim] < rank and name in ancestors(nodes, aim):
                    gains[rank] -= (
                        new * twin.size[aim] / twin.size[name] * left(aim, run[:rank]) / values[aim]
                    )
        return gains

    chances = {aim: [float(one == aim) or hierarchical(nodes, aim, one) for one in run] for aim in aims}
    wanted = expected(chances, gained)
    case = Case({"documents": nodes})
    typed = [f"xCG(alpha={alpha},nav=hierarchical)@{rank}" for rank in range(1, RANKS + 1)]
    found = case.scores(case.run(*([name] for name in run)), case.judged(rel=values), typed)
    assert list(found.values()) == pytest.approx(wanted, abs=1e-9)


@settings(max_examples=15)
@given(trees(most=6), ALPHAS, st.data())
def test_judged_nodes(nodes, alpha, data) -> None:
    names = [node["id"] for node in nodes]
    values = {name: data.draw(QUARTERS) for name in names} | {names[-1]: 0.75}
    gain_as_readers_have_it(nodes, values, [data.draw(st.sampled_from(names)) for _ in range(RANKS)], alpha)


@pytest.mark.parametrize("second", ["book", "aim", "part"])
def test_what_was_reached_by_navigation_counts_less_in_whatever_shows_it_later(second) -> None:
    extents = {"book": (None, 0, 20), "aim": ("book", 2, 10), "part": ("aim", 4, 7), "rest": ("book", 12, 19)}
    nodes = [
        {"id": name, "parent": parent, "doc": "d", "start": start, "end": end}
        for name, (parent, start, end) in extents.items()
    ]
    values = {"book": 0.5, "aim": 0.75, "part": 0.25, "rest": 0.0}
    for others in product(["book", "aim", "part"], repeat=RANKS - 2):
        gain_as_readers_have_it(nodes, values, ["part", second, *others], 0.25)


@settings(max_examples=15)
@given(trees(most=6), ALPHAS, st.data())
def test_highlighted_text(nodes, alpha, data) -> None:
    text = {node["id"]: set(range(node["start"], node["end"])) for node in nodes}
    length = nodes[0]["end"]

    def drawn() -> set[int]:
        start = data.draw(st.integers(0, length - 1))
        return set(range(start, data.draw(st.integers(start + 1, length))))

    relevant, run = drawn(), [drawn() for _ in range(RANKS)]
    aims = best_of_paths(nodes, {name: len(one & relevant) / len(one) for name, one in text.items()})

    def nodes_of(shown: set[int]) -> list[str]:
        inside = [name for name in text if text[name] <= shown]
        largest = [name for name in inside if not set(ancestors(nodes, name)) & set(inside)]
        return largest or [
            min((name for name in text if shown <= text[name]), key=lambda one: len(text[one]))
        ]

    def chance(aim: str, shown: set[int]) -> float:
        found = nodes_of(shown)
        if aim in found:
            return len(text[aim] & shown) / len(text[aim])
        return sum(hierarchical(nodes, aim, name) for name in found) / len(found)

    def gained(reached: dict[str, int]) -> list[float]:
        gains = []
        seen: set[int] = set()
        for rank, shown in enumerate(run):
            known = seen.union(*(text[aim] for aim in aims if reached[aim] < rank))
            gain = (len(shown & relevant) - alpha * len(shown & relevant & known)) / len(shown)
            seen |= shown
            left = {aim: len((text[aim] & relevant) - seen) / len(text[aim]) for aim in aims}
            gains.append(gain + sum(left[aim] for aim in aims if reached[aim] == rank))
        return gains

    wanted = expected({aim: [chance(aim, shown) for shown in run] for aim in aims}, gained)
    rows = [
        {"topic": "t", "doc": "d", "rank": rank, "start": min(shown), "end": max(shown) + 1}
        for rank, shown in enumerate(run, 1)
    ]
    qrels = [{"topic": "t", "doc": "d", "start": min(relevant), "end": max(relevant) + 1}]
    typed = [f"xCG(alpha={alpha},nav=hierarchical)@{rank}" for rank in range(1, RANKS + 1)]
    found = Case({"documents": nodes}).scores(rows, qrels, typed)
    assert list(found.values()) == pytest.approx(wanted, abs=1e-9)
