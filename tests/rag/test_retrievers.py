"""Retrievers scored as they are: functions, LangChain's and LlamaIndex's own, chunks put in their place."""

from __future__ import annotations

import json
import warnings
from typing import Any

import pytest

import doxeval as dx
from doxeval.rag.answers import chunk_of
from doxeval.tables.runs import NO_DOCUMENT

GUIDE = (
    "# Guide\n\nPress the red button twice.\nThen wait for the green light.\n\nPress the red button twice.\n"
)
NOTES = "Notes on caf\u00e9 \U0001f642 menus.\n\nThe kitchen closes at ten.\n"
TEXTS = {"docs/guide.md": GUIDE, "docs/notes.md": NOTES}
QUESTIONS = {"q1": "How is it reset?", "q2": "When does the kitchen close?"}
START = NOTES.index("The kitchen")
ANSWERS = [
    {"topic": "q1", "doc": "docs/guide.md", "start": 9, "end": 36},
    {"topic": "q2", "doc": "docs/notes.md", "start": START, "end": START + 26},
]
EXACT: dict[str, list[dict[str, Any]]] = {
    "q1": [{"doc": "docs/guide.md", "start": 9, "end": 67}],
    "q2": [{"doc": "docs/notes.md", "start": START, "end": START + 26}],
}
BY_WORDING = {wording: topic for topic, wording in QUESTIONS.items()}
EXPECTED = {("q1", "iR@1"): 1.0, ("q1", "iP@1"): 27 / 58, ("q2", "iR@1"): 1.0, ("q2", "iP@1"): 1.0}


def collection() -> dx.Documents:
    return dx.read_documents([{"doc": name, "text": text} for name, text in TEXTS.items()])


def check(retriever) -> dx.Scores:
    scores = dx.score_retriever(retriever, QUESTIONS, ANSWERS, "iR@1 iP@1", TEXTS, k=3)
    for (topic, measure), value in EXPECTED.items():
        assert scores.value("retriever", measure, topic) == pytest.approx(value), (topic, measure)
    return scores


def test_a_function_that_returns_dicts() -> None:
    check(lambda question: EXACT[BY_WORDING[question]])


def test_dicts_with_text_only_are_looked_for() -> None:
    def texts(question: str) -> list[dict]:
        return [
            {"doc": row["doc"], "text": TEXTS[row["doc"]][row["start"] : row["end"]]}
            for row in EXACT[BY_WORDING[question]]
        ]

    check(texts)


def test_white_space_may_differ() -> None:
    check(lambda question: [
        {"source": "docs/guide.md", "text": "Press the red button twice.  Then wait\tfor the green light."}
        if "reset" in question else {"source": "docs/notes.md", "text": "The kitchen\ncloses at ten."}
    ])  # fmt: skip


def test_langchain_documents_and_retrievers() -> None:
    documents = pytest.importorskip(
        "langchain_core.documents", reason="langchain-core is not installed (make browser)"
    )
    retrievers = pytest.importorskip("langchain_core.retrievers")

    class Fixed(retrievers.BaseRetriever):  # type: ignore[name-defined,misc]
        offsets: bool

        def _get_relevant_documents(self, query, *, run_manager):
            found = []
            for row in EXACT[BY_WORDING[query]]:
                metadata: dict[str, Any] = {"source": f"/somewhere/else/{row['doc']}"}
                metadata |= {"start_index": row["start"]} if self.offsets else {}
                content = TEXTS[row["doc"]][row["start"] : row["end"]]
                found.append(documents.Document(page_content=content, metadata=metadata))
            return found

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="langchain|pydantic|langsmith")
        check(Fixed(offsets=True))
        check(Fixed(offsets=False))


def test_a_langchain_vector_store_over_its_own_splitter() -> None:
    pytest.importorskip("langchain_core", reason="langchain-core is not installed (make browser)")
    from langchain_core.documents import Document
    from langchain_core.embeddings import DeterministicFakeEmbedding
    from langchain_core.vectorstores import InMemoryVectorStore

    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=16))
    chunks = dx.chunk(TEXTS, cut="paragraph")
    for doc, start, end in zip(chunks.doc.tolist(), chunks.start.tolist(), chunks.end.tolist(), strict=True):
        name = chunks.docs[doc]
        metadata = {"source": name, "start_index": start}
        store.add_documents([Document(TEXTS[name][start:end], metadata=metadata)])
    run = dx.retrieve(store.as_retriever(search_kwargs={"k": 5}), QUESTIONS, TEXTS, k=5)
    assert len(run) == 10 and not list(run.notices)
    assert dx.evaluate(run, ANSWERS, "iR@5", collection()).value("retriever", "iR@5") == 1.0


