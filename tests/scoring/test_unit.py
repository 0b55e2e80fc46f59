"""Lines in place of characters: a document of n lines scores like one of n characters, by every measure."""

from __future__ import annotations

import random
import warnings
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import doxeval
from doxeval.core.errors import DoxevalError, InputError, UsageError
from doxeval.core.grammar import Call, parse_call, parse_measure
from doxeval.core.parameters import keyed
from doxeval.measurement.base import MEASURES
from doxeval.tables.line_map import LineMap, documents_in_lines, line_count, line_ends

LENGTH = 60
DOCS = [f"d{number}" for number in range(4)]
EXTENTS = [(None, 0, 60), (0, 0, 30), (1, 0, 15), (1, 15, 30), (0, 30, 60), (4, 40, 41), (4, 41, 60)]


def explicit(called, call: Call, told: frozenset[str] = frozenset()) -> Call:
    """The call with every size that has a default in characters given: 7."""
    given = keyed(called.parameters, call, str(call))
    told |= given.keys()
    for parameter in called.parameters:
        value = given.get(parameter.name, parameter.default)
        if parameter.in_characters and parameter.name not in told:
            given[parameter.name] = Fraction(7) if parameter.kind != "choice" else "characters"
        elif parameter.kind == "call" and value is not None:
            inner = parse_call(value) if isinstance(value, str) else value
            given[parameter.name] = explicit(parameter.choices[inner.name], inner, told)
    return Call(call.name, tuple(given.items()))


def samples() -> list[str]:
    """An example and the variants of every measure."""
    found = []
    for measure in MEASURES.all().values():
        for sample in map(parse_measure, measure.samples()):
            found.append(str(replace(sample, call=explicit(measure, sample.call))))
    return [sample for sample in found if "alike" not in sample]  # which compares words


def evaluation(rng: random.Random) -> tuple[list[dict], list[dict], list[dict]]:
    """Assessments, results and chunks, in characters."""
    gold, run = [], []
    for topic in ("t1", "t2", "t3"):
        for doc in rng.sample(DOCS, 3):
            start = rng.randrange(50)
            need = rng.choice("AB")
            gold.append(
                {"topic": topic, "doc": doc, "start": start, "end": start + rng.randint(1, 9), "need": need}
            )
        for rank in range(1, 9):
            start = rng.randrange(55)
            place = {"start": start, "end": start + rng.randint(1, 20)}
            run.append({"topic": topic, "doc": rng.choice(DOCS), "rank": rank, "score": 9.0 - rank} | place)
    chunks = [{"doc": doc, "start": at, "end": at + 15} for doc in DOCS for at in range(0, 60, 15)]
    return gold, run, chunks


def in_lines(rows: list[dict]) -> list[dict]:
    """The same with lines in place of characters."""
    return [
        {key: value for key, value in row.items() if key not in ("start", "end")}
        | {"start_line": row["start"] + 1, "end_line": min(row["end"], LENGTH)}
        for row in rows
    ]


def collection(unit: str) -> list[dict]:
    """Documents of 60 characters, or of 60 lines, with the same tree."""
    texts = ["x"] * LENGTH if unit == "characters" else ["yz"[: at % 3] + "\n" for at in range(LENGTH)]
    bounds = [0]
    for line in texts:
        bounds.append(bounds[-1] + len(line))
    nodes = [
        {"parent": parent, "tag": "n", "start": bounds[start], "end": bounds[end]}
        for parent, start, end in EXTENTS
    ]
    return [{"doc": doc, "text": "".join(texts), "nodes": nodes} for doc in DOCS]


def scores(measure: str, gold, run, docs, chunks, **options):
    evaluated = doxeval.Evaluation(gold, measure, docs, **options, **({"chunks": chunks} if chunks else {}))
    return evaluated.score(run).runs[0].values.tolist()


