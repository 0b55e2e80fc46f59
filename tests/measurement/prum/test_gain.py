"""xCG and its best lists against twins: PRUM C.3 word by word, and text as sets of characters."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.golden.elements import Case
from tests.measurement.prum.trees import ancestors, trees

QUARTERS = st.sampled_from([0, 0, 0.25, 0.5, 0.75, 1])
ALPHAS = st.sampled_from([0.0, 0.25, 0.5, 1.0])


class Twin:
    """Gains by PRUM C.3 with the cap, from nothing but the tree."""

    def __init__(self, nodes: list[dict], values: dict[str, float], ideals: set[str], alpha: float) -> None:
        self.nodes, self.values, self.ideals, self.alpha = nodes, values, ideals, alpha
        self.size = {node["id"]: node["end"] - node["start"] for node in nodes}
        self.above = {node["id"]: ancestors(nodes, node["id"]) for node in nodes}
        self.shown: list[str] = []
        self.gains: list[tuple[str, float]] = []

    def worth(self, name: str) -> float:
        q = self.values.get(name, 0)
        if name in self.shown or set(self.above[name]) & set(self.shown):
            return (1 - self.alpha) * q
        if any(name in self.above[other] for other in self.shown):
            inside = [node["id"] for node in self.nodes if node["parent"] == name]
            parts = sum(self.worth(child) * self.size[child] for child in inside) / self.size[name]
            return self.alpha * parts + (1 - self.alpha) * q
        return q

    def gain(self, name: str) -> float:
        limit = self.worth(name)
        for ideal in self.ideals & set(self.above[name]):
            inside = sum(gain for other, gain in self.gains if ideal in self.above[other])
            limit = min(limit, max(0.0, self.values.get(ideal, 0) - inside))
        return limit

    def show(self, name: str) -> float:
        gain = self.gain(name)
        self.gains.append((name, gain))
        self.shown.append(name)
        return gain

    def greedy(self, candidates: list[str]) -> list[float]:
        found = []
        left = list(candidates)
        while left:
            best = max(
                left, key=lambda name: (round(self.gain(name), 12), -self.size[name], -candidates.index(name))
            )
            if self.gain(best) <= 1e-12:
                break
            left.remove(best)
            found.append(self.show(best))
        return found


@settings(max_examples=20)
@given(trees(), ALPHAS, st.data())
def test_gains_of_judged_nodes(nodes, alpha, data) -> None:
    names = [node["id"] for node in nodes]
    values = {name: data.draw(QUARTERS) for name in names} | {names[-1]: 0.75}
    ideals = {name for name in names if data.draw(st.booleans())} | {names[-1]}
    run = [data.draw(st.sampled_from(names)) for _ in range(data.draw(st.integers(1, 6)))]
    case = Case({"documents": nodes})
    codes = {name: "E3S3" if name in ideals else "E0S0" for name in names}
    qrels = case.judged(rel=values, code=codes)
    twin, total, wanted = Twin(nodes, values, ideals, alpha), 0.0, {}
    best = Twin(nodes, values, ideals, alpha).greedy([name for name in names if name in ideals])
    for rank, name in enumerate(run, 1):
        total += twin.show(name)
        wanted[f"xCG(alpha={alpha},ideals=strict)@{rank}"] = total
        wanted[f"nXCG(alpha={alpha},ideals=strict)@{rank}"] = total / sum(best[:rank]) if best else None
    results = [{"topic": "t", "doc": "d", "node": name, "rank": rank} for rank, name in enumerate(run, 1)]
    found = case.scores(results, qrels, list(wanted))
    assert found == pytest.approx(wanted, abs=1e-9)


def test_by_default_the_best_of_every_path_is_ideal() -> None:
    """PRUM's Figure 6: c is worth more than the nodes around it, so that nothing caps it."""
    nodes = [
        {"id": "a", "doc": "d", "parent": None, "start": 0, "end": 60},
        {"id": "b", "doc": "d", "parent": "a", "start": 10, "end": 50},
        {"id": "c", "doc": "d", "parent": "b", "start": 20, "end": 30},
    ]
    case = Case({"documents": nodes})
    qrels = case.judged(code={"a": "E3S2", "b": "E3S2", "c": "E3S3"})
    names = ["xCG@3", "xCG(alpha=0)@3", "nXCG@1", "nXCG@3", "nXCG(ideal=paths)@3", "gr@1", "ep[1]", "AEP"]
    good = case.scores(case.run(["c"], ["b"], ["a"]), qrels, names)
    assert good == pytest.approx(dict(zip(names, [1, 2.5, 1, 1, 1, 1, 1, 1], strict=True)))
    bad = case.scores(case.run(["a"], ["b"], ["c"]), qrels, names)
    assert bad == pytest.approx(dict(zip(names, [0.75, 2.5, 0.75, 0.75, 0.75, 0.75, 0, 0], strict=True)))


