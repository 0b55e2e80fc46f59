"""How many results retrievers are asked for, and whatever they are and return."""

from __future__ import annotations

import asyncio
import itertools
import re
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pandas
import polars
import pytest

import doxeval as dx
from doxeval.core.grammar import Cutoff
from doxeval.io.placing.place_chunks import Chunk
from doxeval.rag.answers import chunk_of
from doxeval.rag.asking import ASKED_WITHOUT_CUTOFF, Depth, _settings, depth_of

WORDS = [f"word{at:03d}" for at in range(60)]
TEXT = " ".join(WORDS)
DOCUMENTS = {"manual": TEXT}
QUESTIONS = {"q1": "Which words?"}
GOLD = [{"topic": "q1", "doc": "manual", "start": 0, "end": len(TEXT)}]


def chunks(k: int) -> list[dict[str, Any]]:
    return [{"doc": "manual", "text": word, "start": TEXT.index(word)} for word in WORDS[:k]]


def score(retriever: Any, measures: str, **options: Any) -> dx.Scores:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return dx.score_retriever(retriever, QUESTIONS, GOLD, measures, DOCUMENTS, **options)


@pytest.mark.parametrize("size", ["k", "top_k", "n_results", "limit", "similarity_top_k"])
@pytest.mark.parametrize(
    ("measures", "found"), [("iR@20", 20), ("iR@5 iR@30", 30), ("iR@150c", 40), ("iR@15w", 20)]
)
def test_as_many_are_asked_for_as_the_measures_look_at(size: str, measures: str, found: int) -> None:
    asked: list[int] = []
    space: dict[str, Any] = {"chunks": chunks, "asked": asked}
    exec(f"def retriever(question, {size}=4):\n  asked.append({size})\n  return chunks({size})", space)
    scores = score(space["retriever"], measures)
    assert asked[-1] == found
    deepest = measures.split()[-1]
    expected = 150 if "c" in deepest else 7 * int(deepest.strip("iR@w"))
    assert scores.value("retriever", deepest) == pytest.approx(expected / len(TEXT))


