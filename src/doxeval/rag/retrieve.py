"""Ask retrievers questions and score what they return."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from doxeval.core.errors import UsageError
from doxeval.core.notices import Notices
from doxeval.io.formats.chunking import topic_name
from doxeval.io.place import Places
from doxeval.io.read import read_documents, read_run
from doxeval.rag.answers import asker, chunk_of
from doxeval.scoring.evaluation import evaluate
from doxeval.scoring.scores import Scores
from doxeval.tables.runs import Run

if TYPE_CHECKING:
    Questions = Mapping[str, str] | Iterable[str] | Iterable[Mapping[str, Any]]

MEASURES = "iR@5 iP@5 IoU@5"


def score_retriever(
    retriever: Any,
    questions: Questions,
    assessments: Any,
    documents: Any,
    measures: str | Iterable[str] = MEASURES,
    *,
    k: int = 10,
    name: str = "retriever",
    **options: Any,
) -> Scores:
    """Score a retriever, or several given as a mapping from names.

    A retriever is LangChain's, LlamaIndex's, or any function from a question to a list of chunks: texts,
    dicts with `doc`, `start` and `end` or `text`, LangChain documents or LlamaIndex nodes. `questions` maps
    topics to their wording, or is a list of wordings (topics q000, q001, ...) or of dicts with `topic` and
    `question`. `assessments` and `documents` are what :func:`doxeval.evaluate` takes; `k` results count.

    >>> documents = {"manual": "Press the red button twice. Then wait for the green light."}
    >>> questions = {"q1": "How is it reset?"}
    >>> answers = [{"topic": "q1", "doc": "manual", "quote": "Press the red button twice."}]
    >>> retriever = lambda question: ["red button twice. Then wait"]
    >>> score_retriever(retriever, questions, answers, documents, "iR@1 iP@1")
    run          iR@1    iP@1
    retriever  0.6296  0.6296
    mean over 1 topic
    """
    collection = read_documents(documents)
    wordings = as_questions(questions)
    retrievers = retriever if isinstance(retriever, Mapping) else {name: retriever}
    runs = {label: retrieve(one, wordings, collection, k=k, name=label) for label, one in retrievers.items()}
    return evaluate(runs, assessments, measures, collection, **options)


def retrieve(
    retriever: Any, questions: Questions, documents: Any, *, k: int = 10, name: str = "retriever"
) -> Run:
    """A retriever's answers as a run, its chunks put where they stand; see :func:`score_retriever`."""
    notices = Notices()
    places = Places(read_documents(documents), notices)
    ask = asker(retriever)
    rows = []
    for topic, question in as_questions(questions).items():
        for rank, answer in enumerate(islice(ask(question), k), 1):
            rows.append(
                {
                    "topic": topic,
                    "rank": rank,
                    **places.find(chunk_of(answer), f"{name}, {topic}, rank {rank}"),
                }
            )
    run = read_run(rows, name=name)
    run.notices.extend(notices)
    return run


def as_questions(questions: Questions) -> dict[str, str]:
    """Topics and their wording."""
    if isinstance(questions, Mapping):
        return {str(topic): str(wording) for topic, wording in questions.items()}
    if isinstance(questions, str):
        raise UsageError(
            "questions is one text; give a list of questions, or a mapping from topics to questions"
        )
    found: dict[str, str] = {}
    rows = list(questions)
    for number, row in enumerate(rows):
        if isinstance(row, Mapping):
            wording = next((row[key] for key in ("question", "query", "text") if row.get(key)), None)
            if wording is None or "topic" not in row:
                raise UsageError(
                    f"question {number + 1} needs 'topic' and 'question', but has {', '.join(row)}"
                )
            found[str(row["topic"])] = str(wording)
        else:
            found[topic_name(number, len(rows))] = str(row)
    return found
