"""Worked examples of reading, with exact figures."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import doxeval as dx

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "reading.json").read_text())


@pytest.mark.parametrize("case", GOLDEN, ids=[case["what"] for case in GOLDEN])
def test_worked_examples(case: dict[str, Any]) -> None:
    scores = dx.evaluate({"run": case["results"]}, case["assessments"], list(case["expect"]))
    for measure, value in case["expect"].items():
        assert scores.value("run", measure) == pytest.approx(float(Fraction(value)), abs=1e-13), measure
