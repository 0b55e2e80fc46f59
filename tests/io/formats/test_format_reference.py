"""Real files: what their README and their own tables count."""

from __future__ import annotations

import json

import pytest

import doxeval as dx
from doxeval.ground.placed_quotes import anchored
from doxeval.io.read import read_chunks


@pytest.mark.parametrize("name", ["passages", "bert", "overlap", "passages-ric", "bert-ric"])
def test_inex_runs(reference, name):
    path = reference / "data" / "inex0910" / f"{name}.fol"
    run = dx.read_run(path)
    assert len(run) == path.read_bytes().count(b"\n") and not len(run.notices)


def test_inex_assessments(reference):
    found = dx.read_assessments(reference / "data" / "inex0910" / "qrels.txt")
    assert len(found.topics) == 120 and len(found.pair_doc) == 10_329 and len(found.ranges) == 21_108
    assert not len(found.notices)


def test_genomics(reference):
    folder = reference / "data" / "genomics07"
    gold = dx.read_assessments(folder / "gold.txt")
    lines = (folder / "gold.txt").read_text().splitlines()
    assert len(gold.topics) == 36 and len(gold.ranges) == len(lines) and not len(gold.notices)
    assert gold.ranges.aspects.of(0) == lines[0].split("\t")[4].split("|")
    for name in ("york07-ga-01", "york07-ga-02"):
        run = dx.read_run(folder / f"{name}.txt")
        assert len(run) == 36_000 and len(run.topics) == 36 and not len(run.notices)


def test_chunking(reference):
    folder = reference / "data" / "chunking"
    questions = dx.read_assessments(folder / "questions_df.csv")
    native = dx.read_assessments(folder / "qrels.jsonl")
    assert len(questions.topics) == 472 and len(questions.ranges) == 790 and not len(questions.notices)
    assert questions.topics == native.topics and list(questions.docs) == list(native.docs)
    for column in ("pair", "start", "end"):
        assert getattr(questions.ranges, column).tolist() == getattr(native.ranges, column).tolist()
    topics = [json.loads(line) for line in (folder / "topics.jsonl").read_text().splitlines()]
    assert questions.queries == {row["topic"]: row["query"] for row in topics}
    for path in sorted((folder / "runs").iterdir()):
        run = dx.read_run(path)
        assert len(run) == 2360 and not len(run.notices)
        chunks = read_chunks(folder / "official" / f"{path.stem}.chunks.csv")
        assert len(chunks.docs) == 5 and not len(chunks.notices)


def test_quotes_of_real_questions_are_where_their_indices_say(reference):
    folder = reference / "data" / "chunking"
    texts = {path.stem: path.read_text() for path in (folder / "corpora").iterdir()}
    native = dx.read_assessments(folder / "qrels.jsonl")
    topics, ranges = native.pair_topic, native.ranges
    rows = []
    for pair, start, end in zip(ranges.pair, ranges.start, ranges.end, strict=True):
        doc = native.docs[native.pair_doc[pair]]
        rows.append({"topic": native.topics[topics[pair]], "doc": doc, "quote": texts[doc][start:end]})
    documents = dx.read_documents([{"doc": doc, "text": text} for doc, text in texts.items()])
    found = anchored(dx.read_assessments(rows), documents).quotes.placed
    assert len(found) == 790 and {place.outcome for place in found} == {"exact", "ambiguous"}
    assert sum(place.outcome == "ambiguous" for place in found) < 100
    for place, start, end in zip(found, ranges.start.tolist(), ranges.end.tolist(), strict=True):
        assert ((start, end),) in place.places
