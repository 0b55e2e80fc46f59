"""Scores of judged answers: which nuggets each answer supports, and whether its citations do.

A row is one answer: ``{"run", "topic", "nuggets": [{"text", "importance", "assignment"}], "sentences":
[{"text", "citations": [{"doc", "support"}]}]}``, with either or both lists. Importance is vital or okay.
Support is full, partial or none, in the words of people, of nuggetizers or of TREC's RAG track, or as 1, 0.5
or 0. What has no judgement counts as not supported, and bounds say how much it could change. Nobody is asked
here: the judgements, by people or by a model, are given.

Nugget recall: the share of the nuggets (all, or the vital ones) that are supported; a partly supported one
counts one half, or nothing if strict. Citation precision: the share of the citations that fully support their
sentence; citation recall: the share of the sentences that some citation fully supports; weighted, partial
support counts one half. An answer without citations has the precision 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from doxeval.core.errors import InputError
from doxeval.core.notices import Notices
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
    """One judged answer; lists that were not given are None."""

    run: str
    topic: str
    nuggets: Supported | None = None
    vital: Supported | None = None
    citations: Supported | None = None
    by_sentence: list[Supported] | None = None

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


def judged_scores(rows: Iterable[tuple[str, Any]], name: str) -> Scores:
    """The scores of judged answers; each row comes with its place, and bad ones are refused."""
    notices, answers = Notices(), {}
    for where, row in rows:
        try:
            answer = answer_of(row, name)
        except (ValueError, TypeError, LookupError, AttributeError) as problem:
            notices.add(
                f"{name}: {{count}} {{row|rows}} refused, expected a judged answer", f"{where}: {problem}"
            )
            continue
        if (answer.run, answer.topic) in answers:
            notices.add("{count} {answer is|answers are} judged twice; the first row counts", where)
            continue
        answers[answer.run, answer.topic] = answer
    if not answers:
        raise InputError(f"{name}: holds no judged answers ({'; '.join(map(str, notices))})")
    return _scores_of(answers, notices)


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
    answer = Answer(run, topic)
    nuggets = row.get("nuggets")
    if nuggets is not None:
        worths = np.array([_worth(nugget) for nugget in nuggets], dtype=np.float64)
        vital = np.array([_is_vital(nugget) for nugget in nuggets], dtype=bool)
        answer.nuggets, answer.vital = Supported(worths), Supported(worths[vital])
    sentences = next((row[key] for key in SENTENCES if isinstance(row.get(key), list)), None)
    if sentences is not None:
        answer.by_sentence = [
            Supported(np.array([_worth(citation) for citation in sentence.get("citations") or ()]))
            for sentence in sentences
        ]
        worths = np.concatenate([np.zeros(0), *(one.worth for one in answer.by_sentence)])
        answer.citations = Supported(worths)
    if nuggets is None and sentences is None:
        raise ValueError("neither nuggets nor sentences")
    return answer


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
