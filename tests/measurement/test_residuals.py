"""tRBP, tINST, tU and tTBG: twins that read character by character, published code, and their residuals."""

from __future__ import annotations

import random
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import doxeval as dx

LENGTHS = {"a": 30, "b": 20, "u": 25, "v": 15}
JUDGED = ("a", "b")


@st.composite
def lists(draw: st.DrawFn) -> tuple[list[dict], list[dict]]:
    """Relevant text in two judged documents, and results in these and in two that nobody judged."""
    rng = random.Random(draw(st.integers(0, 10**6)))

    def spans(doc: str) -> list[list[int]]:
        bounds = sorted(rng.sample(range(LENGTHS[doc] + 1), 2 * rng.randint(1, 2)))
        return [list(pair) for pair in zip(bounds[::2], bounds[1::2], strict=True)]

    gold = [
        {"topic": "t", "doc": doc, "length": LENGTHS[doc]} | ({"spans": spans(doc)} if marked else {})
        for doc, marked in zip(JUDGED, (True, rng.random() < 0.7), strict=True)
    ]
    results = [rng.choice(list(LENGTHS)) for _ in range(rng.randint(0, 7))]
    run = [
        {"topic": "t", "doc": doc, "rank": rank, "spans": spans(doc)} for rank, doc in enumerate(results, 1)
    ]
    return gold, run


def values(gold: list[dict], run: list[dict], names: list[str], **options) -> dict[str, float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        scores = dx.evaluate({"run": run}, gold, names, **options)
    return {name: scores.value("run", name) for name in names}


def read(row: dict) -> list[tuple[str, int]]:
    return [(row["doc"], at) for start, end in row["spans"] for at in range(start, end)]


def relevant_text(gold: list[dict]) -> set[tuple[str, int]]:
    return {place for row in gold if "spans" in row for place in read(row)}


def worths(relevant: set, run: list[dict], alpha: float) -> list[float]:
    seen, found = set(), []
    for row in run:
        text = [place for place in read(row) if place in relevant]
        found.append(sum(alpha if place in seen else 1 for place in text) / len(read(row)))
        seen |= set(text)
    return found


def rbp(gains: list[float], p: float) -> float:
    return sum((1 - p) * p**i * gain for i, gain in enumerate(gains))


def inst(gains: list[float], wanted: float, tail: float = 0.0, ranks: int = 100_000) -> float:
    gained, on, total, worth = 0.0, 1.0, 0.0, 0.0
    for i in range(1, ranks):
        gain = gains[i - 1] if i <= len(gains) else tail
        total, worth, gained = total + on, worth + on * gain, gained + gain
        needed = i + wanted + (wanted - gained)
        on *= ((needed - 1) / needed) ** 2
        if on < 1e-16:
            break
    return worth / (total + on * needed if tail == 0 else total)


def trail(relevant: set, run: list[dict], last: int) -> float:
    x, seen, total = 0, set(), 0.0
    for row in run:
        for place in read(row):
            if place in relevant and place not in seen:
                seen.add(place)
                total += max(0.0, 1 - x / last)
            x += 1
    return total / len(relevant)


def tbg(relevant: set, run: list[dict], half: float, alpha: float) -> float:
    x, total = 0, 0.0
    for gain, row in zip(worths(relevant, run, alpha), run, strict=True):
        total += gain * 2 ** (-x / half)
        x += len(read(row))
    return total


@given(lists(), st.sampled_from(["0", "0.3", "1"]), st.integers(1, 8))
def test_values_equal_those_of_twins_that_read_every_character(drawn, alpha, k) -> None:
    (gold, run), relevant = drawn, relevant_text(drawn[0])
    top, share = run[:k], float(alpha)
    expected = {
        f"tRBP(alpha={alpha})@{k}": rbp(worths(relevant, top, share), 0.8),
        f"tRBP(p=0.5,alpha={alpha})": rbp(worths(relevant, run, share), 0.5),
        f"tINST(T=2,alpha={alpha})@{k}": inst(worths(relevant, top, share), 2),
        f"tINST(alpha={alpha})": inst(worths(relevant, run, share), 1),
        f"tU(L=40)@{k}": trail(relevant, top, 40),
        "tU": trail(relevant, run, 132_000),
        f"tTBG(h=3,speed=5,alpha={alpha})@{k}": tbg(relevant, top, 15, share),
        f"tTBG(alpha={alpha})": tbg(relevant, run, 224 * 24, share),
    }
    found = values(gold, run, list(expected))
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, abs=1e-9), name


def test_worked_example() -> None:
    gold = [{"topic": "t", "doc": "d", "start": 10, "end": 20}]
    run = [
        {"topic": "t", "doc": "d", "rank": 1, "start": 5, "end": 15},
        {"topic": "t", "doc": "d", "rank": 2, "start": 10, "end": 20},
    ]
    expected = {
        "tRBP": 0.2 * (1 / 2 + 0.8 / 2),
        "tRBP(alpha=1)": 0.2 * (1 / 2 + 0.8),
        "tU(L=100)": (sum(1 - x / 100 for x in range(5, 10)) + sum(1 - x / 100 for x in range(15, 20))) / 10,
        "tTBG(h=10,speed=1)": 1 / 2 + (1 / 2) * 2**-1,
        "Residual": 0.64,
        "Residual(of=tU(L=100))": 0,
    }
    found = values(gold, run, list(expected))
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, abs=1e-12), name