@pytest.mark.parametrize(
    ("texts", "unit", "held"),
    [
        (["one two", "three"], "words", 3),
        (["one two", ""], "characters", 7 + 10),
        (["a longer, uncommon word"], "tokens", 4),
        (["a b c d e f g h"], "tokens", 15 // 4),
    ],
)
def test_a_budget_is_filled_by_as_much_text_as_it_says(texts: list[str], unit: str, held: int) -> None:
    pieces = [Chunk(text, ("manual",), 5, 15) for text in texts]
    assert Depth(1, (Cutoff(held, unit),)).filled(pieces)
    assert not Depth(1, (Cutoff(held + 1, unit),)).filled(pieces)
    assert not Depth(1, (Cutoff(held, unit), Cutoff(99, "characters"))).filled(pieces)


def test_a_measure_without_a_cut_off_asks_for_many_and_says_how_many() -> None:
    assert depth_of(["AiP"], None).results == ASKED_WITHOUT_CUTOFF and depth_of(["AiP"], 7).results == 7
    assert "AiP look at all results; the first 7 were retrieved" in repr(
        score(lambda q, k: chunks(k), "AiP", k=7)
    )


def test_a_measure_that_looks_deeper_than_what_came_says_so() -> None:
    table = repr(score(lambda question: chunks(4), "iR@20 iR@3"))
    assert "retriever: iR@20 looks deeper than what was retrieved, at most 4 results" in table


def test_the_mean_is_over_the_questions_asked() -> None:
    gold = [{"topic": f"q{at}", "doc": "manual", "start": 0, "end": 7} for at in range(10)]
    questions = {"q1": "answered", "q2": "in vain"}
    scores = dx.score_retriever(
        lambda question: chunks(1) if question == "answered" else [], questions, gold, "iR@1", DOCUMENTS
    )
    assert scores.value("retriever", "iR@1") == 0.5
    assert "mean over 2 topics" in repr(scores) and "1 of 2 topics has no results (q2)" in repr(scores)


async def asynchronous(question: str, k: int) -> list[dict[str, Any]]:
    await asyncio.sleep(0)
    return chunks(k)


async def stream(question: str, k: int) -> Any:
    for row in chunks(k):
        yield row


def generator(question: str, k: int) -> Iterator[dict[str, Any]]:
    yield from chunks(k)


ACCEPTED = {
    "rows": lambda question, k: chunks(k),
    "a generator": generator,
    "texts": lambda question, k: WORDS[:k],
    "polars": lambda question, k: polars.DataFrame(chunks(k)),
    "pandas": lambda question, k: pandas.DataFrame(chunks(k)).assign(end=None),
    "LlamaIndex's response": lambda question, k: SimpleNamespace(source_nodes=chunks(60)),
    "Haystack's dict": lambda question, k: {"documents": chunks(k)},
    "a pipeline's dict": lambda question, k: {"retriever": {"documents": chunks(k)}},
    "a coroutine": asynchronous,
    "an asynchronous generator": stream,
    "pairs with scores": lambda question, k: [(row, 0.5) for row in chunks(k)],
    "offsets as text": lambda question, k: [row | {"start": str(row["start"])} for row in chunks(k)],
    "offsets as floats": lambda question, k: [row | {"start": float(row["start"])} for row in chunks(k)],
    "no offsets": lambda question, k: [row | {"start": None} for row in chunks(k)],
}


@pytest.mark.parametrize("kind", ACCEPTED)
def test_whatever_is_returned_is_understood(kind: str) -> None:
    assert score(ACCEPTED[kind], "iR@20").value("retriever", "iR@20") == pytest.approx(140 / len(TEXT))


def test_a_method_of_a_retriever_is_told_how_many_as_the_retriever_is() -> None:
    class Retriever:
        top_k = 3

        def retrieve(self, question: str) -> list[dict[str, Any]]:
            return chunks(self.top_k)

    retriever = Retriever()
    assert len(dx.retrieve(retriever.retrieve, QUESTIONS, DOCUMENTS, k=25)) == 25
    assert retriever.top_k == 3


def test_coroutines_are_waited_for_inside_a_running_loop() -> None:
    async def notebook() -> float | None:
        return score(asynchronous, "iR@20").value("retriever", "iR@20")

    with ThreadPoolExecutor(1) as elsewhere:
        assert elsewhere.submit(asyncio.run, notebook()).result() == pytest.approx(140 / len(TEXT))


@pytest.mark.parametrize(
    ("returned", "told"),
    [
        (None, "returned NoneType for 'q1'; expected a list of chunks"),
        ("one text", "returned one text for 'q1'"),
        (7, "returned int for 'q1'"),
        ({"doc": "manual", "text": "x"}, "returned one dict for 'q1', with 'doc', 'text'"),
        ([{"doc": "manual", "start": "twelve"}], "'twelve' as 'start'"),
        ([{"doc": "manual", "start": 1.5}], "1.5 as 'start'"),
        ([{"doc": "manual", "start": True}], "True as 'start'"),
        ([object()], "a retriever returned 'object'"),
    ],
)
def test_what_is_not_understood_is_refused(returned: Any, told: str) -> None:
    with pytest.raises(dx.UsageError) as caught:
        dx.retrieve(lambda question: returned, QUESTIONS, DOCUMENTS)
    assert told in str(caught.value)


@pytest.mark.parametrize(
    "questions",
    [
        polars.DataFrame({"topic": ["q1"], "question": ["?"]}),
        pandas.DataFrame({"topic": ["q1"], "question": ["?"]}),
        [{"topic": "q1", "query": "?"}],
    ],
)
def test_questions_may_be_a_frame(questions: Any) -> None:
    assert dx.retrieve(lambda question: [], questions, DOCUMENTS).topics == ["q1"]


@pytest.mark.parametrize(
    "questions", [None, "what?", 7, [], {}, [7], [{"topic": "q"}], polars.DataFrame({"a": [1]})]
)
def test_other_questions_are_refused(questions: Any) -> None:
    with pytest.raises(dx.UsageError, match="question"):
        dx.retrieve(lambda question: [], questions, DOCUMENTS)
    rows = [{"topic": "q", "question": "a"}, {"topic": "q", "question": "b"}]
    with pytest.raises(dx.UsageError, match="2 questions have only 1 different topic"):
        dx.retrieve(lambda question: [], rows, DOCUMENTS)


def test_what_is_missing_is_said() -> None:
    with pytest.raises(dx.UsageError, match="give the documents"):
        dx.retrieve(lambda question: [], QUESTIONS, None)
    with pytest.raises(dx.InputError, match=r"expected a 'doc'.*nothing is left"):
        dx.score_retriever(
            lambda q: [], QUESTIONS, [{"topic": "q1", "start": 0, "end": 3}], documents=DOCUMENTS
        )
    with pytest.raises(dx.UsageError, match="k must be at least 1"):
        dx.retrieve(lambda question: [], QUESTIONS, DOCUMENTS, k=0)


@pytest.fixture
def quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.usefixtures("quiet")
def test_langchain_stores_and_retrievers_are_told_how_many() -> None:
    pytest.importorskip("langchain_core", reason="langchain-core is not installed (make browser)")
    from langchain_core.documents import Document
    from langchain_core.embeddings import DeterministicFakeEmbedding
    from langchain_core.vectorstores import InMemoryVectorStore

    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=16))
    store.add_documents([
        Document(row["text"], metadata={"source": "/x/manual.txt", "start_index": row["start"]})
        for row in chunks(60)
    ])  # fmt: skip
    retriever = store.as_retriever(search_kwargs={"k": 4})
    for one in (store, retriever):
        assert len(dx.retrieve(one, QUESTIONS, DOCUMENTS, k=25)) == 25
        assert score(one, "iR@60").value("retriever", "iR@60") == pytest.approx(420 / len(TEXT))
    assert retriever.search_kwargs == {"k": 4}


