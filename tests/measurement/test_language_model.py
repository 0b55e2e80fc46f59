"""tLM: a twin that gives every character its attention, and what distracts."""

from __future__ import annotations

import random
import re
import warnings
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import doxeval as dx

WORDS = ["lease", "rent", "deposit", "of", "tenant", "the", "Garden", "garden", "fence", "1999", "a"]


def attention(x: int, window: int, first: float, middle: float, last: float) -> float:
    """What the character at place x gets: the mean of a over it, cut where the lines meet."""

    def at(place: float) -> float:
        share = place / window
        return (
            first + (middle - first) * 2 * share
            if share <= 0.5
            else middle + (last - middle) * (2 * share - 1)
        )

    cuts = [float(x), *([window / 2] if x < window / 2 < x + 1 else []), float(x + 1)]
    return sum((b - a) * at((a + b) / 2) for a, b in pairwise(cuts))


def tell(text: str) -> set[str]:
    return {word.lower() for word in re.findall(r"\w+", text) if len(word) >= 4}


def brute(texts, gold, run, first, middle, last, gain, alike) -> float:
    relevant = {(row["doc"], at) for row in gold for at in range(row["start"], row["end"])}
    aim = set().union(*(tell(texts[row["doc"]][row["start"] : row["end"]]) for row in gold))
    trail = [[(row["doc"], at) for at in range(row["start"], row["end"])] for row in run]
    window = sum(map(len, trail))
    x, got, lost, whole = 0, 0.0, 0.0, 0.0
    seen: set[tuple[str, int]] = set()
    for row, read in zip(run, trail, strict=True):
        words = aim & tell(texts[row["doc"]][row["start"] : row["end"]])
        distracts = not relevant & set(read) and words and len(words) >= alike * len(aim)
        for place in read:
            here = attention(x, window, first, middle, last)
            got += here if place in relevant - seen else 0
            lost += here if distracts else 0
            whole += here
            x += 1
            seen.add(place)
    return got / len(relevant) + (gain * lost / whole if whole else 0)


@st.composite
def collections(draw):
    rng = random.Random(draw(st.integers(0, 10**6)))
    texts = {doc: " ".join(rng.choices(WORDS, k=rng.randint(4, 12))) for doc in "abc"}

    def rows(count):
        for rank in range(1, count + 1):
            doc = rng.choice("abc")
            start = rng.randint(0, len(texts[doc]) - 2)
            yield {"topic": "t", "doc": doc, "rank": rank, "start": start,
                   "end": rng.randint(start + 1, len(texts[doc]))}  # fmt: skip

    gold = [{key: value for key, value in row.items() if key != "rank"} for row in rows(rng.randint(1, 2))]
    merged = sorted({(row["doc"], at) for row in gold for at in range(row["start"], row["end"])})
    gold = [{"topic": "t", "doc": doc, "start": at, "end": at + 1} for doc, at in merged]
    ranges: list[dict] = []
    for row in gold:
        if ranges and ranges[-1]["doc"] == row["doc"] and ranges[-1]["end"] == row["start"]:
            ranges[-1]["end"] = row["end"]
        else:
            ranges.append(dict(row))
    return texts, ranges, list(rows(rng.randint(0, 6)))


@given(collections(), st.integers(1, 7), st.sampled_from(["1", "0.4"]), st.sampled_from(["0.5", "0.2", "1"]))
def test_values_equal_those_of_a_twin_that_looks_at_every_character(drawn, k, last, alike) -> None:
    texts, gold, run = drawn
    names = [f"tLM@{k}", f"tLM(first=0.8,middle=0.1,last={last})", f"tLM(gain=-0.5,alike={alike})@{k}"]
    names += ["tLM(middle=1,last=1)", "iR"]
    documents = [{"doc": doc, "text": text} for doc, text in texts.items()]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        found = dx.evaluate({"run": run}, gold, names, documents)
    expected = [
        brute(texts, gold, run[:k], 1, 0.71, 0.83, 0, 1),
        brute(texts, gold, run, 0.8, 0.1, float(last), 0, 1),
        brute(texts, gold, run[:k], 1, 0.71, 0.83, -0.5, float(alike)),
    ]
    *values, alike_everywhere, recall = (found.value("run", name) for name in names)
    assert values == pytest.approx(expected, abs=1e-12)
    assert alike_everywhere == pytest.approx(recall, abs=1e-12)


def test_the_middle_is_lost_and_likeness_misleads() -> None:
    documents = [
        {"doc": "d", "text": "The deposit is two months of rent."},
        {"doc": "alike", "text": "No deposit, no months of rent."},
        {"doc": "noise", "text": "The garden has a wooden fence."},
    ]
    gold = [{"topic": "t", "doc": "d", "start": 0, "end": 34}]

    def score(order: list[str], measure: str = "tLM(gain=-0.5)") -> float:
        rows = [{"topic": "t", "doc": doc, "rank": rank} for rank, doc in enumerate(order, 1)]
        return dx.Evaluation(gold, measure, documents).score(rows)[measure]

    first, middle, last = (
        score(order) for order in (["d", "noise", "noise"], ["noise", "d", "noise"], ["noise", "noise", "d"])
    )
    assert first > last > middle > 0
    assert score(["d", "alike"]) < score(["d", "noise"]) == score(["d", "noise"], "tLM")
    assert score(["alike"]) == -0.5 and score(["noise"]) == 0


def test_what_cannot_be_told_is_refused() -> None:
    gold = [{"topic": "t", "doc": "d", "start": 0, "end": 34}]
    with pytest.raises(dx.UsageError, match="alike does nothing without a gain below 0"):
        dx.measure("tLM(alike=0.3)")
    with pytest.raises(
        dx.UsageError, match=r"recognising distractors needs the documents' text; give the doc"
    ):
        dx.Evaluation(gold, "tLM(gain=-0.5)")
    documents = [{"doc": "e", "text": "x"}, {"doc": "d", "text": "word " * 10}]
    with pytest.raises(dx.UsageError, match=r"1 retrieved document is not among the documents given \(f\)"):
        dx.Evaluation(gold, "tLM(gain=-0.5)", documents).score(
            [{"topic": "t", "doc": "f", "rank": 1, "start": 0, "end": 5}]
        )
