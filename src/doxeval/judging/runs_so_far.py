"""The standing of runs by the judgements so far, and by each way to decide a disagreement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from doxeval import Assessments, Documents, Run, Scores, UsageError, evaluate, pool, read_run
from doxeval import measure as parsed_measure
from doxeval.extend import Measures, mean
from doxeval.io.formats.judgements import Judgement, JudgementsFile, merged_assessments
from doxeval.judging.judging_progress import Pair
from doxeval.judging.pool import READING_SPEED
from doxeval.measurement.listed import measure_names
from doxeval.scoring.loader import named_runs

NAME = "the judgements"


@dataclass(frozen=True)
class Effect:
    """The effect of deciding a disagreement on the comparison that it matters most for.

    `now` is the difference first - second of the measure's means, `then` what it becomes by each choice.
    """

    first: str
    second: str
    now: float
    then: list[float]

    @property
    def weight(self) -> tuple[bool, float, float]:
        """How much hangs on it: whether it changes who leads, how much of the lead, and how much at all."""
        swing = max(self.then) - min(self.then)
        share = swing / max(abs(self.now), swing) if swing else 0.0
        return min(self.then) < 0 < max(self.then), share, swing


class RunsSoFar:
    """Runs, the measure they are compared by, and the rule by which assessors are merged."""

    def __init__(self, runs: Any, measures: Measures, documents: Documents, merge: str, depth: int) -> None:
        named = measure_names(measures)
        if len(named) > 1:
            raise UsageError("runs are compared by one measure while they are judged; name one")
        self.runs: list[Run] = [read_run(run, name=name) for name, run in named_runs(runs)]
        self.measure = parsed_measure(named[0] if named else f"iP@{depth}").label
        self.documents, self.merge, self.depth = documents, merge or "union", depth

    def truth(self, kept: JudgementsFile) -> Assessments:
        """The judgements so far, merged."""
        return merged_assessments(kept, self.merge, NAME)

    def scores(self, kept: JudgementsFile, **options: Any) -> Scores:
        """The scores of the runs."""
        return evaluate(self.runs, self.truth(kept), self.measure, self.documents, **options)

    def effects(
        self, kept: JudgementsFile, choices: Sequence[tuple[Pair, Sequence[Mapping[str, Any]]]]
    ) -> list[Effect | None]:
        """For some disagreements, each with the decisions that could be made, what these would do.

        Every decision is scored as a topic of its own, next to the real ones, all at once.
        """
        supposed: list[tuple[str, str, Mapping[str, Any]]] = []
        for (topic, doc), decisions in choices:
            supposed += [(topic, doc, decision) for decision in decisions]
        now = self.scores(kept)
        then = evaluate(
            [_copied(run, [topic for topic, _, _ in supposed]) for run in self.runs],
            merged_assessments(_supposed(kept, supposed), self.merge, NAME), self.measure, self.documents,
        )  # fmt: skip
        values = np.array([run.values[0] for run in now.runs])
        place = {topic: at for at, topic in enumerate(now.topics)}
        found, number = [], 0
        for (topic, _), decisions in choices:
            means = []
            for _ in decisions:
                changed = _with(values, place.get(topic), then, f"{number}")
                means.append(_means(changed))
                number += 1
            found.append(self._strongest(_means(values), np.array(means)))
        return found

    def _strongest(self, now: np.ndarray, then: np.ndarray) -> Effect | None:
        """The comparison of two runs that the choices matter most for."""
        names = [run.name for run in self.runs]
        effects = [
            Effect(names[one], names[other], float(now[one] - now[other]),
                   (then[:, one] - then[:, other]).tolist())
            for one, other in combinations(range(len(names)), 2)
            if not np.isnan(then[:, [one, other]]).any() and not np.isnan(now[[one, other]]).any()
        ]  # fmt: skip
        return max(effects, key=lambda effect: effect.weight, default=None)

    def next_hour(self, kept: JudgementsFile, speed: float = READING_SPEED) -> list[dict[str, Any]]:
        """For the leader and each other run, what is left to judge until it is decided who is ahead."""
        scores = self.scores(kept)
        values = {run.name: scores.value(run.name, self.measure) for run in scores.runs}
        means = {name: value for name, value in values.items() if value is not None}
        ranked = sorted(means, key=lambda name: -means[name])
        found = []
        for other in ranked[1:]:
            left = pool(
                self.runs, self.truth(kept), self.documents, between=(ranked[0], other), depth=self.depth
            )
            told, size = str(left.notices.lasting[-1]), left.characters
            found.append({"first": ranked[0], "second": other, "characters": size, "minutes": size / speed,
                          "told": told})  # fmt: skip
        return found


def _means(values: np.ndarray) -> np.ndarray:
    """The mean of each run over the topics that have a value."""
    return np.array([mean(of_run) for of_run in values])


def _with(values: np.ndarray, place: int | None, then: Scores, topic: str) -> np.ndarray:
    """Values of runs by topics, those of one topic as supposed."""
    at = then.topics.index(topic) if topic in then.topics else None
    column = (
        np.full(len(values), np.nan) if at is None else np.array([run.values[0][at] for run in then.runs])
    )
    if place is None:
        return np.column_stack([values, column])
    changed = values.copy()
    changed[:, place] = column
    return changed


def _supposed(kept: JudgementsFile, supposed: Sequence[tuple[str, str, Mapping[str, Any]]]) -> JudgementsFile:
    """The judgements of each topic, once for each decision; topics are numbered."""
    of_topic: dict[str, dict[str, dict[str, Judgement]]] = {}
    for (topic, doc), said in kept.judgements.items():
        of_topic.setdefault(topic, {})[doc] = said
    found = replace(kept, judgements={}, queries={}, decided=0)
    for number, (topic, doc, decision) in enumerate(supposed):
        for other, said in of_topic[topic].items():
            found.judgements[f"{number}", other] = deepcopy(said) if other == doc else said
        found.decide((f"{number}", doc), decision)
    return found


def _copied(run: Run, topics: Sequence[str]) -> Run:
    """The results of a run for some topics, under their numbers in this order."""
    code = {topic: at for at, topic in enumerate(run.topics)}
    rows = [np.flatnonzero(run.topic == code.get(topic, -1)) for topic in topics]
    taken = np.concatenate(rows) if rows else np.zeros(0, dtype=np.int64)
    number = np.repeat(np.arange(len(topics)), [len(row) for row in rows]).astype(run.topic.dtype)
    spans, at = run.spans.take(taken)
    return replace(
        run, topics=[f"{place}" for place in range(len(topics))], topic=number, doc=run.doc[taken],
        start=run.start[at], end=run.end[at], line=None,
        span_offset=None if run.span_offset is None else spans.offset,
        nodes=None if run.nodes is None else run.nodes.take(taken),
        rank=None if run.rank is None else run.rank[taken],
        score=None if run.score is None else run.score[taken],
        added=None if run.added is None else run.added[taken],
        texts=None if run.texts is None else [run.texts[row] for row in taken.tolist()],
        claims=None if run.claims is None else [run.claims[row] for row in taken.tolist()],
        reach=None,
    )  # fmt: skip
