"""Simulated readers do on average what the formulas say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import doxeval as dx
from doxeval.ground.align import align
from doxeval.ground.ground import prepare_ground
from doxeval.lab.simulation.simulation import Simulation
from doxeval.measurement.base import measure_named
from tests.golden.elements import Case

READERS = 4000
ELEMENTS = [f"e{at}" for at in range(12)]


@pytest.fixture(scope="module")
def search(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A run over elements with random steps between them, and the file of the steps."""
    random = np.random.default_rng(11)
    case = Case({}, ELEMENTS)
    steps = [
        (a, b, round(random.random(), 3))
        for a in ELEMENTS
        for b in ELEMENTS
        if a != b and random.random() < 0.2
    ]
    path = case.steps(tmp_path_factory.mktemp("nav") / "steps.csv", steps)
    ground = prepare_ground(
        dx.read_assessments(case.judged(rel={"e1": 1, "e4": 0.5, "e7": 1, "e9": 0.25})),
        dx.read_documents(case.documents),
    )
    return case, ground, f"nav=matrix(file={path})"


@pytest.mark.parametrize(
    "form",
    [
        "PRUM(r=1,exact=true,{},universe=30)",
        "PRUM(r=3,exact=true,{},universe=30)",
        "PRUM(r=4,exact=true,{},universe=30)",
        "PRUM(recall=0.5,exact=true,{},universe=30)",
        "PRUM(exact=true,{},universe=30)",
        "EPRUM(r=2,{})",
        "EPRUM(recall=1,{})",
        "ERRU({})@3",
        "ERRU({})@6",
    ],
)
def test_played_readers_meet_the_formula(search, form) -> None:
    case, ground, nav = search
    measure = measure_named(form.format(nav))
    run = dx.read_run(case.run(["e0"], ["e3"], ["e4"], ["e3"], ["e6"], ["e11"]))
    topics = align(run, ground)
    mean, error = Simulation([], topics, READERS, 5).estimate(measure)
    assert error[0] > 0
    assert abs(mean[0] - measure(topics)[0]) < 4 * error[0]


def test_tied_readers_show_where_the_noisy_or_errs() -> None:
    """Two tied results lead to the unit for certain: everybody sees it at rank 1, the formula says 3/4."""
    case = Case({}, ["r", "x", "y"])
    ground = prepare_ground(
        dx.read_assessments(case.judged(code={"r": "3E"})), dx.read_documents(case.documents)
    )
    topics = align(dx.read_run(case.run(["x", "y"])), ground)
    measure = measure_named("ERRU(nav=t2i(tolerance=10))@1")
    assert measure(topics)[0] == pytest.approx(0.75)
    assert Simulation([], topics, 100).estimate(measure).mean[0] == 1.0


def test_topics_without_a_value_are_not_simulated(search) -> None:
    case, ground, nav = search
    topics = align(dx.read_run(case.run(["e0"])), ground)
    assert np.isnan(Simulation([], topics, 20).estimate(measure_named(f"EPRUM(r=9,{nav})")).mean[0])


def test_readers_are_the_same_at_every_cut_off(search) -> None:
    """Of one simulation: nobody has seen less at a later rank, which separate draws would not ensure."""
    case, ground, nav = search
    topics = align(dx.read_run(case.run(["e0"], ["e3"], ["e6"], ["e11"], ["e5"], ["e2"])), ground)
    curve = [measure_named(f"ERRU({nav})@{rank}") for rank in range(1, 7)]
    simulation = Simulation(curve, topics, 40)
    values = [simulation.estimate(measure).mean[0] for measure in curve]
    assert values == sorted(values) and len(set(values)) > 2
    assert values == [Simulation(curve, topics, 40).estimate(measure).mean[0] for measure in curve]