@settings(max_examples=15)
@given(trees(), ALPHAS, st.data())
def test_gains_of_highlighted_text(nodes, alpha, data) -> None:
    length = nodes[0]["end"]
    start = data.draw(st.integers(0, length - 1))
    end = data.draw(st.integers(start + 1, length))
    relevant = set(range(start, end))
    text = {node["id"]: set(range(node["start"], node["end"])) for node in nodes}
    run = [data.draw(st.sampled_from(sorted(text))) for _ in range(4)]

    def gain(name: str, seen: set[int]) -> float:
        here = text[name] & relevant
        return (len(here) - alpha * len(here & seen)) / len(text[name])

    best, left = [], [node["id"] for node in nodes]
    seen: set[int] = set()
    while left:
        name = max(left, key=lambda one: (round(gain(one, seen), 12), -len(text[one])))
        if gain(name, seen) <= 1e-12:
            break
        best.append(gain(name, seen))
        seen |= text[name]
        left.remove(name)
    case = Case({"documents": nodes})
    qrels = [{"topic": "t", "doc": "d", "start": start, "end": end}]
    seen, total, wanted = set(), 0.0, {}
    for rank, name in enumerate(run, 1):
        total += gain(name, seen)
        seen |= text[name]
        wanted[f"xCG(alpha={alpha})@{rank}"] = total
        wanted[f"nXCG(alpha={alpha})@{rank}"] = total / sum(best[:rank])
        wanted[f"gr(alpha={alpha})@{rank}"] = total / sum(best)
    assert case.scores(case.run(*([name] for name in run)), qrels, list(wanted)) == pytest.approx(
        wanted, abs=1e-9
    )


def test_effort_precision_is_the_best_rank_over_the_rank_needed() -> None:
    case = Case({}, [f"e{at}" for at in range(6)])
    qrels = case.judged(rel={"e0": 1, "e1": 1})
    names = ["ep[0.5]", "ep[1]", "AEP", "AEP(points=2)", "gr@2", "nXCG(mean=true)@2"]
    found = case.scores(case.run(["e5"], ["e0"], ["e4"], ["e1"]), qrels, names)
    assert found == pytest.approx(dict(zip(names, [0.5, 0.5, 0.5, 0.5, 0.5, 0.25], strict=True)))


def test_effort_precision_is_averaged_over_as_many_shares_of_all_gain_as_asked_for() -> None:
    case = Case({}, [f"e{at}" for at in range(4)])
    qrels = case.judged(rel={"e0": 1, "e1": 1})
    wanted = {"AEP(points=1)": 2 / 3, "AEP(points=3)": (1 + 2 / 3 + 2 / 3) / 3, "AEP(points=4)": 5 / 6}
    found = case.scores(case.run(["e0"], ["e3"], ["e1"]), qrels, list(wanted))
    assert found == pytest.approx(wanted)
