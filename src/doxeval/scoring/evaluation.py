"""The evaluation: assessments, documents, measures and conventions against which runs are scored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from copy import copy
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Unpack

import numpy as np

from doxeval.core.calls import checked_call
from doxeval.core.errors import IdleOption, UsageError, nearest
from doxeval.core.grammar import parse_call
from doxeval.core.options import OPTIONS, ScoringOptions, WorkOptions, checked_options, defaults, how_to_read
from doxeval.core.units import UNITS
from doxeval.core.values import is_several, quoted
from doxeval.ground.align import align, note_unanswered
from doxeval.ground.ground import Ground
from doxeval.io.inputs import reading_once
from doxeval.measurement.base import Measure, Measures, noted_values
from doxeval.measurement.listed import chosen_measures, listed_measures
from doxeval.scoring.applied_options import conventions_of, read_truth
from doxeval.scoring.bounded import check_bounded, open_ground
from doxeval.scoring.loader import RunLoader, gives_lines, named_runs, names_in
from doxeval.scoring.pooled import MICRO, check_average, parts_of
from doxeval.scoring.references import (
    bounds_by_reference,
    check_references,
    note_references,
    open_references,
    references_of,
    values_by_reference,
)
from doxeval.scoring.repetition import repeated_in
from doxeval.scoring.scores import RunScores, Scores, check_attribute, merged
from doxeval.scoring.sweep import Scored, sweep
from doxeval.scoring.truth import (
    Truth,
    check_chunks,
    check_sizes,
    chunks_by_run,
    collection_of,
    refuse_documents_of_contexts,
)
from doxeval.scoring.under_models import under_models
from doxeval.tables.places import CHARACTERS, LINES
from doxeval.tables.runs import no_results

if TYPE_CHECKING:
    from doxeval.ground.aligned import Aligned
    from doxeval.tables.runs import Chunks, Run
    from doxeval.tables.wordings import Topics

Look = Callable[["Evaluation", "Aligned", RunScores], Any]
"""A question that a report, figure or explanation asks of an aligned run. It is asked where the run is
scored, perhaps in another process, and answered with plain data. One that uses the evaluation's navigation
model itself `navigates`; one that counts relevant text `shows_text`."""


def look_among(look: Look | None, runs: int) -> Look | None:
    """A look at one of so many runs, if that matters to it."""
    among: Callable[[int], Look] | None = getattr(look, "among", None)
    return look if among is None else among(runs)


NavigationModels = str | Sequence[str] | None


class Watcher(Protocol):
    """Somebody who watches runs being scored by any function, as the command line does."""

    def each(self, parts: Iterable[Scored], total: int) -> Iterable[Scored]:
        """Pass on runs as they are scored; `total` is the number of all, 0 if unknown."""

    def done(self, scores: Scores) -> None:
        """Take note of the scores of all runs, before anybody uses them."""


_watchers: list[Watcher] = []


@contextmanager
def watched_by(watcher: Watcher) -> Iterator[None]:
    """Let somebody watch all runs that are scored meanwhile."""
    _watchers.append(watcher)
    try:
        yield
    finally:
        _watchers.remove(watcher)


def models_of(navigation: Any) -> list[str]:
    """The navigation models given: none, one or several; as text, or as objects that are written as one."""
    models = [] if navigation is None else list(navigation) if is_several(navigation) else [navigation]
    for model in models:
        if not isinstance(model, str) and not hasattr(model, "call"):
            raise UsageError(f"expected a navigation model, as in 'readon(mean=200)', found {quoted(model)}")
    return [model if isinstance(model, str) else str(model.call) for model in models]


class Evaluation:
    """The assessments, documents, measures and options to score runs with, checked before any is opened.

    `assessments` and `documents` are tables or anything their readers accept, `measures` texts or
    :func:`doxeval.measure` objects (equal ones are computed once, and reported under every label given; those
    that suit the assessments if none is named, see :mod:`doxeval.scoring.truth`; a function is given them as
    :class:`doxeval.extend.Ground` and names measures), `navigation` the model of measures that name none
    (several: each such measure under each of them).

    >>> answers = [{"topic": "t1", "doc": "d1", "start": 0, "end": 10}]
    >>> evaluation = Evaluation(answers, "iP@1 iR@1", depth=5)
    >>> results = [{"topic": "t1", "doc": "d1", "rank": 1, "start": 5, "end": 25}]
    >>> evaluation.score(results)["iP@1"]
    0.25
    """

    uses_chunks: ClassVar = False
    """Whether chunks are of use even if no measure needs them."""

    @partial(checked_call, name="Evaluation")
    def __init__(
        self,
        assessments: Any,
        measures: Measures | Callable[[Ground], Measures] = (),
        documents: Any = None,
        navigation: NavigationModels = None,
        **options: Unpack[ScoringOptions],
    ) -> None:
        given = checked_options(options)
        self.jobs, self.executor, self.store = given["jobs"], given["executor"], given["store"]
        self.reading = how_to_read(given, "runs") | {
            "verbatim": given["as_scored"],
            "task": given["task"],
        }
        self.average = given["average"]
        self.topics = given["topics"] or ("run" if given["task"] else "qrels")
        self.conventions, measures_of_task = conventions_of(given)
        models = models_of(navigation)
        self.navigation = models[0] if models else None
        named: list[str | Measure] = []
        name_measures: Callable[[Ground], Measures] | None = None
        if callable(measures) and not isinstance(measures, Measure | type):
            name_measures = measures
        else:
            named = listed_measures(measures) or listed_measures(measures_of_task)
        if named:
            self._choose(named, models)
        self.truth = Truth(
            read_truth(assessments, given),
            collection_of(documents),
            chunks_by_run(given["chunks"]),
            given["highlighted"],
            given["unit"],
            self.conventions,
            given["level"],
        )
        self.ground = self.truth.ground()
        self.references = references_of(self.truth, given["merge"])
        if not named:
            from doxeval.scoring.truth import usual_measures

            self._choose((name_measures or usual_measures)(self.ground), models)
        self._prepare(models)
        self.bounds, self.pool, self.assessed = given["bounds"], given["pool"], given["assessed"]
        self.opened: Ground | None = None
        if self.bounds:
            check_bounded(self)
        check_average(self)
        if self.references is not None:
            check_references(self)
            note_references(self.references, self.ground.notices)

    def _choose(self, named: Measures, models: Sequence[str]) -> None:
        self.measures = _chosen_measures(named, models)
        typed = chosen_measures(named) if models else ()
        self.navigates = any(measure.takes_navigation for measure in typed)

    def _prepare(self, models: Sequence[str]) -> None:
        """Check before any run is opened that the measures have what they need, and every option is used."""
        if models:
            from doxeval.reader.navigation.model import NAVIGATIONS, navigation_named

            for model in models:
                navigation_named(model, self.ground.documents)
                call = parse_call(model.strip())
                check_sizes(NAVIGATIONS[call.name], call, model, self.ground.unit)
        self.measures = [measure.counted_in(self.ground.unit) for measure in self.measures]
        for measure in self.measures:
            check_sizes(type(measure), measure.expression.call, measure.label, self.ground.unit)
        counted = {measure.counts_in for measure in self.measures}
        needed = {UNITS[unit].needs for unit in counted}
        if self.conventions.tokenizer is not None and "tokenizer" not in needed:
            raise IdleOption(
                "tokenizer", "a tokenizer would do nothing: no measure counts tokens, as iR@1000t does"
            )
        used = self.uses_chunks or any("chunks" in measure.needs for measure in self.measures)
        if self.ground.chunks is not None and not used:
            raise IdleOption(
                "chunks", "chunks would do nothing: no measure uses all chunks, as IoUomega does"
            )
        if self.ground.highlighted is not None and not self.ground.degrees:
            raise IdleOption(
                "highlighted",
                f"highlighted={self.ground.highlighted} would do nothing: it chooses among nodes judged by "
                "codes or by different values, and the assessments have none",
            )
        if self.conventions.official:
            from doxeval.measurement.families.official import official_figure

            for measure in self.measures:
                official_figure(measure, str(self.conventions.task))
            return
        for measure in self.measures:
            refuse_documents_of_contexts(measure, self.ground)
            measure.prepare(self.ground)
            measure.note_unused_grades(self.ground)
        for unit in sorted(counted):
            from doxeval.ground.budget import counter_of

            counter_of(unit).check(self.ground, self.conventions.tokenizer)

    def suited_to(self, loaders: Sequence[RunLoader]) -> Evaluation:
        """The same evaluation, with what depends on the runs: the unit, and the files that they name.

        Text is counted in characters if lines were not asked for and a run has characters.
        """
        truth = self.truth
        if (
            truth.unit is None
            and truth.assessments.unit == LINES
            and not truth.level
            and not all(map(gives_lines, loaders))
        ):
            truth = replace(truth, unit=CHARACTERS)
        if truth.reads_on_demand:
            truth = replace(truth, retrieved=truth.retrieved | frozenset(chain(*map(names_in, loaders))))
        if truth == self.truth:
            return self
        other = copy(self)
        other.truth, other.ground = truth, truth.ground()
        if self.references is not None:
            other.references = references_of(truth, self.references.rule)
            note_references(self.references, other.ground.notices)
        other._prepare(models_of(self.navigation))
        return other

    def __getstate__(self) -> dict[str, Any]:
        """The state for workers, without the options about workers and the store."""
        return vars(self) | defaults(WorkOptions)

    def by(self, *labels: str) -> Evaluation:
        """The same evaluation with some of its measures."""
        known = {measure.label: measure for measure in self.measures}
        for label in labels:
            if label not in known:
                raise UsageError(f"the evaluation has no measure {label!r}{nearest(label, known)}")
        other = copy(self)
        other.measures = [known[label] for label in labels]
        return other

    def shaped(self, shape: str) -> Evaluation:
        """The same evaluation of results `given`, joined to `trees`, or as whole `documents`."""
        choices = ("given", *OPTIONS["shape"].choices)
        if shape not in choices:
            raise UsageError(
                f"shape must be one of {', '.join(choices)}, not {shape!r}{nearest(shape, choices)}"
            )
        other = copy(self)
        other.conventions = self.conventions.but(shape=None if shape == "given" else shape)
        return other

    def check_attribute(self, by: str, topics: Topics) -> None:
        """Raise an error if no topic has the attribute, by the assessments or as they are described."""
        check_attribute(by, merged(self.ground.attributes, topics.attributes))

    def gold_problems(self, chunks: Any = None) -> list[str]:
        """Problems with the assessments: answers that are stale, ambiguous, lost, or not in the chunks."""
        from doxeval.ground.gold_checks import gold_problems

        by_run = chunks_by_run(chunks)
        each = [None] if by_run is None else by_run.values()
        return list(dict.fromkeys(chain(*(gold_problems(self.ground, theirs) for theirs in each))))

    def loaders(self, runs: Any) -> Iterable[RunLoader]:
        """Loaders of runs of any kind, each read when needed; lazy if `runs` is an iterator."""
        found = (
            run if isinstance(run, RunLoader) else RunLoader(run, name, **self.reading)
            for name, run in named_runs(runs)
        )
        return found if isinstance(runs, Iterator) else list(found)

    @reading_once()
    def scores(self, runs: Any, look: Look | None = None) -> Scores:
        """Score every run, in order, and apply `look` to each while it is aligned.

        `runs` is one run or several: tables from :func:`doxeval.read_run`, paths, lists of dicts, frames, or
        a mapping from names to any of these. The answer of `look` is each run's `seen`.
        """
        if self.navigation and not (self.navigates or getattr(look, "navigates", False)):
            raise IdleOption(
                "navigation",
                f"the navigation model {self.navigation} would do nothing: none of the measures takes one, "
                "or each names its own",
            )
        self.check_text(look)
        if look is not None and self.conventions.official:
            raise UsageError(
                "as_scored (--as-scored) gives the figures of an official scorer, not how they come about; "
                "leave it out to look into a run"
            )
        loaders = self.loaders(runs)
        if self.ground.chunks is not None:
            loaders = list(loaders)
            if not loaders:
                return self._scores_of_chunks(self.ground.chunks)
            self.check_chunks(loaders)
        if isinstance(loaders, list) and (suited := self.suited_to(loaders)) is not self:
            return suited.scores(loaders, look)
        if self.bounds and self.opened is None:
            loaders = list(loaders)
            return self.open_to(loaders).scores(loaders, look)
        total = len(loaders) if isinstance(loaders, list) else 0
        look = look_among(look, total)
        swept: Iterable[Scored] = sweep(self, loaders, look)
        for watcher in _watchers:
            swept = watcher.each(swept, total)
        parts = dict(swept)
        if not parts:
            raise UsageError("there is no run to score; give at least one")
        ordered = [parts[at] for at in range(len(parts))]
        scores = Scores.gather(self, ordered)
        if isinstance(loaders, list):
            scored = [
                load for load, part in zip(loaders, ordered, strict=True) if isinstance(part, RunScores)
            ]
            scores.origin = self, scored
        for watcher in _watchers:
            watcher.done(scores)
        return scores

    def check_chunks(self, runs: Any) -> None:
        """Refuse runs that have no chunks of their own; those that are scored apart belong together."""
        if self.ground.chunks is not None:
            check_chunks([load.run_name for load in self.loaders(runs)], self.ground.chunks)

    def _scores_of_chunks(self, chunks: Mapping[str, Chunks]) -> Scores:
        """The scores of chunks by measures that use no results, as if each were a run that returns them."""
        if reading := [measure.label for measure in self.measures if "chunks" not in measure.needs]:
            raise UsageError(f"there is no run to score, and {', '.join(reading)} cannot score chunks alone")
        parts = [
            replace(self.score_part(no_results(name or "chunks"), self.measures)[0], results=len(theirs))
            for name, theirs in chunks.items()
        ]
        scores = Scores.gather(self, parts)
        for watcher in _watchers:
            watcher.done(scores)
        return scores

    def open_to(self, runs: Any) -> Evaluation:
        """The same evaluation with bounds over the unjudged text of these runs, or of its pool."""
        opened, loaders = copy(self), list(self.loaders(runs))
        opened.opened = open_ground(self, loaders)
        opened.references = open_references(self, loaders)
        return opened

    def check_text(self, look: Look | None) -> None:
        """Check that judged nodes become text if and only if a measure or look uses text."""
        if getattr(look, "shows_text", False):
            self.ground.require_highlights("showing a run")
        elif self.ground.highlighted is not None and not any(
            measure.reads_highlights(self.ground) for measure in self.measures
        ):
            raise IdleOption(
                "highlighted",
                f"highlighted={self.ground.highlighted} would do nothing: none of the measures uses text",
            )

    def score(self, run: Any) -> Scores:
        """Score one run of any kind that :meth:`scores` takes; any problem with it is an error.

        Assessments, documents and measures are prepared when the evaluation is created, so a loop can score
        thousands of runs in memory.

        >>> answers = [{"topic": "t1", "doc": "d1", "start": 0, "end": 10}]
        >>> evaluation = Evaluation(answers, "iP@1")
        >>> for end in (10, 20):
        ...     evaluation.score([{"topic": "t1", "doc": "d1", "rank": 1, "start": 0, "end": end}])["iP@1"]
        1.0
        0.5
        """
        scores = self.scores(run)
        if len(scores.runs) + len(scores.unscored) != 1:
            raise UsageError(f"expected one run, found {len(scores.runs) + len(scores.unscored)}")
        return scores

    def score_loaded(
        self, load: RunLoader, labels: Sequence[str] | None = None, look: Look | None = None
    ) -> RunScores:
        """Read one run and score it by all or some measures, block by block if its file is large."""
        measures = self.measures if labels is None else [m for m in self.measures if m.label in labels]
        if look is None and self.opened is None and load.is_large:
            from doxeval.scoring.streaming.blocks import score_in_blocks, streams

            if streams(load):
                return score_in_blocks(self, load, measures)
        return self.score_run(load(), measures, look)

    def score_run(
        self, run: Run, measures: Sequence[Measure] | None = None, look: Look | None = None
    ) -> RunScores:
        """Align one run, score it by every measure, apply `look`, and release it."""
        scores, answered = self.score_part(run, self.measures if measures is None else measures, look)
        note_unanswered(run.source or run.name, answered, scores.counted, self.ground, scores.notices)
        return scores

    def score_part(
        self, run: Run, measures: Sequence[Measure], look: Look | None = None
    ) -> tuple[RunScores, np.ndarray]:
        """Score all or some topics of a run; also returns which topics it has results for.

        The notices are those about single results; what is about the run as a whole is left to the caller.
        """
        with closing(align(run, self.ground, self.conventions)) as aligned:
            counted = aligned.present if self.topics == "run" else np.ones(len(aligned.present), dtype=bool)
            referred = None
            if self.references is None:
                values = noted_values(measures, aligned)
            else:
                values, referred = values_by_reference(self, run, measures)
            if aligned.official is not None:
                from doxeval.measurement.families.official import refuse_undefined

                refuse_undefined(measures, values, counted, aligned)
            scores = RunScores(
                name=run.name,
                values=np.where(counted, values, np.nan),
                counted=counted,
                results=len(aligned),
                unjudged=int((aligned.pair < 0).sum()),
                referred=referred,
                parts=parts_of(measures, aligned, counted) if self.average == MICRO else None,
            )
            by_text = any(measure.reads_highlights(self.ground) for measure in measures)
            if by_text and aligned.official is None:
                scores.repeated = repeated_in(aligned, counted)
            if self.opened is not None:
                scores.bounds = (
                    [measure.bounds(aligned, self.opened) for measure in measures]
                    if self.references is None
                    else bounds_by_reference(self, run, measures)
                )
            if look is not None:
                scores.seen = look(self, aligned, scores)
        for notices in (*([run.notices] if aligned.official is None else []), aligned.notices):
            scores.notices.extend(notices, origin=run.source or run.name)
        return scores, aligned.count > 0


def _chosen_measures(named: Measures, models: Sequence[str]) -> list[Measure]:
    """The measures named, each under every navigation model if there are several."""
    chosen = chosen_measures(named, models[0] if len(models) == 1 else None)
    if not chosen:
        raise UsageError("no measure is named; 'doxeval measures' lists them")
    if len(models) > 1:
        return chosen_measures(under_models([measure.label for measure in chosen], models))
    return chosen


def evaluate(
    runs: Any,
    assessments: Any,
    measures: Measures = (),
    documents: Any = None,
    navigation: NavigationModels = None,
    **options: Unpack[ScoringOptions],
) -> Scores:
    """Score runs with measures.

    `runs` is one run or several: tables from :func:`doxeval.read_run`, paths, lists of dicts, frames, or a
    mapping from names to any of these. `assessments`, `measures`, `documents` and `navigation` are as for
    :class:`Evaluation`, the options those of :class:`ScoringOptions`. Runs that cannot be read or scored are
    listed in `scores.unscored`, with a warning; it is an error if no run could be scored.

    >>> qrels = [{"topic": "t1", "doc": "d1", "start": 0, "end": 10}]
    >>> system = [{"topic": "t1", "doc": "d1", "rank": 1, "start": 5, "end": 25}]
    >>> scores = evaluate({"half": system}, qrels, "iP@1 iR@1")
    >>> scores.value("half", "iP@1")
    0.25
    """
    scores = Evaluation(assessments, measures, documents, navigation, **options).scores(runs)
    scores.warn()
    return scores
