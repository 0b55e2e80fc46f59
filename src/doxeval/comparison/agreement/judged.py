"""Agreement about judged answers: which nuggets they support, and whether citations support their sentences.

Nuggets and citations are given, so each is a unit that every assessor puts into a class: supported or not, or
with grades fully, partly or not. The coefficients are those of text, with the unit in place of the character.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from doxeval.comparison.agreement.agree import Agreement, PairAgreement, note_undefined
from doxeval.comparison.agreement.coefficients import AGREEMENTS
from doxeval.comparison.agreement.disagreements import marked_passages
from doxeval.comparison.agreement.ranking import Rankings, rank_by_assessors
from doxeval.comparison.agreement.shared import Shared
from doxeval.comparison.intervals import INTERVALS
from doxeval.core.catalogue import some
from doxeval.core.errors import IdleOption, InputError, UsageError
from doxeval.core.notices import Notices
from doxeval.core.options import DEFAULTS
from doxeval.core.phrases import stated
from doxeval.core.strings import natural_key
from doxeval.core.table import Table
from doxeval.measurement.base import Measures
from doxeval.measurement.listed import measure_names
from doxeval.scoring.judged_answers import FULL, NONE, PARTIAL, Answer, judged_answers_in, judged_scores
from doxeval.scoring.read_scores import judged_rows
from doxeval.scoring.scores import Scores
from doxeval.scoring.selection import select_measures

KINDS = ("nuggets", "citations")
OF_CLASSES = ("overlap", "F1", "kappa", "alpha")
"""The coefficients that compare classes of given units."""
UNDEFINED = {
    **dict.fromkeys(("overlap", "F1"), "neither assessor found any support"),
    **dict.fromkeys(("kappa", "alpha"), "both put all into one class, so chance explains it"),
}
SAID = {FULL: "full", PARTIAL: "partial", NONE: "none"}
Answers = dict[tuple[str, str], Answer]


class JudgedDifferently(NamedTuple):
    """A nugget or citation of an answer whose support two assessors judged differently."""

    first: str
    second: str
    run: str
    topic: str
    kind: str
    which: str
    by_first: str
    by_second: str


@dataclass(eq=False, repr=False)
class JudgedAgreement(Agreement):
    """The agreement of assessors about answers; `scores` are those that each one's judgements give."""

    scores: dict[str, Scores] = field(default_factory=dict)
    differences: list[JudgedDifferently] = field(default_factory=list)

    @property
    def assessors(self) -> list[str]:
        return list(self.scores)

    @property
    def disagreements(self) -> list[Any]:
        """The nuggets and citations that two assessors judged differently, and how."""
        return self.differences

    @property
    def table(self) -> Table:
        found = super().table
        judged = "that both judged" if self.judged == "both" else "that either judged"
        by = f"{stated(self.confidence)} bootstrap (BCa) intervals"
        footer = [f"means over topics, of nuggets and citations {judged}; {by}"]
        grades = self.pairs[0].shared.grades
        if len(grades) > 1:
            footer.append("kappa and alpha distinguish full, partial and no support")
        header = ["first", "second", "topics", "answers", *self.coefficients]
        return Table(header, found.body, 2, footer, notices=self.notices)

    def ranking(self, runs: Any = None, measures: Measures = (), *given: Any, **options: Any) -> Rankings:
        """Compare the rankings of the answers' runs under each assessor's judgements, by Kendall's tau."""
        if runs:
            raise UsageError(
                "the runs are those whose answers were judged; leave out runs, and name measures"
            )
        drawn = {name: options.pop(name) for name in ("confidence", "seed") if name in options}
        names = measure_names(measures)
        chosen = {
            name: select_measures(scores, names) if names else scores for name, scores in self.scores.items()
        }
        return rank_by_assessors(chosen, drawn.get("confidence", 0.95), drawn.get("seed", 0))


