"""A measure is what it means: one canonical form, computed once, stored once, and called as it was typed."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import doxeval as dx
from doxeval.cli import group
from doxeval.core.errors import UsageError
from doxeval.core.grammar import Expression, parse_measure, show
from doxeval.measurement.base import MEASURES, measure_named
from doxeval.measurement.describe import list_measures
from doxeval.reader.effort.score import DOCUMENT_SCORES
from doxeval.reader.navigation.model import NAVIGATIONS, navigation_named
from doxeval.scoring.read_scores import join_scores, read_scores
from doxeval.scoring.selection import select_measures
from doxeval.scoring.store.query import scores_of, select
from tests.core.things import Counting, registered

QRELS = [{"topic": t, "doc": "d1", "start": 0, "end": 30} for t in ("t1", "t2", "t3")]
ONE = [{"topic": t, "doc": "d1", "rank": 1, "start": 0, "end": 40} for t in ("t1", "t2", "t3")]
TWO = [{"topic": t, "doc": "d1", "rank": 1, "start": 9 + len(t), "end": 50} for t in ("t1", "t2", "t3")]

SAME = [
    ("iP(alpha=0.5)@5", ["iP(alpha=.5)@5", "iP(0.5)@5", "iP( alpha = 0.50 )@5", "iP(5e-1)@5"]),
    ("AiP", ["MAiP", "AiP(alpha=0)", "MAiP(0.0)"]),
    ("iP[0.01]", ["iP[.010]", "iP(alpha=0)[0.01]"]),
    (
        "ESRP(nav=readon)@10",
        ["ESRP(nav=readon(500))@10", "ESRP(nav=readon(mean=500.0))@10", "ESRP(readon)@10"],
    ),
    ("ESRP@10", ["ESRP(nav=none)@10", "ESRP(none,auto)@10"]),
    ("AgP", ["MAgP", "AgP(score=F(beta=.25))", "AgP(F(0.25))"]),
    ("CE@10", ["CE(screen=300)@10", "CE(300,natural)@10", "CE(score=LE(order=natural))@10"]),
    ("NCE(score=LE(order=rank))@5", ["NCE(order=rank)@5", "NCE(score=LE(order=rank,screen=300))@5"]),
    ("Doc(score=ChP)", ["ChP@doc", "ChP(n=600)@doc", "Doc(ChP(600),retrieved)"]),
    (
        "ESRP(nav=mix(parts=0.5*none+0.5*readon))",
        ['ESRP(nav=mix(parts=".5 * none + 0.50*readon(500)"))', "ESRP(nav=mix(0.5*none+0.5*readon))"],
    ),
    ("nDCG@10", ["nDCG@10"]),
]


@pytest.mark.parametrize(("canonical", "spellings"), SAME)
def test_spellings_have_one_canonical_form(canonical: str, spellings: list[str]) -> None:
    measure = dx.measure(canonical)
    assert measure.canonical == canonical
    for text in spellings:
        other = dx.measure(text)
        assert (other.canonical, other.label, str(other)) == (canonical, text.strip(), text.strip())
        assert other == measure and hash(other) == hash(measure) and len({other, measure}) == 1


def test_measures_that_mean_different_things_differ() -> None:
    texts = [
        "iP@5",
        "iP@6",
        "iP@5c",
        "iP(alpha=1)@5",
        "iR@5",
        "iP[0.5]",
        "ESRP@5",
        "ESRP(nav=readon)@5",
        "P@5",
    ]
    assert len({dx.measure(text) for text in texts}) == len(texts)
    assert dx.measure("iP@5") != "iP@5"


def _examples() -> list[str]:
    return [measure.example or name for name, measure in dx.measures().items()]


def test_every_measure_and_its_defaults_have_a_canonical_form_that_stays() -> None:
    for text in _examples():
        measure = dx.measure(text)
        again = dx.measure(measure.canonical)
        assert again == measure and again.canonical == measure.canonical, text
        assert vars(again.given).keys() == vars(measure.given).keys(), text
        typed = parse_measure(text)
        full = [
            (parameter.name, value)
            for parameter in type(measure).parameters
            if (value := getattr(measure.given, parameter.name)) is not None
        ]
        spelled = Expression(type(typed.call)(typed.call.name, tuple(full)), typed.point, typed.cutoff)
        try:
            explicit = dx.measure(str(spelled))
        except UsageError as problem:
            assert "twice" in str(problem) or "either" in str(problem), text
        else:
            assert explicit == measure, f"{spelled} and {text}"


def test_every_alias_names_the_same_measure() -> None:
    for name, measure in dx.measures().items():
        example = measure.example or name
        for alias in measure.aliases:
            assert dx.measure(example.replace(name, alias, 1)) == dx.measure(example)


def test_every_model_and_score_has_a_canonical_form_that_stays() -> None:
    for name, model in NAVIGATIONS.all().items():
        measure = dx.measure("ESRP@5", model.example or name)
        typed = dx.measure(f"ESRP(nav={model.example or name})@5")
        assert measure == typed and dx.measure(typed.canonical) == typed
    for name in DOCUMENT_SCORES:
        measure = dx.measure(f"{name}@doc")
        assert dx.measure(measure.canonical) == measure


numbers = st.decimals(0, 1, places=6, allow_nan=False)


@given(numbers, numbers, st.integers(1, 1000), st.sampled_from(["", "c", "w", "t"]), st.booleans())
def test_random_forms_print_back_to_themselves(alpha, beta, cutoff, unit, keyed) -> None:
    arguments = f"beta={beta},alpha={alpha}" if keyed else f"{beta},{alpha}"
    measure = dx.measure(f"F({arguments})@{cutoff}{unit}")
    assert dx.measure(measure.canonical) == measure
    assert dx.measure(measure.canonical).canonical == measure.canonical
    assert measure == dx.measure(f"F(alpha={alpha:.6f},beta={show(measure.given.beta)})@{cutoff}{unit}")


def test_a_navigation_model_for_all_is_part_of_the_meaning() -> None:
    assert dx.measure("ESRP@3", "readon(500)") == dx.measure("ESRP(nav=readon)@3") != dx.measure("ESRP@3")
    assert dx.measure("ESRP@3", "readon(500)").label == "ESRP@3"
    assert str(navigation_named("readon(mean=500)", None).call) == "readon"
    with pytest.raises(UsageError, match="did you mean 'readon'"):
        dx.measure("ESRP@3", "raedon(500)")
    with pytest.raises(UsageError, match="did you mean 'mean'"):
        dx.measure("ESRP(nav=readon(maen=500))@3")


def test_what_means_the_same_is_computed_once_and_shown_as_typed() -> None:
    spellings = ["Counting(times=.5)@5", "Counting(0.5)@5", "Counts(times=0.50,nav=none)@5"]
    with registered():
        Counting.computed = 0
        scores = dx.evaluate(ONE, QRELS, [*spellings, "Counting"])
        assert Counting.computed == 2
        assert scores.measures == [*spellings, "Counting"]
        assert {scores.value("run", text) for text in spellings} == {0.5}
        assert scores.value("run", "Counting(.5)@5") == 0.5


def test_what_means_the_same_is_stored_once(tmp_path) -> None:
    store = tmp_path / "store"
    spellings = ["Counting(times=.5)@5", "Counting(0.5)@5", "Counts"]
    with registered():
        first = dx.evaluate({"one": ONE, "two": TWO}, QRELS, spellings, store=store)
        frame = select(store)
        assert set(frame["canonical"]) == {"Counting(times=0.5)@5", "Counting"}
        assert set(frame["measure"]) == {"Counting(times=.5)@5", "Counts"}
        Counting.computed = 0
        asked = ["Counting(nav=none)", "Counting(times=0.5)@5"]
        again = dx.evaluate({"one": ONE, "two": TWO}, QRELS, asked, store=store)
        assert Counting.computed == 0 and again.measures == asked
        assert [again.value("one", text) for text in asked] == [
            first.value("one", t) for t in ("Counts", spellings[0])
        ]
        assert scores_of(select(store, measures=["Counting(5e-1)@5"])).measures == ["Counting(times=.5)@5"]
        dx.evaluate({"three": ONE}, QRELS, ["Counting"], store=store)
        assert scores_of(select(store, measures=["Counting"])).names == ["one", "three", "two"]


def test_models_and_spellings_do_not_share_a_place_in_the_store(tmp_path) -> None:
    documents = [{"doc": "d1", "text": "a b c d e f g h i j " * 10}]
    options = {"documents": documents, "store": tmp_path / "store"}
    far = dx.evaluate(ONE, QRELS, "NearMisses@1", navigation="readon(100)", **options)
    near = dx.evaluate(ONE, QRELS, "NearMisses@1", navigation="none", **options)
    assert near.meaning("NearMisses@1").canonical == "NearMisses@1"
    assert far.meaning("NearMisses@1").canonical == "NearMisses(nav=readon(mean=100))@1"
    again = dx.evaluate(ONE, QRELS, "NearMisses(nav=readon(100))@1", **options)
    assert again.value("run", "NearMisses(nav=readon(100))@1") == far.value("run", "NearMisses@1")


def test_objects_are_taken_wherever_text_is(tmp_path) -> None:
    measure, other = dx.measure("iP(.5)@5"), dx.measure("iR@5")
    as_text = dx.evaluate({"one": ONE, "two": TWO}, QRELS, "iP(.5)@5 iR@5")
    for given_as in ([measure, other], (m for m in (measure, other)), [measure, "iR@5"]):
        scores = dx.evaluate({"one": ONE, "two": TWO}, QRELS, given_as)
        assert scores.measures == as_text.measures and scores.mean.equals(as_text.mean)
    assert dx.evaluate(ONE, QRELS, measure).value("run", measure) == as_text.value("one", measure)
    assert dx.explain(ONE, QRELS, other, topic="t1").score == dx.explain(ONE, QRELS, "iR@5", topic="t1").score
    assert dx.plot({"one": ONE, "two": TWO}, QRELS, measure, figure="means") is not None
    dx.write_report({"one": ONE}, QRELS, [measure], path=tmp_path / "report.html")
    assert "iP(.5)@5" in (tmp_path / "report.html").read_text()
    text = "Press a red button twice."
    gold = [{"topic": "q000", "doc": "d", "quote": "a red button"}]
    found = dx.score_retriever(
        lambda question: ["a red button"], ["?"], gold, [dx.measure("iR@1")], {"d": text}
    )
    assert found.measures == ["iR@1"]
    assert select_measures(as_text, [other]).measures == ["iR@5"]
    three = dx.evaluate({"one": ONE, "two": TWO, "three": ONE[:1]}, QRELS, [measure, other])
    assert dx.correlate(three, rows=[other], columns=[measure], draws=0).rows == ["iR@5"]


def test_two_measures_of_one_label_must_mean_the_same() -> None:
    with pytest.raises(UsageError, match=r"'ESRP@3' means both ESRP\(nav=readon\)@3 and ESRP@3"):
        dx.evaluate(ONE, QRELS, [dx.measure("ESRP@3", "readon"), "ESRP@3"])
    with pytest.raises(UsageError, match="expected a measure or its name"):
        dx.evaluate(ONE, QRELS, [5])  # type: ignore[list-item]


def test_scores_are_selected_and_joined_by_meaning(tmp_path) -> None:
    first = dx.evaluate({"one": ONE}, QRELS, "iP(.5)@5 iR@5")
    second = dx.evaluate({"two": TWO}, QRELS, "iP(alpha=0.50)@5")
    joined = join_scores([first, second])
    assert joined.measures == ["iP(.5)@5"] and joined.names == ["one", "two"]
    assert [str(notice) for notice in joined.notices] == [
        "1 measure is not in all inputs and is left out (iR@5)"
    ]
    assert select_measures(first, ["iP(0.5)@5"]).measures == ["iP(0.5)@5"]
    with pytest.raises(UsageError, match="did you mean 'iR@5'"):
        select_measures(first, ["iR@50"])
    dx.write_scores(first, tmp_path / "old.csv")
    assert read_scores(tmp_path / "old.csv").position("iP(0.5)@5") == 0
    compared = CliRunner().invoke(
        group, ["compare", str(tmp_path / "old.csv"), str(tmp_path / "old.csv"), "-m", "iP(0.5)@5"]
    )
    assert "more than one run is named one" in str(compared.exception)


def test_measure_names_meet_no_module_by_accident() -> None:
    for name in ("base", "describe", "meaning", "families"):
        with pytest.raises(UsageError, match="unknown measure"):
            measure_named(name)
    assert MEASURES.find("base") is None


@pytest.mark.parametrize(
    ("typed", "name", "form", "parameters"),
    [
        ("T2I", "T2I", "T2I(n=300,order=natural,start=top,passage=0)@doc", "n order start passage"),
        ("T2I@doc", "T2I", "T2I(n=300,order=natural,start=top,passage=0)@doc", "n order start passage"),
        ("F@doc", "F", "F(beta=1,order=natural)@doc", "beta order"),
        ("F", "F", "F(beta=1,alpha=0,complete=false)@k?", "beta alpha complete"),
        ("F(beta=2)@5", "F", "F(beta=1,alpha=0,complete=false)@k?", "beta alpha complete"),
        ("nDCG@10", "nDCG", "nDCG@10", ""),
    ],
)
def test_what_is_listed_of_a_name_is_all_of_one_thing(
    typed: str, name: str, form: str, parameters: str
) -> None:
    (found,) = json.loads(list_measures("json", name=typed))
    assert (found["name"], found["form"], found["explained"].splitlines()[0]) == (name, form, form)
    assert " ".join(found["parameters"]) == parameters and found["paper"] and found["user"]


def test_all_measures_are_listed_as_rows_of_markdown() -> None:
    head, rule, *rows = list_measures("md").splitlines()
    assert (head, rule) == ("| measure | the user | from |", "|---|---|---|")
    listed = json.loads(list_measures("json"))
    assert rows == [f"| `{one['form']}` | {one['user']} | {one['paper']} |" for one in listed]
