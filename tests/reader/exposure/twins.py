"""Small random collections, and ESR computed the slow way: node by node, character by character."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Case:
    """Documents as nested nodes, assessments, a run, and one chance for every pair of nodes."""

    docs: list[dict]
    qrels: list[dict]
    run: list[dict]
    chance: dict[tuple[str, str, str], float] = field(default_factory=dict)

    def nodes(self, doc: str) -> list[dict]:
        return next(one["nodes"] for one in self.docs if one["doc"] == doc)

    def length(self, doc: str) -> int:
        return next(one["length"] for one in self.docs if one["doc"] == doc)

    def matrix(self) -> str:
        rows = [f"{doc},{source},{target},{p!r}" for (doc, source, target), p in self.chance.items()]
        return "\n".join(["doc,from,to,p", *rows]) + "\n"


def grow(dice: random.Random, doc: str) -> dict:
    """One document: a random tree, some nodes without text."""
    nodes: list[dict] = []

    def lay(parent: str | None, at: int, depth: int) -> int:
        node = {"id": f"{doc}.{len(nodes)}", "parent": parent, "tag": dice.choice("abc"), "start": at}
        nodes.append(node)
        at += dice.randint(0, 4)
        for _ in range(dice.randint(0, 3) if depth < 3 else 0):
            at = lay(node["id"], at, depth + 1) + dice.randint(0, 2)
        node["end"] = at
        return at

    length = lay(None, 0, 0) + 1
    nodes[0]["end"] = length
    return {"doc": doc, "length": length, "nodes": nodes}


def tree_case(seed: int) -> Case:
    """Assessed trees and a run of trees, some of them the same."""
    dice = random.Random(seed)
    docs = [grow(dice, name) for name in ("d1", "d2")]

    def trees(count: int) -> list[tuple[str, list[str]]]:
        found = []
        for _ in range(count):
            doc = dice.choice(docs)
            names = [node["id"] for node in doc["nodes"]]
            found.append((doc["doc"], dice.sample(names, min(len(names), dice.choice((1, 1, 1, 2, 3))))))
        return found

    known = trees(4)
    qrels = [
        {"topic": "t", "doc": doc, "nodes": nodes, "rel": dice.choice((0.5, 1, 3))}
        for doc, nodes in known[: dice.randint(1, 4)]
    ]
    wanted = [dice.choice(known + trees(3)) for _ in range(dice.randint(0, 6))]
    run = [
        {"topic": "t", "doc": doc, "rank": rank, "nodes": nodes}
        for rank, (doc, nodes) in enumerate(wanted, 1)
    ]
    case = Case(docs, qrels, run)
    draw_chances(case, dice)
    return case


def text_case(seed: int) -> Case:
    """Highlighted ranges and a run of ranges, some of several."""
    dice = random.Random(seed)
    docs = [grow(dice, name) for name in ("d1", "d2")]

    def span(doc: dict) -> list[int]:
        a, b = sorted((dice.randint(0, doc["length"]), dice.randint(0, doc["length"])))
        return [a, max(b, a + 1) if a < doc["length"] else b]

    qrels = []
    for doc in dice.choices(docs, k=dice.randint(1, 4)):
        a, b = span(doc)
        if a < b:
            qrels.append({"topic": "t", "doc": doc["doc"], "start": a, "end": b, "rel": dice.choice((1, 2))})
    run = []
    for rank, doc in enumerate(dice.choices(docs, k=dice.randint(0, 5)), 1):
        spans = [span(doc) for _ in range(dice.choice((1, 1, 2)))]
        run.append({"topic": "t", "doc": doc["doc"], "rank": rank, "spans": spans})
    case = Case(docs, qrels or [{"topic": "t", "doc": "d1", "start": 0, "end": 1, "rel": 1}], run)
    draw_chances(case, dice)
    return case


def draw_chances(case: Case, dice: random.Random) -> None:
    for doc in case.docs:
        for source in doc["nodes"]:
            for target in doc["nodes"]:
                if source is not target and dice.random() < 0.7:
                    case.chance[doc["doc"], source["id"], target["id"]] = round(dice.random(), 3)


def holds(outer: dict, inner: dict, nodes: list[dict]) -> bool:
    by_name = {node["id"]: node for node in nodes}
    while inner is not outer:
        if inner["parent"] is None:
            return False
        inner = by_name[inner["parent"]]
    return True


def hierarchical(case: Case, doc: str, source: str, target: str) -> float:
    nodes = {node["id"]: node for node in case.nodes(doc)}
    a, b = nodes[source], nodes[target]
    if not (holds(a, b, case.nodes(doc)) or holds(b, a, case.nodes(doc))):
        return 0.0
    short, long = sorted((a["end"] - a["start"], b["end"] - b["start"]))
    return short / long if long else 0.0


def between_trees(case: Case, p: Any, rule: str, doc: str, unit: list[str], result: list[str]) -> float:
    """ESR Eq. 4, or SR Theorem 4.3."""
    total = 0.0
    for e in unit:
        for f in result:
            if rule == "sr":
                total += 1.0 if e == f else p(case, doc, f, e)
            elif e not in result and f not in unit:
                total += p(case, doc, f, e)
    return total / (len(unit) * len(result))


def shown_before(case: Case, one: dict, rows: list[dict]) -> float:
    """The share of a tree's characters that some results of its document show."""
    extent = {node["id"]: range(node["start"], node["end"]) for node in case.nodes(one["doc"])}
    text = {at for name in one["nodes"] for at in extent[name]}
    shown = {at for row in rows if row["doc"] == one["doc"] for name in row["nodes"] for at in extent[name]}
    return len(text & shown) / len(text) if text else 0.0


