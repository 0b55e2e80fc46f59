"""The mean over the ranks up to a cut-off, of any measure that takes one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

import doxeval as dx
from doxeval.core.errors import UsageError
from doxeval.measurement.base import measure_named, measures
from doxeval.scoring.under_models import under_models
from tests.cases import Case, cases

DEPTH = 5
RANKED = [
    name
    for name, kind in measures().items()
    if kind.cutoff != "none" and name not in ("Mean", "Residual") and not kind.needs
]
CALLS = {"CE": "CE(screen=10)", "NCE": "NCE(screen=10)", "ANCE": "ANCE(screen=10)"}


@settings(max_examples=10)
@given(cases())
def test_it_is_the_mean_of_the_values_at_each_rank(case: Case) -> None:
    calls = [CALLS.get(name, name) for name in RANKED]
    at_each = " ".join(f"{call}@1..{DEPTH}" for call in calls)
    means = " ".join(f"Mean(of={call})@{DEPTH}" for call in calls)
    found = dx.evaluate({"run": case.run()}, case.qrels(), f"{at_each} {means}")
    for call in calls:
        value = found.value("run", f"Mean(of={call})@{DEPTH}", "t1")
        parts = [found.value("run", f"{call}@{rank}", "t1") for rank in range(1, DEPTH + 1)]
        if value is None:
            assert parts == [None] * DEPTH
        else:
            assert value == pytest.approx(sum(parts) / DEPTH, rel=1e-12, abs=1e-15), call


def test_it_is_written_as_a_parameter_too() -> None:
    assert measure_named("SRP(mean=true)@10") == measure_named("Mean(of=SRP)@10")
    assert measure_named("SRP(mean=true)@10").label == "SRP(mean=true)@10"
    assert measure_named("nXCG(mean=true)@10") == measure_named("Mean(of=nXCG)@10")
    assert measure_named("iP(mean=false,alpha=1)@10") == measure_named("iP(alpha=1)@10")
    under = measure_named("ESRP(mean=true)@3", "readon(mean=500)")
    assert under == measure_named("Mean(of=ESRP(nav=readon(mean=500)))@3")
    named = measure_named("ESRP(mean=true,nav=none)@3", "readon(mean=500)")
    assert named == measure_named("ESRP(mean=true)@3")


def test_it_takes_the_navigation_model_of_its_measure() -> None:
    for typed in ("SRP(mean=true)@3", "Mean(of=SRP)@3"):
        assert measure_named(typed).takes_navigation
    for typed in ("iP(mean=true)@3", "SRP(mean=true,nav=none)@3"):
        assert not measure_named(typed).takes_navigation
    models = ["none", "readon(mean=500)"]
    for typed in ("SRP(mean=true)@3", "Mean(of=SRP)@3"):
        found = [measure_named(name) for name in under_models([typed], models)]
        assert found == [measure_named(typed, model) for model in models]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("AiP(mean=true)@400c", "this cut-off counts none"),
        ("PRUM(mean=true)@4", "PRUM takes no cut-off"),
        ("iP(mean=true)", "needs a cut-off"),
        ("iP(mean=true)[0.1]", "not at a recall point"),
        ("iP(mean=2)@5", "mean is true or false, not 2"),
    ],
)
def test_what_has_no_mean_is_refused(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        measure_named(text)