@pytest.mark.usefixtures("quiet")
def test_llama_index_retrievers_are_told_how_many() -> None:
    pytest.importorskip("llama_index.core", reason="llama-index-core is not installed (make browser)")
    from llama_index.core import MockEmbedding, VectorStoreIndex
    from llama_index.core.schema import TextNode

    nodes = [TextNode(text=row["text"], metadata={"file_name": "manual.txt"}) for row in chunks(60)]
    index = VectorStoreIndex(nodes, embed_model=MockEmbedding(8))
    retriever: Any = index.as_retriever(similarity_top_k=2)
    assert len(dx.retrieve(retriever, QUESTIONS, DOCUMENTS, k=25)) == 25
    assert retriever.similarity_top_k == 2


@pytest.mark.usefixtures("quiet")
def test_haystack_retrievers_are_told_how_many() -> None:
    pytest.importorskip("haystack", reason="haystack-ai is not installed (make browser)")
    from haystack import Document
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    store = InMemoryDocumentStore()
    store.write_documents([
        Document(content=f"words {row['text']}", meta={"file_path": "manual.txt"}) for row in chunks(60)
    ])  # fmt: skip
    run = dx.retrieve(InMemoryBM25Retriever(store, top_k=3), {"q1": "words"}, DOCUMENTS, k=25)
    assert len(run) == 25


@pytest.mark.usefixtures("quiet")
def test_collections_of_chroma_are_told_how_many() -> None:
    chromadb = pytest.importorskip("chromadb", reason="chromadb is not installed (make browser)")

    class Alike(chromadb.EmbeddingFunction):  # type: ignore[name-defined,misc]
        def __init__(self) -> None:
            pass

        def __call__(self, input: list[str]) -> list[list[float]]:
            return [[float(text[-3:]) if text[-3:].isdigit() else 0.0, 1.0] for text in input]

    client = chromadb.EphemeralClient(chromadb.Settings(anonymized_telemetry=False))
    collection = client.create_collection("words", embedding_function=Alike())
    rows = chunks(60)
    collection.add(
        ids=[row["text"] for row in rows],
        documents=[row["text"] for row in rows],
        metadatas=[{"source": "/x/manual.pdf", "start_index": row["start"]} for row in rows],
    )
    assert score(collection, "iR@20").value("retriever", "iR@20") == pytest.approx(140 / len(TEXT))


def test_the_share_of_the_time_spent_in_the_retriever_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def told() -> list[str]:
        run = dx.retrieve(lambda question: ["red"], QUESTIONS, DOCUMENTS)
        return [str(notice) for notice in run.notices if "spent in the retriever" in str(notice)]

    assert not told()
    monkeypatch.setattr("doxeval.rag.retrieve.PATIENCE", 0.0)
    assert len(told()) == 1 and re.match(r"retriever: <?\d+% of the 0 s it took", told()[0])
    clock = itertools.count()
    monkeypatch.setattr("time.monotonic", lambda: float(next(clock)))
    assert told()[0].startswith("retriever: 25% of the 4 s it took")


