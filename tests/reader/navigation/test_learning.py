"""Models learned from logs of readers: fitted, shrunk, weighed by time, tested on others."""

from __future__ import annotations

import csv
import io
import json
import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import doxeval as dx
from doxeval.reader.navigation.likelihood import held_out, log_likelihood
from doxeval.reader.navigation.logs import read_sessions
from doxeval.reader.navigation.model import navigation_named
from tests.reader.navigation.test_commands import told
from tests.reader.navigation.test_models import DOCS, chance

Log = list[dict[str, object]]
NODES = {node["id"]: node for node in DOCS[0]["nodes"]}
TAG = {name: node["tag"] for name, node in NODES.items()}
ROUTES = st.lists(st.sampled_from(sorted(NODES)), min_size=2, max_size=5).filter(
    lambda route: route[0] != route[1]
)
LOGS = st.lists(ROUTES, min_size=2, max_size=5)


def written(folder: Path, log: Log) -> Path:
    path = folder / "log.jsonl"
    path.write_text("\n".join(map(json.dumps, log)))
    return path


def readon(mean: float, source: str, target: str) -> float:
    """The chance of readon, from its definition."""
    one, other = NODES[source], NODES[target]
    gap = max(0, other["start"] - one["end"], one["start"] - other["end"])
    nested = any(a["start"] <= b["start"] and b["end"] <= a["end"] for a, b in ((one, other), (other, one)))
    return math.exp(-gap / (mean if nested or other["start"] >= one["start"] else mean / 4))


def walked(mean: float, sessions: int, seed: int) -> Log:
    """Readers who choose each step by the chances of readon, one step in a hundred at random."""
    random = np.random.default_rng(seed)
    log: Log = []
    for _ in range(sessions):
        route = [str(random.choice(sorted(NODES)))]
        for _ in range(4):
            others = [name for name in sorted(NODES) if name != route[-1]]
            chances = np.array([readon(mean, route[-1], name) for name in others])
            route.append(str(random.choice(others, p=0.99 * chances / chances.sum() + 0.01 / len(others))))
        log.append({"doc": "d", "route": route})
    return log


def test_a_known_reader_is_recovered(tmp_path: Path) -> None:
    covered = 0
    for seed in range(4):
        log = written(tmp_path, walked(20, 40, seed))
        fitted = dx.fit_navigation(log, DOCS, "readon(mean=?)", folds=2)
        (mean,) = fitted.parameters
        covered += mean.low is not None and mean.high is not None and mean.low < 20 < mean.high
    assert covered >= 3
    documents = dx.read_documents(DOCS)
    sessions = read_sessions(str(log), documents)
    others = [held_out(navigation_named(name, documents), sessions).mean for name in ("hierarchical", "none")]
    assert fitted.likelihood.mean > max(others)
    assert navigation_named(str(fitted), documents).call == fitted.call


@settings(max_examples=6)
@example([["r", "o"], ["q", "o", "r"]])
@given(LOGS)
def test_the_best_value_is_the_best_and_its_interval_is_that_of_the_likelihood(
    tmp_path_factory: pytest.TempPathFactory, routes: list[list[str]]
) -> None:
    log = written(tmp_path_factory.mktemp("log"), [{"doc": "d", "route": route} for route in routes])

    def likelihood(mean: float) -> float:
        total = 0.0
        for route in routes:
            for here, there in pairwise(route):
                if here != there:
                    chances = {name: readon(mean, here, name) for name in NODES if name != here}
                    total += math.log(0.99 * chances[there] / sum(chances.values()) + 0.01 / len(chances))
        return total

    assume(likelihood(1e-3) != pytest.approx(likelihood(1e6)))
    anywhere = {"candidates": "all", "revisits": True}
    (mean,) = dx.fit_navigation(log, DOCS, "readon(mean=?)", **anywhere, folds=2).parameters
    best = likelihood(mean.value)
    assert best >= max(likelihood(float(value)) for value in np.geomspace(1e-3, 1e6, 400)) - 1e-3
    for end in (mean.low, mean.high):
        assert end is None or best - likelihood(end) == pytest.approx(1.92, abs=0.1)


@settings(max_examples=20)
@given(LOGS, st.sampled_from(["node", "tag"]), st.sampled_from(["uniform", "tag", "sec|x"]), st.booleans())
def test_shrunk_routes_are_counts_and_imagined_steps(
    tmp_path_factory: pytest.TempPathFactory, routes: list[list[str]], partition: str, prior: str, timed: bool
) -> None:
    if partition == prior:
        return
    dwell = [[float(1 + (7 * at + len(route)) % 5) for at in range(len(route))] for route in routes]
    rows = [
        {"doc": "d", "route": route} | ({"dwell": times} if timed else {})
        for route, times in zip(routes, dwell, strict=True)
    ]
    log = written(tmp_path_factory.mktemp("log"), rows)
    fine = {name: name if partition == "node" else TAG[name] for name in NODES}
    coarse = {
        name: {"uniform": "", "tag": TAG[name], "sec|x": "article" if name == "r" else "sec"}[prior]
        for name in NODES
    }
    steps = [
        (here, there, time if timed else 1.0)
        for route, times in zip(routes, dwell, strict=True)
        for here, there, time in zip(route, route[1:], times[1:], strict=False)
    ]

    def weight(kind: dict[str, str], source: str, target: str | None) -> float:
        """The weight of the steps from a class to another, or to any."""
        leaving = [step for step in steps if kind[step[0]] == kind[source]]
        return sum(time for _, there, time in leaving if target is None or kind[there] == kind[target])

    documents = dx.read_documents(DOCS)
    model = f"routes(file={log},partition={partition},prior={prior},strength=3"
    model += ",weight=dwell)" if timed else ")"
    for source, target in (("r", "s"), ("s", "p"), ("p", "q"), ("o", "t"), ("q", "r")):
        left = weight(coarse, source, None)
        members = len({fine[name] for name in NODES if coarse[name] == coarse[target]})
        share = weight(coarse, source, target) / left / members if left else 1 / len(set(fine.values()))
        wanted = (weight(fine, source, target) + 3 * share) / (weight(fine, source, None) + 3)
        assert chance(documents, model, source, target) == pytest.approx(wanted)


