"""Everything that ir_measures prints of a measure can be typed, and is the same measure."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from doxeval.core.errors import UsageError
from doxeval.core.grammar import parse_call, parse_measure, show, split_names
from doxeval.measurement.families.borrowed import _arguments

ir_measures = pytest.importorskip("ir_measures")

VALUES: dict[str, list[Any]] = {
    "cutoff": [1, 10], "rel": [1, 2], "judged_only": [True, False], "p": [0.25, 0.8], "recall": [0.1, 0.25],
    "alpha": [0.5], "beta": [0.5, 2.0], "T": [1.0, 2.5], "min_rel": [0, 1], "max_rel": [3],
    "dcg": ["log2", "exp-log2"], "gains": [{0: 0, 1: 3}], "relative": [True, False],
    "normalize": [True, False],
}  # fmt: skip
NAMES = [
    name
    for name, one in ir_measures.measures.registry.items()
    if not getattr(one, "of_doxeval", False) and name != "SetRelP"
]
"""Without SetRelP, which ir_measures prints as SetP, another measure."""


def settings_of(offered: Any) -> list[dict[str, Any]]:
    """Every parameter alone and every two together, with each of their values."""
    known = [
        (name, value)
        for name, parameter in offered.SUPPORTED_PARAMS.items()
        for value in VALUES[name]
        if not isinstance(parameter.choices, list) or value in parameter.choices
    ]
    pairs = [pair for pair in combinations(known, 2) if pair[0][0] != pair[1][0]]
    return [{}, *({name: value} for name, value in known), *map(dict, pairs)]


@pytest.mark.parametrize("name", NAMES)
def test_what_is_printed_can_be_typed(name: str) -> None:
    offered = ir_measures.measures.registry[name]
    for settings in settings_of(offered):
        measure = offered(**settings)
        text = str(measure)
        assert split_names(f"AP {text} iP@1") == ["AP", text, "iP@1"]
        expression = parse_measure(text)
        again = offered(**_arguments(offered, expression, text))
        assert str(again) == text and again == measure, text


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("F(a='x y')", "x y"),
        ("F(a='a,b)')", "a,b)"),
        ('F(a="it\'s")', "it's"),
        ("F(a=o'brien.jsonl)", "o'brien.jsonl"),
        ("F(a='say \"so\"')", 'say "so"'),
        ("F(a=True)", True),
        ("F(a=False)", False),
        ("F(a='True')", "True"),
    ],
)
def test_quotes_and_flags(typed: str, value: Any) -> None:
    call = parse_call(typed)
    assert call.arguments == (("a", value),)
    if '"' not in str(value):
        assert parse_call(f"F(a={show(value)})") == call


@pytest.mark.parametrize("typed", ["F(a='x)", 'F(a="x)', "F('a)"])
def test_quotes_are_closed(typed: str) -> None:
    with pytest.raises(UsageError, match="a quotation mark is never closed"):
        parse_measure(typed)


@pytest.mark.parametrize(
    "name", ["RBP(p=0.8,rel=1)", "INST(T=1.0,max_rel=1)", "SDCG(max_rel=1)@5", "BPM(T=1.0,max_rel=1)@5"]
)
def test_the_extra_brings_what_they_need(name: str) -> None:
    import doxeval as dx

    gold = [{"topic": "t", "doc": "a", "rel": 1}, {"topic": "t", "doc": "b", "rel": 0}]
    run = [{"topic": "t", "doc": "a", "rank": 1}, {"topic": "t", "doc": "b", "rank": 2}]
    assert dx.evaluate(run, gold, name).runs[0].values[0, 0] > 0