def expose_trees(
    case: Case, p: Any, rule: str, k: int, alpha: float = 0, hit: str = "identical", overlap: str = "new"
) -> tuple[float, float, float]:
    """E[Hits], E[Near-misses], E[Misses] of the first k results (ESR Eqs. 5, 8-10; footnote 6; 7.5)."""
    hits = near = misses = 0.0
    for one in case.qrels:
        unseen, found = 1.0, False
        for at, row in enumerate(case.run[:k]):
            if row["doc"] != one["doc"]:
                continue
            chance = between_trees(case, p, rule, one["doc"], one["nodes"], row["nodes"])
            if set(row["nodes"]) == set(one["nodes"]) or (hit == "certain" and chance > 1 - 1e-9):
                old = shown_before(case, one, case.run[:at]) if overlap == "repeated" else 0.0
                hits += one["rel"] * (alpha if found else (1 - old) * unseen + alpha * old)
                found = True
            elif not found:
                unseen *= 1 - chance
        if not found:
            near += one["rel"] * (1 - unseen)
            misses += one["rel"] * unseen
    return hits, near, misses


def merged_units(case: Case) -> list[tuple[str, int, int]]:
    """Highlights of a document that overlap are one unit; those that touch are not."""
    units: list[tuple[str, int, int]] = []
    for doc in {row["doc"] for row in case.qrels}:
        for start, end in sorted((row["start"], row["end"]) for row in case.qrels if row["doc"] == doc):
            if units and units[-1][0] == doc and start < units[-1][2]:
                units[-1] = (doc, units[-1][1], max(end, units[-1][2]))
            else:
                units.append((doc, start, end))
    return units


def worth_of_characters(case: Case, rel: str) -> dict[tuple[str, int], float]:
    worth = {}
    for doc, start, end in merged_units(case):
        for at in range(start, end):
            grade = max(
                row["rel"] for row in case.qrels if row["doc"] == doc and row["start"] <= at < row["end"]
            )
            worth[doc, at] = {"length": 1.0, "binary": 1 / (end - start), "grade": float(grade)}[rel]
    return worth


