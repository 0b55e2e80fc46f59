"""Chunks in documents: where they say, by text, and with text that was added to them."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import doxeval as dx
from doxeval.core.notices import Notices
from doxeval.io.placing.place_chunks import Chunk, place_chunks
from doxeval.tables.runs import NO_DOCUMENT

DRAW = random.Random(5)
TEXT = " ".join(
    "".join(DRAW.choice("abcdefghijklmnop") for _ in range(DRAW.randrange(2, 9)))
    + DRAW.choice(["", "", ",", "."])
    for _ in range(1500)
)
DOCUMENTS = dx.read_documents({"one": TEXT, "two": TEXT[::-1]})
HEADER = "Document: Handbook of Zoology, Chapter 12\n\n"
GOLD = [{"topic": "q", "doc": "one", "start": 1000, "end": 1400}]


def place(*chunks):
    notices = Notices()
    placed = place_chunks(chunks, [f"chunk {at}" for at in range(len(chunks))], DOCUMENTS, notices, "run")
    return placed, " | ".join(map(str, notices))


@pytest.mark.parametrize("names", [("one",), ()])
@pytest.mark.parametrize(
    ("change", "added"),
    [
        (lambda text: HEADER + text, HEADER),
        (lambda text: text + "\n\n(Zoology, XII)", "\n\n(Zoology, XII)"),
        (lambda text: HEADER + text + "\n\n(Zoology, XII)", HEADER + "\n\n(Zoology, XII)"),
        (lambda text: HEADER + text.upper(), HEADER),
        (lambda text: HEADER + text.replace(" ", "\n"), HEADER),
    ],
)
def test_added_text_stands_beside_the_place(change, added, names):
    for start, end in ((1000, 1400), (0, 300), (len(TEXT) - 200, len(TEXT))):
        placed, told = place(Chunk(change(TEXT[start:end]), names))
        assert placed.docs == ["one"]
        assert abs(placed.start[0] - start) <= 2 and abs(placed.end[0] - end) <= 2
        assert abs(len(placed.added[0]) - len(added)) <= 4
        assert "1 in part or approximately" in told and "1 of 1 chunk has text that is not in" in told


@given(st.integers(0, len(TEXT) - 400), st.integers(150, 400), st.text("XYZ012", min_size=1, max_size=80))
@settings(max_examples=25, deadline=None)
def test_what_a_chunk_shows_is_as_long_as_the_chunk(start, size, header):
    placed, _ = place(Chunk(header + TEXT[start : start + size], ("one",)))
    shown = placed.end[0] - placed.start[0] + len(placed.added[0] if placed.added is not None else "")
    assert shown == len(header) + size
    assert TEXT[placed.start[0] : placed.end[0]].strip(" .,") == TEXT[start : start + size].strip(" .,")


def test_what_stands_nowhere_is_still_shown():
    placed, told = place(
        Chunk("Quite another thing 0123456789" * 5), Chunk("?", ("nobody",)), Chunk("", ("one",), 5, 9)
    )
    assert [placed.docs[code] for code in placed.doc] == [NO_DOCUMENT, NO_DOCUMENT, "one"]
    assert (placed.end - placed.start).tolist() == [150, 1, 4] and placed.added is None
    assert "not found in any document" in told and "not among those given" in told


def _scores(added_text, measure, **options):
    chunk = added_text + TEXT[1000:1400]
    runs = {
        "asked": lambda: dx.score_retriever(
            lambda question: [{"doc": "one", "text": chunk}], {"q": "?"}, GOLD, measure, DOCUMENTS, **options
        ),
        "written": lambda: dx.evaluate(
            [{"topic": "q", "doc": "one", "rank": 1, "text": chunk}], GOLD, measure, DOCUMENTS, **options
        ),
        "told": lambda: dx.evaluate(
            [{"topic": "q", "doc": "one", "rank": 1, "start": 1000, "end": 1400, "added": added_text}],
            GOLD, measure, DOCUMENTS, **options,
        ),
    }  # fmt: skip
    values = [score().runs[0].values.ravel()[0] for score in runs.values()]
    assert values[0] == values[1] == values[2]
    return values[0]


def test_added_text_is_irrelevant_text_shown_and_read_first():
    size = len(HEADER)
    assert _scores(HEADER, "iP@1") == pytest.approx(400 / (400 + size))
    assert _scores(HEADER, "iP@1", added="free") == 1
    assert _scores(HEADER, "iR@1") == 1
    assert _scores(HEADER, "IoU@1") == pytest.approx(400 / (400 + size))
    assert _scores(HEADER, "iR@100c") == pytest.approx((100 - size) / 400)
    assert _scores(HEADER, "iP@100c") == pytest.approx((100 - size) / 100)
    assert _scores(HEADER, "iP@10c") == 0
    assert _scores(HEADER, "iR@100c", added="free") == pytest.approx(100 / 400)
    words = len(HEADER.split())
    shown = len(" ".join(TEXT[1000:1400].split()[: 20 - words]))
    assert _scores(HEADER, "iR@20w") == pytest.approx(shown / 400, abs=0.02)
    assert _scores(HEADER, "Reach(recall=1)") == 400 + size
    assert _scores(HEADER, "Reach(recall=1)", added="free") == 400
    assert _scores(HEADER, "CharAP") < 1 and _scores(HEADER, "CharAP", added="free") == 1


@pytest.mark.parametrize("end", ["\n", "\x0c", "\0", "\n\0\0"])
def test_added_text_counts_to_its_last_character(end):
    added = HEADER.rstrip() + end
    assert _scores(added, "iP@1") == pytest.approx(400 / (400 + len(added)))


def test_added_text_is_kept_in_files(tmp_path):
    run = dx.retrieve(lambda question: [HEADER + TEXT[1000:1400]], {"q": "?"}, DOCUMENTS)
    dx.write_run(run, tmp_path / "run.jsonl")
    again = dx.read_run(tmp_path / "run.jsonl")
    assert again.added.tolist() == [HEADER] and (again.start[0], again.end[0]) == (1000, 1400)


def test_answers_are_kept_when_retrieving_is_interrupted(tmp_path):
    asked = []

    def search(question):
        asked.append(question)
        if question == "c" and len(asked) < 4:
            raise KeyboardInterrupt
        return [(TEXT[100:200], 0.5), {"doc": "one", "start": 5, "end": 20}]

    questions = {name: name for name in "abcd"}
    cache = tmp_path / "answers.jsonl"
    with pytest.raises(KeyboardInterrupt):
        dx.retrieve(search, questions, DOCUMENTS, cache=cache)
    cache.write_bytes(cache.read_bytes() + b'["retriever", "c", 10, [["cut o')
    run = dx.retrieve(search, questions, DOCUMENTS, cache=cache)
    assert asked == ["a", "b", "c", "c", "d"] and len(run) == 8
    assert "2 answers are from" in " ".join(map(str, run.notices))
    whole = dx.retrieve(search, questions, DOCUMENTS)
    for column in ("start", "end", "doc", "topic", "rank"):
        assert (getattr(run, column) == getattr(whole, column)).all()
    assert len(cache.read_text().splitlines()) == 4 and all(map(json.loads, cache.read_text().splitlines()))
    cache.write_text('{"topic": 1}\n')
    with pytest.raises(dx.InputError, match=r"answers.jsonl:1: not an answer"):
        dx.retrieve(search, questions, DOCUMENTS, cache=cache)


def test_progress_is_told(capsys):
    dx.retrieve(lambda question: [], {"q": "?"}, DOCUMENTS, progress=True)
    assert "retriever: 1 of 1 questions" in capsys.readouterr().err
