"""Gold that carries words: the documents must agree with them, in every format and however they changed."""

from __future__ import annotations

import csv
import io
import json
import random
import unicodedata
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import group
from doxeval.ground.ground import prepare_ground
from doxeval.io.formats.format import formats

NAME = "7/abstract"
"""A name that a document can have in every format."""
Mark = tuple[str, int, int]

WORDS = ["café", "river", "naïve", "stone", "“quoted”", "cloud", "(so)", "tree,", "field;", "house.", "über"]


def text_of(seed: int) -> str:
    """Lines of words in which short pieces occur many times, with accents, marks and quotes."""
    dice = random.Random(seed)
    lines = [" ".join(dice.choices(WORDS, k=dice.randint(3, 9))) for _ in range(60)]
    return "\n".join(lines)


def marks_of(text: str, seed: int) -> list[Mark]:
    """Some ranges, long ones that occur once and short ones that occur often."""
    dice = random.Random(seed)
    found = []
    for number in range(24):
        size = dice.choice([6, 12, 60, 150])
        start = dice.randrange(len(text) - size)
        while not text[start].isalnum() or not text[start + size - 1].isalnum():
            start = (start + 1) % (len(text) - size)
        found.append((f"t{number}", start, start + size))
    return found


def _native(text: str, marks: Iterable[Mark], key: str = "quote") -> list[dict[str, Any]]:
    return [{"topic": t, "doc": NAME, "start": a, "end": b, key: text[a:b]} for t, a, b in marks]


