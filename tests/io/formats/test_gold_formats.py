"""Gold as others keep it: SQuAD, ContractNLI, quotes with pages, annotation tools."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import doxeval as dx
from doxeval.io.formats.doccano import code_points_before_units
from doxeval.io.formats.format import formats
from tests.io.formats.format_samples import SAMPLES

HOLDING = [format.name for format in formats("assessments").values() if format.documents is not None]


def marked(gold: dx.Assessments, documents: dx.Documents) -> list[tuple[str, str, str]]:
    """Topic, document and words of every range."""
    topics = [gold.topics[topic] for topic in gold.pair_topic]
    docs = [gold.docs[doc] for doc in gold.pair_doc]
    texts = dict(zip(documents.ids, documents.text, strict=True))
    return [
        (topics[pair], docs[pair], texts[docs[pair]][a:b])
        for pair, a, b in zip(gold.ranges.pair, gold.ranges.start, gold.ranges.end, strict=True)
    ]


def squad(**changed: object) -> bytes:
    answer = {"text": "two", "answer_start": 4} | changed
    paragraph = {"context": "one two two three", "qas": [{"id": 1, "question": "?", "answers": [answer]}]}
    return json.dumps({"data": [{"title": "T", "paragraphs": [paragraph]}]}).encode()


@pytest.mark.parametrize("language", ["en", "de", "zh"])
def test_every_answer_of_squad_data_is_the_text_of_its_range(reference: Path, language: str) -> None:
    path = reference / "data" / "squad" / f"xquad.{language}.json"
    gold, documents = dx.read_assessments(path), dx.read_documents(path)
    answers = {
        question["id"]: [answer["text"] for answer in question["answers"]]
        for article in json.loads(path.read_text())["data"]
        for paragraph in article["paragraphs"]
        for question in paragraph["qas"]
    }
    found: dict[str, list[str]] = {}
    for topic, _, words in marked(gold, documents):
        found.setdefault(topic, []).append(words)
    assert found == answers and len(gold.topics) == 1190 and len(documents) == 240
    assert not len(gold.notices) and not len(documents.notices)
    assert gold.queries.keys() == answers.keys()


@pytest.mark.parametrize(("start", "place"), [(4, 4), (8, 8), (5, 4), (9, 8), (99, 8), (-3, 4)])
def test_an_answer_that_stands_elsewhere_goes_to_its_nearest_place(start: int, place: int) -> None:
    gold = dx.read_assessments(squad(answer_start=start))
    assert gold.ranges.start.tolist() == [place] and gold.ranges.end.tolist() == [place + 3]
    told = [notice for notice in gold.notices if "nearest place" in str(notice)]
    assert len(told) == (start != place) and all(notice.lasting for notice in told)


def test_an_answer_that_is_not_in_its_context_is_refused_and_counted() -> None:
    gold = dx.read_assessments(squad(text="four"))
    [notice] = gold.notices.refusals
    assert notice.count == 1 and "question 1: 'four'" in str(notice) and not len(gold.ranges)
    assert len(gold.pair_doc) == 1


def test_contracts(reference: Path) -> None:
    path = reference / "data" / "contractnli" / "dev.json"
    gold, documents = dx.read_assessments(path), dx.read_documents(path)
    assert len(gold.topics) == 1037 and len(gold.ranges) == 1228 and len(documents) == 61
    choices = [told["choice"] for told in gold.attributes.values()]
    assert [choices.count(one) for one in ("Entailment", "Contradiction", "NotMentioned")] == [519, 95, 423]
    assert not len(gold.notices) and not len(documents.notices)
    assert len(documents.parent) == 61 + 5102 and documents.tags == ["contract", "span"]
    contract = json.loads(path.read_text())["documents"][0]
    evidence = contract["annotation_sets"][0]["annotations"]
    expected = [
        (f"{contract['id']}/{key}", contract["file_name"], contract["text"][slice(*contract["spans"][at])])
        for key, found in evidence.items()
        for at in found["spans"]
    ]
    assert sorted(expected) == sorted(
        one for one in marked(gold, documents) if one[0].startswith(f"{contract['id']}/")
    )


def test_quotes_with_pages(reference: Path) -> None:
    folder = reference / "data" / "quotes"
    finance = dx.read_assessments(folder / "financebench" / "questions.jsonl")
    assert len(finance.topics) == 29 and finance.quotes is not None and len(finance.quotes) == 37
    assert finance.attributes["financebench_id_00438"]["question_type"] == "domain-relevant"
    assert "answer" not in finance.attributes["financebench_id_00438"]
    ohr = dx.read_assessments(folder / "ohr" / "qas.json")
    assert len(ohr.topics) == 797 and ohr.quotes is not None and len(ohr.quotes) == 798
    sources = [told["evidence_source"] for told in ohr.attributes.values()]
    assert Counter(sources) == {"text": 585, "table": 162, "equation": 50}


TOOLS = {
    "label-studio/leoka-team-2.json": (10, 263, 12),
    "label-studio/leoka-team-2.min.json": (10, 263, 12),
    "doccano/alice-in-wonderland.jsonl": (2, 568, 16),
    "doccano/labeling_text_label.jsonl": (3, 11, 2),
    "doccano/sequence_labeling.jsonl": (3, 4, 3),
    "doccano/relation_extraction.json": (3, 4, 1),
    "prodigy/fashion_brands_eval.jsonl": (1, 35, 59),
    "prodigy/ner_tweets.jsonl": (1, 17, 16),
}


@pytest.mark.parametrize("name", TOOLS)
def test_annotation_tools(reference: Path, name: str) -> None:
    path = reference / "data" / "annotations" / name
    gold, documents = dx.read_assessments(path), dx.read_documents(path)
    assert (len(gold.topics), len(gold.ranges), len(documents)) == TOOLS[name]
    assert not gold.notices.failures and not documents.notices.failures
    assert (gold.length[gold.pair_doc] >= 0).all()


def test_spans_after_an_emoji_are_right_in_each_tools_own_units(reference: Path) -> None:
    path = reference / "data" / "annotations" / "prodigy" / "fashion_brands_eval.jsonl"
    words = {word for _, _, word in marked(dx.read_assessments(path), dx.read_documents(path))}
    spans = (
        " ".join(token["text"] for token in task["tokens"][span["token_start"] : span["token_end"] + 1])
        for task in map(json.loads, path.read_text().splitlines())
        for span in task.get("spans") or ()
    )
    assert {re.sub(r"\s", "", word) for word in words} == {re.sub(r"\s", "", span) for span in spans}
    text = "\U0001f600\U0001f600 Acme"
    line = {"id": 1, "text": text, "label": [[5, 9, "BRAND"]]}
    data = json.dumps(line).encode()
    gold = dx.read_assessments(data)
    assert (gold.ranges.start.tolist(), gold.ranges.end.tolist()) == ([3], [7])
    assert "beyond U+FFFF" in str(next(iter(gold.notices)))


@given(st.text(max_size=30))
def test_utf16_units_are_counted_as_python_encodes_them(text: str) -> None:
    text = text.encode(errors="ignore").decode()
    places = code_points_before_units(text)
    assert len(places) == len(text.encode("utf-16-le")) // 2 + 1
    assert all(places[len(text[:at].encode("utf-16-le")) // 2] == at for at in range(len(text) + 1))


def test_brat_files_and_folders(reference: Path, tmp_path: Path) -> None:
    folder = reference / "data" / "annotations" / "brat"
    gold, documents = dx.read_assessments(folder), dx.read_documents(folder)
    assert not gold.notices.failures and len(documents) == 7
    pieces = 0
    for path in folder.glob("*.ann"):
        marks = [line.split("\t") for line in path.read_text().splitlines() if line.startswith("T")]
        pieces += sum(mark[1].count(";") + 1 for mark in marks)
        alone = dx.read_assessments(path)
        assert len(alone.ranges) <= sum(mark[1].count(";") + 1 for mark in marks)
        assert {mark[1].split()[0] for mark in marks} == set(alone.topics)
    assert len(gold.ranges) <= pieces
    words = "".join(word for _, _, word in marked(gold, documents))
    assert not words.isspace() and len(words) > 5000
    with pytest.raises(dx.InputError, match=r"a folder without files named \*\.ann"):
        dx.read_assessments(tmp_path)
    (tmp_path / "a.txt").write_text("Take the water.")
    (tmp_path / "a.ann").write_text("T1\tReagent 2 7\twater\nT2\tAction 0 4\twalk\nT3\tAction 0 4\tTake\n")
    one = dx.read_assessments(tmp_path / "a.ann")
    assert sorted(marked(one, dx.read_documents(tmp_path / "a.txt"))) == [
        ("Action", "a", "Take"), ("Reagent", "a", "water"),
    ]  # fmt: skip
    assert [notice.count for notice in one.notices] == [1, 1]


def test_web_annotations(reference: Path) -> None:
    folder = reference / "data" / "annotations" / "web-annotation"
    gold = dx.read_assessments(folder / "odyssey.w3c.json")
    assert gold.topics == ["marked"] and gold.quotes is not None and len(gold.quotes) == 5
    hypothesis = dx.read_assessments(folder / "hypothesis.json")
    assert hypothesis.topics == ["history", "web"] and hypothesis.quotes.text == ["ENQUIRE"] * 2
    position = {"type": "TextPositionSelector", "start": 3, "end": 9}
    page = {"items": [{"target": {"source": "d", "selector": position}, "body": {"value": "x"}}]}
    ranges = dx.read_assessments(json.dumps(page).encode()).ranges
    assert (ranges.start.tolist(), ranges.end.tolist()) == ([3], [9])


@pytest.mark.parametrize("name", ["label-studio", "doccano", "prodigy"])
def test_a_question_in_the_record_is_the_topic(name: str) -> None:
    data = SAMPLES["assessments", name].replace(b'"text": "', b'"question": "Why?", "text": "')
    gold = dx.read_assessments(data.split(b"\n{")[0], input_format=name)
    assert gold.topics == ["q000"] and gold.queries == {"q000": "Why?"} and len(gold.ranges) >= 1


@pytest.mark.parametrize("name", HOLDING)
def test_a_file_that_holds_its_documents_is_scored_against_itself(name: str, tmp_path: Path) -> None:
    gold = dx.read_assessments(SAMPLES["assessments", name])
    path = tmp_path / "gold.json"
    path.write_bytes(SAMPLES["assessments", name])
    if name in ("brat", "web-annotation", "quote-pages"):
        return
    pairs = [(topic, doc) for topic in gold.topics for doc in gold.docs]
    run = [{"topic": topic, "doc": doc, "rank": rank} for rank, (topic, doc) in enumerate(pairs)]
    assert dx.evaluate(run, path, "iR", path).value("run", "iR") == 1
    dx.convert(path, tmp_path / "native.jsonl")
    native = dx.read_assessments(tmp_path / "native.jsonl")
    assert native.ranges.start.tolist() == gold.ranges.start.tolist() and native.queries == gold.queries
    assert native.attributes == gold.attributes


def test_tasks_that_were_not_accepted_and_annotations_that_were_cancelled_do_not_count() -> None:
    data = SAMPLES["assessments", "prodigy"].replace(b'"accept"', b'"reject"')
    with pytest.raises(dx.InputError, match=r"holds no assessments \(1 task left out: its answer is reject"):
        dx.read_assessments(data, input_format="prodigy")
    tasks = json.loads(SAMPLES["assessments", "label-studio"])
    tasks[0]["annotations"][0]["was_cancelled"] = True
    with pytest.raises(dx.InputError, match="holds no assessments"):
        dx.read_assessments(json.dumps(tasks).encode(), input_format="label-studio")


REAL = [
    "squad/xquad.en.json",
    "contractnli/dev.json",
    "quotes/financebench/questions.jsonl",
    "quotes/ohr/qas.json",
]


@pytest.mark.parametrize("name", REAL)
def test_converted_gold_says_the_same(reference: Path, tmp_path: Path, name: str) -> None:
    dx.convert(reference / "data" / name, tmp_path / "gold.jsonl")
    gold, native = (
        dx.read_assessments(reference / "data" / name),
        dx.read_assessments(tmp_path / "gold.jsonl"),
    )
    assert repr(native) == repr(gold) and native.queries == gold.queries
    assert native.ranges.start.tolist() == gold.ranges.start.tolist()
    assert native.attributes == {topic: told for topic, told in gold.attributes.items() if told}
