"""Files of benchmarks: what becomes of them, and scorers written again on small files made here."""

from __future__ import annotations

import contextlib
import gzip
import json
import random
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import doxeval as dx
from doxeval.io.formats.format import OTHER_KINDS, Options, formats
from doxeval.io.source import Source
from tests.io.formats.format_samples import SAMPLES


def evaluate(run, gold, names, documents=None, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        return dx.evaluate({"run": run}, gold, names, documents, **options)


def json_lines(rows) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def ranges_of(gold):
    return [(gold.docs[gold.pair_doc[pair]], int(start) + 1, int(end)) for pair, start, end in
            zip(gold.ranges.pair, gold.ranges.start, gold.ranges.end, strict=True)]  # fmt: skip


def test_hotpotqa_facts_are_lines_and_needs():
    gold = dx.read_assessments(SAMPLES["assessments", "hotpotqa"])
    assert gold.unit == "lines" and sorted(ranges_of(gold)) == [("Heat", 2, 2), ("Tea", 1, 1)]
    assert gold.ranges.aspects.of(0) == ["Tea, 0"] and gold.attributes["h1"]["level"] == "easy"
    run = dx.read_run(SAMPLES["run", "hotpotqa"])
    assert run.topics == ["h1", "h2"] and run.start.tolist() == [0, 1]
    twice = dx.read_run(b'{"answer": {}, "sp": {"h1": [["Tea", 0], ["Tea", 0]]}}')
    assert len(twice) == 1 and "1 fact is named twice" in str(next(iter(twice.notices)))


def test_hotpotqa_documents_have_a_line_for_each_sentence(tmp_path: Path):
    path = tmp_path / "gold.json"
    path.write_bytes(SAMPLES["assessments", "hotpotqa"])
    documents = dx.read_documents(path)
    assert list(documents.text) == ["Tea is a drink.\nIt is old.\n", "Heat.\nHot.\n"]
    assert dx.read_topics(path).queries == {"h1": "Is the drink tea hot?"}


@given(st.integers(0, 10**6))
@settings(max_examples=15)
def test_hotpotqa_is_scored_as_its_scorer_does(seed):
    rng = random.Random(seed)
    titles = ["A", "B", "C"]
    context = [[title, [f"{title} {at}." for at in range(4)]] for title in titles]
    facts = [[title, at] for title in titles for at in range(4)]
    gold: list[dict[str, Any]] = [
        {
            "_id": f"q{n}",
            "question": "?",
            "answer": "",
            "supporting_facts": rng.sample(facts, rng.randint(1, 4)),
            "context": context,
        }
        for n in range(3)
    ]
    made_up = [["Elsewhere", 0], ["A", 9]]
    told = {f"q{n}": rng.sample([*facts, *made_up], rng.randint(0, 5)) for n in range(3)}
    told["q2"] = rng.choice([told["q2"], gold[2]["supporting_facts"]])
    scores = evaluate(json.dumps({"answer": {}, "sp": told}).encode(), json.dumps(gold).encode(),
                      "F(beta=1) iP@99 iR Complete Exact")  # fmt: skip
    for record in gold:
        wanted, found = (
            {tuple(fact) for fact in some} for some in (record["supporting_facts"], told[record["_id"]])
        )
        hit = len(wanted & found)
        precision, recall = hit / len(found) if found else 0, hit / len(wanted)
        f1 = 2 * precision * recall / (precision + recall) if hit else 0
        for name, value in {
            "F(beta=1)": f1,
            "iP@99": precision,
            "iR": recall,
            "Complete": float(wanted <= found),
            "Exact": float(wanted == found),
        }.items():
            assert scores.value("run", name, record["_id"]) == pytest.approx(value), name


def test_a_fact_without_a_sentence_is_told():
    gold = SAMPLES["assessments", "hotpotqa"].replace(b'["Heat", 1]', b'["Heat", 7]')
    told = dx.read_assessments(gold)
    assert any(
        "1 supporting fact names a sentence that its paragraph does not have" in str(one)
        for one in told.notices
    )
    assert ("Heat", 8, 8) in ranges_of(told)


def test_kilt_outputs_are_sets():
    gold = dx.read_assessments(SAMPLES["assessments", "kilt"])
    assert gold.ranges.labels.set.tolist() == ["1", "1"] and gold.queries["k1"] == "What is tea?"
    assert ranges_of(gold)[0] == ("7", 2, 2)
    run = dx.read_run(SAMPLES["run", "kilt"])
    assert list(run.docs) == ["7", "8"] and run.topics == ["k1", "k2"]
    scores = evaluate(
        SAMPLES["run", "kilt"], SAMPLES["assessments", "kilt"], "SetRecall@5 Complete@1", level="document"
    )
    assert scores.value("run", "SetRecall@5", "k1") == 1 and scores.value("run", "Complete@1", "k2") == 0


@pytest.mark.parametrize(
    ("place", "whole"),
    [
        ({}, 0),
        ({"start_paragraph_id": 1, "end_paragraph_id": 1}, 0),
        ({"start_character": 3, "end_character": 9}, 0),
        ({"start_paragraph_id": 1, "start_character": 3}, 1),
    ],
)
def test_places_within_paragraphs_of_kilt_are_told(place, whole):
    row = {"id": "k", "output": [{"provenance": [{"wikipedia_id": "7"} | place]}]}
    notices = dx.read_assessments(json_lines([row])).notices
    told = ["1 place begins or ends within a paragraph; the whole paragraph counts (<bytes>:1)"]
    assert [str(one) for one in notices.lasting if "within" in str(one)] == told * whole


@given(st.integers(0, 10**6))
@settings(max_examples=15)
def test_scifact_sentences_are_selected_as_its_scorer_does(seed):
    rng = random.Random(seed)
    docs = ["1", "2"]
    gold: list[dict[str, Any]] = []
    told: list[dict[str, Any]] = []
    for claim in range(4):
        evidence = {}
        for doc in rng.sample(docs, rng.randint(0, 2)):
            places = rng.sample(range(6), rng.randint(1, 4))
            cut = rng.randint(1, len(places))
            evidence[doc] = [
                {"sentences": part, "label": "SUPPORT"} for part in (places[:cut], places[cut:]) if part
            ]
        gold.append({"id": claim, "claim": "x", "evidence": evidence, "cited_doc_ids": [3]})
        found = {doc: {"sentences": rng.sample(range(6), rng.randint(1, 3)), "label": "SUPPORT"} for doc in
                 rng.sample([*docs, "9"], rng.randint(0, 3))}  # fmt: skip
        told.append({"id": claim, "evidence": found})
    correct = sum(
        sentence in rationale["sentences"]
        and set(rationale["sentences"])
        <= set(told[claim["id"]]["evidence"].get(doc, {"sentences": ()})["sentences"])
        for claim in gold
        for doc, rationales in claim["evidence"].items()
        for rationale in rationales
        for sentence in told[claim["id"]]["evidence"].get(doc, {"sentences": ()})["sentences"]
    )
    predicted = sum(len(found["sentences"]) for row in told for found in row["evidence"].values())
    wanted = sum(len(one["sentences"]) for row in gold for some in row["evidence"].values() for one in some)
    names = ["iP(complete=true)@99", "iR(complete=true)", "F(beta=1,complete=true)"]
    scores = evaluate(json_lines(told), json_lines(gold), names, average="micro")
    expected = [(correct, predicted), (correct, wanted), (2 * correct, predicted + wanted)]
    for name, (above, below) in zip(names, expected, strict=True):
        assert scores[name] == (pytest.approx(above / below) if below else None), name


def test_scifact_corpora_are_documents(tmp_path: Path):
    path = tmp_path / "corpus.jsonl"
    path.write_bytes(
        json_lines([{"doc_id": 7, "title": "Tea", "abstract": ["Tea is a drink.", "It is hot."]}])
    )
    assert list(dx.read_documents(path).text) == ["Tea is a drink.\nIt is hot.\n"]


PAPER = {
    "p1": {
        "title": "Tea", "abstract": "On tea.",
        "full_text": [{"section_name": "Intro", "paragraphs": ["One.", "Two.", ""]},
                      {"section_name": "End", "paragraphs": ["Three."]}],
        "figures_and_tables": [{"file": "1.png", "caption": "Table 1: teas."}],
        "qas": [
            {"question": "Which?", "question_id": "q1", "answers": [
                {"answer": {"evidence": ["One.", "FLOAT SELECTED: Table 1: teas."]}},
                {"answer": {"evidence": ["Two."]}}]},
            {"question": "Why?", "question_id": "q2", "answers": [
                {"answer": {"unanswerable": True, "evidence": []}},
                {"answer": {"evidence": ["Gone.", "Three."]}}]},
        ],
    }
}  # fmt: skip


def test_qasper_is_scored_against_the_best_answer(tmp_path: Path):
    gold = tmp_path / "gold.json"
    gold.write_text(json.dumps(PAPER))
    predicted = json_lines([
        {"question_id": "q1", "predicted_evidence": ["Two.", "Three."]},
        {"question_id": "q2", "predicted_evidence": ["Three."]},
    ])  # fmt: skip
    options = {"documents": gold, "unit": "lines"}
    best = evaluate(predicted, gold, "F(beta=1)", merge="best", **options)
    assert best.value("run", "F(beta=1)", "q1") == pytest.approx(2 / 3)
    assert best.reference("run", "F(beta=1)", "q1") == "answer 2"
    assert best.value("run", "F(beta=1)", "q2") == pytest.approx(2 / 3)
    assert evaluate(predicted, gold, "F(beta=1)", merge="mean", **options).value(
        "run", "F(beta=1)", "q1"
    ) == (pytest.approx(1 / 3))
    assert evaluate(predicted, gold, "iR", **options).value("run", "iR", "q1") == pytest.approx(1 / 3)
    lines = dx.read_documents(gold).text[0].split("\n")
    assert lines == ["On tea.", "One.", "Two.", "", "Three.", "FLOAT SELECTED: Table 1: teas.", "Gone.", ""]
    told = [str(notice) for notice in dx.read_assessments(gold).notices]
    assert any("1 piece of evidence is not in its paper" in one for one in told)


def conversation(rng):
    sessions = {
        f"session_{s}": [{"speaker": "A", "dia_id": f"D{s}:{t}", "text": f"{s} {t}"} for t in range(1, 4)]
        for s in range(1, 13)
    }
    turns = [turn["dia_id"] for said in sessions.values() for turn in said]
    qa = [{"question": rng.choice(["Why?", "How?"]), "answer": "x", "category": 1,
           "evidence": rng.sample(turns, rng.randint(0, 3))} for _ in range(6)]  # fmt: skip
    return {"sample_id": "c1", "conversation": sessions | {"session_1_date_time": "May"}, "qa": qa}


@given(st.integers(0, 10**6))
@settings(max_examples=20)
def test_locomo_recall_is_that_of_sessions(seed):
    rng = random.Random(seed)
    record = conversation(rng)
    rows = [
        {
            "sample_id": "c1",
            "question": one["question"],
            "retrieved_ids": [f"session_{n}" for n in rng.sample(range(1, 13), 5)],
        }
        for one in record["qa"]
    ]
    gold = json.dumps([record]).encode()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        documents = dx.read_documents([{"doc": "c1", **_document(gold)}])
    scores = evaluate(json_lines(rows), gold, "iR@5", documents, level="session")
    seen: dict[str, int] = {}
    for question, row in zip(record["qa"], rows, strict=True):
        name = f"c1: {question['question']}"
        seen[name] = seen.get(name, 0) + 1
        name += f" ({seen[name]})" * (seen[name] > 1)
        wanted = {"session_" + turn[1:].partition(":")[0] for turn in question["evidence"]}
        value = len(wanted & set(row["retrieved_ids"])) / len(wanted) if wanted else None
        assert scores.value("run", "iR@5", name) == (None if value is None else pytest.approx(value))


def _document(gold: bytes) -> dict:
    from doxeval.core.notices import Notices
    from doxeval.io.formats.format import format_named

    [found] = format_named("assessments", "locomo").documents(Source(gold), Notices())
    return {key: found[key] for key in ("text", "nodes")}


def test_locomo_turns_are_lines_and_odd_evidence_is_told():
    record = json.loads(SAMPLES["assessments", "locomo"])[0]
    record["qa"][0]["evidence"] = ["D1:02; D1:1", "D1:9", "nowhere"]
    gold = dx.read_assessments(json.dumps([record]).encode())
    assert sorted(ranges_of(gold)) == [("c1", 1, 1), ("c1", 2, 2)] and gold.nodes.nodes.of(0) == ["session_1"]
    for evidence, told in (
        ("D1:9", "names a turn that does not exist; its session counts whole"),
        ("nowhere", "left out, expected a turn such as D1:3"),
        ("D7:1", "left out, expected a turn such as D1:3"),
    ):
        record["qa"][0]["evidence"] = ["D1:1", evidence]
        (_, notice) = dx.read_assessments(json.dumps([record]).encode()).notices.lasting
        assert str(notice) == f"1 piece of evidence {told} (<bytes>:1: {evidence!r})"


def test_longmemeval_turns_sessions_and_abstentions(tmp_path: Path):
    path = tmp_path / "gold.json"
    path.write_bytes(SAMPLES["assessments", "longmemeval"])
    log = SAMPLES["run", "longmemeval-log"]
    assert ranges_of(dx.read_assessments(path)) == [("m1", 1, 1)]
    scores = evaluate(log, path, "Complete@1,2 iR@1", path, level="session")
    assert [scores.value("run", name, "m1") for name in ("Complete@1", "Complete@2")] == [0, 1]
    of_log = evaluate(log, log, "Complete@2", level="session")
    assert (
        of_log.value("run", "Complete@2", "m1") == 1 and of_log.value("run", "Complete@2", "m2_abs") is None
    )


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_beir_folder_is_documents_assessments_and_topics(tmp_path: Path, pack):
    suffix = ".gz" if pack is not bytes else ""
    documents = [
        {"_id": "d1", "title": "Tea", "text": "A drink."},
        {"_id": "d2", "title": "", "text": "Hot."},
    ]
    (tmp_path / f"corpus.jsonl{suffix}").write_bytes(pack(json_lines(documents)))
    (tmp_path / f"queries.jsonl{suffix}").write_bytes(pack(json_lines([{"_id": "q1", "text": "tea"}])))
    (tmp_path / "qrels").mkdir()
    for name in ("dev", "test"):
        (tmp_path / "qrels" / f"{name}.tsv").write_text(
            f"query-id\tcorpus-id\tscore\nq1\td1\t{len(name) - 2}\n"
        )
    assert list(dx.read_documents(tmp_path).text) == ["Tea\nA drink.", "Hot."]
    assert dx.read_topics(tmp_path).queries == {"q1": "tea"}
    assert dx.read_assessments(tmp_path).ranges.grade.tolist() == [2.0]
    run = [
        {"topic": "q1", "doc": "d2", "rank": 1},
        {"topic": "q1", "doc": "d1", "rank": 2, "start": 4, "end": 12},
    ]
    assert evaluate(run, tmp_path, "iR@2", tmp_path)["iR@2"] == 8 / 12
    (tmp_path / "qrels" / "test.tsv").unlink()
    assert dx.read_assessments(tmp_path).ranges.grade.tolist() == [1.0]


def test_conversations_of_cast_and_ikat():
    run = dx.read_run(SAMPLES["run", "ikat"])
    assert list(run.docs) == ["d1:3", "d2:0"] and run.topics == ["1_1", "1_2"] and run.tag == "r"
    cast = b'[{"number": 31, "title": "Throat", "turn": [{"number": 1, "raw_utterance": "What is it?"}]}]'
    found = dx.read_topics(cast)
    assert found.queries == {"31_1": "What is it?"}
    assert found.attributes["31_1"] == {"conversation": "31", "title": "Throat"}
    with pytest.raises(dx.InputError, match="expected a conversation with its number and turns"):
        dx.read_topics(b'[{"number": 31, "turns": [{"turn_id": 1}]}]')


OTHERS = [known for kind in OTHER_KINDS for known in formats(kind).values()]


@pytest.mark.parametrize("format", OTHERS, ids=lambda format: format.name)
def test_formats_of_documents_and_topics_know_their_samples_and_survive_damage(format):
    assert [other for other in OTHERS if other.sniff(format.sample)] == [format]
    assert format.read(Source(format.sample), Options())
    place = st.tuples(
        st.integers(0, 1 << 16), st.integers(0, 3), st.sampled_from([b"", b'"', b"{", b"[", b"7", b"null"])
    )

    @given(st.lists(place, max_size=5))
    @settings(max_examples=25)
    def check(damage):
        data = bytearray(format.sample)
        for at, removed, piece in damage:
            at %= len(data) + 1
            data[at : at + removed] = piece
        with contextlib.suppress(dx.DoxevalError):
            format.read(Source(bytes(data)), Options())

    check()


def test_questions_of_qasper_without_papers_are_quotes():
    gold = dx.read_assessments(SAMPLES["assessments", "qasper-questions"])
    assert gold.quotes.text == ["Tea is a drink."] and list(gold.docs) == ["1909.1"]
    papers = [{"doc": "1909.1", "text": "Tea is a drink. It is hot."}]
    run = [{"topic": "q1", "doc": "1909.1", "rank": 1, "start": 0, "end": 26}]
    assert evaluate(run, gold, "iP@1", papers)["iP@1"] == 15 / 26