def _lines(rows: Iterable[Any]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def _parquet(text: str, marks: list[Mark]) -> bytes:
    stream = io.BytesIO()
    pl.DataFrame(_native(text, marks)).write_parquet(stream)
    return stream.getvalue()


def _chunk_evaluation(text: str, marks: list[Mark]) -> bytes:
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(["question", "references", "corpus_id"])
    for topic, a, b in marks:
        references = [{"content": text[a:b], "start_index": a, "end_index": b}]
        writer.writerow([topic, json.dumps(references), NAME])
    return stream.getvalue().encode()


def _legalbench(text: str, marks: list[Mark]) -> bytes:
    tests = [
        {"query": t, "snippets": [{"file_path": NAME, "span": [a, b], "answer": text[a:b]}]}
        for t, a, b in marks
    ]
    return json.dumps({"tests": tests}).encode()


def _squad(text: str, marks: list[Mark]) -> bytes:
    asked = [
        {"id": t, "question": t, "answers": [{"text": text[a:b], "answer_start": a}]} for t, a, b in marks
    ]
    return json.dumps({"data": [{"title": NAME, "paragraphs": [{"context": text, "qas": asked}]}]}).encode()


def _contracts(text: str, marks: list[Mark]) -> bytes:
    contracts = [
        {"id": t, "file_name": NAME, "text": text, "spans": [[a, b]],
         "annotation_sets": [{"annotations": {"h": {"choice": "Entailment", "spans": [0]}}}]}
        for t, a, b in marks
    ]  # fmt: skip
    return json.dumps({"documents": contracts, "labels": {"h": {"hypothesis": "?"}}}).encode()


def _label_studio(text: str, marks: list[Mark]) -> bytes:
    found = [{"value": {"start": a, "end": b, "text": text[a:b], "labels": [t]}} for t, a, b in marks]
    annotations = [{"completed_by": 1, "result": found}]
    return json.dumps([{"id": 1, "annotations": annotations, "data": {"text": text, "doc": NAME}}]).encode()


def _doccano(text: str, marks: list[Mark]) -> bytes:
    return _lines([{"id": NAME, "text": text, "label": [[a, b, t] for t, a, b in marks]}])


def _prodigy(text: str, marks: list[Mark]) -> bytes:
    spans = [{"start": a, "end": b, "label": t} for t, a, b in marks]
    return _lines([{"_input_hash": NAME, "_task_hash": 1, "text": text, "answer": "accept", "spans": spans}])


def _web(text: str, marks: list[Mark]) -> bytes:
    annotations = [
        {"type": "Annotation", "body": [{"value": t, "purpose": "tagging"}],
         "target": {"source": NAME, "selector": [
             {"type": "TextQuoteSelector", "exact": text[a:b], "prefix": text[max(0, a - 10):a]},
             {"type": "TextPositionSelector", "start": a, "end": b}]}}
        for t, a, b in marks
    ]  # fmt: skip
    return json.dumps(annotations).encode()


def _bioasq(text: str, marks: list[Mark]) -> bytes:
    address = "http://www.ncbi.nlm.nih.gov/pubmed/7"
    questions = [
        {"id": t, "body": t, "type": "list", "documents": [address], "snippets": [
            {"document": address, "beginSection": "abstract", "endSection": "abstract",
             "offsetInBeginSection": a, "offsetInEndSection": b, "text": text[a:b]}]}
        for t, a, b in marks
    ]  # fmt: skip
    return json.dumps({"questions": questions}).encode()


FILES: dict[str, Callable[[str, list[Mark]], bytes]] = {
    "native-assessments": lambda text, marks: _lines(_native(text, marks)),
    "parquet": _parquet,
    "chunk-eval-csv": _chunk_evaluation,
    "legalbench-rag": _legalbench,
    "squad": _squad,
    "contract-nli": _contracts,
    "label-studio": _label_studio,
    "doccano": _doccano,
    "prodigy": _prodigy,
    "web-annotation": _web,
    "bioasq": _bioasq,
}
ELSEWHERE = {"brat", "contextbench"}
"""Formats with words and offsets that are tested on their own: documents named after the file, or lines."""
WITHOUT = {
    "genomics-gold", "bioasq-documents", "inex-assessment-xml", "inex-assessments", "judgements",
    "quote-pages", "trec-qrels", "diff", "locagent", "swe-bench", "qvhighlights", "mmdocir",
    "mmlongbench-doc", "langsmith", "ragas", "beir", "contextbench", "gold-lines", "hotpotqa", "kilt",
    "locomo", "longmemeval", "longmemeval-log", "qasper", "qasper-questions", "scifact",
}  # fmt: skip
"""Formats without words, or without offsets."""

CHANGES: dict[str, Callable[[str], bytes]] = {
    "shifted": lambda text: b"1234567" + text.encode(),
    "with a header": lambda text: b"-" * 269 + b"\n" + text.encode(),
    "with a mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "with a mark in the text": lambda text: b"\xef\xbb\xbf\xef\xbb\xbf" + text.encode(),
    "with carriage returns": lambda text: text.replace("\n", "\r\n").encode(),
    "decomposed": lambda text: unicodedata.normalize("NFD", text).encode(),
    "cut": lambda text: text[400:].encode(),
}


def same(found: str, words: str) -> bool:
    return unicodedata.normalize("NFC", " ".join(found.split())) == unicodedata.normalize(
        "NFC", " ".join(words.split())
    )


def documents_of(data: bytes, tmp_path: Path) -> dx.Documents:
    (tmp_path / "docs" / "7").mkdir(parents=True)
    (tmp_path / "docs" / "7" / "abstract.txt").write_bytes(data)
    return dx.read_documents(tmp_path / "docs")


def test_every_format_is_known_to_have_words_or_not() -> None:
    assert set(formats("assessments")) == FILES.keys() | ELSEWHERE | WITHOUT


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", FILES)
def test_words_that_agree_change_nothing(name: str, seed: int, tmp_path: Path) -> None:
    text = text_of(seed)
    marks = marks_of(text, seed)
    gold = dx.read_assessments(FILES[name](text, marks), input_format=name)
    ground = prepare_ground(gold, documents_of(text.encode(), tmp_path))
    assert [*zip(ground.unit_start.tolist(), ground.unit_end.tolist(), strict=True)] == [m[1:] for m in marks]
    told = [str(notice) for notice in ground.assessments.notices.failures]
    assert not told and "24 of 24 quotes found: 24 where stated" in " ".join(
        map(str, ground.assessments.notices)
    )
    alone = prepare_ground(gold)
    assert [*zip(alone.unit_start.tolist(), alone.unit_end.tolist(), strict=True)] == [m[1:] for m in marks]
    assert "quotes found" not in " ".join(map(str, alone.assessments.notices)), "nothing was compared"


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", FILES)
def test_changed_documents_are_noticed_and_gold_is_placed_again_or_refused(
    name: str, change: str, seed: int, tmp_path: Path
) -> None:
    text = text_of(seed)
    marks = marks_of(text, seed)
    gold = dx.read_assessments(FILES[name](text, marks), input_format=name)
    documents = documents_of(CHANGES[change](text), tmp_path)
    new = documents.text[0]
    ground = prepare_ground(gold, documents)
    notices = ground.assessments.notices
    told = {notice.message: notice.count for notice in notices}
    topic = ground.assessments.pair_topic[ground.unit_pair]
    wanted = {gold.topics[code]: None for code in range(len(gold.topics))}
    words = dict(
        zip(wanted, (text[a:b] for _, a, b in sorted(marks, key=lambda m: int(m[0][1:]))), strict=True)
    )
    like = [str(notice) for notice in notices if "approximately" in str(notice)]
    assert not like or change == "cut"
    for at, code in enumerate(topic.tolist() if not like else ()):
        found = new[ground.unit_start[at] : ground.unit_end[at]]
        assert same(found, words[ground.topics[code]]), "what counts as relevant has the words of the gold"
    left_out = sum(count for message, count in told.items() if "left out" in message)
    assert len(set(topic.tolist())) == len(marks) - left_out, "what has no place is counted"
    moved = sum(count for message, count in told.items() if "not where stated" in message)
    in_place = sum(new[a:b] == text[a:b] for _, a, b in marks)
    if new == text and name != "legalbench-rag":
        assert not notices.failures
    elif change not in ("decomposed", "with a mark"):
        assert moved + left_out >= len(marks) - in_place > 0
    if change in ("shifted", "with a header", "with a mark in the text"):
        assert left_out == 0, "what moved alike is found, even if it occurs several times"


@pytest.mark.parametrize("words", ["text", "answer"])
def test_words_by_another_name_count_if_they_are_as_long_as_their_range(words: str) -> None:
    text = text_of(1)
    marks = marks_of(text, 1)
    gold = _native(text, marks, words)
    found = prepare_ground(dx.read_assessments(gold), dx.read_documents({NAME: "1234567" + text}))
    assert found.unit_start.tolist() == [start + 7 for _, start, _ in marks]
    other = [row | {words: "42"} for row in gold]
    found = prepare_ground(dx.read_assessments(other), dx.read_documents({NAME: text}))
    assert found.unit_start.tolist() == [start for _, start, _ in marks], "an answer that is no quote"


def test_pieces_of_brat_are_compared(tmp_path: Path) -> None:
    text = "Take the water bath and heat the water slowly."
    (tmp_path / "p.ann").write_text("T1\tReagent 9 14;33 38\twater water\nT2\tAction 0 4\tTake\n")
    gold = dx.read_assessments(tmp_path / "p.ann")
    found = prepare_ground(gold, dx.read_documents({"p": text}))
    assert found.unit_start.tolist() == [9, 33, 0] and not found.assessments.notices.failures
    found = prepare_ground(gold, dx.read_documents({"p": "1234567" + text}))
    assert found.unit_start.tolist() == [16, 40, 7]
    assert "2 quotes are not where stated" in " ".join(map(str, found.assessments.notices))
    (tmp_path / "p.txt").write_text(text)
    gold = dx.read_assessments(tmp_path / "p.ann")
    found = prepare_ground(gold, dx.read_documents({"p": "1234567" + text}))
    assert found.unit_start.tolist() == [16, 40, 7]


@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize("answers", [True, False])
def test_spans_of_legalbench_count_the_mark_of_a_file(answers: bool, indexed: bool, tmp_path: Path) -> None:
    text = text_of(5)
    counted = "\ufeff" + text
    marks = [(topic, start + 1, end + 1) for topic, start, end in marks_of(text, 5)]
    content = json.loads(_legalbench(counted, marks))
    if not answers:
        for test in content["tests"]:
            del test["snippets"][0]["answer"]
    documents = documents_of(counted.encode(), tmp_path)
    if indexed:
        dx.index(tmp_path / "docs", tmp_path / "docs.dox")
        documents = dx.read_documents(tmp_path / "docs.dox")
    ground = prepare_ground(dx.read_assessments(json.dumps(content).encode()), documents)
    assert ground.unit_start.tolist() == [start - 1 for _, start, _ in marks]
    assert not ground.assessments.notices.failures
    run = [
        {"topic": f"q{number:03d}", "doc": NAME, "rank": 1, "start": start - 1, "end": end - 1}
        for number, (_, start, end) in enumerate(marks)
    ]
    scores = dx.evaluate(run, json.dumps(content).encode(), "iR@1 iP@1", documents)
    assert scores.runs[0].values.min() == 1


def test_documents_without_text_are_not_compared() -> None:
    text = text_of(2)
    marks = marks_of(text, 2)
    for documents in (
        [{"doc": NAME, "length": len(text)}],
        [{"doc": NAME, "length": len(text)}, {"doc": "x", "text": "x"}],
    ):
        ground = prepare_ground(dx.read_assessments(_native(text, marks)), dx.read_documents(documents))
        assert ground.unit_start.tolist() == [start for _, start, _ in marks]
        assert "where stated" not in " ".join(map(str, ground.assessments.notices))


def output(words: list[Any]) -> str:
    return CliRunner().invoke(group, [str(word) for word in words]).output


def test_every_command_says_it(tmp_path: Path) -> None:
    text = text_of(4)
    marks = marks_of(text, 4)
    documents_of(b"1234567" + text.encode(), tmp_path)
    gold, run, docs = tmp_path / "gold.json", tmp_path / "run.jsonl", tmp_path / "docs"
    gold.write_bytes(_legalbench(text, marks))
    run.write_bytes(
        _lines(
            {"topic": f"q{number:03d}", "doc": NAME, "rank": 1, "text": text[a:b]}
            for number, (_, a, b) in enumerate(marks)
        )
    )
    told = "24 quotes are not where stated"
    for words in (
        ["eval", run, "-q", gold, "-d", docs, "-m", "iR@1"],
        ["validate", gold, "-d", docs],
        ["validate", run, "-q", gold, "-d", docs],
        ["report", run, "-q", gold, "-d", docs, "-m", "iR@1", "-o", tmp_path / "report.html"],
    ):
        assert told in output(words), words
    assert told in (tmp_path / "report.html").read_text()
    levels = output(["anchor", gold, "-d", docs, "-o", tmp_path / "out.jsonl"])
    assert "exact" in levels and "in place" not in levels and "as stated" not in levels
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    starts = [row["start"] for row in rows if "start" in row]
    assert sorted(starts) == sorted(start + 7 for _, start, _ in marks)
