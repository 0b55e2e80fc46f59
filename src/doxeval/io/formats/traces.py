"""Traces of agents and retrievals: OpenTelemetry spans, by OpenInference and by the GenAI conventions.

A file holds spans as the SDK prints them, one per line, batches of OTLP/JSON, or rows of Phoenix; frames of
Phoenix are read in Python and from Parquet too (:mod:`~doxeval.io.formats.spans`). One root is one question,
which is a topic or the wording of one: its `doxeval.topic`, or the attribute that the caller names, or else
the words of its input, of its last user message, or of its search
(:mod:`~doxeval.io.formats.span_questions`).

With an agent, a tool, or several searches for one question, the spans are the steps of a trajectory.
Otherwise they are a run: the documents of the last retrieval for each question, ranked as they are listed.
Chunks are located by their content, in the document named by their metadata, or in all; their own ids name
documents only where there is no content. Scores, which may be distances, are ignored.

Tested on spans of LangChain and LangGraph (openinference-instrumentation-langchain 0.1.80), of LlamaIndex
(openinference-instrumentation-llama-index 4.6.1), and by the GenAI conventions (0.66b2), in every form above
(opentelemetry-sdk 1.45.2, arize-phoenix 20.26.1).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from doxeval.core.errors import InputError
from doxeval.core.notices import Notices
from doxeval.core.phrases import counted
from doxeval.io.formats.build_tables import build_run
from doxeval.io.formats.columns import rows_of_dicts
from doxeval.io.formats.format import TRACES, Format, Options
from doxeval.io.formats.other_tools import Line, ToolFile
from doxeval.io.formats.shown_text import UNSTATED, keys_of_chunk
from doxeval.io.formats.span_questions import (
    AskedQuestion,
    is_agentic,
    outer_retrievals,
    questions_of,
    retrieved_by,
)
from doxeval.io.formats.span_steps import StepLines
from doxeval.io.formats.spans import Span, looks_like_spans, span_of, span_records, trees
from doxeval.io.formats.step_lines import build_trajectory
from doxeval.io.placing.claims import Claim
from doxeval.io.source import Source
from doxeval.tables.runs import Run
from doxeval.tables.steps import with_aliases

AGAIN = "{count} {question was|questions were} asked more than once; the last time counts"
NOT_RETRIEVALS = "{count} {span is not a retrieval and is|spans are not retrievals and are} left out"
QUESTION_EXPECTED = "a question, and retrievals or tools that answer it"
NEEDED = (
    "expected spans with retrieval.documents.N.document.content (OpenInference) or "
    "gen_ai.retrieval.documents (GenAI), or of tools that an agent calls"
)
KINDS_SHOWN = 4


def sniff(head: bytes) -> bool:
    """Batches of OTLP, spans as written by the SDK, or rows of Phoenix."""
    return looks_like_spans(head)


def read(source: Source, options: Options) -> Run:
    """Read the steps of agents, or what was retrieved for each question."""
    file = ToolFile(source, Notices())
    return run_of_records(file, file.records(), options.named_after(source))


def run_of_records(file: ToolFile, records: Iterable[tuple[int, Any]], options: Options) -> Run:
    """The run in some records with their numbers: spans, batches, or rows of frames."""
    spans = _spans(file, records)
    if not any(span.is_retrieval or span.kind == "TOOL" for span in spans):
        raise InputError(
            f"{file.source.name}: none of its {counted(len(spans), 'span')} is a retrieval{_found(spans)}; "
            f"{NEEDED}"
        )
    asked = [
        line["question"]
        for line in file.lines(
            [(root.line, root) for root in trees(spans)],
            lambda root, _: ({"question": one} for one in questions_of(root, options.question_attribute)),
            QUESTION_EXPECTED,
        )
    ]
    questions = _joined(asked, bool(options.question_attribute), file.notices)
    build = _trajectory if any(map(is_agentic, questions)) else _ranked
    run = build(questions, spans, file, options)
    aliases = {question.topic: question.aliases for question in questions}
    shared = Counter(name for names in aliases.values() for name in names)
    own = {topic: [name for name in names if shared[name] == 1] for topic, names in aliases.items()}
    return with_aliases(run, own)


def _spans(file: ToolFile, records: Iterable[tuple[int, Any]]) -> list[Span]:
    """The spans in some records; those that make no sense are refused."""
    found = file.lines(records, lambda record, _: ({"span": span} for span in span_records(record)), "spans")
    told = [(line["line"], line["span"]) for line in found]
    spans = []
    for line in file.lines(told, lambda record, _: [{"span": span_of(record)}], "a span"):
        line["span"].line = line["line"]
        spans.append(line["span"])
    return spans


def _joined(asked: list[AskedQuestion], by_attribute: bool, notices: Notices) -> list[AskedQuestion]:
    """One question for each topic: of those in the same words the last, in others all of them as one.

    Only an attribute that was named can join roots that differ in words.
    """
    found: dict[str, dict[str, AskedQuestion]] = {}
    for question in asked:
        trials = found.setdefault(question.topic, {})
        key = question.words if by_attribute else ""
        if trials.pop(key, None) is not None:
            notices.add_names(AGAIN, [question.topic], lasting=True)
        trials[key] = question
    return [
        AskedQuestion(
            topic, next(iter(trials.values())).words, [root for one in trials.values() for root in one.roots]
        )
        for topic, trials in found.items()
    ]


def _trajectory(questions: list[AskedQuestion], spans: list[Span], file: ToolFile, options: Options) -> Run:
    """The run with the steps of every question."""
    steps = StepLines()
    records = [(question.line, question) for question in questions]
    rows = list(file.lines(records, lambda question, _: steps.lines(question), "the steps of a question"))
    if not any("step" in row for row in rows):
        rows += [{"line": 0, "topic": None, "step": None, "action": None}]
    run = build_trajectory(rows_of_dicts(rows, file.source.name, file.notices), options)
    return _with_stated_places(run, steps.stated)


def _ranked(questions: list[AskedQuestion], spans: list[Span], file: ToolFile, options: Options) -> Run:
    """The run with what the last retrieval for every question returned."""
    retrievals = sum(span.is_retrieval for span in spans)
    if len(spans) > retrievals:
        file.notices.add(NOT_RETRIEVALS, count=len(spans) - retrievals, harmless=True)
    records = [(question.line, question) for question in questions]
    rows = list(file.lines(records, lambda question, _: _results(question), QUESTION_EXPECTED))
    stated = [line.pop("stated", UNSTATED) for line in rows]
    run = build_run(rows_of_dicts(rows, file.source.name, file.notices), options)
    return _with_stated_places(
        run, [place for place, line in zip(stated, rows, strict=True) if "rank" in line]
    )


def _results(question: AskedQuestion) -> Iterator[Line]:
    """A line for each result of the last retrieval for a question, or one that it was asked."""
    searches = [span for root in question.roots for span in outer_retrievals(root)]
    if searches:
        line = searches[-1].line
        found = retrieved_by(searches[-1])
        for rank, chunk in enumerate(found, 1):
            yield {"topic": question.topic, "rank": rank, "line": line} | keys_of_chunk(chunk)
        if not found:
            yield {"topic": question.topic}


def _found(spans: list[Span]) -> str:
    """The kinds of some spans, for a message."""
    kinds = Counter(span.kind for span in spans if span.kind)
    told = ", ".join(f"{count:,} {kind}" for kind, count in kinds.most_common(KINDS_SHOWN))
    return f" (found {told})" if told else ""


def _with_stated_places(run: Run, stated: list[tuple[int, int, Claim]]) -> Run:
    """The run with the places stated for its texts, which are checked against the documents there."""
    if len(stated) == len(run) and run.span_offset is None:
        for row, (start, end, _) in enumerate(stated):
            if 0 <= start <= end:
                run.start[row], run.end[row] = start, end
        run.claims = [claim for _, _, claim in stated]
    return run


def _sample_span(question: bytes, *documents: bytes) -> bytes:
    told = b"".join(
        b', "retrieval.documents.%d.document.content": "%s"' % (at, text) for at, text in enumerate(documents)
    )
    return (
        b'{"name": "r", "context": {"trace_id": "0x1", "span_id": "0x%s"}, "parent_id": null, "attributes": '
        b'{"openinference.span.kind": "RETRIEVER", "input.value": "%s"%s}}\n'
        % (question[:1].hex().encode(), question, told)
    )


FORMAT = Format(
    name=TRACES,
    kind="run",
    summary="OpenTelemetry spans of agents or retrievals (OpenInference, GenAI; SDK, OTLP/JSON, Phoenix)",
    sniff=sniff,
    read=read,
    traces=True,
    sample=_sample_span(b"t1", b"Tea is hot.", b"Milk is not.") + _sample_span(b"u2", b"Coffee is better."),
    broken=(
        b"{",
        b'{"context": {"trace_id": "0x1"}, "attributes": {"retrieval.documents.0.document.content": "x"}}',
        b'{"trace_id": "1", "attributes": {"input.value": "v", "gen_ai.retrieval.documents": "["}}',
    ),
)