@pytest.mark.parametrize("with_documents", [False, True])
@pytest.mark.parametrize("measure", samples())
def test_n_lines_score_like_n_characters(measure, with_documents):
    gold, run, chunks = evaluation(random.Random(measure))
    chunks = chunks if "omega" in measure else None
    docs = {unit: collection(unit) if with_documents else None for unit in ("characters", "lines")}
    if not with_documents:
        gold += [{"topic": "t1", "doc": doc, "length": LENGTH} for doc in DOCS]
    lined = [in_lines([row])[0] if "start" in row else row for row in gold]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = scores(measure, gold, run, docs["characters"], chunks)
        except DoxevalError as problem:
            with pytest.raises(type(problem)):
                scores(measure, lined, in_lines(run), docs["lines"], chunks and in_lines(chunks))
            return
        twin = measure.replace("unit=characters", "unit=lines")
        found = scores(twin, lined, in_lines(run), docs["lines"], chunks and in_lines(chunks))
    assert str(found) == str(expected)


@pytest.mark.parametrize(
    "measure", ["tU", "tTBG", "CE@5", "ChP@doc", "T2I@doc", "BEP@doc", "ESRR(nav=readon)"]
)
def test_a_default_in_characters_must_be_given(measure):
    gold = [{"topic": "t", "doc": "d", "start_line": 1, "end_line": 2, "length": 9}]
    with pytest.raises(UsageError, match="is a number of characters; give it in lines"):
        doxeval.Evaluation(gold, measure)


def test_a_navigation_model_too():
    gold = [{"topic": "t", "doc": "d", "start_line": 1, "end_line": 2}]
    with pytest.raises(UsageError, match="mean of readon"):
        doxeval.Evaluation(gold, "ESRR", navigation="readon")
    assert doxeval.Evaluation(gold, "ESRR", navigation="readon(mean=500)").ground.unit == "lines"


LINE = st.text(alphabet="ab é\r", max_size=5)


@given(st.lists(LINE, max_size=8), st.booleans(), st.data())
@settings(max_examples=25, deadline=None)
def test_lines_and_characters_as_a_brute_force_twin_counts_them(lines, ended, data):
    text = "\n".join(lines) + "\n" * (ended and bool(lines))
    documents = doxeval.read_documents([{"doc": "d", "text": text, "nodes": []}]) if text else None
    line_of, line = [], 0
    for letter in text:
        line_of.append(line)
        line += letter == "\n"
    count = line_of[-1] + 1 if text else 0
    assert line_count(text) == count == len(line_ends(text))
    if not text:
        return
    lines_of = LineMap(documents)
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    import numpy as np

    def one(pair):
        return [int(column[0]) for column in pair]

    zero, first, after = np.array([0]), np.array([start]), np.array([end])
    touched = {line_of[at] for at in range(start, end)}
    assert one(lines_of.lines(zero, first, after)) == [min(touched), max(touched) + 1]
    low = data.draw(st.integers(0, count - 1))
    high = data.draw(st.integers(low, count - 1))
    inside = [at for at, number in enumerate(line_of) if low <= number <= high]
    found = one(lines_of.characters(zero, np.array([low]), np.array([high + 1])))
    assert found == [inside[0], inside[-1] + 1]
    assert one(lines_of.lines(zero, *map(np.array, ([found[0]], [found[1]])))) == [low, high + 1]
    assert documents_in_lines(documents).length.tolist() == [count]


def test_a_line_that_nodes_share_is_that_of_the_first_of_them():
    text = "one two\nthree four\nfive six\nseven\n"
    places = {"a": (0, 34), "b": (0, 13), "c": (14, 23), "d": (0, 3), "e": (4, 13), "f": (24, 33)}
    above = {"a": None, "b": "a", "c": "a", "d": "b", "e": "b", "f": "a"}
    nodes = [{"id": name, "parent": above[name], "tag": "p", "start": start, "end": end}
             for name, (start, end) in places.items()]  # fmt: skip
    rows = [{"doc": doc, "text": text, "nodes": nodes} for doc in ("d1", "d2")]
    found = documents_in_lines(doxeval.read_documents(rows))
    extents = {"a": (0, 4), "b": (0, 2), "d": (0, 1), "e": (1, 2), "c": (2, 3), "f": (3, 4)}
    assert list(zip(found.start.tolist(), found.end.tolist(), strict=True)) == [*extents.values()] * 2
    run = [{"topic": "t", "doc": "d1", "rank": 1, "node": "c"}]
    gold = [{"topic": "t", "doc": "d1", "lines": [[2, 3]]}]
    scores = doxeval.evaluate(run, gold, "iP@1 iR@1", rows, unit="lines")
    assert [scores["iP@1"], scores["iR@1"]] == [1, 0.5]