@pytest.mark.parametrize("wanted", [1, 2.5])
@settings(max_examples=7)
@given(gains=st.lists(st.integers(0, 4), max_size=9))
def test_passages_of_equal_length_are_scored_as_cwl_eval_does(gains, wanted) -> None:
    ranking = pytest.importorskip("cwl.ruler.ranking")
    from cwl.ruler.measures.cwl_inst import INSTCWLMetric
    from cwl.ruler.measures.cwl_rbp import RBPCWLMetric

    gold = [{"topic": "t", "doc": "other", "start": 0, "end": 1}]
    gold += [
        {"topic": "t", "doc": f"d{at}", "start": 0, "end": gain} if gain else {"topic": "t", "doc": f"d{at}"}
        for at, gain in enumerate(gains)
    ]
    run = [
        {"topic": "t", "doc": f"d{at}", "rank": at + 1, "start": 0, "end": 4} for at in range(len(gains))
    ] or [{"topic": "t"}]
    listed = ranking.Ranking("t", [gain / 4 for gain in gains], [1] * len(gains), max_n=10_000)
    of_rbp, of_inst = RBPCWLMetric(0.7), INSTCWLMetric(wanted)
    found = values(gold, run, ["tRBP(p=0.7)", f"tINST(T={wanted})", "Residual(of=tRBP(p=0.7))",
                               f"Residual(of=tINST(T={wanted}))"])  # fmt: skip
    for metric, name in ((of_rbp, "tRBP(p=0.7)"), (of_inst, f"tINST(T={wanted})")):
        metric.residuals = True
        assert found[name] == pytest.approx(metric.measure(listed), abs=1e-3), name
        assert found[f"Residual(of={name})"] == pytest.approx(metric.residual_expected_utility, abs=1e-3)


MEASURED = ("tRBP(p=0.6)", "tINST(T=1.5)", "tU(L=60)", "tTBG(h=1,speed=3)")


@given(lists(), st.data())
def test_no_judgement_and_no_continuation_exceeds_the_residual(drawn, data) -> None:
    gold, run = drawn
    now = values(gold, run, [*MEASURED, *(f"Residual(of={name})" for name in MEASURED)])
    rng = random.Random(data.draw(st.integers(0, 10**6)))
    unjudged = sorted({place for row in run for place in read(row) if row["doc"] not in JUDGED})
    chosen = rng.sample(unjudged, rng.randint(0, len(unjudged)))
    later = [*(row for row in gold if "spans" in row), {"doc": "new", "spans": [[0, 30]]}]
    more = [{"doc": (row := rng.choice(later))["doc"], "spans": row["spans"][:1]} for _ in range(5)]
    more = [{"topic": "t", "rank": len(run) + at, **row} for at, row in enumerate(more, 1)]
    gold = gold + [{"topic": "t", "doc": doc, "spans": [[at, at + 1]]} for doc, at in chosen]
    if rng.random() < 0.5:
        gold = [*gold, {"topic": "t", "doc": "new", "spans": [[0, rng.randint(1, 30)]]}]
    then = values(gold, run + more, list(MEASURED))
    for name in MEASURED:
        assert then[name] <= now[name] + now[f"Residual(of={name})"] + 1e-9, name


@given(lists())
def test_some_judgement_and_some_continuation_reach_the_residual(drawn) -> None:
    gold, run = drawn
    now = values(gold, run, [*MEASURED, *(f"Residual(of={name})" for name in MEASURED)])
    unjudged = list(dict.fromkeys(place for row in run for place in read(row) if row["doc"] not in JUDGED))
    relevant = relevant_text(gold)
    found = {place for row in run for place in read(row)}
    fresh = [{"topic": "t", "doc": "new", "spans": [[at, at + 1]]} for at in range(120)]
    whole = relevant | set(unjudged) | {place for row in fresh for place in read(row)}
    gains = worths(whole, run, 0)
    missing = [{"doc": doc, "spans": [[at, at + 1]]} for doc, at in sorted(relevant - found)]
    best = {
        "tRBP(p=0.6)": rbp([*gains, *[1] * 120], 0.6),
        "tINST(T=1.5)": inst(gains, 1.5, tail=1.0),
        "tTBG(h=1,speed=3)": tbg(whole, run + fresh, 3, 0),
        "tU(L=60)": max(
            trail(relevant | set(unjudged[:many]), run + missing, 60) for many in range(len(unjudged) + 1)
        ),
    }
    for name, value in best.items():
        assert now[name] + now[f"Residual(of={name})"] == pytest.approx(value, abs=1e-9), name


def test_only_measures_that_have_a_residual_have_one() -> None:
    with pytest.raises(
        dx.UsageError, match="AiP has no residual; measures that have one: tINST, tRBP, tTBG, tU"
    ):
        dx.measure("Residual(of=AiP)")
