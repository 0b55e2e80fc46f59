"""The worked examples of near misses, in exact figures."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

import doxeval as dx

EXAMPLES = json.loads((Path(__file__).parents[2] / "golden" / "near-misses.json").read_text())


@pytest.mark.parametrize("example", EXAMPLES, ids=[example["about"][:40] for example in EXAMPLES])
def test_example(example: dict) -> None:
    qrels = [{"topic": "t", **row} for row in example["qrels"]]
    rows = [{"topic": "t", "rank": rank, **row} for rank, row in enumerate(example["run"], 1)]
    run = dx.read_run(rows, name="run")
    scores = dx.evaluate(run, qrels, list(example["expect"]), example["docs"], example["nav"])
    got = {name: scores.value("run", name) for name in example["expect"]}
    assert got == pytest.approx({name: float(Fraction(value)) for name, value in example["expect"].items()})
