"""Our measures inside ir_measures: one call, the same digits, their grammar; theirs stay as they are."""

from __future__ import annotations

import csv
import io
import subprocess
import sys
import warnings
from collections import namedtuple
from typing import Any

import ir_measures
import pandas
import pytest
from hypothesis import given
from ir_measures import AP, Judged, P, nDCG

import doxeval as dx
import doxeval.ir
from doxeval.demo import ANSWERS, DOCUMENTS, RUNS
from doxeval.extend import register
from doxeval.ir import ESRP, AiP, iP, iR, use
from doxeval.ir.passage_measures import _value
from doxeval.ir.provider import _with_documents_named
from doxeval.measurement.base import Measure, measure_named, measures
from tests.cases import Case, cases
from tests.core.things import session

OURS = {"query_id": "topic", "doc_id": "doc", "relevance": "rel"}
THEIRS = {key: name for name, key in OURS.items()}
RUN = RUNS / "overlapping-800.jsonl"
ASKED = [AiP, iR @ 5, ESRP(nav="readon(mean=200)") @ 10, iP @ 0.01, iR @ "2000c", nDCG @ 10, AP(rel=1), P @ 5]
AS_TYPED = "AiP iR@5 ESRP(nav=readon(mean=200))@10 iP[0.01] iR@2000c nDCG@10 AP(rel=1) P@5"
NAN = float("nan")
SAMPLES = [text for kind in measures().values() for text in kind.samples()]


def demo() -> tuple[pandas.DataFrame, pandas.DataFrame]:
    """The demo's answers and one run as frames of ir_measures; a document without an answer has grade 0."""
    answers = pandas.read_json(ANSWERS, lines=True).rename(columns=THEIRS)
    answers["relevance"] = answers["start"].notna().astype(int)
    return answers, pandas.read_json(RUN, lines=True).rename(columns=THEIRS)


def in_our_terms(frame: pandas.DataFrame) -> pandas.DataFrame:
    return frame.rename(columns=OURS)


def same(one: float, other: float | None) -> bool:
    return one == other or (other is None and one != one)


def test_one_call_gives_what_doxeval_eval_prints_to_the_digit() -> None:
    command = [
        "eval",
        str(RUN),
        "--qrels",
        str(ANSWERS),
        "--docs",
        str(DOCUMENTS),
        "-m",
        AS_TYPED,
        "-f",
        "csv",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "doxeval", *command], capture_output=True, text=True, check=True
    )
    printed = {row["measure"]: float(row["value"]) for row in csv.DictReader(io.StringIO(done.stdout))}
    with use(DOCUMENTS):
        found = ir_measures.calc_aggregate(ASKED, *demo())
        whole = ir_measures.calc(ASKED, *demo())
    assert list(printed) == AS_TYPED.split()
    assert [found[measure] for measure in ASKED] == list(printed.values())
    assert whole.aggregated == found
    assert {metric.query_id for metric in whole.per_query} == set(demo()[0]["query_id"])


def frames(case: Case) -> tuple[pandas.DataFrame, pandas.DataFrame]:
    judged = [
        {"query_id": "t1", "doc_id": row["doc"], "relevance": int("start" in row), **row}
        for row in case.qrels()
    ]
    ranked = [
        {"query_id": "t1", "doc_id": row["doc"], "score": -float(row["rank"]), **row} for row in case.run()
    ]
    columns = ["query_id", "doc_id", "score", "spans"]
    return pandas.DataFrame(judged), pandas.DataFrame(ranked, columns=columns)