def answers_given(sources: Mapping[str, Any]) -> dict[str, list[tuple[str, Any]]] | None:
    """The rows of judged answers by source; None if the sources hold none, an error if only some do."""
    rows = {name: judged_rows(data) for name, data in sources.items()}
    without = [name for name, found in rows.items() if found is None]
    if len(without) == len(rows):
        return None
    if without:
        raise UsageError(
            f"agreement compares judgements of one kind: {some(without)} holds no judged answers, unlike the "
            "others"
        )
    return {name: found for name, found in rows.items() if found is not None}


def agree_on_answers(
    given: Mapping[str, list[tuple[str, Any]]], coefficients: Sequence[str], documents: Any, judged: str,
    graded: bool, drawn: tuple[float, int, int], options: Mapping[str, Any],
) -> JudgedAgreement:  # fmt: skip
    """The agreement of assessors whose judged answers are given by name."""
    methods = _methods(coefficients)
    _refuse_unused(documents, options)
    notices = Notices()
    assessors, scores = _by_assessor(given, notices)
    if notices.refusals and not options.get("keep_going", True):
        raise InputError(f"{'; '.join(map(str, notices.refusals))}; correct them, or give --keep-going")
    if len(assessors) < 2:
        raise UsageError("agreement needs two assessors or more; give another file of judged answers")
    confidence, draws, seed = drawn
    kinds = [kind for kind in KINDS if _judge(assessors, kind)]
    if not kinds:
        raise UsageError("agreement needs nuggets or citations that all assessors judged")
    pairs, differences = [], []
    for first, second in combinations(assessors, 2):
        one, other = assessors[first], assessors[second]
        answers = sorted(one.keys() & other.keys(), key=lambda key: (natural_key(key[1]), key[0]))
        if not answers:
            raise UsageError(
                f"{first} and {second} judged no answer in common: {_named(one)}, and {_named(other)}; rows "
                "say whose answer they judge by run and topic"
            )
        _tell_alone(one, other, (first, second), notices)
        found = [_compared(one, other, answers, kind, judged, graded) for kind in kinds]
        values = np.array([AGREEMENTS[name](shared, seed) for shared, _ in found for name in methods])
        low, high = INTERVALS["bootstrap"](values, confidence, draws, seed)
        shared = found[0][0]
        pairs.append(PairAgreement(first, second, shared, values, low, high, marked_passages(shared)))
        differences += [JudgedDifferently(first, second, *row) for _, rows in found for row in rows]
    labels = [f"{name}({kind})" for kind in kinds for name in methods]
    note_undefined(labels, pairs, notices, {label: UNDEFINED[label.partition("(")[0]] for label in labels})
    return JudgedAgreement(
        labels, pairs, {}, None, confidence, judged, notices, scores=scores, differences=differences
    )


def _methods(coefficients: Sequence[str]) -> list[str]:
    """The coefficients to compute; those of marked text are refused."""
    known = [AGREEMENTS[name].name for name in dict.fromkeys(coefficients or OF_CLASSES)]
    for name in known:
        if name not in OF_CLASSES:
            raise UsageError(
                f"{name} compares where text was marked, and nuggets and citations are given: "
                f"choose {', '.join(OF_CLASSES[:-1])} or {OF_CLASSES[-1]}"
            )
    return known


def _refuse_unused(documents: Any, options: Mapping[str, Any]) -> None:
    if documents is not None:
        raise IdleOption("documents", "documents would do nothing: judged answers need none")
    for name, value in options.items():
        if name != "keep_going" and value not in (None, DEFAULTS.get(name)):
            raise IdleOption(name, f"{name} would do nothing: judged answers are read as they are")