def merged(spans: list[list[int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for a, b in sorted(map(tuple, spans)):
        if a >= b:
            continue
        if joined and a <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(b, joined[-1][1]))
        else:
            joined.append((a, b))
    return joined


def covered(nodes: list[dict], spans: list[tuple[int, int]]) -> set[str]:
    """For each range the maximal nodes inside it, or else the deepest node around it."""
    found = set()
    for a, b in spans:
        inside = [n for n in nodes if a <= n["start"] and n["end"] <= b and n["end"] > n["start"]]
        top = [n for n in inside if not any(m is not n and holds(m, n, nodes) for m in inside)]
        if not top:
            around = [n for n in nodes if n["start"] <= a and b <= n["end"]]
            top = [max(around, key=nodes.index)]
        found |= {n["id"] for n in top}
    return found


def owner(nodes: list[dict], at: int) -> dict:
    return max((n for n in nodes if n["start"] <= at < n["end"]), key=nodes.index)


def seen_by_nodes(case: Case, p: Any, doc: str, at: int, rows: list[dict]) -> float:
    """The noisy-or over results that do not hold the character."""
    nodes = case.nodes(doc)
    node = owner(nodes, at)
    unseen = 1.0
    for row in rows:
        spans = merged(row["spans"])
        if row["doc"] != doc or not spans:
            continue
        of_result = covered(nodes, spans)
        if node["id"] in of_result:
            held = sum(max(0, min(b, node["end"]) - max(a, node["start"])) for a, b in spans)
            unseen *= 1 - held / (node["end"] - node["start"])
        else:
            unseen *= 1 - sum(p(case, doc, f, node["id"]) for f in of_result) / len(of_result)
    return 1 - unseen


def seen_by_distance(case: Case, p: Any, doc: str, at: int, rows: list[dict]) -> float:
    shown = {x for row in rows if row["doc"] == doc for a, b in row["spans"] for x in range(a, b)}
    before = [x for x in shown if x < at]
    after = [x for x in shown if x > at]
    forward = p(at - max(before) - 1, True, case.length(doc)) if before else 0.0
    back = p(min(after) - at - 1, False, case.length(doc)) if after else 0.0
    return 1 - (1 - forward) * (1 - back)


def expose_text(case: Case, seen: Any, rel: str, alpha: float, k: int) -> tuple[float, float, float]:
    """Hits, near-misses and misses, one relevant character after the other."""
    hits = near = misses = 0.0
    for (doc, at), value in worth_of_characters(case, rel).items():
        holding = [
            number for number, row in enumerate(case.run[:k])
            if row["doc"] == doc and any(a <= at < b for a, b in row["spans"])
        ]  # fmt: skip
        if holding:
            chance = seen(doc, at, case.run[: holding[0]])
            hits += value * (1 - chance) + alpha * value * (len(holding) - 1)
        else:
            chance = seen(doc, at, case.run[:k])
            near += value * chance
            misses += value * (1 - chance)
    return hits, near, misses


DISTANCES = {
    "readon(mean=4)": lambda gap, forward, length: math.exp(-gap / (4 if forward else 1)),
    "readon(mean=3,back=3)": lambda gap, forward, length: math.exp(-gap / 3),
    "readon(mean=1.5,back=5)": lambda gap, forward, length: math.exp(-gap / (1.5 if forward else 5)),
    "t2i(tolerance=3)": lambda gap, forward, length: float(gap <= 3),
    "t2i(tolerance=2,forward=true)": lambda gap, forward, length: float(forward and gap <= 2),
    "t2i(scale=2.5)": lambda gap, forward, length: min(1.0, 2.5 / gap) if gap else 1.0,
    "t2i(scale=1)": lambda gap, forward, length: min(1.0, 1 / gap) if gap else 1.0,
    "proximity(A=0.1)": lambda gap, forward, length: 0.1 * length / (0.1 * length + gap),
}