@given(cases(relevant=False))
def test_any_case_scores_as_doxeval_scores_it(case: Case) -> None:
    typed = [text for kind in measures().values() if not kind.needs for text in [kind.example]]
    typed = [text for text in typed if text.partition("@")[0] != "Judged"] + ["nDCG@3", "P@2", "NumRet"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = dx.evaluate({"run": case.run()}, case.qrels(), typed)
        asked = [doxeval.ir.measure(text) for text in typed]
        found = ir_measures.calc_aggregate(asked, *frames(case))
        each = {
            (metric.measure, metric.query_id): metric.value
            for metric in ir_measures.iter_calc(asked, *frames(case))
        }
    for text, measure in zip(typed, asked, strict=True):
        gathered = measure.aggregator()  # of programs that average over topics themselves
        gathered.add(each[measure, "t1"])
        assert same(gathered.result(), expected.value("run", text)), text
        assert same(found[measure], expected.value("run", text)), text
        assert same(each[measure, "t1"], expected.value("run", text, "t1")), text


@pytest.mark.parametrize(
    ("values", "mean", "total"),
    [([0.5, NAN, 0.25, 0.0], 0.25, 0.75), ([0.5], 0.5, 0.5), ([NAN, NAN], NAN, NAN), ([], NAN, NAN)],
)
def test_programs_that_average_themselves_get_the_mean_and_of_counts_the_sum(
    values: list[float], mean: float, total: float
) -> None:
    counting: dict[str, Any] = {"name": "Counted", "user": "x", "paper": "y", "summed": True}
    with session():
        register(type("Counted", (type(measure_named("iR@5")),), counting))
        for measure, expected in ((iR @ 5, mean), (doxeval.ir.Counted @ 5, total)):
            gathered = measure.aggregator()
            for value in values:
                gathered.add(value)
            assert gathered.result() == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("text", SAMPLES)
def test_every_measure_prints_and_parses_in_their_grammar(text: str) -> None:
    ours = measure_named(text)
    if ours.name == "Judged":
        assert isinstance(ir_measures.parse_measure("Judged@5"), type(Judged)), "theirs keeps its name"
        with pytest.raises(dx.UsageError, match="its own Judged"):
            doxeval.ir.measure(text)
        return
    measure = doxeval.ir.measure(text)
    again: Any = ir_measures.parse_measure(str(measure))
    assert again == measure and repr(again) == repr(measure)
    assert {name: measure[name] for name in measure.params} == measure.params
    offered = type(measure).SUPPORTED_PARAMS
    for parameter in type(ours).parameters:
        assert offered[parameter.name].desc == parameter.help and offered[parameter.name].dtype is not None
    assert again.bound == ours and again.bound.canonical == ours.canonical
    assert hash(again) == hash(measure) and ir_measures.DefaultPipeline.supports(again)


def test_what_means_the_same_is_equal_and_names_are_as_ours() -> None:
    assert iP(alpha=0.0) @ 5 == iP @ 5 == ir_measures.parse_measure("iP@5") != iP @ 6
    assert str(iP[0.01]) == str(iP @ 0.01) == "iP@0.01"
    assert str(iP[0.01] @ "2000c") == "iP(point=0.01)@'2000c'"
    assert ir_measures.parse_measure("MAiP") == doxeval.ir.MAiP == AiP
    assert "AiP" in dir(doxeval.ir) and str(iR) == "iR" and str(iR(colour="red")) == "iR(colour='red')"
    assert doxeval.ir.measure("nDCG@10") == nDCG @ 10
    with pytest.raises(AttributeError, match="no attribute 'AiQ'"):
        doxeval.ir.AiQ  # noqa: B018


def test_a_measure_registered_later_is_offered_too() -> None:
    kind = type("Late", (type(measure_named("iR@5")),), {"name": "LateRecall", "user": "x", "paper": "y"})
    with session():
        register(kind)
        assert str(doxeval.ir.LateRecall @ 3) == "LateRecall@3"
        late: Any = ir_measures.parse_measure("LateRecall@3")
        assert late.bound.name == "LateRecall"
    with pytest.raises(dx.UsageError, match="unknown measure 'LateRecall'"):
        measure_named("LateRecall@3")


@pytest.mark.parametrize(
    ("measure", "told"),
    [
        (doxeval.ir.nXCG, "nXCG needs a cut-off"),
        (iR(colour="red") @ 5, "no parameter 'colour'"),
        (iP(alpha=2) @ 5, "at most 1"),
    ],
)
def test_what_cannot_be_computed_is_refused_with_a_reason(measure: Any, told: str) -> None:
    with pytest.raises(dx.UsageError, match=told):
        ir_measures.calc_aggregate([measure], *demo())


def test_named_tuples_and_dicts_do_as_well() -> None:
    judged, ranked = demo()
    kept = ranked[["query_id", "doc_id", "score", "start", "end"]]
    qrel, scored = namedtuple("Qrel", judged.columns), namedtuple("Scored", kept.columns)
    tuples = (qrel(*row) for row in judged.astype(object).where(judged.notna(), None).itertuples(index=False))
    results = (scored(*row) for row in kept.itertuples(index=False))
    with use(DOCUMENTS):
        assert ir_measures.calc_aggregate(ASKED, tuples, results) == ir_measures.calc_aggregate(
            ASKED, *demo()
        )
    plain = {"q1": {"d1": 1, "d2": 0}}, {"q1": {"d1": 1.0, "d2": 2.0}}
    with use({"d1": "x" * 10, "d2": "y" * 30}):
        assert ir_measures.calc_aggregate([iP @ 2, P @ 2], *plain) == {iP @ 2: 0.25, P @ 2: 0.5}


def test_a_document_stands_at_its_first_passage_and_has_its_best_grade() -> None:
    judged = pandas.DataFrame(
        [("q", "d1", 2, 0, 5), ("q", "d1", 1, 8, 9), ("q", "d2", 1, 0, 3)],
        columns=["query_id", "doc_id", "relevance", "start", "end"],
    )
    ranked = pandas.DataFrame(
        [("q", "d1", 9.0, 0, 5), ("q", "d3", 8.0, 0, 5), ("q", "d2", 7.0, 0, 3), ("q", "d1", 1.0, 8, 9)],
        columns=["query_id", "doc_id", "score", "start", "end"],
    )
    expected = ir_measures.calc_aggregate(
        [nDCG @ 3], {"q": {"d1": 2, "d2": 1}}, {"q": {"d1": 9.0, "d3": 8.0, "d2": 7.0}}
    )
    assert ir_measures.calc_aggregate([nDCG @ 3], judged, ranked) == expected


def test_results_come_in_the_order_of_their_scores() -> None:
    judged, ranked = demo()
    turned = ranked.assign(rank=-ranked["rank"]).sample(frac=1, random_state=1)
    with use(DOCUMENTS):
        assert ir_measures.calc_aggregate(ASKED, judged, turned) == ir_measures.calc_aggregate(
            ASKED, judged, ranked
        )


def test_what_has_no_places_is_left_to_the_other_providers() -> None:
    judged, ranked = {"q1": {"a": 1, "b": 0}, "q2": {"c": 2}}, {"q1": {"b": 2.0, "a": 1.0}}
    asked = [nDCG @ 10, AP, P @ 1, Judged @ 2]
    provider: Any = ir_measures.providers.registry["doxeval"]
    assert ir_measures.calc_aggregate(asked, judged, ranked) == provider.others.calc_aggregate(
        asked, judged, ranked
    )
    rows = [ir_measures.Qrel("q1", "a", 1)]
    evaluator = ir_measures.evaluator([AP], iter(rows))
    assert type(evaluator).__module__.startswith("ir_measures")
    assert set(ir_measures.run_inputs([AiP, AP])) == {"query_id", "doc_id", "score"}


def test_settings_hold_within_a_block_and_name_the_reader() -> None:
    judged, ranked = demo()
    with pytest.raises(dx.DoxevalError, match="document"):
        ir_measures.calc_aggregate([iR @ "300w"], judged, ranked)
    with use(DOCUMENTS, navigation="readon(mean=200)") as reader:
        assert isinstance(reader, use)
        read = ir_measures.calc_aggregate([ESRP @ 10, AiP], judged, ranked)[ESRP @ 10]
        named = ESRP(nav="readon(mean=200)") @ 10
        assert read == ir_measures.calc_aggregate([named], judged, ranked)[named]
        assert ir_measures.calc_aggregate([AiP, nDCG @ 5], judged, ranked)
        with use(DOCUMENTS):
            assert ir_measures.calc_aggregate([ESRP @ 10], judged, ranked)[ESRP @ 10] != read
        assert ir_measures.calc_aggregate([ESRP @ 10], judged, ranked)[ESRP @ 10] == read
    with pytest.raises(dx.UsageError, match="no option 'dpeth'"):
        use(dpeth=3)  # type: ignore[call-arg]


def test_text_without_places_is_looked_for_and_scores_tell_what_was_noticed() -> None:
    judged, ranked = demo()
    texts = _texts()
    passages = ranked.assign(
        doc_id=ranked["doc_id"] + "%p" + ranked.index.astype(str),
        text=[texts[row.doc_id][int(row.start) : int(row.end)] for row in ranked.itertuples()],
    )
    with use(DOCUMENTS):
        evaluator: Any = ir_measures.evaluator([AiP, iR @ 5], judged)
        assert evaluator.calc_aggregate(passages.drop(columns=["start", "end"])) == evaluator.calc_aggregate(
            ranked
        )
        assert isinstance(evaluator.scores, dx.Scores) and "mean over 15 topics" in repr(evaluator.scores)


def _texts() -> dict[str, str]:
    documents = dx.read_documents(DOCUMENTS)
    assert documents.text is not None
    return dict(zip(documents.ids, documents.text, strict=True))


def test_every_measure_of_ours_but_one_is_offered() -> None:
    offered = {name for name, kind in measures().items() if issubclass(kind, Measure)}
    registry = ir_measures.measures.registry
    assert {name for name in offered if isinstance(registry[name], doxeval.ir.PassageMeasure)} == offered - {
        "Judged"
    }


def test_tuples_of_passages_may_leave_places_open() -> None:
    judged = namedtuple("judged", "query_id doc_id relevance start end")
    shown = namedtuple("shown", "query_id doc_id score start end")
    answers = [judged("t1", "d1", 1, 0, 10), judged("t1", "d2", 0, None, None)]
    ranked = [shown("t1", "d1", 2.0, 5, 15), shown("t1", "d2", 1.0, 0, 10)]
    found = ir_measures.calc_aggregate([iP @ 1, iR @ 2], answers, ranked)
    assert [found[iP @ 1], found[iR @ 2]] == [0.5, 0.5]


def test_passages_that_pyterrier_names_belong_to_their_documents() -> None:
    rows = [{"doc": "d%p3", "value": 1}, {"doc": "e"}, {"doc": "f%px"}]
    named = [{"doc": "d", "value": 1}, {"doc": "e"}, {"doc": "f%px"}]
    assert _with_documents_named(rows) == named
    assert _with_documents_named(pandas.DataFrame(rows[:1])).to_dict("records") == named[:1]


def test_gains_are_given_as_they_are_typed() -> None:
    assert _value({0: 0, 1: 5, 2: 10}) == "{0:0,1:5,2:10}"
    assert (_value(True), _value("text"), _value({})) == (True, "text", "{}")