def test_a_node_says_which_nodes_are_around_it_and_of_which_document_it_is() -> None:
    node = SimpleNamespace(
        metadata={"file_name": "manual.txt"}, text="word000", start_char_idx=3, end_char_idx=10, node_id="n2",
        prev_node=SimpleNamespace(node_id="n1"), next_node=None, ref_doc_id="source",
    )  # fmt: skip
    found = chunk_of(SimpleNamespace(node=node, score=0.5))
    assert (found.text, found.start, found.end, found.score) == ("word000", 3, 10, 0.5)
    assert found.names[-1] == "source" and len(found.names) > 1
    assert (found.claim.own, found.claim.before, found.claim.after) == ("n2", "n1", "")


@pytest.mark.parametrize("nothing", ["", None, 5])
def test_a_key_that_holds_no_text_leaves_it_to_the_next(nothing: Any) -> None:
    one = {"text": nothing, "content": "red button", "page_content": "red button"}
    found = dx.retrieve(lambda question: [one], {"t1": "how?"}, {"manual": "Hold the red button."})
    assert (found.start.tolist(), found.end.tolist()) == ([9], [19])


def test_a_search_that_takes_a_limit_is_told_it() -> None:
    class Embeddings:
        def search(self, query: str, limit: int = 3) -> list[dict[str, Any]]:
            return chunks(limit)

    assert len(dx.retrieve(Embeddings(), QUESTIONS, DOCUMENTS, k=25)) == 25


@pytest.mark.parametrize(("between", "counts"), [(-1.0, [0, 1, 2]), (1e9, [2])])
def test_progress_says_how_many_questions_were_asked(
    between: float, counts: list[int], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("doxeval.rag.asking.SECONDS_BETWEEN", between)
    dx.retrieve(lambda question: ["word001"], ["one", "two"], DOCUMENTS, name="mine", progress=True)
    told = "".join(f"\rmine: {count} of 2 questions" for count in counts)
    assert capsys.readouterr().err == f"{told}\n"


@pytest.mark.parametrize(
    ("unit", "held"), [("ranks", 3), ("documents", 2), ("seconds", 0), ("cost", 0), ("steps", 0)]
)
def test_a_budget_that_chunks_do_not_state_is_never_filled(unit: str, held: int) -> None:
    pieces = [Chunk("one", (name,), 5, 15) for name in ("manual", "manual", "letter")]
    filled = [Depth(1, (Cutoff(amount, unit),)).filled(pieces) for amount in range(1, 5)]
    assert filled == [amount <= held for amount in range(1, 5)]


def test_a_retriever_that_only_has_a_method_like_that_of_a_pipeline_is_asked_itself() -> None:
    class Asked:
        def inputs(self) -> dict[str, Any]:
            return {"retriever": {"query": {}}}

        def run(self, question: str) -> list[str]:
            raise AssertionError("it takes no data")

        def __call__(self, question: str) -> list[str]:
            return ["word000"]

    found = dx.retrieve(Asked(), {"q1": "Which word?"}, {"manual": "It is word000."})
    assert (found.start.tolist(), found.end.tolist()) == ([6], [13])


@pytest.mark.parametrize("lacking", ["content", "meta"])
def test_only_what_has_content_and_meta_is_a_document_of_haystack(lacking: str) -> None:
    whole = {"content": "red button", "meta": {"file_path": "manual"}, "score": 0.5}
    assert chunk_of(SimpleNamespace(**whole)).text == "red button"
    with pytest.raises(dx.UsageError, match="returned 'SimpleNamespace'; expected text"):
        chunk_of(SimpleNamespace(**{key: value for key, value in whole.items() if key != lacking}))


@pytest.mark.parametrize(("now", "asked"), [({}, 4), ({"k": None}, 4), ({"k": 2}, 4), ({"k": 9}, 9)])
def test_a_vector_store_is_set_to_at_least_as_many_results_as_are_asked_for(now: dict, asked: int) -> None:
    store = SimpleNamespace(search_kwargs={"filter": "x", **now})
    assert _settings(store, 4) == {"search_kwargs": {"filter": "x", "k": asked}}