def test_a_step_counts_by_the_time_spent_after_it(tmp_path: Path) -> None:
    log = written(tmp_path, [
        {"doc": "d", "route": ["r", "s"], "dwell": [1, 9]},
        {"doc": "d", "route": ["r", "t"], "dwell": [5, 3]},
        {"doc": "d", "route": ["r", "t"]},
    ])  # fmt: skip
    documents = dx.read_documents(DOCS)
    assert chance(documents, f"routes(file={log},weight=dwell)", "r", "s") == pytest.approx(9 / 12)
    assert chance(documents, f"routes(file={log})", "r", "s") == pytest.approx(1 / 3)
    words = " ".join(map(str, navigation_named(f"routes(file={log},weight=dwell)", documents).notices))
    assert "1 session without dwell times is not counted" in words
    words = " ".join(map(str, navigation_named(f"routes(file={log})", documents).notices))
    assert "the dwell times of 2 sessions are not used" in words
    for times in ([1], [1, -2], [1, "x"], 3, [1, True]):
        refused = written(tmp_path, [{"doc": "d", "route": ["r", "s"], "dwell": times}])
        with pytest.raises(dx.UsageError, match="no session has times"):
            navigation_named(f"routes(file={refused},weight=dwell)", documents)


@pytest.mark.parametrize(
    "model", ["routes(file={})", "mix(1*routes(file={}))", "summary(weight=routes,partition=tag,file={})"]
)
def test_every_model_that_learns_is_tested_on_what_it_has_not_seen(tmp_path: Path, model: str) -> None:
    documents = dx.read_documents(DOCS)
    log = walked(20, 8, 0)
    bound = navigation_named(model.format(written(tmp_path, log)), documents)
    sessions = read_sessions(str(tmp_path / "log.jsonl"), documents)
    fold = np.random.default_rng(0).permutation(8) % 2
    parts = []
    for held in (0, 1):
        trained = written(tmp_path, [row for row, part in zip(log, fold, strict=True) if part != held])
        parts.append(
            log_likelihood(navigation_named(model.format(trained), documents), sessions.select(fold == held))
        )
    wanted = sum(part.mean * part.steps for part in parts) / sum(part.steps for part in parts)
    assert held_out(bound, sessions, folds=2).mean == pytest.approx(wanted)
    assert held_out(bound, sessions, folds=2).mean != pytest.approx(log_likelihood(bound, sessions).mean)


def test_fitted_models_stand_beside_the_others(tmp_path: Path) -> None:
    docs, log = tmp_path / "docs.jsonl", written(tmp_path, walked(20, 20, 1))
    docs.write_text("\n".join(map(json.dumps, DOCS)))
    asked = [
        "navigations",
        "--log",
        log,
        "--docs",
        docs,
        "hierarchical",
        "--folds",
        2,
        "--fit",
        "readon(mean=?)",
    ]
    lines = told(*asked, "--fit", f"routes(file={log},prior=uniform,strength=?)").splitlines()
    assert len(lines) == 9 and "profile likelihood" in lines[4] and "no interval" in lines[5]
    assert lines[6] == f"--nav '{lines[2].split()[0]}'"
    rows = list(csv.DictReader(io.StringIO(told(*asked, "-f", "csv"))))
    assert rows[1]["model"] == lines[2].split()[0] and float(rows[1]["low"]) < float(rows[1]["value"])
    assert [json.loads(line)["parameter"] for line in told(*asked, "-f", "jsonl").splitlines()] == [
        None,
        "mean",
    ]


def test_what_a_log_says_nothing_about(tmp_path: Path) -> None:
    """From the root every node is at distance 0; and weights matter only relative to each other."""
    log = written(tmp_path, [{"doc": "d", "route": ["r", name]} for name in "stst"])
    for model, name in (("readon(mean=?)", "mean"), ("tiring(of=hierarchical,patience=?)", "patience")):
        with pytest.raises(dx.UsageError, match=f"says nothing about {name}"):
            dx.fit_navigation(log, DOCS, model, folds=2)
    fitted = dx.fit_navigation(log, DOCS, "mix(?*hierarchical)", folds=2)
    assert str(fitted.parameters[0]).endswith("or more)")


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("readon(mean=500)", "as ?"),
        ("summary(partition=?)", "only numbers"),
        ("readon(men=?)", "did you mean 'mean'"),
        ("mix(0.7*none+0.6*readon(mean=?))", "at most 1"),
        ("routes(file=LOG,partition=sec|x,prior=tag)", "not coarser"),
        ("routes(file=LOG,smoothing=1,prior=uniform)", "not both"),
        ("routes(file=LOG,strength=2)", "that of a prior"),
    ],
)
def test_refused(tmp_path: Path, model: str, words: str) -> None:
    log = written(tmp_path, walked(20, 4, 0))
    with pytest.raises(dx.UsageError, match=words.replace("?", r"\?")):
        if "?" in model or model == "readon(mean=500)":
            dx.fit_navigation(log, DOCS, model, folds=2)
        else:
            navigation_named(model.replace("LOG", str(log)), dx.read_documents(DOCS))
