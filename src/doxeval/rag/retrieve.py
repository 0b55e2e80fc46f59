"""Ask retrievers questions and score what they return."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

import numpy as np

from doxeval import (
    Assessments,
    Notices,
    Run,
    Scores,
    ScoringOptions,
    UsageError,
    evaluate,
    read_assessments,
    read_documents,
    read_layout,
)
from doxeval.core.phrases import counted, percent
from doxeval.core.progress import PATIENCE, lasting
from doxeval.core.values import is_several
from doxeval.extend import Measures, Ragged
from doxeval.io.formats.chunking import numbered_topic
from doxeval.io.placing.place_chunks import Chunk, place_chunks
from doxeval.measurement.listed import listed_measures
from doxeval.rag.answers import RetrieverFailed, answers_in, chunk_of, is_frame_like, rows_of_frame
from doxeval.rag.asking import Asker, Depth, depth_of, watched
from doxeval.rag.cache import AnswerCache
from doxeval.scoring.evaluation import NavigationModels

if TYPE_CHECKING:
    Questions: TypeAlias = Mapping[str, str] | Iterable[str] | Iterable[Mapping[str, Any]] | Assessments

MEASURES_OF_RETRIEVERS = "iR@5 iP@5 IoU@5"
QUESTION_KEYS = ("question", "query", "text")


def score_retriever(
    retriever: Any,
    questions: Questions,
    assessments: Any,
    measures: Measures = MEASURES_OF_RETRIEVERS,
    documents: Any = None,
    navigation: NavigationModels = None,
    *,
    k: int | None = None,
    name: str = "retriever",
    cache: str | Path | None = None,
    progress: bool | None = None,
    **options: Unpack[ScoringOptions],
) -> Scores:
    """Score a retriever, or several given as a mapping from names, over the questions asked.

    A retriever is one of LangChain, LlamaIndex or Haystack, a vector store, a pipeline, or any function (also
    an asynchronous one) from a question to a list of chunks: texts, dicts with `doc`, `start` and `end` or
    `text`, documents or nodes of these frameworks, a frame. A question for which it fails counts as not
    answered, with a notice, and is not cached. `questions` maps topics to their wording, or is a list of
    wordings (topics q000, q001, ...), or dicts or a frame with `topic` and `question`, or assessments that
    have the wordings of their topics. The other arguments are what :func:`doxeval.evaluate` takes; the
    documents, in which chunks are located, are needed. As many results are asked for as the measures look at,
    or `k`; the number is passed to everything that takes one. A file given as `cache` keeps every answer as
    soon as it arrives: retrievers of the same name are not asked again. `progress` is shown on standard
    error; by default only if that is a terminal.

    >>> documents = {"manual": "Press the red button twice. Then wait for the green light."}
    >>> questions = {"q1": "How is it reset?"}
    >>> answers = [{"topic": "q1", "doc": "manual", "quote": "Press the red button twice."}]
    >>> retriever = lambda question: ["red button twice. Then wait"]
    >>> score_retriever(retriever, questions, answers, "iR@1 iP@1", documents)
    run          iR@1    iP@1
    retriever  0.6296  0.6296
    mean over 1 topic
    """
    collection = _documents(documents)
    wordings = as_questions(_read(assessments, options) if questions is assessments else questions)
    named = listed_measures(measures) or [MEASURES_OF_RETRIEVERS]
    depth = depth_of([str(measure) for measure in named], k)
    retrievers = retriever if isinstance(retriever, Mapping) else {name: retriever}
    runs = {
        label: _answers(one, wordings, collection, depth, label, cache, progress)
        for label, one in retrievers.items()
    }
    given: ScoringOptions = {"topics": "run", **options}
    return evaluate(runs, assessments, named, collection, navigation, **given)


def retrieve(
    retriever: Any,
    questions: Questions,
    documents: Any,
    *,
    k: int = 10,
    name: str = "retriever",
    cache: str | Path | None = None,
    progress: bool | None = None,
) -> Run:
    """A retriever's answers as a run, its chunks located in the documents; see :func:`score_retriever`."""
    wordings, depth = as_questions(questions), depth_of([], k)
    return _answers(retriever, wordings, _documents(documents), depth, name, cache, progress)


def _read(assessments: Any, options: Mapping[str, Any]) -> Assessments:
    """Assessments read as scoring reads them."""
    given = {name: options[name] for name in ("ranges", "encoding", "merge") if name in options}
    return read_assessments(assessments, input_format=options.get("assessments_format"), **given)


def _documents(documents: Any) -> Any:
    if documents is None:
        raise UsageError(
            "chunks are located in the documents' text; give the documents, as {name: text} or a path"
        )
    return read_documents(documents)


