"""Only what a retriever's own code raises is the retriever's failure; our own defects are never hidden."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

import doxeval as dx

DOCUMENTS = {"d": "Press the red button twice."}
GOLD = [{"topic": topic, "doc": "d", "start": 0, "end": 10} for topic in ("q1", "q2")]
QUESTIONS = {"q1": "first?", "q2": "second?"}


def _fails(question: str, **_: Any) -> list[str]:
    if question == "first?":
        raise ValueError("no index")
    return ["Press the red button twice."]


def _lazily(question: str) -> Any:
    yield from _fails(question)


async def _promised(question: str) -> Any:
    return _fails(question)


async def _promised_lazily(question: str) -> Any:
    for one in _fails(question):
        yield one


class Pipeline:
    def inputs(self) -> dict[str, dict[str, str]]:
        return {"retriever": {"query": "", "top_k": ""}}

    def run(self, data: dict[str, Any]) -> dict[str, Any]:
        return {"documents": _fails(data["query"])}


class Listed(SimpleNamespace):
    def to_list(self) -> list[str]:
        return _fails(self.question)


RETRIEVERS: dict[str, Any] = {
    "a function": lambda question: _fails(question),
    "a generator": _lazily,
    "a coroutine": _promised,
    "an asynchronous generator": _promised_lazily,
    "invoke": SimpleNamespace(invoke=_fails),
    "retrieve": SimpleNamespace(retrieve=_fails),
    "a vector store": SimpleNamespace(similarity_search=lambda question, k: _fails(question)),
    "a collection": SimpleNamespace(query=lambda query_texts, n_results: _fails(query_texts[0])),
    "a table": SimpleNamespace(search=lambda query: _fails(query)),
    "a component": SimpleNamespace(run=lambda query, top_k: {"documents": _fails(query)}),
    "a pipeline": Pipeline(),
    "what it returns": lambda question: Listed(question=question),
}


@pytest.mark.parametrize("retriever", RETRIEVERS.values(), ids=RETRIEVERS)
def test_failures_of_a_retriever_are_its_own(retriever: Any) -> None:
    with pytest.warns(dx.DoxevalWarning, match=r"failed for 1 of 2 questions.*q1: ValueError: no index"):
        scores = dx.score_retriever(retriever, QUESTIONS, GOLD, "iR@1", DOCUMENTS)
    assert scores.runs[0].values[0].tolist() == [0, 1]


OURS = (
    "doxeval.rag.retrieve.chunk_of",
    "doxeval.rag.retrieve.answers_in",
    "doxeval.rag.asking._with_size",
    "doxeval.rag.cache.AnswerCache.put",
)


@pytest.mark.parametrize("place", OURS)
@pytest.mark.parametrize("retriever", [RETRIEVERS["invoke"], SimpleNamespace(invoke=_fails, k=3)])
def test_our_own_defects_are_not_theirs(place: str, retriever: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Callable[..., Any]:
        raise ZeroDivisionError("ours")

    monkeypatch.setattr(place, broken)
    with pytest.raises(ZeroDivisionError, match="ours"):
        dx.retrieve(retriever, {"q2": "second?"}, DOCUMENTS)


def test_metadata_that_are_none_are_refused_by_name() -> None:
    with pytest.raises(dx.UsageError, match="returned 'list' as metadata of a chunk; expected a mapping"):
        dx.retrieve(lambda _: [{"text": "x", "metadata": [1]}], QUESTIONS, DOCUMENTS)
