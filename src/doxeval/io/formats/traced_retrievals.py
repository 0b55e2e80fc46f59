"""Traces of Langfuse and LangSmith, and LangSmith's examples.

Langfuse (JSON Lines or JSON): observations with `traceId`, `parentObservationId`, `type`; what those of the
type RETRIEVER return is a run. LangSmith: runs with `trace_id`, `parent_run_id`, `run_type`; what the
retrievers return is a run. The question is that of the outermost step of the trace; a retriever within
another is left out, and several retrievers of a trace follow one another. Examples (`dataset_id`, `inputs`,
`outputs`) are assessments: `outputs.documents` are names of documents, or objects with their text; `contexts`
and `reference_contexts` are texts. Without any of them the `answer` is a quote.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from doxeval.io.formats.nested_values import json_inside
from doxeval.io.formats.other_tools import (
    Line,
    ToolFile,
    assessments_format,
    ranked,
    record_attributes,
    run_format,
)
from doxeval.io.formats.ragas import AGAIN, EMPTY, ONLY_ANSWERS
from doxeval.io.formats.retrieved_chunks import chunk_line, listed_chunks, question_asked

TEXTS = ("reference_contexts", "contexts", "context")
ANSWERS = ("answer", "reference", "output")


class Step(NamedTuple):
    """One step of a trace: its own and its parent's id, whether it retrieves, what it was given and gave."""

    trace: str
    own: str
    parent: str
    retrieves: bool
    given: Any
    gave: Any
    example: str


def langfuse_step(record: Mapping[str, Any]) -> Step:
    """An observation of Langfuse."""
    return Step(
        str(record["traceId"]), str(record["id"]), str(record.get("parentObservationId") or ""),
        str(record["type"]).upper() == "RETRIEVER", json_inside(record.get("input")),
        json_inside(record.get("output")), "",
    )  # fmt: skip


def langsmith_step(record: Mapping[str, Any]) -> Step:
    """A run of LangSmith."""
    return Step(
        str(record["trace_id"]), str(record["id"]), str(record.get("parent_run_id") or ""),
        record["run_type"] == "retriever", record.get("inputs"), record.get("outputs"),
        str(record.get("reference_example_id") or ""),
    )  # fmt: skip


def retrieved_rows(file: ToolFile, step_of: Callable[[Mapping[str, Any]], Step]) -> Iterator[Line]:
    """The results of each trace that retrieves, under its question."""
    steps = {
        step["line"]: step["step"]
        for step in file.lines(
            file.records(), lambda record, _: [{"step": step_of(record)}], "a step of a trace"
        )
    }
    traces: dict[str, list[tuple[int, Step]]] = {}
    for number, step in steps.items():
        traces.setdefault(step.trace, []).append((number, step))
    found = [(many[0][0], many) for many in traces.values() if any(step.retrieves for _, step in many)]

    def rows_of(many: list[tuple[int, Step]], number: int) -> Iterator[Line]:
        topic, example = _asked([step for _, step in many])
        outer = _outermost([step for _, step in many])
        lines = [chunk_line(chunk) for step in outer for chunk in listed_chunks(step.gave)]
        if not all(lines):
            file.notices.add(EMPTY, file.source.place(number), count=lines.count({}), lasting=True)
        yield from ({"example": example} | row for row in ranked(topic, filter(None, lines)))

    rows = list(file.lines(found, rows_of, "a question and the documents retrieved for it"))
    yield from _under_distinct_names(rows, file)


def _asked(steps: list[Step]) -> tuple[str, str]:
    """The question of a trace, and the example that it is a run of."""
    known = {step.own for step in steps}
    roots = [step for step in steps if step.parent not in known]
    example = next((step.example for step in roots if step.example), "")
    for step in [*roots, *(step for step in steps if step.retrieves)]:
        try:
            return question_asked(step.given), example
        except ValueError:
            continue
    raise ValueError("no question")


def _outermost(steps: list[Step]) -> list[Step]:
    """The steps that retrieve and are in no other that does."""
    parents = {step.own: step.parent for step in steps}
    retrieving = {step.own for step in steps if step.retrieves}

    def is_inside(step: Step) -> bool:
        at, seen = step.parent, set()
        while at and at not in retrieving and at not in seen:
            seen.add(at)
            at = parents.get(at, "")
        return at in retrieving

    return [step for step in steps if step.retrieves and not is_inside(step)]


def _under_distinct_names(rows: list[Line], file: ToolFile) -> Iterator[Line]:
    """Rows named by their question, or by their example where several examples ask the same.

    Of a question asked in several traces the first counts, which is reported.
    """
    examples = {(row["topic"], row["example"]) for row in rows}
    shared = Counter(topic for topic, _ in examples)
    first: dict[str, int] = {}
    again = []
    for row in rows:
        example = row.pop("example")
        if shared[row["topic"]] > 1 and example:
            row["topic"] = example
        if first.setdefault(row["topic"], row["line"]) == row["line"]:
            yield row
        else:
            again.append(row["topic"])
    file.notices.add_names(
        AGAIN.replace("several rows; the first row", "several traces; the first"), again, lasting=True
    )


