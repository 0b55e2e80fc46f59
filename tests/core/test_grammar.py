"""The grammar of measures: what is typed is what comes back."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

import doxeval as dx
from doxeval.core import grammar
from doxeval.core.errors import UsageError
from doxeval.core.grammar import Call, Cutoff, Expression, parse_call, parse_measure, split_names
from doxeval.core.units import OF_STEPS, UNITS, Unit
from doxeval.measurement.base import measure_named

NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,5}", fullmatch=True).filter(
    lambda n: n not in ("true", "false")
)
NUMBERS = st.integers(-(10**15), 10**15).map(Fraction) | st.integers(-99999, 99999).map(
    lambda n: Fraction(n, 1000)
)
WORDS = st.text(
    st.characters(codec="utf-8", exclude_characters='"\n\r', categories=("L", "N", "P", "Zs")), max_size=9
)
VALUES = st.recursive(
    NUMBERS | st.booleans() | WORDS,
    lambda inner: st.builds(
        Call,
        NAMES,
        st.lists(st.tuples(NAMES, inner), min_size=1, max_size=3, unique_by=lambda p: p[0]).map(tuple),
    ),
    max_leaves=4,
)
CALLS = st.builds(
    Call, NAMES, st.lists(st.tuples(NAMES, VALUES), max_size=3, unique_by=lambda p: p[0]).map(tuple)
)
POINTS = st.none() | st.integers(0, 1000).map(lambda n: Fraction(n, 1000))
CUTOFFS = st.none() | st.builds(Cutoff, st.integers(1, 10**6), st.sampled_from(list(UNITS)))


@given(st.builds(Expression, CALLS, POINTS, CUTOFFS))
def test_expressions_print_back_to_themselves(expression: Expression) -> None:
    assert parse_measure(str(expression)) == expression
    assert parse_measure(str(expression)).text == str(expression)


@given(st.lists(st.builds(Expression, CALLS, POINTS, CUTOFFS), max_size=4))
def test_blanks_inside_brackets_do_not_separate(expressions: list[Expression]) -> None:
    assert [parse_measure(text) for text in split_names("  ".join(map(str, expressions)))] == expressions


def test_cut_offs_are_listed_and_counted() -> None:
    assert split_names("iP(alpha=0.5)@3,1..2") == ["iP(alpha=0.5)@3", "iP(alpha=0.5)@1", "iP(alpha=0.5)@2"]
    assert split_names("iR@2..3w AiP") == ["iR@2w", "iR@3w", "AiP"]
    assert split_names("iP@5,5,4..5") == ["iP@5", "iP@4"]
    assert len(split_names("iP@1..1000")) == 1000
    assert split_names("IPrec@0.1,.50 IPrec@0.1") == ["IPrec@0.1", "IPrec@0.5", "IPrec@0.1"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("iP@3..1", "counts downwards; write 1..3"),
        ("iP@1..1001", "at most 1,000 cut-offs"),
        ("iP@" + ",".join(f"{n}..{n + 900}" for n in (1, 1000, 2000)), "at most 1,000 cut-offs"),
    ],
)
def test_odd_lists_of_cut_offs_are_refused(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        split_names(text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("iP@1..3", "expected one measure, found several cut-offs"),
        ("iP@1,", "expected after @ a number"),
        ("iP@", "expected after @ a number"),
        ("iP@0", "at least 1"),
        ("iP@1.5", "a cut-off in ranks is a whole number, not 1.5"),
        ("iP@2.5w", "a cut-off in words is a whole number, not 2.5"),
        ("iP@10x", "expected after @ a number"),
        ("iP[2]", "recall from 0 to 1"),
        ("iP(alpha=2)", "alpha must be a number with at most 6 decimals at least 0 and at most 1, not 2"),
        ("iP(alpha=0.1234567)", "at most 6 decimals"),
        ("iP(alfa=1)", "no parameter 'alfa'; did you mean 'alpha'?"),
        ("iP(alpha=1,alpha=0)", "given twice"),
        ("iP(alpha=1", "never closed"),
        ("iP)", "never opened"),
        ("iP[0.5]@10", "either a recall point or a cut-off"),
        ("AiP[0.5]", "takes no recall point"),
        ("ip@10", "did you mean 'iP'"),
        ("aipp", "did you mean 'AiP'"),
        ("nDGC@10", "did you mean 'nDCG'"),
        ("@10", "expected a name"),
        ("iP(alpha=)", "has no value"),
    ],
)
def test_what_is_wrong_is_said(text: str, says: str) -> None:
    with pytest.raises(UsageError) as problem:
        measure_named(text)
    assert says in str(problem.value)


def test_a_measure_is_called_as_it_was_typed() -> None:
    assert measure_named("iP(alpha=.50)@10").label == "iP(alpha=.50)@10"
    assert measure_named("MAiP").label == "MAiP"


def test_arguments_without_a_key_go_in_order() -> None:
    given = measure_named("PRUM(2,exact=true)").given
    assert (given.r, given.exact) == (2, True)
    given = measure_named("F(0.5,1)@3").given
    assert (given.beta, given.alpha) == (Fraction(1, 2), 1)
    with pytest.raises(UsageError, match="beta of F is given twice"):
        measure_named("F(0.5,beta=1)@3")
    with pytest.raises(UsageError, match="no parameter '4'"):
        measure_named("F(0.5,1,false,4)@3")


def test_a_model_for_all_leaves_measures_alone_that_name_one() -> None:
    for text in ("ESRP(nav=hierarchical)@3", "ESRP(hierarchical)@3"):
        assert measure_named(text, "none").given.nav == Call("hierarchical")
    assert measure_named("ESRP@3", "hierarchical").given.nav == Call("hierarchical")
    for model, named in (
        ("hierarchical", "err(exponents=prose)"),
        ("err(word=6)", "err(word=6,exponents=prose)"),
    ):
        measure: Any = measure_named("ERRU(exponents=prose)@3", model)
        assert str(measure.search.nav) == named
    with pytest.raises(UsageError, match="exponents needs the navigation model err"):
        assert cast(Any, measure_named("ERRU(nav=hierarchical,exponents=prose)@3")).search


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_every_unit_of_a_cutoff_can_be_typed_counted_and_drawn(unit: Unit) -> None:
    from doxeval.ground.budget import ResultCounter, TextCounter, counter_of
    from doxeval.measurement.reach import COUNTED_IN
    from doxeval.show.curves import AXES

    cuts_results = unit.of_text or unit.name == "seconds"  # which are those of recordings, but for steps
    assert isinstance(counter_of(unit.name), TextCounter if cuts_results else ResultCounter)
    assert (unit.name in COUNTED_IN) is (unit.of_text or unit.name in OF_STEPS)
    assert unit.name in {axis.unit for axis in AXES.values()}
    measure = parse_measure(f"iP@7{unit.suffix}")
    assert measure.cutoff.unit == unit.name and str(measure) == f"iP@7{unit.suffix}"
    with pytest.raises(UsageError) as told:
        parse_measure("iP@5x")
    assert f"{unit.name} (@{unit.usual}{unit.suffix})" in str(told.value)


def test_listed_cutoffs_can_be_typed_wherever_measures_can() -> None:
    import doxeval as dx
    from doxeval.demo import ANSWERS, RUNS

    scores = dx.evaluate(sorted(RUNS.glob("*.jsonl"))[:3], ANSWERS, "iP@1..3 iR@1,3 AiP")
    named = ["iP@1", "iP@2", "iP@3", "iR@1", "iR@3", "AiP"]
    assert scores.measures == named
    many = dx.evaluate(sorted(RUNS.glob("*.jsonl"))[:3], ANSWERS, "iP@1..20")
    for table in (many.tables[0], many.compare(draws=100).tables[0]):
        assert [row[0] for row in table.body] == many.measures
    found = scores.correlate(rows="iP@1..2 AiP", columns=["iR@1,3"], draws=0)
    assert (found.rows, found.columns) == (["iP@1", "iP@2", "AiP"], ["iR@1", "iR@3"])


def test_listed_numbers_of_parameters_give_a_measure_each() -> None:
    """Anything that is not a number after a key's number keeps its meaning, and so does text in quotes."""
    listed = split_names("ESRR(nav=readon(mean=5, 20,1e2)) F(beta=1,2,alpha=.5)@1,2 F(0.5,1)@3")
    assert listed == [
        "ESRR(nav=readon(mean=5))", "ESRR(nav=readon(mean=20))", "ESRR(nav=readon(mean=1e2))",
        "F(beta=1,alpha=.5)@1", "F(beta=1,alpha=.5)@2", "F(beta=2,alpha=.5)@1", "F(beta=2,alpha=.5)@2",
        "F(0.5,1)@3",
    ]  # fmt: skip
    for alone in ("X(gains={0:0,1:3})", 'X(file="a=1,2)",b=1)', "X(file='=1,2)')", "PRUM(r=2,exact)"):
        assert split_names(alone) == [alone]
    assert split_names("F(beta=1,1)@3") == ["F(beta=1)@3"]
    with pytest.raises(UsageError, match="expected one value of each parameter of F, found several"):
        measure_named("F(beta=1,2)@3")
    with pytest.raises(UsageError, match="at most 1,000 measures"):
        split_names(f"X({','.join(f'{letter}=1,2' for letter in 'abcdefghijk')})")


def test_a_report_parses_each_measure_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    parsed: list[str] = []

    def recording(text: str, whole: str | None = None) -> Call:
        if whole is not None:
            parsed.append(whole)
        return parse_call(text, whole)

    monkeypatch.setattr(grammar, "parse_call", recording)
    parse_measure.cache_clear()
    answers = [{"topic": topic, "doc": "d", "start": 0, "end": 9} for topic in "abc"]
    runs = {end: [row | {"rank": 1, "end": end} for row in answers] for end in (3, 9, 27)}
    dx.write_report(runs, answers, "iP@1 iR@1", {"d": "x" * 30}, path=tmp_path / "report.html")
    assert {"iP@1", "iR@1"} <= set(parsed)
    assert len(parsed) == len(set(parsed))


@pytest.mark.parametrize("quote", ["'", '"'])
def test_a_text_may_be_empty_and_one_quotation_mark_is_a_text(quote: str) -> None:
    assert parse_call(f"a(b={quote}{quote})").arguments == (("b", ""),)
    assert parse_call(f"a(b={quote}c{quote})").arguments == (("b", "c"),)