def _answers(
    retriever: Any, wordings: dict[str, str], documents: Any, depth: Depth, name: str,
    cache: str | Path | None, progress: bool | None,
) -> Run:  # fmt: skip
    """The run of one retriever; a question without answers stays in the run as asked."""
    chunks: list[Chunk] = []
    counts = []
    failed: list[tuple[str, Exception]] = []
    begun = time.monotonic()
    with closing(Asker(retriever)) as ask, AnswerCache(cache) as kept:
        for topic, question in watched(wordings.items(), len(wordings), name, progress):
            try:
                found = _ask_enough(ask, name, topic, question, depth, kept)
            except RetrieverFailed as failure:
                found = []
                failed.append((topic, failure.problem))
            chunks.extend(found)
            counts.append(len(found))
    notices = Notices()
    _tell_failed(name, failed, len(wordings), notices)
    if kept.used:
        notices.add(
            f"{name}: {kept.used:,} answers are from {cache}; these questions were not asked again",
            harmless=True,
            lasting=True,
        )
    asked = Ragged.of_counts(counts)
    topics = list(wordings)
    where = _Where(topics, asked)
    placed = place_chunks(chunks, where, documents, notices, name, read_layout)
    _tell_time(name, ask.seconds, time.monotonic() - begun, notices)
    depth.tell(notices, name, max(counts))
    return Run(
        name, topics, placed.docs, asked.row.astype(np.int32), placed.doc, placed.start, placed.end,
        rank=asked.place + 1, added=placed.added, notices=notices,
    )  # fmt: skip


def _tell_failed(name: str, failed: list[tuple[str, Exception]], asked: int, notices: Notices) -> None:
    """Report for which questions a retriever failed; an error if it failed for all."""
    told = [f"{topic}: {type(problem).__name__}: {problem}" for topic, problem in failed]
    if len(failed) == asked:
        raise UsageError(f"{name}: the retriever failed for every question ({told[0]})") from failed[0][1]
    notices.add_each(
        f"{name}: the retriever failed for {{count}} of {counted(asked, 'question')}, which {{counts|count}} "
        "as not answered",
        told,
        lasting=True,
    )


def _tell_time(name: str, own: float, seconds: float, notices: Notices) -> None:
    """Report how much of the time was the retriever's own, if it took long."""
    if seconds >= PATIENCE:
        notices.add(
            f"{name}: {percent(own / seconds)} of the {lasting(seconds)} it took to ask all questions and to "
            "locate what came back were spent in the retriever",
            harmless=True,
        )


class _Where(Sequence[str]):
    """Describes which answer a chunk is, for those that a message names."""

    def __init__(self, topics: list[str], asked: Ragged) -> None:
        self.topics, self.asked = topics, asked

    def __len__(self) -> int:
        return self.asked.items

    def __getitem__(self, row: Any) -> Any:
        return f"{self.topics[self.asked.row[row]]}, rank {self.asked.place[row] + 1}"


def _ask_enough(
    ask: Asker, name: str, topic: str, question: str, depth: Depth, kept: AnswerCache
) -> list[Chunk]:
    """The first k chunks; more, twice as many each time, until a budget in text is filled."""
    k = depth.results
    while True:
        found = kept.get(name, question, k)
        if found is None:
            found = [chunk_of(answer) for answer in answers_in(ask(question, k), topic, k)]
            kept.put(name, question, k, found)
        if len(found) < k or not ask.sized or not depth.budgets or depth.filled(found):
            return found
        k *= 2


def as_questions(questions: Questions) -> dict[str, str]:
    """Topics and their wording."""
    if isinstance(questions, Assessments):
        if not questions.queries:
            raise UsageError("the assessments given as questions have no wordings of their topics ('query')")
        found = dict(questions.queries)
    elif isinstance(questions, Mapping) and not is_frame_like(questions):
        for topic, wording in questions.items():
            if not isinstance(wording, str):
                raise UsageError(
                    f"the question of topic {topic} must be a text, not {type(wording).__name__}"
                )
        found = {str(topic): wording for topic, wording in questions.items()}
    elif isinstance(questions, str) or not (is_frame_like(questions) or is_several(questions)):
        what = "one text" if isinstance(questions, str) else type(questions).__name__
        raise UsageError(
            f"questions is {what}; give a list of questions, or a mapping from topics to questions"
        )
    else:
        rows = rows_of_frame(questions) if is_frame_like(questions) else list(questions)
        found = dict(_question(row, number, len(rows)) for number, row in enumerate(rows))
        if len(found) < len(rows):
            raise UsageError(f"{len(rows)} questions have only {counted(len(found), 'different topic')}")
    if not found:
        raise UsageError("there are no questions to ask")
    return found


def _question(row: Any, number: int, total: int) -> tuple[str, str]:
    if isinstance(row, str):
        return numbered_topic(number, total), row
    wording = (
        next((row[key] for key in QUESTION_KEYS if row.get(key)), None) if isinstance(row, Mapping) else None
    )
    if wording is None or "topic" not in row:
        has = ", ".join(map(str, row)) if isinstance(row, Mapping) else f"is {type(row).__name__}"
        raise UsageError(f"question {number + 1} needs 'topic' and 'question', but has {has}")
    return str(row["topic"]), str(wording)