def example_lines(file: ToolFile) -> Iterator[Line]:
    """The references of each example of LangSmith."""
    only_answers = []

    def lines_of(record: Any, number: int) -> Iterator[Line]:
        topic, question = str(record["id"]), question_asked(record["inputs"])
        given = record.get("outputs") or {}
        places = [_reference(one, "doc") for one in given.get("documents") or ()]
        for key in TEXTS:
            listed = given.get(key) or ()
            places += [_reference(one, "quote") for one in ([listed] if isinstance(listed, str) else listed)]
        answer = next((given[key] for key in ANSWERS if isinstance(given.get(key), str) and given[key]), None)
        if not places and answer is not None:
            only_answers.append(topic)
            places = [{"quote": answer}]
        told = record_attributes(record.get("metadata") or {})
        line = {"topic": topic, "query": question, "attributes": told}
        yield from (line | {"rel": 1.0} | place for place in places)
        if not places:
            yield line

    yield from file.lines(file.records(), lines_of, "an id, inputs with a question, and outputs")
    file.notices.add_names(ONLY_ANSWERS, only_answers, harmless=True, lasting=True)


def _reference(one: Any, key: str) -> Line:
    """A reference: an object with its text, or a text that is its name or itself."""
    if isinstance(one, str) and one.strip():
        return {key: one}
    line = chunk_line(one)
    return {"quote" if name == "text" else name: value for name, value in line.items()}


def sniff_langfuse(head: bytes) -> bool:
    """Observations of Langfuse."""
    return (
        head.startswith((b"{", b"[")) and b'"traceId"' in head and b'"type"' in head and b"bservation" in head
    )


def sniff_runs(head: bytes) -> bool:
    """Runs of LangSmith."""
    return head.startswith((b"{", b"[")) and b'"run_type"' in head and b'"trace_id"' in head


def sniff_examples(head: bytes) -> bool:
    """Examples of LangSmith."""
    return head.startswith((b"{", b"[")) and all(
        key in head for key in (b'"dataset_id"', b'"inputs"', b'"outputs"')
    )


_STEP = (
    b'{"id": "%s", "traceId": "%s", "parentObservationId": %s, "type": "%s", "input": "What is %s?", '
    b'"output": [{"id": "c1", "page_content": "Tea is hot.", "metadata": {"source": "tea"}}]}\n'
)
_RUN = (
    b'{"id": "%s", "trace_id": "%s", "parent_run_id": %s, "run_type": "%s", "inputs": {"question": '
    b'"What is %s?"}, "outputs": {"documents": [{"page_content": "Tea is hot.", '
    b'"metadata": {"source": "tea"}}]}}\n'
)
_EXAMPLE = (
    b'{"id": "%s", "dataset_id": "d", "inputs": {"question": "What is %s?"}, "outputs": {"answer": "Tea", '
    b'"documents": ["tea"]}}\n'
)
FORMATS = (
    run_format(
        "langfuse",
        "Langfuse observations: traceId, type RETRIEVER, input, output",
        sniff_langfuse,
        lambda file: retrieved_rows(file, langfuse_step),
        priority=3,
        sample=_STEP % (b"1", b"a", b"null", b"AGENT", b"hot")
        + _STEP % (b"2", b"a", b'"1"', b"RETRIEVER", b"hot")
        + _STEP % (b"3", b"b", b"null", b"RETRIEVER", b"cold"),
        broken=(b"{", b'{"traceId": "c", "type": "RETRIEVER"}',
                b'{"id": "9", "traceId": "c", "type": "RETRIEVER", "input": "x", "output": 7}'),
    ),
    run_format(
        "langsmith",
        "LangSmith runs: trace_id, run_type retriever, inputs, outputs",
        sniff_runs,
        lambda file: retrieved_rows(file, langsmith_step),
        priority=3,
        sample=_RUN % (b"1", b"a", b"null", b"chain", b"hot")
        + _RUN % (b"2", b"a", b'"1"', b"retriever", b"hot")
        + _RUN % (b"3", b"b", b"null", b"retriever", b"cold"),
        broken=(b"{", b'{"trace_id": "c", "run_type": "retriever"}',
                b'{"id": "9", "trace_id": "c", "run_type": "retriever", "inputs": "x", "outputs": {}}'),
    ),
    assessments_format(
        "langsmith",
        "LangSmith examples: inputs with a question, outputs with documents, contexts or an answer",
        sniff_examples,
        example_lines,
        priority=3,
        holds_documents=False,
        sample=_EXAMPLE % (b"1", b"hot") + _EXAMPLE % (b"2", b"cold"),
        broken=(b"{", b'{"id": "9", "inputs": {}}',
                b'{"id": "9", "inputs": {"question": "x"}, "outputs": 7}'),
    ),
)  # fmt: skip
