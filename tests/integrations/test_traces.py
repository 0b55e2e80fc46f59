"""A LangChain retriever traced with OpenTelemetry's SDK and OpenInference scores as it does when asked."""

# ruff: noqa: E402
from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import doxeval as dx
from doxeval.demo import DOCUMENTS

for package in ("langchain_core", "opentelemetry.sdk", "openinference.instrumentation.langchain"):
    pytest.importorskip(package)

from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from openinference.instrumentation.langchain import LangChainInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

MEASURES = "iR@3 iP@3 AiP tLM@2000c"


class Overlap(BaseRetriever):
    """The pieces that share most words with the question."""

    pieces: list[Document]

    def _get_relevant_documents(self, query, *, run_manager):
        words = set(query.lower().split())
        return sorted(self.pieces, key=lambda one: -len(words & set(one.page_content.lower().split())))[:5]


@pytest.fixture
def spans(tmp_path: Path) -> Iterator[tuple[Path, InMemorySpanExporter]]:
    path, kept = tmp_path / "traces.jsonl", InMemorySpanExporter()
    provider = TracerProvider()
    with path.open("w") as stream:
        console = ConsoleSpanExporter(out=stream, formatter=lambda span: span.to_json(indent=None) + "\n")
        provider.add_span_processor(SimpleSpanProcessor(console))
        provider.add_span_processor(SimpleSpanProcessor(kept))
        LangChainInstrumentor().instrument(tracer_provider=provider)
        yield path, kept
        LangChainInstrumentor().uninstrument()


@pytest.mark.parametrize("told", [True, False], ids=["with metadata", "by content"])
def test_traces_score_as_the_retriever_does(spans, told: bool) -> None:
    path, kept = spans
    documents = dx.read_documents(DOCUMENTS)
    pieces = []
    for doc, text in zip(documents.ids, documents.text, strict=True):
        for start in range(0, len(text), 400):
            metadata = {"source": doc, "start_index": start} if told else {}
            pieces.append(Document(page_content=text[start : start + 400], metadata=metadata))
    questions = {
        row["topic"]: row["question"]
        for row in map(json.loads, (DOCUMENTS.parent / "questions.jsonl").read_text().splitlines())
    }
    gold = [json.loads(line) for line in (DOCUMENTS.parent / "answers.jsonl").read_text().splitlines()]
    gold += [{"topic": topic, "query": query} for topic, query in questions.items()]
    expected = dx.score_retriever(Overlap(pieces=pieces), questions, gold, MEASURES, documents)
    forms = {"sdk": path}
    try:
        from google.protobuf.json_format import MessageToJson
        from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
    except ImportError:
        pass
    else:
        forms["otlp"] = path.with_name("otlp.jsonl")
        forms["otlp"].write_text(MessageToJson(encode_spans(kept.get_finished_spans()), indent=None) + "\n")
    for form, traced in forms.items():
        found = dx.evaluate({"retriever": traced}, gold, MEASURES, documents)
        assert list(found.rows(True)) == list(expected.rows(True)), form
