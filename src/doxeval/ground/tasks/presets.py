"""The tasks of INEX and BioASQ by name: their rules, their conventions, their measures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from doxeval.core.errors import InputError
from doxeval.core.facts import Facts
from doxeval.core.notices import Notices
from doxeval.core.ragged import Ragged
from doxeval.core.registry import Registry
from doxeval.ground.aligned import Aligned, Conventions
from doxeval.ground.ground import Ground
from doxeval.ground.tasks.official.bioasq_answers import AnswerFigures, gold_questions, score_answers
from doxeval.ground.tasks.official.inex_files import topics_judged
from doxeval.ground.tasks.official.inex_lists import ListFigures, score_lists
from doxeval.ground.tasks.official.inex_text import TextFigures, score_text
from doxeval.ground.tasks.rules import NO_OVERLAP, ONE_ENTRY_POINT, TOGETHER, Rule
from doxeval.tables.runs import WHOLE, Run


def inclusive_ground(ground: Ground) -> Ground:
    """The ground truth as BioASQ counts it: one unit for each piece of relevant text, a character longer.

    Published offsets are half-open, but its scorer takes the end as inclusive, in runs and gold alike.
    """
    offset, start, end = ground.relevant
    return replace(
        ground, unit_pair=Ragged(offset).row, unit_start=start, unit_end=end + 1,
        unit_grade=np.ones(len(start)), unit_place=np.arange(len(start)), unit_aspects=None, unit_labels=None,
        facts=Facts(),
    )  # fmt: skip


def inclusive_results(aligned: Aligned) -> Aligned:
    """Results with those that meet in a document merged, at the rank of the first, a character longer."""
    if not len(aligned.start):
        return aligned
    article = np.unique(aligned.article, return_inverse=True)[1][aligned.result]
    width = 1 + int(aligned.end.max())
    order = np.lexsort((aligned.start, article))
    start, end = aligned.start[order], aligned.end[order]
    reached = np.maximum.accumulate(article[order] * width + end)
    begins = np.flatnonzero(np.append(True, (article[order] * width + start)[1:] > reached[:-1]))
    first = np.minimum.reduceat(aligned.result[order], begins)
    end = np.maximum.reduceat(end, begins)
    kept, place = np.unique(first, return_inverse=True)
    spans, start, end = Ragged.gathered(place, len(kept), start[begins], np.where(end < WHOLE, end + 1, end))
    united = aligned.select(np.isin(np.arange(len(aligned)), kept))
    return replace(united, start=start, end=end, spans=spans, nodes=None, facts=Facts())


Figures = TextFigures | ListFigures | AnswerFigures

CUTOFFS_OF_LISTS = (1, 2, 3, 5, 10, 25, 50)
POINTS_OF_CURVES = tuple(f"{step / 10:.2f}" for step in range(11))
OF_CHARACTERS = "iP[0.00] iP[0.01] iP[0.05] iP[0.10] MAiP"


def _list_measures(score: str) -> str:
    """The measures that the official scorer prints for lists of documents, by default with F(beta=0.25)."""
    given = f"(score={score})" if score else ""
    at_ranks = (f"gP{given}@{rank} gR@{rank}" for rank in CUTOFFS_OF_LISTS)
    return " ".join([f"MAgP{given}", *at_ranks, *(f"gP{given}[{point}]" for point in POINTS_OF_CURVES)])


@dataclass(frozen=True)
class Task:
    """One task: `rules` are checked in order, `measures` are scored if none is named.

    If ends are `inclusive`, adjacent ranges are merged and include their last offset. `scored` gives the
    figures of the official scorer for a run, and `judged` the topics that it finds in the assessments;
    without it, measures themselves follow the scorer where `as_scored` is asked for. Files in a format of
    the campaign that is about something else, the key of `formats`, are read in the other.
    """

    name: str
    summary: str
    rules: tuple[Rule, ...]
    measures: str
    scored: Callable[[Run, Aligned], Figures] | None = None
    judged: Callable[[Ground], Iterable[str]] = topics_judged
    repeated: str = "full"
    inclusive: bool = False
    formats: Mapping[str, str] = field(default_factory=dict)

    def conventions(self, given: Conventions) -> Conventions:
        """The official scorer's conventions: gP of a short list at its last rank, and the task's own."""
        official = given.as_scored and self.scored is not None
        return given.but(task=self.name, past_end="last", repeated=self.repeated, official=official)


TASKS = Registry(
    "task",
    Task(
        "thorough",
        "all relevant text, overlap allowed; only unseen text counts",
        (),
        OF_CHARACTERS,
        partial(score_text, thorough=True),
        repeated="free",
    ),
    Task(
        "focused",
        "the most relevant text, without overlap",
        (NO_OVERLAP,),
        OF_CHARACTERS,
        partial(score_text, thorough=False),
    ),
    Task(
        "ric",
        "relevant in context: results of an article together, without overlap",
        (TOGETHER, NO_OVERLAP),
        _list_measures(""),
        partial(score_lists, one_each=False),
    ),
    Task(
        "bic",
        "best in context: one entry point per article",
        (ONE_ENTRY_POINT,),
        _list_measures("BEP(n=500)"),
        partial(score_lists, one_each=True),
    ),
    Task(
        "t2i",
        "relevant in context for a reader who stops after 300 irrelevant characters",
        (TOGETHER, NO_OVERLAP),
        _list_measures("T2I(n=300)"),
        partial(score_lists, one_each=False),
    ),
    Task(
        "bioasq",
        "BioASQ Phase A, snippets: adjacent ones are merged, ends are inclusive",
        (),
        "iP iR F(beta=1) SnipAP",
        partial(score_answers, snippets=True),
        gold_questions,
        inclusive=True,
        formats={"bioasq-documents": "bioasq"},
    ),
    Task(
        "bioasq-documents",
        "BioASQ Phase A, documents",
        (),
        "SetP SetR SetF DocAP",
        partial(score_answers, snippets=False),
        gold_questions,
        formats={"bioasq": "bioasq-documents"},
    ),
    Task("contextbench", "ContextBench: text that agents read, each part once", (), "iR DistinctP"),
    Task(
        "locagent",
        "LocAgent: files, modules or functions to change (--level)",
        (),
        " ".join(f"{name}@{rank}" for name in ("Acc", "nDCG", "P", "R", "LocAP") for rank in (1, 3, 5, 10)),
    ),
)


def ground_of_task(ground: Ground, conventions: Conventions) -> Ground:
    """The ground truth as interpreted in a task, or with every topic that its official scorer knows."""
    if conventions.task is None:
        return ground
    task = TASKS[conventions.task]
    if conventions.official:
        assessments = ground.assessments.with_more_topics(task.judged(ground))
        return replace(
            ground, assessments=replace(assessments, notices=Notices()), notices=Notices(), facts=Facts()
        )
    return inclusive_ground(ground) if task.inclusive else ground


def keep_to_task(aligned: Aligned, given: Run) -> Aligned:
    """Check a run by the rules of its task: it is unchanged, repaired on request, or refused.

    As scored, the run as it was given is scored by the official scorer, which has rules of its own.
    """
    conventions = aligned.conventions
    if conventions.task is None:
        return aligned
    task = TASKS[conventions.task]
    if conventions.official and task.scored is not None:
        figures = task.scored(given, aligned)
        return replace(aligned, official=figures, present=figures.present)
    if task.inclusive:
        aligned = inclusive_results(aligned)
    complaints = []
    for rule in task.rules:
        broken = rule.find(aligned)
        if not len(broken.result):
            continue
        if conventions.fix:
            aligned = rule.repair(aligned, broken)
        else:
            complaints += rule.complaints(aligned, broken)
    if complaints:
        listed = "\n".join(f"  {complaint}" for complaint in complaints)
        raise InputError(
            f"{aligned.run.source or aligned.run.name}: not a run of the {task.name} task "
            f"({task.summary}); nothing was scored; repair it with --fix:\n{listed}"
        )
    return aligned
