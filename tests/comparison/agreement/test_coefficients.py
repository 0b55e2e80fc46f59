"""Every coefficient against a twin that goes over all characters, all units and all places one by one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from doxeval.comparison.agreement.agree import agree
from doxeval.comparison.agreement.coefficients import AGREEMENTS, USUAL_COEFFICIENTS

LENGTHS = {"d1": 12, "d2": 7, "d3": 1}

spans = st.tuples(st.integers(0, 12), st.integers(1, 6), st.integers(1, 3))
highlights = st.dictionaries(st.sampled_from(sorted(LENGTHS)), st.lists(spans, max_size=4), min_size=1)
judged_topics = st.dictionaries(st.sampled_from(["t1", "t2"]), highlights, min_size=1)
Judged = dict[str, dict[str, list[tuple[int, int, int]]]]


def rows(judged: Judged) -> list[dict[str, Any]]:
    """Assessments; a document in which nothing is relevant stands on a line of its own."""
    found = []
    for topic, docs in judged.items():
        for doc, marks in docs.items():
            here = {"topic": topic, "doc": doc, "length": LENGTHS[doc]}
            found.append(here)
            for start, size, grade in marks:
                end = min(start + size, LENGTHS[doc])
                if start < end:
                    found.append({**here, "start": start, "end": end, "rel": grade})
    return found


def painted(marks: list[tuple[int, int, int]], length: int, graded: bool) -> list[int]:
    """The class of every character: the highest grade on it, or whether there is any."""
    text = [0] * length
    for start, size, grade in marks:
        for at in range(start, min(start + size, length)):
            text[at] = max(text[at], grade if graded else 1)
    return text


def sections(text: list[int], grade: int) -> tuple[list[tuple[int, int]], list[int]]:
    """The units of a grade, as (start, end), and the lengths of the gaps between them."""
    units, gaps, start = [], [], 0
    for at in range(1, len(text) + 1):
        if at == len(text) or (text[at] == grade) != (text[at - 1] == grade):
            if text[at - 1] == grade:
                units.append((start, at))
            else:
                gaps.append(at - start)
            start = at
    return units, gaps


def distance(one: tuple[int, int], other: tuple[int, int]) -> int:
    """Krippendorff's delta^2 of two units; 0 where they do not meet."""
    meet = max(one[0], other[0]) < min(one[1], other[1])
    return (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2 if meet else 0


def disagreements(first: list[list[int]], second: list[list[int]], grade: int) -> tuple[float, float]:
    """D_o and D_e of units in several documents, every place that a unit could take tried one by one."""
    total = sum(map(len, first))
    apart, units, gaps = 0, [], []
    for one, other in zip(first, second, strict=True):
        (ours, our_gaps), (theirs, their_gaps) = sections(one, grade), sections(other, grade)
        apart += sum(distance(a, b) for a in ours for b in theirs)
        for some, others in ((ours, theirs), (theirs, ours)):
            alone = [unit for unit in some if all(max(unit[0], o[0]) >= min(unit[1], o[1]) for o in others)]
            apart += sum((end - start) ** 2 for start, end in alone)
        units += [end - start for start, end in [*ours, *theirs]]
        gaps += [*our_gaps, *their_gaps]
    chance = 0
    for at, b in enumerate(units):
        for a in units[:at]:
            chance += sum(distance((place, place + b), (0, a)) for place in range(1 - b, a))
        chance += sum(b * b for gap in gaps for place in range(gap) if place + b <= gap)
    ways = 2 * total * (2 * total - 1) - sum(b * (b - 1) for b in units)
    return apart / total**2, 2 * chance / (total * ways)


def twin(name: str, first: list[list[int]], second: list[list[int]]) -> float:
    """A coefficient by its definition, on the classes of all characters of some documents."""
    a, b = np.concatenate(first), np.concatenate(second)
    classes = sorted({*a, *b, 0})
    if name == "overlap":
        either = ((a > 0) | (b > 0)).sum()
        return ((a > 0) & (b > 0)).sum() / either if either else math.nan
    if name == "F1":
        marked = (a > 0).sum() + (b > 0).sum()
        return 2 * ((a > 0) & (b > 0)).sum() / marked if marked else math.nan
    if name == "kappa":
        chance = sum((a == c).mean() * (b == c).mean() for c in classes)
        return math.nan if chance == 1 else ((a == b).mean() - chance) / (1 - chance)
    if name == "alpha":
        values = np.concatenate([a, b])
        differing = sum(x != y for i, x in enumerate(values) for j, y in enumerate(values) if i != j)
        expected = differing / (len(values) * (len(values) - 1))
        return 1 - (a != b).mean() / expected if differing else math.nan
    found = [disagreements(first, second, int(grade)) for grade in classes if grade > 0]
    expected = sum(e for _, e in found)
    return 1 - sum(o for o, _ in found) / expected if expected else math.nan


@pytest.mark.filterwarnings("ignore::doxeval.DoxevalWarning")
@given(judged_topics, judged_topics, st.booleans(), st.sampled_from(["both", "either"]))
def test_coefficients_are_those_of_all_characters_one_by_one(
    ann: Judged, bob: Judged, graded: bool, judged: str
) -> None:
    topics = [topic for topic in ann if topic in bob]
    chosen = {
        topic: sorted(
            ann[topic].keys() & bob[topic].keys()
            if judged == "both"
            else ann[topic].keys() | bob[topic].keys()
        )
        for topic in topics
    }
    assume(any(chosen.values()))
    tables = {"ann": rows(ann), "bob": rows(bob)}
    graded = graded and any(row.get("rel", 1) > 1 for table in tables.values() for row in table)
    found = agree(tables, judged=judged, graded=graded, draws=100)
    for topic, docs in chosen.items():
        if not docs:
            continue
        texts = [
            [painted(side[topic].get(doc, []), LENGTHS[doc], graded) for doc in docs] for side in (ann, bob)
        ]
        for name in USUAL_COEFFICIENTS:
            value = found.value("ann", "bob", name, topic)
            assert (math.nan if value is None else value) == pytest.approx(
                twin(name, *texts), rel=1e-9, abs=1e-12, nan_ok=True
            ), name


KRIPPENDORFF_2004 = {
    "i": {"c": [(225, 70), (370, 30)], "k": [(180, 60), (300, 50)]},
    "j": {"c": [(220, 80), (355, 20), (400, 20)], "k": [(180, 60), (300, 50)]},
}
"""Content Analysis (2004), p. 254: two observers of a continuum from 150 to 450."""


def test_the_units_of_krippendorffs_book_have_his_value() -> None:
    """Of category c alone: D_o = 0.0144, D_e = 0.0532."""

    def assessed(observer: str) -> list[dict[str, Any]]:
        return [
            {"topic": "c", "doc": "d", "length": 300, "start": start - 150, "end": start - 150 + size}
            for start, size in KRIPPENDORFF_2004[observer]["c"]
        ]

    found = agree({"i": assessed("i"), "j": assessed("j")}, coefficients=["alphaU"])
    assert found.value("i", "j", "alphaU") == pytest.approx(0.7286, abs=5e-5)


@pytest.mark.parametrize(
    ("marked", "wanted"),
    [
        (False, {"overlap": None, "F1": None, "kappa": None, "alpha": None, "alphaU": None}),
        (True, {"overlap": 1.0, "F1": 1.0, "kappa": None, "alpha": None, "alphaU": 1.0}),
    ],
)
def test_where_all_text_is_judged_alike_what_is_undefined_is_told(
    marked: bool, wanted: dict[str, float | None]
) -> None:
    """Chance explains that all is relevant, or that nothing is; nobody's highlights overlap by nothing."""
    judged = [{"topic": "t", "doc": "d", "length": 30, **({"start": 0, "end": 30} if marked else {})}]
    found = agree({"ann": judged, "bob": judged})
    assert {name: found.value("ann", "bob", name) for name in USUAL_COEFFICIENTS} == wanted
    undefined = [name for name in USUAL_COEFFICIENTS if wanted[name] is None]
    told = "\n".join(map(str, found.notices.lasting))
    lines = [line.partition(": ") for line in told.splitlines()]
    assert {name for names, _, _ in lines for name in names.split(", ")} == set(undefined)
    assert all(rest.startswith("1 of 1 value is not in the mean: ") for _, _, rest in lines)


@pytest.mark.slow
def test_gamma_is_seeded_and_leaves_the_callers_draws_alone() -> None:
    pytest.importorskip("pygamma_agreement", reason="pygamma-agreement is not installed")
    ann = [{"topic": "t", "doc": "d", "length": 900, "start": s, "end": s + 60} for s in (0, 200, 500)]
    bob = [{"topic": "t", "doc": "d", "length": 900, "start": s, "end": s + 50} for s in (10, 230, 700)]

    def value(seed: int, second: list[dict[str, Any]] = bob) -> float | None:
        return agree({"a": ann, "b": second}, coefficients=["gamma"], seed=seed).value("a", "b", "gamma")

    np.random.seed(3)
    wanted = np.random.random()
    np.random.seed(3)
    first = value(0)
    assert np.random.random() == wanted
    assert first == value(0) != value(1)
    assert value(0, ann) == 1.0
    assert -1 < (first or 1) < 1


def test_coefficients_that_need_lengths_ask_for_the_documents() -> None:
    ann = [{"topic": "t", "doc": "d", "start": 0, "end": 9}]
    bob = [{"topic": "t", "doc": "d", "start": 3, "end": 9}]
    assert agree([ann, bob], coefficients=["overlap"]).value("assessor 1", "assessor 2", "overlap") == 6 / 9
    documents = {"d": "x" * 20}
    for name in AGREEMENTS:
        if AGREEMENTS[name].extent:
            with pytest.raises(Exception, match="--docs"):
                agree([ann, bob], coefficients=[name])
    found = agree([ann, bob], documents, coefficients=["kappa"])
    assert found.value("assessor 1", "assessor 2", "kappa") == pytest.approx(
        twin("kappa", [[1] * 9 + [0] * 11], [[0] * 3 + [1] * 6 + [0] * 11])
    )
