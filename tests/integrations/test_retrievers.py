"""Retrievers of the frameworks themselves, each over the same chunks: asked for k, scored alike."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pandas
import polars
import pytest

import doxeval as dx

PARTS = [f"Paragraph {at} tells of item{at:02d} and of nothing else at all." for at in range(12)]
TEXTS = {"docs/first.md": "\n\n".join(PARTS[:6]), "docs/second.md": "\n\n".join(PARTS[6:])}
QUESTIONS = {f"q{at:02d}": f"What of item{at:02d}?" for at in range(12)}
ANSWERS = [
    {"topic": topic, "doc": doc, "quote": part}
    for topic, part in zip(QUESTIONS, PARTS, strict=True)
    for doc, text in TEXTS.items()
    if part in text
]
MEASURES = "iR@1 iR@12"


def word(text: str) -> str:
    """The item that a text is about."""
    return next(part.strip("?.") for part in text.split() if part.startswith("item"))


def vector(text: str) -> list[float]:
    return [float(f"item{at:02d}" in text) for at in range(12)]


def check(retriever: Any, documents: Any = TEXTS, measures: str = MEASURES) -> dx.Scores:
    """Every answer is found at rank 1, and twelve results are asked for, where a measure looks at twelve."""
    scores = dx.score_retriever(retriever, QUESTIONS, ANSWERS, measures, documents)
    for measure in measures.split():
        assert scores[measure] == 1.0, scores
    return scores


def results_of(retriever: Any, k: int, documents: Any = TEXTS) -> int:
    """How many results a question has."""
    return len(dx.retrieve(retriever, {"q": QUESTIONS["q03"]}, documents, k=k))


@pytest.fixture(scope="module")
def langchain() -> Any:
    pytest.importorskip("langchain_core", reason="langchain-core is not installed")
    from langchain_core.documents import Document
    from langchain_core.embeddings import Embeddings
    from langchain_core.vectorstores import InMemoryVectorStore

    class Words(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [vector(text) for text in texts]

        def embed_query(self, text: str) -> list[float]:
            return vector(text)

    store = InMemoryVectorStore(Words())
    for name, text in TEXTS.items():
        starts = {part: text.index(part) for part in PARTS if part in text}
        store.add_documents(
            [Document(part, metadata={"source": name, "start_index": at}) for part, at in starts.items()]
        )
    return store


def test_vector_stores_and_retrievers_of_langchain(langchain: Any) -> None:
    check(langchain)
    check(langchain.as_retriever(search_kwargs={"k": 1}))
    assert results_of(langchain.as_retriever(search_kwargs={"k": 2}), 7) == 7
    check(langchain.as_retriever().ainvoke)
    assert results_of(langchain.as_retriever(search_kwargs={"k": 2}).ainvoke, 7) == 7
    check(langchain.as_retriever() | (lambda found: found))


def test_ensembles_and_compressions_of_langchain_pass_k_on(langchain: Any) -> None:
    pytest.importorskip("langchain_classic", reason="langchain-classic is not installed")
    from langchain_classic.retrievers import ContextualCompressionRetriever, EnsembleRetriever
    from langchain_classic.retrievers.document_compressors import DocumentCompressorPipeline

    one = langchain.as_retriever(search_kwargs={"k": 1})
    ensemble: Any = EnsembleRetriever(retrievers=[one, one], weights=[0.5, 0.5])
    check(ensemble)
    assert results_of(ensemble, 9) == 9 and ensemble.retrievers[0].search_kwargs == {"k": 1}
    nothing = DocumentCompressorPipeline(transformers=[])
    compressing = ContextualCompressionRetriever(base_compressor=nothing, base_retriever=ensemble)
    check(compressing)
    assert results_of(compressing, 9) == 9


def test_parent_documents_of_langchain(langchain: Any) -> None:
    pytest.importorskip("langchain_classic", reason="langchain-classic is not installed")
    from langchain_classic.retrievers import ParentDocumentRetriever
    from langchain_core.documents import Document
    from langchain_core.stores import InMemoryStore
    from langchain_core.vectorstores import InMemoryVectorStore
    from langchain_text_splitters import CharacterTextSplitter

    splitter = CharacterTextSplitter(separator="\n\n", chunk_size=60, chunk_overlap=0)
    parents = ParentDocumentRetriever(
        vectorstore=InMemoryVectorStore(langchain.embeddings),
        docstore=InMemoryStore(),
        child_splitter=splitter,
    )
    documents = [Document(text, metadata={"source": name}) for name, text in TEXTS.items()]
    parents.add_documents(documents)
    scores = check(parents, documents, "iR@1")
    assert scores.value("retriever", "iR@1") == 1.0


def test_pages_of_a_loader_are_one_document_again() -> None:
    pytest.importorskip("langchain_core", reason="langchain-core is not installed")
    from langchain_core.documents import Document

    pages = [
        Document(part, metadata={"source": name, "page": at})
        for name, text in TEXTS.items()
        for at, part in enumerate(text.split("\n\n"))
    ]
    documents = dx.read_documents(pages)
    assert list(documents.ids) == list(TEXTS) and documents.text is not None
    assert documents.text[1] == TEXTS["docs/second.md"].replace("\n\n", "\f")
    check(lambda question, k: [pages[at] for at in best(question)[:k]], pages)
    with pytest.raises(dx.InputError, match=r"two documents would have the name 'docs/first\.md'"):
        dx.read_documents([Document("a", metadata={"source": "docs/first.md"}), pages[0]])


def test_llama_index_retrievers_and_fusions() -> None:
    pytest.importorskip("llama_index.core", reason="llama-index-core is not installed")
    from llama_index.core import Document, VectorStoreIndex
    from llama_index.core.embeddings import BaseEmbedding
    from llama_index.core.llms import MockLLM
    from llama_index.core.node_parser import SentenceSplitter
    from llama_index.core.retrievers import QueryFusionRetriever

    class Words(BaseEmbedding):
        def _get_query_embedding(self, query: str) -> list[float]:
            return vector(query)

        def _get_text_embedding(self, text: str) -> list[float]:
            return vector(text)

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return vector(query)

    documents = [Document(text=text, metadata={"file_path": name}) for name, text in TEXTS.items()]
    splitter = SentenceSplitter(
        chunk_size=40, chunk_overlap=0, paragraph_separator="\n\n", tokenizer=str.split
    )
    index = VectorStoreIndex(splitter.get_nodes_from_documents(documents), embed_model=Words())
    retriever: Any = index.as_retriever(similarity_top_k=1)
    check(retriever, documents, "iR@1")
    found = results_of(retriever, 3, documents)
    assert found == results_of(retriever.aretrieve, 3, documents) > 1 and retriever.similarity_top_k == 1
    fusion = QueryFusionRetriever([retriever, retriever], llm=MockLLM(), num_queries=1, use_async=False)
    check(fusion, documents, "iR@1")


@pytest.fixture(scope="module")
def haystack() -> tuple[Any, list[Any]]:
    pytest.importorskip("haystack", reason="haystack-ai is not installed")
    from haystack import Document
    from haystack.components.preprocessors import DocumentSplitter
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    documents = [Document(content=text, meta={"file_path": name}) for name, text in TEXTS.items()]
    store = InMemoryDocumentStore()
    splitter = DocumentSplitter(split_by="passage", split_length=1)
    splitter.warm_up()
    store.write_documents(splitter.run(documents=documents)["documents"])
    return store, documents


def test_components_and_pipelines_of_haystack(haystack: tuple[Any, list[Any]]) -> None:
    from haystack import Pipeline
    from haystack.components.joiners import DocumentJoiner
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever

    store, documents = haystack
    check(InMemoryBM25Retriever(store, top_k=1), documents)
    assert results_of(InMemoryBM25Retriever(store, top_k=1), 5, documents) == 5
    pipeline = Pipeline()
    pipeline.add_component("one", InMemoryBM25Retriever(store, top_k=1))
    pipeline.add_component("other", InMemoryBM25Retriever(store, top_k=1))
    pipeline.add_component("joiner", DocumentJoiner())
    pipeline.connect("one", "joiner")
    pipeline.connect("other", "joiner")
    check(pipeline, documents)
    assert results_of(pipeline, 5, documents) == 5


def test_collections_of_chroma() -> None:
    chromadb = pytest.importorskip("chromadb", reason="chromadb is not installed")
    client = chromadb.EphemeralClient()

    class Words(chromadb.EmbeddingFunction):  # type: ignore[name-defined,misc]
        def __init__(self) -> None:
            pass

        def __call__(self, input: list[str]) -> Any:
            return [vector(text) for text in input]

    collection = client.create_collection("parts", embedding_function=Words())
    sources = [next(name for name, text in TEXTS.items() if part in text) for part in PARTS]
    metadatas = [{"source": name} for name in sources]
    collection.add(ids=[str(at) for at in range(12)], documents=PARTS, metadatas=metadatas)
    check(collection)
    assert results_of(collection, 5) == 5
    check(lambda question, k: collection.query(query_texts=[question], n_results=k))


def test_tables_of_lancedb_and_what_queries_return(tmp_path: Any) -> None:
    lancedb = pytest.importorskip("lancedb", reason="lancedb is not installed")
    sources = [next(name for name, text in TEXTS.items() if part in text) for part in PARTS]
    rows = [
        {"text": part, "vector": vector(part), "metadata": {"source": name}}
        for part, name in zip(PARTS, sources, strict=True)
    ]
    table = lancedb.connect(tmp_path).create_table("parts", rows)
    for form in ("to_list", "to_pandas", "to_polars", "to_arrow"):
        check(lambda question, k, form=form: getattr(table.search(vector(question)).limit(k), form)())
    check(lambda question, k: table.search(vector(question)).limit(k))
    table.create_fts_index("text", use_tantivy=False)
    check(table, measures="iR@1")
    assert results_of(table, 1) == 1


def best(question: str) -> list[int]:
    """All parts, that which answers the question first."""
    wanted = int(word(question)[4:])
    return [wanted, *(at for at in range(12) if at != wanted)]


class LikeTxtai:
    """What embeddings of txtai are from outside: `search` with a limit, dicts with id, text and score."""

    def search(self, query: str, limit: int | None = None, weights: Any = None) -> list[dict[str, Any]]:
        return [{"id": str(at), "text": PARTS[at], "score": 0.5} for at in best(query)[: limit or 3]]


async def asynchronous(question: str, k: int) -> list[str]:
    await asyncio.sleep(0)
    return [PARTS[at] for at in best(question)[:k]]


CALLABLES: dict[str, Callable[..., Any]] = {
    "txtai's search": LikeTxtai().search,
    "an asynchronous function": asynchronous,
    "a pandas frame": lambda question, k: pandas.DataFrame(
        {"text": [PARTS[at] for at in best(question)[:k]]}
    ),
    "a polars frame": lambda question, k: polars.DataFrame(
        {"content": [PARTS[at] for at in best(question)[:k]]}
    ),
}


@pytest.mark.parametrize("kind", CALLABLES)
def test_functions_and_frames(kind: str) -> None:
    check(CALLABLES[kind])


def test_objects_like_those_of_txtai() -> None:
    check(LikeTxtai())


def test_documents_of_docling() -> None:
    pytest.importorskip("docling_core", reason="docling-core is not installed")
    from docling_core.types.doc.document import DoclingDocument
    from docling_core.types.doc.labels import DocItemLabel

    documents = []
    for name, text in TEXTS.items():
        document = DoclingDocument(name=name)
        for part in text.split("\n\n"):
            document.add_text(label=DocItemLabel.PARAGRAPH, text=part)
        documents.append(document)
    check(lambda question, k: [PARTS[at] for at in best(question)[:k]], documents)
    one = dx.read_documents(documents[0])
    assert list(one.ids) == ["docs/first.md"] and one.text is not None and PARTS[3] in one.text[0]
