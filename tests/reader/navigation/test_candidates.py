"""The places among which readers choose are declared, and known readers are recovered with each choice."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import doxeval as dx
from doxeval.reader.navigation.likelihood import log_likelihood
from doxeval.reader.navigation.logs import read_sessions
from doxeval.reader.navigation.model import navigation_named
from doxeval.reader.navigation.step_candidates import CANDIDATES, with_candidates
from tests.reader.navigation.test_commands import told
from tests.reader.navigation.test_learning import NODES, Log, readon, written
from tests.reader.navigation.test_models import DOCS

INNER = {str(node["parent"]) for node in NODES.values()}
ROUTES = st.lists(st.sampled_from(sorted(NODES)), min_size=2, max_size=5)


def brute_force(routes: list[list[str]], mean: float, which: str, revisits: bool | None) -> float | None:
    """The mean log-likelihood of the steps, from its definition; None if the log leads elsewhere."""
    steps = [(route[: at + 1], there) for route in routes for at, there in enumerate(route[1:])]
    steps = [(before, there) for before, there in steps if before[-1] != there]
    kinds = {NODES[there]["tag"] for _, there in steps}
    chosen = {
        "all": set(NODES),
        "leaves": set(NODES) - INNER,
        "logged": {name for name in NODES if NODES[name]["tag"] in kinds},
    }[which]
    again = any(there in before for before, there in steps) if revisits is None else revisits
    found = []
    for before, there in steps:
        open_to = chosen - {before[-1]} - (set() if again else set(before))
        if there not in open_to:
            return None
        chances = {name: readon(mean, before[-1], name) for name in open_to}
        found.append(math.log(0.99 * chances[there] / sum(chances.values()) + 0.01 / len(chances)))
    return sum(found) / len(found)


@given(
    st.lists(ROUTES, min_size=1, max_size=4),
    st.sampled_from(CANDIDATES),
    st.sampled_from([None, True, False]),
)
def test_a_step_is_a_share_of_the_candidates(routes, which, revisits) -> None:
    assume(any(one != other for route in routes for one, other in pairwise(route)))
    documents = dx.read_documents(DOCS)
    sessions = read_sessions([{"doc": "d", "route": route} for route in routes], documents)
    expected = brute_force(routes, 20.0, which, revisits)
    if expected is None:
        with pytest.raises(dx.UsageError, match="does not suit the log"):
            with_candidates(sessions, documents, which, revisits)
        return
    declared = with_candidates(sessions, documents, which, revisits)
    found = log_likelihood(navigation_named("readon(mean=20)", documents), declared)
    assert found.mean == pytest.approx(expected)


# Known readers


SECTIONS, PARAGRAPHS, LENGTH, MEAN = 6, 5, 200, 600.0


def article() -> dict[str, Any]:
    """An article of sections of paragraphs."""
    end = SECTIONS * PARAGRAPHS * LENGTH
    nodes = [{"id": "a", "parent": None, "tag": "article", "start": 0, "end": end}]
    for section in range(SECTIONS):
        first = section * PARAGRAPHS * LENGTH
        name = f"s{section}"
        nodes.append(
            {"id": name, "parent": "a", "tag": "sec", "start": first, "end": first + PARAGRAPHS * LENGTH}
        )
        for at in range(PARAGRAPHS):
            start = first + at * LENGTH
            nodes.append(
                {"id": f"{name}p{at}", "parent": name, "tag": "p", "start": start, "end": start + LENGTH}
            )
    return {"doc": "d", "length": end, "nodes": nodes}


ARTICLE = article()
BY_NAME = {node["id"]: node for node in ARTICLE["nodes"]}


def chance(source: str, target: str) -> float:
    """That of readon: as likely as the text between is short, a quarter of it going back."""
    one, other = BY_NAME[source], BY_NAME[target]
    gap = max(0, other["start"] - one["end"], one["start"] - other["end"])
    nested = any(a["start"] <= b["start"] and b["end"] <= a["end"] for a, b in ((one, other), (other, one)))
    return math.exp(-gap / (MEAN if nested or other["start"] >= one["start"] else MEAN / 4))


CHOICES = {
    "all": sorted(BY_NAME),
    "leaves": sorted(name for name, node in BY_NAME.items() if node["tag"] == "p"),
    "logged": sorted(name for name, node in BY_NAME.items() if node["tag"] != "article"),
}
TABLE = {(name, tuple(names)): np.array([chance(name, other) for other in names])
         for names in CHOICES.values() for name in names}  # fmt: skip


def walked(which: str, revisits: bool, sessions: int, seed: int) -> Log:
    """Readers who choose each step among the candidates, by readon(mean=600), one in a hundred at random."""
    random, names = np.random.default_rng([seed, revisits]), CHOICES[which]
    log: Log = []
    for _ in range(sessions):
        route = [int(random.integers(len(names)))]
        for _ in range(7):
            chances = TABLE[names[route[-1]], tuple(names)].copy()
            chances[route if not revisits else route[-1:]] = 0
            anywhere = (chances > 0) / (chances > 0).sum()
            route.append(int(random.choice(len(names), p=0.99 * chances / chances.sum() + 0.01 * anywhere)))
        log.append({"doc": "d", "route": [names[at] for at in route]})
    return log


def fitted(log: Log, **how: Any) -> tuple[float, float, float]:
    (mean,) = dx.fit_navigation(log, [ARTICLE], "readon(mean=?)", folds=2, **how).parameters
    assert mean.low is not None and mean.high is not None
    return mean.value, mean.low, mean.high


@pytest.mark.parametrize("revisits", [True, False])
@pytest.mark.parametrize("which", CANDIDATES)
def test_a_reader_is_recovered_with_every_choice(which: str, revisits: bool) -> None:
    found = [fitted(walked(which, revisits, 120, seed)) for seed in range(3)]
    assert sum(low < MEAN < high for _, low, high in found) >= 2
    assert np.mean([value for value, *_ in found]) == pytest.approx(MEAN, rel=0.12)
    log = walked(which, revisits, 120, 1)
    assert fitted(log, candidates=which, revisits=revisits) == pytest.approx(fitted(log))


def test_candidates_that_nobody_could_choose_make_readers_look_more_patient() -> None:
    log = walked("leaves", False, 120, 0)
    assert fitted(log)[0] == pytest.approx(MEAN, rel=0.15)
    assert fitted(log, candidates="all", revisits=True)[1] > MEAN


@pytest.mark.simulation
@pytest.mark.parametrize("revisits", [True, False])
@pytest.mark.parametrize("which", CANDIDATES)
def test_intervals_hold_what_they_promise(which: str, revisits: bool) -> None:
    found = [fitted(walked(which, revisits, 300, seed)) for seed in range(40)]
    old = [
        fitted(walked(which, revisits, 300, seed), candidates="all", revisits=True)[0] for seed in range(5)
    ]
    mean, low, high = np.mean(found, axis=0)
    covered = sum(one < MEAN < other for _, one, other in found)
    print(f"{which}, revisits {revisits}: {mean:.0f} ({low:.0f}-{high:.0f}), {covered} of 40")
    print(f"as if all nodes could be chosen, again and again: {np.mean(old):.0f}")
    assert covered >= 33 and mean == pytest.approx(MEAN, rel=0.04)


# As users declare them


def test_candidates_are_declared_and_told(tmp_path: Path) -> None:
    docs = tmp_path / "docs.jsonl"
    docs.write_text(json.dumps(ARTICLE) + "\n")
    log = str(written(tmp_path, walked("leaves", False, 40, 3)))
    words = ["navigations", "--log", log, "--docs", str(docs), "--fit", "readon(mean=?)", "--folds", "2"]
    assert "among nodes of the kinds in the log (p), not visited before" in told(*words)
    anywhere = told(*words, "--candidates", "all", "--revisits", "yes")
    assert "chosen among all nodes, visited before or not" in anywhere
    found = dx.compare_navigations(log, str(docs), ["readon(mean=600)"], candidates="leaves", revisits=False)
    assert any("nodes without others in them, not visited before" in str(one) for one in found.notices)
    with pytest.raises(dx.UsageError, match="candidates must be one of logged, all, leaves"):
        dx.fit_navigation(log, str(docs), "readon(mean=?)", candidates="some")


@settings(max_examples=10)
@given(ROUTES)
def test_what_the_log_shows_suits_it(route) -> None:
    assume(any(one != other for one, other in pairwise(route)))
    documents = dx.read_documents(DOCS)
    sessions = read_sessions([{"doc": "d", "route": route}], documents)
    declared = with_candidates(sessions, documents).candidates
    assert declared is not None and declared.nodes[sessions.row[sessions.moves + 1]].all()
    assert with_candidates(with_candidates(sessions, documents), documents, "all").candidates is not None