def _by_assessor(
    given: Mapping[str, list[tuple[str, Any]]], notices: Notices
) -> tuple[dict[str, Answers], dict[str, Scores]]:
    """The answers that each assessor judged, and the scores they give; rows may name their assessor."""
    rows: dict[str, list[tuple[str, Any]]] = {}
    for name, lines in given.items():
        own: dict[str, list[tuple[str, Any]]] = {}
        for where, row in lines:
            person = row.get("assessor") if isinstance(row, Mapping) else None
            own.setdefault(str(person or name), []).append((where, row))
        for person, theirs in own.items():
            rows[f"{name}: {person}" if person in rows else person] = theirs
    answers: dict[str, Answers] = {}
    for person, theirs in rows.items():
        judged: Answers = {}
        for where, answer in judged_answers_in(theirs, "answers", notices):
            if (answer.run, answer.topic) in judged:
                notices.add("{count} {answer is|answers are} judged twice; the first row counts", where)
            judged.setdefault((answer.run, answer.topic), answer)
        answers[person] = judged
    return answers, {person: judged_scores(theirs, "answers") for person, theirs in rows.items()}


def _judge(assessors: Mapping[str, Answers], kind: str) -> bool:
    """Whether some answers of all assessors have judgements of a kind."""
    return all(
        any(getattr(answer, kind) is not None and len(getattr(answer, kind).worth) for answer in own.values())
        for own in assessors.values()
    )


def _named(answers: Answers) -> str:
    return some([f"{run}, {topic}" for run, topic in answers])


def _tell_alone(one: Answers, other: Answers, names: tuple[str, str], notices: Notices) -> None:
    notices.add_names(
        f"{{count}} {{answer was|answers were}} judged by only one of {names[0]} and {names[1]} and "
        "{is|are} left out",
        [f"{run}, {topic}" for run, topic in sorted(one.keys() ^ other.keys())], harmless=True, lasting=True,
    )  # fmt: skip


def _compared(
    one: Answers, other: Answers, answers: Sequence[tuple[str, str]], kind: str, judged: str, graded: bool
) -> tuple[Shared, list[tuple[str, ...]]]:
    """The units of a kind that two assessors judged, as text of one character each, and their differences."""
    topics = list(dict.fromkeys(topic for _, topic in answers))
    columns: list[list[int]] = []
    differing: list[tuple[str, ...]] = []
    for number, (run, topic) in enumerate(answers):
        units = _units(one[run, topic], other[run, topic], kind, judged)
        for at, (which, worths) in enumerate(units):
            labels = [round(2 * worth) if graded else int(worth > NONE) for worth in worths]
            columns.append([topics.index(topic), number, at, *labels])
            if worths[0] != worths[1]:
                differing.append((run, topic, kind, which, *(SAID[worth] for worth in worths)))
    topic_of, answer, start, *both = np.array(columns, dtype=np.int64).reshape(-1, 5).T
    names = [f"{run}, {topic}" for run, topic in answers]
    grades = [PARTIAL, FULL] if graded else [FULL]
    shared = Shared(topics, names, grades, topic_of, answer, start, start + 1, (both[0], both[1]), [])
    return shared, differing


def _units(one: Answer, other: Answer, kind: str, judged: str) -> Iterator[tuple[str, list[float]]]:
    """Nuggets or citations of an answer with the support that each of two assessors found.

    Those that only one of them judged are left out or, if `either` is enough, not supported to the other.
    """
    worths = [_by_key(answer, kind) for answer in (one, other)]
    for key in dict.fromkeys([*worths[0], *worths[1]]):
        found = [own.get(key, np.nan) for own in worths]
        unknown = int(np.isnan(found).sum())
        if unknown == 0 or (unknown == 1 and judged == "either"):
            yield _told(key), [float(np.nan_to_num(worth)) for worth in found]


def _by_key(answer: Answer, kind: str) -> dict[Any, float]:
    found = getattr(answer, kind)
    keys = answer.nugget_keys if kind == "nuggets" else answer.citation_keys
    return {} if found is None else dict(zip(keys, found.worth.tolist(), strict=True))


def _told(key: Any) -> str:
    """The text of a nugget, or the document of a citation and its sentence; places count from 1."""
    if isinstance(key, tuple):
        return f"sentence {key[0] + 1}: {_told(key[1])}"
    return f"number {key + 1}" if isinstance(key, int) else str(key)