DOC = [{"doc": "a.py", "text": "one\ntwo\nthree\nfour\n"}]
GOLD = [{"topic": "t", "doc": "a.py", "lines": [[2, 3]]}]


def test_the_unit_is_lines_if_all_give_lines_and_characters_otherwise():
    lines = [{"topic": "t", "doc": "a.py#L3-L4"}]
    letters = [{"topic": "t", "doc": "a.py", "start": 4, "end": 8}]
    assert doxeval.evaluate({"r": lines}, GOLD, "iR", DOC).value("r", "iR") == 0.5
    both = doxeval.evaluate({"lines": lines, "letters": letters}, GOLD, "iR iP", DOC)
    assert both.value("lines", "iR") == 6 / 10 and both.value("letters", "iR") == 4 / 10
    asked = doxeval.evaluate({"letters": letters}, GOLD, "iR", DOC, unit="lines")
    assert asked.value("letters", "iR") == 0.5
    with pytest.raises(UsageError, match="--docs FILE"):
        doxeval.evaluate({"letters": letters}, GOLD, "iR")


def test_the_footer_says_that_lines_are_counted():
    found = doxeval.evaluate([{"topic": "t", "doc": "a.py:2"}], GOLD, "iR")
    assert "text is counted in lines" in str(found) and found.value("run", "iR") == 0.5


def test_cutoffs_in_lines_count_lines_in_both_units():
    run = [{"topic": "t", "doc": "a.py:1-4"}]
    for unit in ("lines", "characters"):
        found = doxeval.evaluate(run, GOLD, "iR@2l iR@3l iR@8c", DOC, unit=unit)
        expected = {"lines": [0.5, 1.0, 0.5], "characters": [0.4, 1.0, 0.4]}[unit]
        assert [found.value("run", name) for name in found.measures] == expected


def test_lines_that_are_wrong_are_refused_with_their_place():
    rows = [{"topic": "t", "doc": "a.py", "start_line": 0, "end_line": 2}, {"topic": "t", "doc": "a.py:1"},
            {"topic": "t", "doc": "a.py", "start_line": 5, "end_line": 2},
            {"topic": "t", "doc": "a.py", "lines": [[2, 1]]}]  # fmt: skip
    run = doxeval.read_run(rows)
    assert len(run) == 1 and sum(notice.count for notice in run.notices.refusals) == 3
    with pytest.raises(InputError, match="one unit"):
        doxeval.read_run(
            [{"topic": "t", "doc": "a", "start": 1, "end": 2}, {"topic": "t", "doc": "a", "lines": [[1, 2]]}]
        )


def test_lines_are_written_as_they_were_read(tmp_path):
    rows = [{"topic": "t", "doc": "a.py", "rank": 1, "start_line": 2, "end_line": 3},
            {"topic": "t", "doc": "a.py", "rank": 2, "lines": [[1, 1], [4, 4]]}]  # fmt: skip
    for name in ("run.jsonl", "run.parquet"):
        doxeval.write_run(doxeval.read_run(rows), tmp_path / name)
        run = doxeval.read_run(tmp_path / name)
        assert run.unit == "lines" and [run.spans_of(row) for row in range(2)] == [[(1, 3)], [(0, 1), (3, 4)]]
    with pytest.raises(InputError, match="given as lines"):
        doxeval.write_run(doxeval.read_run(rows), tmp_path / "run.fol", format="inex-fol")
