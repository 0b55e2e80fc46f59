"""Bounds hold for every completion of the judgements, and are reached where they are claimed to be exact.

The twin tries all subsets of the open characters, or of the open documents, and scores each in plain Python.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from doxeval.ground.align import align
from doxeval.ground.ground import prepare_ground
from doxeval.ground.open_text import open_text, text_shown
from doxeval.io.read import read_assessments, read_run
from doxeval.measurement.base import measure_named
from doxeval.measurement.families.bounds import joint_bounds

Place = tuple[str, int]
Rows = list[tuple[str, int, int]]

LENGTH = 5
EXACT = ["iP@2", "iP", "iR@2", "iR@7c", "F@2", "F(beta=2)", "IoU@2", "IoU"]
BOUND = ["iP[0.5]", "iP[1]", "AiP", "AiP@2", "iP(alpha=0.5)@3"]
DOCUMENTS = ["P@2", "R@2", "AP", "AP@2", "nDCG@2", "nDCG", "RR", "Success@2", "Rprec", "SetP", "SetR", "SetF"]

stretch = st.tuples(st.sampled_from("abc"), st.integers(0, LENGTH - 1), st.integers(1, 3))
rows = st.lists(stretch, min_size=0, max_size=4)


def clipped(found: Rows) -> Rows:
    return [(doc, start, min(start + size, LENGTH)) for doc, start, size in found]


def as_rows(found: Rows) -> list[dict[str, Any]]:
    run = [
        {"topic": "q", "doc": doc, "rank": rank, "start": start, "end": end}
        for rank, (doc, start, end) in enumerate(clipped(found), 1)
    ]
    return run or [{"topic": "q"}]


def places(found: Rows) -> list[list[Place]]:
    return [[(doc, at) for at in range(start, end)] for doc, start, end in clipped(found)]


def subsets(things: list[Any]) -> Iterator[set[Any]]:
    for size in range(len(things) + 1):
        yield from map(set, combinations(things, size))


def cut_to(shown: list[list[Place]], characters: int) -> list[list[Place]]:
    found = []
    for result in shown:
        found.append(result[: max(0, characters)])
        characters -= len(result)
    return [result for result in found if result]


def value(name: str, shown: list[list[Place]], relevant: set[Place]) -> float:
    """What a measure of characters is, from sets."""
    if name.endswith("c"):
        shown = cut_to(shown, int(name[:-1].partition("@")[2]))
        name = name.partition("@")[0]
    head, _, rank = name.partition("@")
    measure = head.partition("(")[0].partition("[")[0]
    if rank:
        shown = shown[: int(rank)]
    alpha, beta = ("alpha=0.5" in head) / 2, 2 if "beta=2" in head else 1
    seen: set[Place] = set()
    gain, size, at_ranks = 0.0, 0, []
    for result in shown:
        fresh = (relevant & set(result)) - seen
        gain += len(fresh) + alpha * len((relevant & set(result)) - fresh)
        size += len(result)
        seen |= set(result)
        at_ranks.append((gain / size, gain / len(relevant)))
    total = len(relevant)
    if measure == "AiP":
        levels = [step / 100 for step in range(101)]
        return float(np.mean([max([p for p, r in at_ranks if r >= x - 1e-12], default=0.0) for x in levels]))
    if "[" in head:
        point = float(head.partition("[")[2].strip("]"))
        return max([p for p, r in at_ranks if r >= point - 1e-12], default=0.0)
    quotient = {
        "iP": (gain, size),
        "iR": (gain, total),
        "F": ((1 + beta**2) * gain, beta**2 * total + size),
        "IoU": (gain, size + total - gain),
    }[measure]
    return quotient[0] / quotient[1] if quotient[1] else 0.0


def prepared(judged: set[str], highlights: Rows, *runs: Rows) -> tuple[Any, Any, list[Any]]:
    known = [{"topic": "q", "doc": doc} for doc in sorted(judged)]
    known += [{**row, "rank": None} for row in as_rows(highlights) if row.get("doc") in judged]
    truth = read_assessments([*known, {"topic": "z", "doc": "z"}]).with_more_topics(["q"])
    ground = prepare_ground(truth)
    aligned = [align(read_run(as_rows(run), name=f"r{at}"), ground) for at, run in enumerate(runs)]
    return ground, open_text(ground, map(text_shown, aligned)), aligned


def relevant_known(judged: set[str], highlights: Rows) -> set[Place]:
    return {place for group in places(highlights) for place in group if place[0] in judged}


@given(rows, rows, rows, st.sets(st.sampled_from("abc")))
@settings(deadline=None, max_examples=25)
def test_no_completion_leaves_the_bounds(run: Rows, other: Rows, highlights: Rows, judged: set[str]) -> None:
    ground, opened, (aligned, _) = prepared(judged, highlights, run, other)
    known = relevant_known(judged, highlights)
    still = sorted(
        {p for shown in (run, other) for group in places(shown) for p in group if p[0] not in judged}
    )
    topic = ground.topics.index("q")
    names = [*EXACT, *BOUND]
    bounds = {name: measure_named(name).bounds(aligned, opened) for name in names}
    found: dict[str, list[float]] = {name: [] for name in names}
    for more in subsets(still[:9]):
        if known | more:
            for name in names:
                found[name].append(value(name, places(run), known | more))
    for name, values in found.items():
        low, high = bounds[name].low[topic], bounds[name].high[topic]
        if not values:
            assert np.isnan(low) and np.isnan(high)
            continue
        assert low <= min(values) + 1e-12 and max(values) <= high + 1e-12, name
        if len(still) <= 9 and name in EXACT:
            assert (low, high) == pytest.approx((min(values), max(values))), name
        if len(still) <= 9 and "[" in name:
            assert high == pytest.approx(max(values)), name


@given(rows, rows, rows, st.sets(st.sampled_from("abc")))
@settings(deadline=None, max_examples=25)
@example(run=[("b", 0, 2)], other=[("b", 0, 2), ("a", 0, 2)], highlights=[], judged={"a"})
@example(run=[("b", 0, 2)], other=[("a", 0, 2)], highlights=[], judged={"a"})
@example(
    run=[("a", 0, 1), ("a", 4, 1), ("b", 0, 5), ("d", 0, 3)], other=[("a", 0, 5), ("c", 0, 5)],
    highlights=[("a", 0, 3)], judged={"a", "c"},
)  # fmt: skip
def test_differences_of_two_runs_are_bounded_exactly(
    run: Rows, other: Rows, highlights: Rows, judged: set[str]
) -> None:
    ground, opened, pair = prepared(judged, highlights, run, other)
    known = relevant_known(judged, highlights)
    still = sorted(
        {p for shown in (run, other) for group in places(shown) for p in group if p[0] not in judged}
    )
    if len(still) > 9:
        return
    topic = ground.topics.index("q")
    for name in EXACT:
        one, two = (measure_named(name).bounds(aligned, opened).parts for aligned in pair)
        assert one is not None and two is not None
        low, high = (column[topic] for column in joint_bounds(one, two))
        values = [
            value(name, places(run), known | more) - value(name, places(other), known | more)
            for more in subsets(still)
            if known | more
        ]
        if values:
            assert (low, high) == pytest.approx((min(values), max(values)), abs=1e-12), name
        else:
            assert np.isnan(low) and np.isnan(high)


listed = st.permutations("abcdef").map(lambda docs: docs[:4])


@given(listed, listed, st.dictionaries(st.sampled_from("abcdef"), st.booleans()))
@settings(deadline=None, max_examples=15)
def test_document_measures_are_bounded_exactly(
    run: list[str], other: list[str], known: dict[str, bool]
) -> None:
    pytest.importorskip("ir_measures", reason="ir_measures is not installed")
    import ir_measures

    def truth(relevant: dict[str, bool]) -> list[dict[str, Any]]:
        return [
            {"topic": "q", "doc": doc, **({"start": 0, "end": 1} if yes else {})}
            for doc, yes in relevant.items()
        ]

    ground = prepare_ground(
        read_assessments([*truth(known), {"topic": "z", "doc": "z"}]).with_more_topics("q")
    )
    aligned = [align(read_run(as_rows([(doc, 0, 2) for doc in docs])), ground) for docs in (run, other)]
    opened = open_text(ground, map(text_shown, aligned))
    still = sorted({*run, *other} - known.keys())
    measures = [ir_measures.parse_measure(name) for name in DOCUMENTS]
    found: dict[str, list[float]] = {name: [] for name in DOCUMENTS}
    ranked = {"q": {doc: float(-at) for at, doc in enumerate(run)}}
    for more in subsets(still):
        judged = {
            "q": {doc: int(yes) for doc, yes in known.items()} | dict.fromkeys(more, 1) | {"nothing": 0}
        }
        for metric in ir_measures.iter_calc(measures, judged, ranked):
            found[str(metric.measure)].append(metric.value)
    topic = ground.topics.index("q")
    for name in DOCUMENTS:
        bounds = measure_named(name).bounds(aligned[0], opened)
        expected = min(found[name]), max(found[name])
        assert (bounds.low[topic], bounds.high[topic]) == pytest.approx(expected), name
