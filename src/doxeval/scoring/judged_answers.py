"""Scores of judged answers: which nuggets each answer supports, and whether its citations do.

A row is one answer: ``{"run", "topic", "nuggets": [{"text", "importance", "assignment"}], "sentences":
[{"text", "citations": [{"doc", "support"}]}]}``, with either or both lists. Importance is vital or okay.
Support is full, partial or none, in the words of people, of nuggetizers or of TREC's RAG track, or as 1, 0.5
or 0. What has no judgement counts as not supported, and bounds say how much it could change. Nobody is asked
here: the judgements, by people or by a model, are given; `assessor` says whose they are.

Nugget recall: the share of the nuggets (all, or the vital ones) that are supported; a partly supported one
counts one half, or nothing if strict. Citation precision: the share of the citations that fully support their
sentence; citation recall: the share of the sentences that some citation fully supports; weighted, partial
support counts one half. An answer without citations has the precision 0.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from doxeval.core.errors import InputError
from doxeval.core.notices import Notices
from doxeval.core.quick_class import dataclass
from doxeval.core.strings import natural_key
from doxeval.core.values import name_of, quoted
from doxeval.measurement.families.bounds import Bounds
from doxeval.measurement.meaning import Meaning
from doxeval.scoring.scores import UNKNOWN_COUNT, RunScores, Scores

FULL, PARTIAL, NONE = 1.0, 0.5, 0.0
WORDS = {
    FULL: "full full_support fully_supported support supported supports fs yes",
    PARTIAL: "partial partial_support partially_supported partially_supports ps",
    NONE: "none no no_support not_support not_supported unsupported ns",
}
SUPPORT = {word: worth for worth, words in WORDS.items() for word in words.split()}
JUDGED_BY = ("assignment", "support", "judgement", "judgment", "label")
TOPICS, RUNS, SENTENCES = ("topic_id", "qid", "topic"), ("run", "run_id"), ("sentences", "answer")
IMPORTANCE = ("vital", "okay")


def are_judged(head: bytes) -> bool:
    """Whether a file begins with judged answers, or with nuggets that are yet to be."""
    first = head[: 1 << 16]
    has_nuggets = b'"nuggets"' in first and b'"importance"' in first
    return first.startswith((b"{", b"[")) and (
        has_nuggets or (b'"citations"' in first and b'"support"' in first)
    )


def are_judged_rows(data: Any) -> bool:
    """Whether rows in memory are judged answers."""
    if not isinstance(data, list | tuple) or not data or not isinstance(data[0], Mapping):
        return False
    sentences: list[Any] = next((data[0][key] for key in SENTENCES if isinstance(data[0].get(key), list)), [])
    cited = [
        one
        for sentence in sentences
        if isinstance(sentence, Mapping)
        for one in sentence.get("citations") or ()
    ]
    return isinstance(data[0].get("nuggets"), list) or any(
        isinstance(one, Mapping) and "support" in one for one in cited
    )


@dataclass
class Supported:
    """The support of some things, of which NaN are not judged."""

    worth: np.ndarray

    def mean(self, strict: bool, unjudged: float) -> float:
        """The mean worth; 0 if there is nothing."""
        worth = np.where(np.isnan(self.worth), unjudged, self.worth)
        worth = np.where(worth < FULL, NONE, worth) if strict else worth
        return float(worth.mean()) if len(worth) else 0.0


@dataclass
class Answer:
    """One judged answer; lists that were not given are None.

    A key says which nugget or citation a judgement is about, so that those of several assessors can be
    compared: its text, or its sentence and document, or else its place in the list.
    """

    run: str
    topic: str
    assessor: str = ""
    nuggets: Supported | None = None
    vital: Supported | None = None
    citations: Supported | None = None
    by_sentence: list[Supported] | None = None
    nugget_keys: list[Hashable] = field(default_factory=list)
    citation_keys: list[Hashable] = field(default_factory=list)

    @property
    def is_complete(self) -> bool:
        """Whether all its nuggets and citations are judged."""
        lists = [one for one in (self.nuggets, self.citations) if one is not None]
        return not any(np.isnan(one.worth).any() for one in lists)

    def best_of_sentences(self, unjudged: float) -> Supported:
        """The best support of each sentence; 0 for one without citations."""
        assert self.by_sentence is not None
        known = (np.where(np.isnan(one.worth), unjudged, one.worth) for one in self.by_sentence)
        return Supported(np.array([worth.max(initial=NONE) for worth in known]))


def _nuggets(answer: Answer, strict: bool, unjudged: float) -> float | None:
    return None if answer.nuggets is None else answer.nuggets.mean(strict, unjudged)


def _vital(answer: Answer, strict: bool, unjudged: float) -> float | None:
    if answer.vital is None:
        return None
    return answer.vital.mean(strict, unjudged) if len(answer.vital.worth) else float("nan")


def _precision(answer: Answer, strict: bool, unjudged: float) -> float | None:
    return None if answer.citations is None else answer.citations.mean(strict, unjudged)


def _recall(answer: Answer, strict: bool, unjudged: float) -> float | None:
    if answer.by_sentence is None:
        return None
    return answer.best_of_sentences(unjudged).mean(strict, unjudged)


Value = Callable[[Answer, bool, float], float | None]
MEASURES: dict[str, tuple[Value, bool]] = {
    "VitalNuggetRecall": (_vital, False),
    "VitalNuggetRecall(strict)": (_vital, True),
    "NuggetRecall": (_nuggets, False),
    "NuggetRecall(strict)": (_nuggets, True),
    "CitationPrecision": (_precision, True),
    "CitationPrecision(weighted)": (_precision, False),
    "CitationRecall": (_recall, True),
    "CitationRecall(weighted)": (_recall, False),
}
"""What is computed of each answer, and whether partial support counts nothing."""


def judged_scores(rows: Iterable[tuple[str, Any]], name: str, trusted: bool = False) -> Scores:
    """The scores of judged answers; each row comes with its place, and bad ones are refused.

    Where judgements are `trusted`, answers without any, or without some, do not count: nobody looked.
    """
    notices = Notices()
    answers: dict[tuple[str, str], Answer] = {}
    for where, answer in judged_answers_in(rows, name, notices):
        if (answer.run, answer.topic) in answers:
            notices.add("{count} {answer is|answers are} judged twice; the first row counts", where)
            continue
        answers[answer.run, answer.topic] = answer
    scores = _scores_of(answers, notices)
    if trusted:
        for run in scores.runs:
            known = [answers.get((run.name, topic)) for topic in scores.topics]
            run.counted &= [answer is not None and answer.is_complete for answer in known]
    return scores


def judged_answers_in(
    rows: Iterable[tuple[str, Any]], name: str, notices: Notices
) -> Iterator[tuple[str, Answer]]:
    """The judged answers of rows, each with its place; an error if there are none."""
    found = 0
    for where, row in rows:
        try:
            answer = answer_of(row, name)
        except (ValueError, TypeError, LookupError, AttributeError) as problem:
            notices.add(
                f"{name}: {{count}} {{row|rows}} refused, expected a judged answer", f"{where}: {problem}"
            )
            continue
        found += 1
        yield where, answer
    if not found:
        raise InputError(f"{name}: holds no judged answers ({'; '.join(map(str, notices))})")


def _scores_of(answers: Mapping[tuple[str, str], Answer], notices: Notices) -> Scores:
    """The scores of answers; a run that lacks a topic of the others has nothing to show for it."""
    topics = sorted({topic for _, topic in answers}, key=natural_key)
    names = list(dict.fromkeys(run for run, _ in answers))
    measures = [
        label for label, (value, _) in MEASURES.items()
        if any(value(answer, True, NONE) is not None for answer in answers.values())
    ]  # fmt: skip
    runs = []
    for run in names:
        found = [answers.get((run, topic)) for topic in topics]
        low, high = (
            np.array([_values(label, found, answers, unjudged, topics) for label in measures])
            for unjudged in (NONE, FULL)
        )
        bounds = [Bounds(*pair) for pair in zip(low, high, strict=True)]
        counted = np.ones(len(topics), dtype=bool)
        runs.append(RunScores(run, low, counted, results=UNKNOWN_COUNT, unjudged=0, bounds=bounds))
    if not any((one.high > one.low).any() for scored in runs for one in scored.bounds or ()):
        for scored in runs:
            scored.bounds = None
    _tell_unjudged(answers, notices)
    missing = [f"{run}: {topic}" for run in names for topic in topics if (run, topic) not in answers]
    notices.add_each("{count} {answer is|answers are} missing, and {counts|count} 0", missing, lasting=True)
    meanings = {label: Meaning(label, True, 0.0, 1.0, "share") for label in measures}
    return Scores(measures, topics, runs, notices, meanings=meanings)


def _values(
    label: str,
    found: Sequence[Answer | None],
    answers: Mapping[tuple[str, str], Answer],
    unjudged: float,
    topics: Sequence[str],
) -> list[float]:
    """The values of one run: undefined where no answer to the topic has one, 0 where only this one lacks."""
    value, strict = MEASURES[label]
    defined = {
        answer.topic for answer in answers.values()
        if (known := value(answer, strict, unjudged)) is not None and not np.isnan(known)
    }  # fmt: skip
    values = []
    for topic, answer in zip(topics, found, strict=True):
        known = None if answer is None else value(answer, strict, unjudged)
        values.append(float("nan") if topic not in defined else 0.0 if known is None else known)
    return values


def _tell_unjudged(answers: Mapping[tuple[str, str], Answer], notices: Notices) -> None:
    """Report how many nuggets and citations have no judgement."""
    for what in ("nuggets", "citations"):
        lists = [getattr(answer, what) for answer in answers.values()]
        open_ones = [int(np.isnan(one.worth).sum()) for one in lists if one is not None]
        total = sum(len(one.worth) for one in lists if one is not None)
        if sum(open_ones):
            notices.add(
                f"{{count}} of {total:,} {what} {{is|are}} not judged, and {{counts|count}} as not "
                "supported; the bounds say what judgements could change",
                count=sum(open_ones), harmless=True, lasting=True,
            )  # fmt: skip


def answer_of(row: Any, name: str) -> Answer:
    """One answer from its row; an error says what is wrong with it."""
    topic = next((name_of(row[key]) for key in TOPICS if row.get(key) is not None), None)
    if not topic:
        raise ValueError("no topic")
    run = next((str(row[key]) for key in RUNS if row.get(key)), name)
    answer = Answer(run, topic, str(row.get("assessor") or ""))
    nuggets = row.get("nuggets")
    if nuggets is not None:
        worths = np.array([_worth(nugget) for nugget in nuggets], dtype=np.float64)
        vital = np.array([_is_vital(nugget) for nugget in nuggets], dtype=bool)
        answer.nuggets, answer.vital = Supported(worths), Supported(worths[vital])
        answer.nugget_keys = _keys(nugget.get("text") for nugget in nuggets)
    sentences = next((row[key] for key in SENTENCES if isinstance(row.get(key), list)), None)
    if sentences is not None:
        answer.by_sentence = [
            Supported(np.array([_worth(citation) for citation in sentence.get("citations") or ()]))
            for sentence in sentences
        ]
        worths = np.concatenate([np.zeros(0), *(one.worth for one in answer.by_sentence)])
        answer.citations = Supported(worths)
        answer.citation_keys = [
            (at, key)
            for at, sentence in enumerate(sentences)
            for key in _keys(_cited(one) for one in sentence.get("citations") or ())
        ]
    if nuggets is None and sentences is None:
        raise ValueError("neither nuggets nor sentences")
    return answer


def _keys(names: Iterable[Any]) -> list[Hashable]:
    """A key for each of several things: its name, or its place where it has none or another has the same."""
    met: set[str] = set()
    keys: list[Hashable] = []
    for at, name in enumerate(names):
        known = None if name is None or str(name) in met else str(name)
        met.add(str(name))
        keys.append(at if known is None else known)
    return keys


def _cited(citation: Any) -> Any:
    """The document that is cited."""
    return citation.get("doc", citation.get("docid")) if isinstance(citation, Mapping) else citation


def _is_vital(nugget: Any) -> bool:
    importance = str(nugget.get("importance", "")).strip().lower()
    if importance not in IMPORTANCE:
        raise ValueError(
            f"the importance of a nugget is vital or okay, not {quoted(nugget.get('importance'))}"
        )
    return importance == "vital"


def _worth(judged: Any) -> float:
    """The support of a nugget or a citation; NaN if it was not judged."""
    if not isinstance(judged, Mapping):
        return float("nan")
    given = next((judged[key] for key in JUDGED_BY if judged.get(key) not in (None, "")), None)
    if given is None:
        return float("nan")
    if isinstance(given, bool):
        return FULL if given else NONE
    if isinstance(given, int | float) and given in (FULL, PARTIAL, NONE):
        return float(given)
    worth = SUPPORT.get("_".join(str(given).lower().replace("-", " ").replace("_", " ").split()))
    if worth is None:
        raise ValueError(f"support is full, partial or none (1, 0.5, 0), not {quoted(given)}")
    return worth
