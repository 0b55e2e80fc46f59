"""Effort in other ways: by any score, with an effort for each passage, and of results without context."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import doxeval as dx
from doxeval.measurement.base import measure_named
from doxeval.reader.effort.reading_orders import ORDERS
from tests.cases import Case, cases, scores
from tests.reader.effort.test_document_scores import evaluate, mean_over_relevant
from tests.reader.effort.walk import Walk

pytestmark = pytest.mark.filterwarnings("ignore::doxeval.DoxevalWarning")
DEPTHS = (1, 3, 9)
FEW = settings(max_examples=15)


@FEW
@given(cases(), st.integers(1, 45), st.integers(0, 20))
def test_every_passage_takes_an_effort(case: Case, n: int, passage: int) -> None:
    walk, expected = Walk(case), {}
    for order in ORDERS:
        how = {
            "order": "sequential" if order == "bep" else order,
            "start": "bep" if order == "bep" else "top",
        }
        for name, key in (
            ("aveChP", ""),
            ("ChP", "n"),
            ("T2I", "n"),
            ("T2Ir", "n"),
            ("T2If", "n"),
            ("LE", "screen"),
        ):
            typed = f"{name}({f'{key}={n},' if key else ''}order={order},passage={passage})"
            expected[typed] = mean_over_relevant(walk, name, n=n, passage=passage, **how)
    found = evaluate(case, {}, [f"{name}@doc" for name in expected])
    for name, value in expected.items():
        assert found.value("run", f"{name}@doc") == pytest.approx(value, abs=1e-12), name


@FEW
@given(cases())
def test_effort_by_a_score_is_what_precision_lacks(case: Case) -> None:
    kinds = ("BEP(n=20)", "aveChP", "T2I(n=9)", "F(beta=0.25,order=sequential)")
    names = [f"{name}(score={kind})@{k}" for kind in kinds for name in ("CE", "gP") for k in DEPTHS]
    found = scores(case, " ".join(names))
    for kind in kinds:
        for k in DEPTHS:
            effort, precision = found[f"CE(score={kind})@{k}"], found[f"gP(score={kind})@{k}"]
            assert effort == pytest.approx(4 * k * (1 - precision), abs=1e-10)
    short, long = "NCE(score=BEP(n=20),scale=2/4)@3", "NCE(score=Waste(of=BEP(n=20),scale=2/4))@3"
    assert scores(case, short)[short] == scores(case, long)[long]


@FEW
@given(cases(), st.integers(1, 30), st.integers(0, 9))
def test_results_without_context(case: Case, screen: int, passage: int) -> None:
    walk = Walk(case)
    effort = walk.effort_alone(screen, passage)
    how = f"screen={screen},passage={passage},context=false"
    for depth in DEPTHS:
        padded = [*effort, *[5.0] * depth][:depth]
        ideal = [*[1.0] * walk.relevant_passages(), *[5.0] * depth][:depth]
        nce = [
            sum(one / best - 1 for one, best in zip(padded[:i], ideal[:i], strict=True))
            for i in range(1, depth + 1)
        ]
        expected = {
            f"CE({how})@{depth}": sum(padded) - depth,
            f"NCE({how})@{depth}": nce[-1],
            f"ANCE({how})@{depth}": sum(nce) / depth,
        }
        assert scores(case, " ".join(expected)) == pytest.approx(expected, abs=1e-12)


@FEW
@given(cases(), st.integers(1, 30))
def test_precision_of_results_without_context(case: Case, n: int) -> None:
    walk, expected = Walk(case), {}
    for name, typed in (("aveChP", "aveChP"), ("T2I", f"T2I(n={n})"), ("ChP", f"ChP(n={n})")):
        values = walk.alone(name, n)
        precision = [sum(values[:rank]) / rank for rank in range(1, len(values) + 1)]
        finds = [value > 0 for value in walk.alone("aveChP")]
        for depth in DEPTHS:
            expected[f"gP(score={typed},context=false)@{depth}"] = sum(values[:depth]) / depth
        points = (value for value, hit in zip(precision, finds, strict=True) if hit)
        expected[f"AgP(score={typed},context=false)"] = sum(points) / walk.relevant_passages()
    assert scores(case, " ".join(expected)) == pytest.approx(expected, abs=1e-12)


def test_an_explanation_names_what_was_read() -> None:
    run, qrels = (
        [{"topic": "t", "doc": "d", "rank": 1, "start": 0, "end": 9}],
        [{"topic": "t", "doc": "d", "start": 5, "end": 9}],
    )
    for measure, what in (("CE@1", "document opened"), ("CE(context=false)@1", "result read")):
        assert f"effort of the {what} at this rank" in str(dx.explain(run, qrels, measure, topic="t"))
    for measure, what in (("gP@1", "the document's score"), ("gP(context=false)@1", "the result's score")):
        assert what in str(dx.explain(run, qrels, measure, topic="t"))
    assert "each relevant result / relevant passages" in str(
        dx.explain(run, qrels, "AgP(context=false)", topic="t")
    )


def test_added_text_is_read_before_a_result() -> None:
    text = "The quick brown fox jumps over the lazy dog, and the dog sleeps on until the evening comes."
    qrels = [{"topic": "t", "doc": "d", "start": 4, "end": 40}]
    texts, measure = [{"doc": "d", "text": text}], "CE(screen=10,context=false)@1"
    plain, headed = (
        [{"topic": "t", "doc": "d", "rank": 1, "text": f"{header}{text[:60]}"}]
        for header in ("", "Chapter one:\n\n")
    )
    assert dx.evaluate({"r": plain}, qrels, measure, texts)[measure] == 0
    assert dx.evaluate({"r": headed}, qrels, measure, texts)[measure] == 1
    assert dx.evaluate({"r": headed}, qrels, measure, texts, added="free")[measure] == 0


@pytest.mark.parametrize(
    "measure",
    ["F(order=sequential)@doc", "AgP(score=P(order=sequential))", "CE(score=F(order=sequential))@1"],
)
def test_a_whole_document_of_unknown_length_is_refused(measure: str) -> None:
    qrels = [{"topic": "t", "doc": "d", "start": 5, "end": 9}]
    run = [{"topic": "t", "doc": "d", "rank": 1, "start": 0, "end": 9}]
    with pytest.raises(
        dx.UsageError, match=r"reads documents whole, and the length of 'd' is not known.*--docs"
    ):
        dx.evaluate({"r": run}, qrels, measure)
    assert dx.evaluate({"r": run}, qrels, measure, [{"doc": "d", "length": 20}])[measure] is not None


@FEW
@given(cases())
def test_a_document_in_its_own_order_is_the_document_retrieved_whole(case: Case) -> None:
    case.lengths["elsewhere"] = 30
    sequential = [
        "AgP(score=F(beta=0.25,order=sequential))", "AgP(score=aveChP(order=sequential))",
        "AgP(score=T2If(n=7,order=sequential,passage=3))", "ANCE(screen=9,order=sequential,passage=3)@6",
    ]  # fmt: skip
    led = [name.replace(",order=sequential", "").replace("(order=sequential)", "") for name in sequential]
    before = scores(case, " ".join(sequential))
    after = scores(case, " ".join(led), shape="documents")
    assert list(before.values()) == pytest.approx(list(after.values()), abs=1e-12)


def test_results_read_by_themselves_are_cut_by_later_ones() -> None:
    """Text is cut where any result begins or ends, so that leaving later ones out changes last digits."""
    for name in ("gP(score=aveChP,context=false)@1", "CE(context=false)@1", "NCE(context=false)@1"):
        assert not measure_named(name).first_ranks_tell


@pytest.mark.parametrize("start", [0, 1, 50])
def test_coming_to_a_passage_costs_the_same_wherever_it_begins(start: int) -> None:
    run = [{"topic": "t", "doc": "d", "rank": 1, "start": start, "end": start + 10}]
    gold = [{"topic": "t", "doc": "d", "start": start + 5, "end": start + 10, "length": 100}]
    measure = "gP(score=T2I(passage=7),context=false)@1"
    assert dx.evaluate(run, gold, measure).value("run", measure) == 5 / (7 + 10)
