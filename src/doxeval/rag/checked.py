"""Scores that tests assert on and compare with a stored baseline."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from doxeval import (
    DoxevalError,
    DoxevalWarning,
    Explanation,
    Gate,
    Scores,
    UsageError,
    Verdict,
    evaluate,
    gate,
    read_scores,
    write_scores,
)
from doxeval.extend import Measure
from doxeval.rag.retrieve import MEASURES_OF_RETRIEVERS, as_questions, score_retriever

MOST_CHANGED = 10
"""How many changed questions are listed."""
MOST_SHOWN = 5
"""How many results of the worst question are shown."""
UPDATE = "pytest --doxeval-update"


class Fallen(AssertionError):
    """A measure fell behind its baseline, or there is none."""


class Score(float):
    """A mean that remembers what it is a mean of, for the message when an assertion fails."""

    scores: CheckedScores
    measure: str


def comparison_told(op: str, left: object, right: object) -> list[str] | None:
    """Lines that pytest shows for a failed comparison; None if it is not about a score."""
    score = left if isinstance(left, Score) else right
    if not isinstance(score, Score):
        return None
    told = [f"{one.measure} {one:.4f}" if isinstance(one, Score) else str(one) for one in (left, right)]
    return [f" {op} ".join(told), *score.scores.worst_of(score.measure)]


@dataclass(eq=False, kw_only=True)
class CheckedScores(Scores):
    """Scores of a test, with the wording of its questions and baselines."""

    scorer: Scorer
    wordings: dict[str, str] = field(default_factory=dict)

    def __getitem__(self, measure: str | Measure) -> Score:
        """The only run's mean; NaN if it is undefined, which is neither above nor below anything."""
        value = super().__getitem__(measure)
        score = Score(float("nan") if value is None else value)
        score.scores, score.measure = self, self.measures[self.position(measure)]
        return score

    def check(self, name: str = "", **options: Any) -> None:
        """Fail if any measure of any run has dropped below the baseline that is stored for this test.

        The options are those of :func:`doxeval.gate`: a drop that chance does not explain fails, and one by
        more than `max_drop`; too few questions to decide are a warning. `name` distinguishes several
        baselines of a test. With ``--doxeval-update`` the scores become the baseline.
        """
        __tracebackhide__ = True
        path = self.scorer.baseline(name)
        if self.scorer.renewed is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_scores(self, path, format="csv")
            means = (f"{run} {label} {value}" for run, _, label, value in self.rows(per_topic=False))
            return self.scorer.renewed(f"{path}: {', '.join(means)}")
        if not path.exists():
            raise Fallen(f"no baseline is stored in {path}; store these scores with: {UPDATE}")
        before, told = read_scores(path), list[str]()
        for run in self.names:
            found = _gate(before, self, run, options)
            found.comparison.notices.warn()
            for verdict in found.untold:
                warnings.warn(found.message(verdict), DoxevalWarning, stacklevel=2)
            told += [line for verdict in found.failed for line in self._fallen(found, verdict, run)]
        if told:
            raise Fallen("\n".join([*told, f"baseline: {path}; if this is intended: {UPDATE}"]))

    def _fallen(self, found: Gate, verdict: Verdict, run: str) -> Iterator[str]:
        """Lines for a failed test of a measure: the verdict, the questions that changed, and the worst."""
        yield found.message(verdict)
        scores, label = found.comparison.scores, verdict.difference.measure
        was, now = (part.values[scores.position(label)] for part in scores.runs)
        gain = verdict.difference.direction * (now - was)
        order = np.argsort(gain, kind="stable")
        moved = order[np.nan_to_num(gain[order]) != 0].tolist()
        for at in moved[:MOST_CHANGED]:
            topic = scores.topics[at]
            yield f"- {topic} {was[at]:.4f} {self.wordings.get(topic, '')}".rstrip()
            yield f"+ {topic} {now[at]:.4f}"
        if len(moved) > MOST_CHANGED:
            yield f"  and {len(moved) - MOST_CHANGED} more questions changed"
        yield from self._question(run, label, scores.topics[moved[0]])

    def worst_of(self, measure: str) -> list[str]:
        """Lines on what the only run shows for the worst question."""
        values = self.runs[0].values[self.position(measure)]
        if np.isnan(values).all():
            return [f"{measure} is undefined: no question has an answer that can be found"]
        worth = values if self.meaning(measure).higher_is_better is not False else -values
        return self._question(self.names[0], measure, self.topics[int(np.nanargmin(worth))])

    def _question(self, run: str, measure: str, topic: str) -> list[str]:
        """Lines on what a question wanted and was not shown, and on what was shown."""
        head = f"worst question: {topic} {self.wordings.get(topic, '')}".rstrip()
        try:
            told = self.explain(topic, measure, run)
        except DoxevalError as problem:
            return [head, str(problem)]
        return [f"{head} ({measure} {told.score:.4f})", *_wanted_and_shown(told)]


def _wanted_and_shown(told: Explanation) -> Iterator[str]:
    for missed in told.missed:
        if missed.missed:
            yield f"- {missed.doc}: {missed.missed:,} of {missed.relevant:,} relevant characters not shown"
    for rank in told.ranks[:MOST_SHOWN]:
        yield f"+ {rank.rank}. {rank.doc} {rank.place}: {rank.gained:,} of {rank.shown:,} characters relevant"
    if not told.ranks:
        yield "+ nothing was retrieved"


def _gate(before: Scores, after: Scores, run: str, options: dict[str, Any]) -> Gate:
    """The gate between a run and what was stored of it."""
    was = before.select([run])
    was.runs[0] = replace(was.runs[0], name=f"{run} (baseline)")
    return gate([was, after.select([run])], baseline=was.names[0], **options)


class Scorer:
    """Scores retrievers and runs for one test, whose baselines are files of a folder.

    `renewed` is called with what was stored; None if baselines stay as they are.
    """

    def __init__(self, folder: Path, test: str, renewed: Callable[[str], None] | None) -> None:
        self.folder, self.test, self.renewed = folder, test, renewed
        self._checked: set[str] = set()

    def __call__(
        self, system: Any, answers: Any, measures: str | Iterable[str] = MEASURES_OF_RETRIEVERS,
        documents: Any = None, *, questions: Any = None, **options: Any,
    ) -> CheckedScores:  # fmt: skip
        """Scores of runs as :func:`doxeval.evaluate` gives them, or, with questions, of retrievers.

        The options are those of :func:`doxeval.evaluate` or :func:`doxeval.score_retriever`.
        """
        wordings = {} if questions is None else as_questions(questions)
        if questions is None:
            names = measures if isinstance(measures, str) else list(measures)
            scores = evaluate(system, answers, names, documents, **options)
        else:
            scores = score_retriever(system, wordings, answers, measures, documents, **options)
        told = {one.name: getattr(scores, one.name) for one in fields(Scores)}
        return CheckedScores(
            **told,
            scorer=self,
            wordings=wordings or dict(scores.origin[0].ground.assessments.queries if scores.origin else {}),
        )

    def baseline(self, name: str) -> Path:
        """The file of a baseline of this test; an error if it was checked already."""
        if name in self._checked:
            raise UsageError("this test has already checked this baseline; name each: check(name=...)")
        self._checked.add(name)
        called = f"{self.test}.{name}" if name else self.test
        safe = re.sub(r"[^\w.\[\]-]+", "_", called)
        mark = "" if safe == called else f"-{sha256(called.encode()).hexdigest()[:8]}"
        return self.folder / f"{safe}{mark}.csv"
