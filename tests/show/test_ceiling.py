"""What chunks allow any retriever, against every choice of chunks and every character."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import doxeval as dx
from doxeval.cli import group
from doxeval.core.screen import bullets
from doxeval.demo import ANSWERS, DOCUMENTS, RUNS
from doxeval.show.ceiling_table import collection_of_run
from tests.cases import LENGTHS, Case, cases, ranges

Place = tuple[str, int, int]


@st.composite
def collections(draw: st.DrawFn) -> list[Place]:
    found = [(doc, *extent) for doc, length in LENGTHS.items() for extent in draw(ranges(length, 3))]
    return found or [("d1", 0, 9)]


def rows(chunks: list[Place]) -> list[dict]:
    return [{"doc": doc, "start": start, "end": end} for doc, start, end in chunks]


def characters(place: Place) -> set[tuple[str, int]]:
    return {(place[0], at) for at in range(place[1], place[2])}


def highlights(case: Case) -> list[set[tuple[str, int]]]:
    """The needs: relevant text without gaps."""
    found: list[set[tuple[str, int]]] = []
    for doc in LENGTHS:
        for at in sorted(case.relevant_characters(doc)):
            if found and (doc, at - 1) in found[-1]:
                found[-1].add((doc, at))
            else:
                found.append({(doc, at)})
    return found


def fewest(need: set[tuple[str, int]], chunks: list[Place]) -> int:
    within = need & set().union(*map(characters, chunks))
    return next(
        count
        for count in range(len(chunks) + 1)
        for some in combinations(chunks, count)
        if within <= set().union(*map(characters, some))
    )


@settings(max_examples=25)
@given(cases(), collections(), st.integers(1, 4))
def test_the_best_choice_of_all(case: Case, chunks: list[Place], k: int) -> None:
    gold = set().union(*highlights(case))
    best = {"iR": 0.0, "iP": 0.0, "IoU": 0.0}
    for count in range(1, k + 1):
        for some in combinations(chunks, count):
            gain = len(gold & set().union(*map(characters, some)))
            size = sum(end - start for _, start, end in some)
            values = {"iR": gain / len(gold), "iP": gain / size, "IoU": gain / (size + len(gold) - gain)}
            best = {name: max(best[name], value) for name, value in values.items()}
    found = dx.ceiling(rows(chunks), case.qrels(), k=k)
    (one,) = found.collections
    assert {name: values[0] for name, values in one.limits.best.items()} == pytest.approx(best, abs=1e-12)

    needs = highlights(case)
    assert one.limits.whole.sum() == sum(any(need <= characters(c) for c in chunks) for need in needs)
    assert sorted(one.limits.fewest.tolist()) == sorted(fewest(need, chunks) for need in needs)
    assert one.limits.lost[0] == len(gold - set().union(*map(characters, chunks)))
    text = [character for chunk in chunks for character in characters(chunk)]
    assert one.repeated == pytest.approx(1 - len(set(text)) / len(text))


@settings(max_examples=15)
@given(cases(), collections(), st.randoms(use_true_random=False), st.integers(1, 4))
def test_no_retriever_is_better_and_one_that_shows_the_best_reaches_all(case, chunks, random, k) -> None:
    order = random.sample(chunks, len(chunks))
    run = [
        {"topic": "t1", "doc": doc, "rank": rank, "start": start, "end": end}
        for rank, (doc, start, end) in enumerate(order, 1)
    ]
    found = dx.ceiling({"c": rows(chunks)}, case.qrels(), runs={"c": run}, k=k)
    scores = dx.evaluate({"c": run}, case.qrels(), f"iR@{k} iP@{k} IoU@{k}")
    _, values = found.runs["c"]
    for name, (mean, share) in values.items():
        limit = found.collections[0].limits.best[name][0]
        assert mean == scores.value("c", f"{name}@{k}")
        assert share == pytest.approx(mean / limit) if limit else np.isnan(share)
        assert mean <= limit + 1e-12


def test_white_space_is_not_cut_off_and_needs_that_nothing_shows_take_no_chunk() -> None:
    documents = {"d": "One two.\n\nThree four.", "e": "Five."}
    answers = [
        {"topic": "t", "doc": "d", "start": 0, "end": 21},
        {"topic": "u", "doc": "e", "quote": "Five."},
    ]
    chunks = dx.chunk({"d": documents["d"]}, cut="paragraph")
    found = dx.ceiling(chunks, answers, documents)
    assert found.collections[0].limits.lost.tolist() == [0, 5]
    assert found.collections[0].limits.fewest.tolist() == [2, 0]
    assert "2.00" in found.table.plain() and "of 2" in found.table.plain()


def test_runs_belong_to_the_collection_they_name(tmp_path: Path) -> None:
    sizes = {"p": {"cut": "paragraph"}, "s": {"cut": "section"}}
    chunks = {name: dx.chunk(DOCUMENTS, **cut) for name, cut in sizes.items()}
    runs = {"bm25-p": RUNS / "paragraphs.jsonl", "s_bm25": RUNS / "sections.jsonl"}
    found = dx.ceiling(chunks, ANSWERS, DOCUMENTS, runs=runs)
    assert {run: name for run, (name, _) in found.runs.items()} == {"bm25-p": "p", "s_bm25": "s"}
    with pytest.raises(dx.UsageError, match="not clear from which chunks"):
        dx.ceiling(chunks, ANSWERS, DOCUMENTS, runs={"other": RUNS / "sections.jsonl"})


def test_results_that_are_no_chunks_have_no_ceiling() -> None:
    answers = [{"topic": "t", "doc": "d", "start": 0, "end": 10}]
    run = [{"topic": "t", "doc": "d", "rank": 1, "start": 0, "end": 10}]
    with pytest.warns(dx.DoxevalWarning, match="more than the chunks allow"):
        found = dx.ceiling({"c": [{"doc": "d", "start": 0, "end": 5}]}, answers, runs={"c": run})
    assert np.isnan(found.runs["c"][1]["iR"][1])
    assert ["1 run shows more than the chunks allow" in str(one) for one in found.notices.lasting] == [True]


def test_a_run_that_cannot_be_scored_is_named_and_left_out(tmp_path: Path) -> None:
    answers = [{"topic": "t", "doc": "d", "start": 0, "end": 10}]
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_text('{"topic": "t", "doc": "d", "rank": 1, "start": 0, "end": 5}\n')
    bad.write_text('{"topic": "t", "doc": "d", "rank": 1, "start": 9, "end": 5}\n')
    with pytest.warns(dx.DoxevalWarning, match="not scored: .*bad.jsonl"):
        found = dx.ceiling({"c": [{"doc": "d", "start": 0, "end": 5}]}, answers, runs=[good, bad])
    assert list(found.runs) == ["good"]


def test_the_command_says_what_the_function_does(tmp_path: Path) -> None:
    files = []
    for name, cut in {"large": "section", "small": "sentence"}.items():
        files.append(str(tmp_path / f"{name}.jsonl"))
        done = CliRunner().invoke(group, ["chunk", str(DOCUMENTS), "--cut", cut, "-o", files[-1]])
        assert done.exit_code == 0
    given = ["ceiling", *files, "-q", str(ANSWERS), "-d", str(DOCUMENTS), "-k", "3"]
    expected = dx.ceiling(files, ANSWERS, DOCUMENTS, k=3)
    for form in ("table", "csv", "jsonl", "md"):
        printed = CliRunner().invoke(group, [*given, "-f", form]).stdout_bytes
        said = bullets(expected.sentences).encode() if form == "table" else b""
        assert printed == said + expected.rendered(form)
    runs = [str(RUNS / f"{name}s.jsonl") for name in ("section", "paragraph")]
    done = CliRunner().invoke(group, ["ceiling", files[0], "--runs", *runs, "-q", str(ANSWERS)])
    assert done.exit_code == 0 and "paragraphs  large" in done.output


def test_sentences_name_the_most_and_the_least() -> None:
    answers = [{"topic": t, "doc": "d", "start": at, "end": at + 20} for t, at in (("t", 0), ("u", 25))]
    cut = {
        size: [{"doc": "d", "start": at, "end": at + size} for at in range(0, 60, size)] for size in (10, 30)
    }
    found = dx.ceiling({"small": cut[10], "large": cut[30]}, answers, k=1, runs={
        "small": [{"topic": "t", "doc": "d", "rank": 1, "start": 0, "end": 10}],
        "large": [{"topic": t, "doc": "d", "rank": 1, "start": 0, "end": 30} for t in "tu"],
    })  # fmt: skip
    assert found.sentences == [
        "One chunk holds 1 of 2 needs whole in `large`, 0 of 2 in `small`.",
        "1 chunk can show 88% of the relevant text in `large`, 50% in `small` (iR@1).",
        "Of what the chunks allow by iR@1, runs reach 71% with `large`, 50% with `small`.",
    ]
    assert "*" not in dx.ceiling(cut[10], answers).table.plain()
    assert dx.ceiling(cut[10], answers).sentences[0] == "One chunk holds 0 of 2 needs whole."


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"k": 0}, "k is at least 1"),
        ({"chunks": {}}, "at least one collection"),
        ({"chunks": [{"doc": "other", "start": 0, "end": 5}]}, "no document of the chunks was assessed"),
    ],
)
def test_what_cannot_be_compared_is_refused(given: dict, told: str) -> None:
    answers = [{"topic": "t", "doc": "d", "start": 0, "end": 10}]
    call = {"chunks": [{"doc": "d", "start": 0, "end": 5}], "assessments": answers, **given}
    with pytest.raises(dx.UsageError, match=told):
        dx.ceiling(**call)


@pytest.mark.parametrize(
    ("run", "names", "found"),
    [
        ("a", ["a", "ab"], "a"),
        ("anything", ["only"], "only"),
        ("bm25-large", ["large", "small"], "large"),
        ("bm25-very-large", ["large", "very-large"], "very-large"),
        ("large", ["large.chunks", "small.chunks"], "large.chunks"),
        ("bm25", ["large", "small"], None),
        ("large-small", ["large", "small"], None),
        ("large", ["large.one", "large.two"], None),
    ],
)
def test_a_run_retrieves_from_the_chunks_that_its_name_tells(run, names, found) -> None:
    if found is not None:
        assert collection_of_run(run, names) == found
        return
    with pytest.raises(dx.UsageError, match=f"^{run}: it is not clear from which chunks it retrieves"):
        collection_of_run(run, names)


def test_a_few_documents_of_both_sides_are_named_where_none_is_shared() -> None:
    answers = [{"topic": "t", "doc": doc, "start": 0, "end": 10} for doc in "abcde"]
    chunks = [{"doc": doc, "start": 0, "end": 5} for doc in "vwxyz"]
    with pytest.raises(dx.UsageError, match=r"have v, w, x, the assessments have a, b, c$"):
        dx.ceiling(chunks, answers)


def test_chunks_in_lines_are_held_against_answers_in_characters() -> None:
    chunks = [{"doc": "d", "start_line": at, "end_line": at} for at in (1, 2)]
    answers = [{"topic": "t", "doc": "d", "start": 0, "end": 9}]
    found = dx.ceiling(chunks, answers, {"d": "one\ntwo three\n"})
    assert found.unit == "lines" and found.collections[0].limits.fewest.tolist() == [2]
    with pytest.raises(dx.UsageError, match="to count one as the other, give the documents"):
        dx.ceiling(chunks, answers)
    seconds = [{"topic": "t", "doc": "d", "rank": 1, "start_s": 0, "end_s": 9}]
    with pytest.raises(dx.UsageError, match="one cannot become the other"):
        dx.evaluate(seconds, answers, "iR@1")


def test_answers_that_no_chunk_holds_are_told_white_space_aside() -> None:
    gold, chunks = [{"topic": "t", "doc": "d", "start": 0, "end": 10}], [{"doc": "d", "start": 0, "end": 5}]
    lost = "1 of 1 relevant text is out of reach: the chunks do not hold all of it (topic t, d: 0 to 10)"
    assert dx.Evaluation(gold, "iR").gold_problems(chunks) == [lost]
    assert dx.Evaluation(gold, "iR", {"d": "12345     67890"}).gold_problems(chunks) == []
    assert dx.Evaluation(gold, "iR", {"d": "12345   90"}).gold_problems(chunks) == [lost]
    in_lines = dx.Evaluation([gold[0] | {"end": 3}], "iR", {"d": "one\ntwo three four"})
    for line, problems in ((1, 0), (2, 1)):
        assert len(in_lines.gold_problems([{"doc": "d", "start_line": line, "end_line": line}])) == problems