def test_llama_index_nodes_and_retrievers() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("llama_index.core", reason="llama-index-core is not installed (make browser)")
        from llama_index.core.retrievers import BaseRetriever
        from llama_index.core.schema import (
            NodeRelationship,
            NodeWithScore,
            QueryBundle,
            RelatedNodeInfo,
            TextNode,
        )

        class Fixed(BaseRetriever):
            def __init__(self, offsets: bool) -> None:
                super().__init__()
                self.offsets = offsets

            def _retrieve(self, query_bundle: QueryBundle):
                found = []
                for row in EXACT[BY_WORDING[query_bundle.query_str]]:
                    place = (
                        {"start_char_idx": row["start"], "end_char_idx": row["end"]} if self.offsets else {}
                    )
                    node = TextNode(text=TEXTS[row["doc"]][row["start"] : row["end"]], **place)
                    node.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id=row["doc"])
                    found.append(NodeWithScore(node=node, score=0.5))
                return found

        check(Fixed(offsets=True))
        check(Fixed(offsets=False))


def test_llama_index_splitters_give_places() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("llama_index.core", reason="llama-index-core is not installed (make browser)")
        from llama_index.core import Document
        from llama_index.core.node_parser import TokenTextSplitter

        splitter = TokenTextSplitter(chunk_size=12, chunk_overlap=0, tokenizer=str.split)
        nodes: list[Any] = splitter.get_nodes_from_documents([Document(text=GUIDE, doc_id="docs/guide.md")])
        run = dx.retrieve(lambda question: nodes, {"q1": "?"}, TEXTS)
    assert len(run) == len(nodes) > 1
    for node, start, end in zip(nodes, run.start.tolist(), run.end.tolist(), strict=True):
        assert GUIDE[start:end].split() == node.text.split()


def test_several_retrievers_stand_in_one_table() -> None:
    retrievers = {"good": lambda question: EXACT[BY_WORDING[question]], "mute": lambda question: []}
    scores = dx.score_retriever(retrievers, QUESTIONS, ANSWERS, "iR@1", TEXTS)
    assert "mute: shows nothing for any topic" in str(scores)
    assert scores.value("good", "iR@1") == 1.0 and scores.value("mute", "iR@1") == 0.0


def test_what_is_unclear_is_told() -> None:
    def unclear(question: str) -> list:
        return [
            {"doc": "guide", "text": "Press the red button twice."},
            {"doc": "guide", "text": "Never written."},
            {"doc": "guide", "start": 0, "end": 9, "text": "wait for the green"},
            {"doc": "unknown.md", "text": "x"},
            "The kitchen closes at ten.",
        ]

    run = dx.retrieve(unclear, ["any?"], TEXTS)
    told = " | ".join(map(str, run.notices))
    for part in ("occurs several times", "was not found", "is not where its", "not among those given"):
        assert part in told
    docs = [run.docs[code] for code in run.doc]
    assert docs == ["docs/guide.md", NO_DOCUMENT, "docs/guide.md", NO_DOCUMENT, "docs/notes.md"]
    assert (run.start[0], run.end[1] - run.start[1]) == (9, len("Never written."))


def test_k_limits_the_list_and_questions_may_be_rows() -> None:
    run = dx.retrieve(
        lambda question: ["a", "b", "c"], [{"topic": "t", "question": "?"}], {"d": "a b c"}, k=2
    )
    assert len(run) == 2 and run.topics == ["t"]


@pytest.mark.parametrize("wrong", [42, object()])
def test_what_cannot_be_asked_or_read_is_refused(wrong) -> None:
    with pytest.raises(dx.UsageError, match="cannot be called"):
        dx.retrieve(wrong, QUESTIONS, TEXTS)
    with pytest.raises(dx.UsageError, match="a retriever returned"):
        chunk_of(wrong)
    with pytest.raises(dx.UsageError, match="questions is one text"):
        dx.retrieve(lambda question: [], "what?", TEXTS)


def test_the_questions_may_be_those_of_the_gold(tmp_path) -> None:
    documents = {"manual": "Press the red button twice. Then wait for the green light."}
    gold = [
        {"topic": "q1", "query": "How is it reset?"},
        {"topic": "q1", "doc": "manual", "quote": "Press the red button twice."},
    ]
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in gold))
    asked = []

    def retriever(question):
        asked.append(question)
        return ["Press the red button twice."]

    for given in (gold, tmp_path / "gold.jsonl", str(tmp_path / "gold.jsonl"), dx.read_assessments(gold)):
        assert dx.score_retriever(retriever, given, given, "iR@1", documents)["iR@1"] == 1
    table = dx.read_assessments(gold)
    assert dx.score_retriever(retriever, table, gold, "iR@1", documents)["iR@1"] == 1
    assert asked == ["How is it reset?"] * 5
    with pytest.raises(dx.UsageError, match="no wordings of their topics"):
        dx.score_retriever(retriever, dx.read_assessments(gold[1:]), gold, "iR@1", documents)


@pytest.mark.parametrize(
    ("without", "shown"),
    [("documents", [NO_DOCUMENT] * 2), ("metadatas", ["docs/notes.md", NO_DOCUMENT])],
)
def test_columns_of_results_may_lack_texts_or_metadata(without: str, shown: list[str]) -> None:
    returned: dict[str, Any] = {
        "ids": [["1", "2"]],
        "documents": [[NOTES[:5], None]],
        "metadatas": [[{"source": "docs/notes.md"}, {"source": "docs/guide.md"}]],
        without: None,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        run = dx.retrieve(lambda question: returned, {"q1": "?"}, TEXTS)
    assert [run.docs[doc] for doc in run.doc] == shown
