"""Mistakes are found before any run is opened: every measure looks at the ground truth first."""

from __future__ import annotations

from pathlib import Path

import pytest

import doxeval as dx
from doxeval.measurement.base import Measure, measures
from tests.measurement.test_invariants import DOCUMENTS

RANGES = [{"topic": "t", "doc": "d0", "start": 0, "end": 10}]
NODES = [{"topic": "t", "doc": "d0", "node": "s0", "rel": 2}]


def with_parameter(measure: type[Measure], given: str) -> str:
    """The measure's example with one more parameter."""
    text = measure.example or measure.name
    if "(" in text:
        return text.replace("(", f"({given},", 1)
    return text.replace(measure.name, f"{measure.name}({given})", 1)


def taking(parameter: str) -> list[type[Measure]]:
    return [m for m in measures().values() if parameter in [p.name for p in m.parameters]]


@pytest.fixture
def unreadable(tmp_path: Path) -> list[Path]:
    """Six runs that nobody can read."""
    paths = [tmp_path / f"run{number}.jsonl" for number in range(6)]
    for path in paths:
        path.write_text("{ no run\n")
    return paths


@pytest.mark.parametrize("measure", taking("nav"), ids=lambda m: m.name)
@pytest.mark.parametrize(
    ("model", "told"),
    [("hierachical", "did you mean 'hierarchical'"), ("matrix(file=no.csv)", "no.csv"), ("t2i", "tolerance")],
)
def test_a_mistaken_navigation_model(measure, model: str, told: str, unreadable: list[Path]) -> None:
    with pytest.raises(dx.DoxevalError, match=told):
        dx.evaluate(unreadable, RANGES, with_parameter(measure, f"nav={model}"), documents=DOCUMENTS)


@pytest.mark.parametrize("measure", taking("quantisation"), ids=lambda m: m.name)
def test_a_mistaken_quantisation(measure, unreadable: list[Path]) -> None:
    with pytest.raises(dx.UsageError, match="did you mean 'strict'"):
        dx.evaluate(unreadable, RANGES, with_parameter(measure, "quantisation=strikt"), documents=DOCUMENTS)


NEEDY = [measure for measure in measures().values() if measure.needs - {"steps"}]
"""The measures that need more than runs and assessments; whether runs have steps, only they can tell."""


@pytest.mark.parametrize("measure", NEEDY, ids=lambda m: m.name)
def test_what_is_needed_and_not_given(measure, unreadable: list[Path]) -> None:
    advice = {"tree": "--docs", "aspects": "aspects", "chunks": "--chunks"}
    (need,) = measure.needs
    with pytest.raises(dx.UsageError, match=advice[need]):
        dx.evaluate(unreadable, RANGES, measure.example)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("ESRP(mode=trees)@3", "--docs"),
        ("ESRP(nav=summary)@3", "--docs"),
        ("ESRP(nav=mix(0.5*summary+0.5*readon))@3", "--docs"),
        ("iR@100w", "--docs"),
        ("Reach(unit=words)", "--docs"),
    ],
)
def test_documents_that_only_some_parameters_need(text: str, told: str, unreadable: list[Path]) -> None:
    with pytest.raises(dx.UsageError, match=told):
        dx.evaluate(unreadable, RANGES, text)


@pytest.mark.parametrize(
    ("qrels", "text", "told"),
    [
        (RANGES, "ESRP(rel=specificity)@3", "text mode takes length"),
        (RANGES, "nXCG@100c", "cut-off in ranks"),
        (RANGES, "nXCG(ideals=strikt)@3", "did you mean 'strict'"),
        (RANGES, "ERRU(nav=hierarchical,exponents=prose)@3", "exponents needs"),
        (NODES, "genP@3", "from 0 to 1"),
        (NODES, "ERRU@3", "from 0 to 1"),
        (NODES * 2 + [{"topic": "t", "doc": "d0", "node": "s1", "rel": 2}], "PRUM(universe=1)", "universe=2"),
    ],
)
def test_parameters_against_the_ground_truth(qrels, text: str, told: str, unreadable: list[Path]) -> None:
    with pytest.raises(dx.UsageError, match=told):
        dx.evaluate(unreadable, qrels, text, documents=DOCUMENTS)


def test_a_file_that_is_no_tokenizer(tmp_path: Path, unreadable: list[Path]) -> None:
    pytest.importorskip("tokenizers")
    (tmp_path / "tokenizer.json").write_text("no")
    with pytest.raises(dx.InputError, match="not a tokenizer file"):
        dx.evaluate(unreadable, RANGES, "iR@9t", documents=DOCUMENTS, tokenizer=tmp_path / "tokenizer.json")
