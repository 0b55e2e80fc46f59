"""One object through the loop (retrieve, score, explain, compare, report, gate), and retrievers that fail."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import doxeval as dx

WORDS = [f"word{at:02d}" for at in range(8)]
DOCUMENTS = {word: f"The answer of {word} is here. And {word} has more to say." for word in WORDS}
QUESTIONS = {f"q{at}": f"What of {word}?" for at, word in enumerate(WORDS)}
ANSWERS = [
    {"topic": topic, "doc": word, "quote": f"The answer of {word} is here."}
    for topic, word in zip(QUESTIONS, WORDS, strict=True)
]


def retriever(question: str, k: int) -> list[str]:
    return [f"The answer of {question.split()[-1].strip('?')} is here."][:k]


def worse(question: str, k: int) -> list[str]:
    return [f"And {question.split()[-1].strip('?')} has more to say."][:k]


class Failing:
    """Fails for some words, and counts how often it is asked."""

    def __init__(self, *words: str) -> None:
        self.words, self.asked = words, 0

    def __call__(self, question: str, k: int) -> list[str]:
        self.asked += 1
        if any(word in question for word in self.words):
            raise TimeoutError("no answer in 30 s")
        return retriever(question, k)


def test_one_object_goes_through_the_loop(tmp_path: Path) -> None:
    run = dx.retrieve(retriever, QUESTIONS, DOCUMENTS, k=3, name="mine")
    run.write(tmp_path / "mine.jsonl")
    assert not dx.validate(run, ANSWERS, DOCUMENTS).problems
    other = dx.retrieve(worse, QUESTIONS, DOCUMENTS, k=3, name="worse")
    again = dx.read_run(tmp_path / "mine.jsonl")
    for kept in (run, again):
        scores = dx.evaluate([kept, other], ANSWERS, "iR@1 iP@1", DOCUMENTS)
        assert scores.value("mine", "iR@1") == 1.0 and scores.value("worse", "iR@1") == 0.0
    told = scores.explain("q3", "iR@1", run="worse")
    assert told.score == 0.0 and told.missed[0].missed == 29
    assert scores.compare("mine").differences[0].difference == -1.0
    assert len(scores.gate("mine").failed) == 2
    assert scores.report(tmp_path / "report.html") and (tmp_path / "report.html").stat().st_size > 10_000
    scores.write(tmp_path / "scores.csv")
    stored = dx.read_scores(tmp_path / "scores.csv")
    assert stored.value("mine", "iR@1") == 1.0
    assert dx.budget(run, ANSWERS, DOCUMENTS, recalls=[0.5]).plain()
    with pytest.raises(dx.UsageError, match="have no runs attached"):
        stored.explain("q3", "iR@1", "mine")
    with pytest.raises(dx.UsageError, match="there are 2 runs; choose one, as in run='mine'"):
        scores.explain("q3", "iR@1")
    with pytest.raises(dx.UsageError, match="no run 'wors'; did you mean 'worse'"):
        scores.explain("q3", "iR@1", "wors")
    assert dx.evaluate(run, ANSWERS, "iR@1", DOCUMENTS).explain("q3").score == 1.0


@pytest.mark.parametrize("kind", ["run", "assessments", "documents"])
def test_whatever_is_in_memory_can_be_validated(kind: str) -> None:
    rows: dict[str, Any] = {
        "run": [{"topic": "q1", "doc": "word01", "rank": 1, "start": 0, "end": 900}],
        "assessments": ANSWERS,
        "documents": DOCUMENTS,
    }
    found = dx.validate(rows[kind], documents=DOCUMENTS, kind=None if kind == "run" else kind)
    assert found.kind == kind and repr(found).startswith(f"{kind}: ")
    tables: dict[str, Callable[..., Any]] = {
        "run": dx.read_run,
        "assessments": dx.read_assessments,
        "documents": dx.read_documents,
    }
    assert dx.validate(tables[kind](rows[kind])).kind == kind


def test_a_question_that_fails_is_lost_alone_and_told_beside_the_number(tmp_path: Path) -> None:
    failing = Failing("word02", "word05")
    told = r"the retriever failed for 2 of 8 questions, which count as not answered \(q2: TimeoutError"
    with pytest.warns(dx.DoxevalWarning, match=told):
        scores = dx.score_retriever(
            failing, QUESTIONS, ANSWERS, "iR@1", DOCUMENTS, cache=tmp_path / "cache.jsonl"
        )
    assert scores["iR@1"] == 0.75 and scores.value("retriever", "iR@1", "q2") == 0.0
    assert "failed for 2 of 8 questions" in repr(scores) and "mean over 8 topics" in repr(scores)
    better = Failing()
    scores = dx.score_retriever(better, QUESTIONS, ANSWERS, "iR@1", DOCUMENTS, cache=tmp_path / "cache.jsonl")
    assert scores["iR@1"] == 1.0 and better.asked == 2, "only what failed is asked again"


def test_the_file_of_answers_can_be_read_by_people(tmp_path: Path) -> None:
    questions, path = {"q0": "Où est le café\u202f?"}, tmp_path / "cache.jsonl"
    dx.retrieve(
        lambda question: ["Le café 🙂"], questions, {"d": "Le café 🙂 est là."}, name="né", cache=path
    )
    line = path.read_text(encoding="utf-8")
    assert line.startswith('["né", "Où est le café\u202f?", ') and "Le café 🙂" in line


def test_text_that_is_no_unicode_is_kept_in_the_cache_too(tmp_path: Path) -> None:
    asked: list[str] = []

    def answer(question: str) -> list[str]:
        asked.append(question)
        return ["half, red"]

    questions, cache = {"q0": "half \ud83d?"}, tmp_path / "cache.jsonl"
    for _ in range(2):
        run = dx.retrieve(answer, questions, {"d": "It is half, red."}, cache=cache)
        assert (run.start.tolist(), run.end.tolist()) == ([6], [15])
    assert asked == ["half \ud83d?"]
    with pytest.raises(dx.InputError, match="expected a string"):
        dx.retrieve(answer, questions, {"d": "It is half \ud83d, red."}, cache=cache)


def test_a_retriever_that_always_fails_is_an_error_and_what_makes_no_sense_is_one_at_once() -> None:
    with pytest.raises(
        dx.UsageError, match=r"mine: the retriever failed for every question \(q0: TimeoutError"
    ):
        dx.retrieve(Failing("word"), QUESTIONS, DOCUMENTS, name="mine")
    with pytest.raises(dx.UsageError, match="returned int for 'q0'"):
        dx.retrieve(lambda question: 7, QUESTIONS, DOCUMENTS)


class Sized:
    def __init__(self, similarity_top_k: int = 2) -> None:
        self.similarity_top_k = similarity_top_k

    def retrieve(self, question: str) -> list[str]:
        return [f"more{at}" for at in range(self.similarity_top_k)]

    async def aretrieve(self, question: str) -> list[str]:
        return self.retrieve(question)


class Around:
    """Asks those inside it, and has no size of its own."""

    def __init__(self, *inside: Any) -> None:
        self.retrievers = list(inside)

    def retrieve(self, question: str) -> list[str]:
        return [found for one in self.retrievers for found in one.retrieve(question)]


MANY = {"d": " ".join(f"more{at}" for at in range(30))}


@pytest.mark.parametrize("kind", ["inside", "inside twice", "an asynchronous method"])
def test_k_is_passed_on_and_nothing_of_the_callers_is_changed(kind: str) -> None:
    inner = Sized()
    asked = {
        "inside": Around(inner),
        "inside twice": Around(Around(inner)),
        "an asynchronous method": inner.aretrieve,
    }[kind]
    assert len(dx.retrieve(asked, {"q": "?"}, MANY, k=9)) == 9
    assert inner.similarity_top_k == 2


class Pipeline:
    """What a pipeline of Haystack is from outside."""

    def __init__(self, *inputs: str) -> None:
        self.taken = inputs

    def inputs(self) -> dict[str, dict[str, Any]]:
        return {"one": dict.fromkeys(self.taken)}

    def run(self, data: dict[str, Any]) -> dict[str, Any]:
        return {"one": {"documents": [{"text": f"more{at}"} for at in range(data["top_k"])]}, "two": {"x": 1}}


def test_pipelines_are_asked_by_their_inputs() -> None:
    assert len(dx.retrieve(Pipeline("text", "top_k"), {"q": "?"}, MANY, k=4)) == 4
    with pytest.raises(
        dx.UsageError, match="takes embedding cannot be called: expected an input called query or"
    ):
        dx.retrieve(Pipeline("embedding"), {"q": "?"}, MANY)
