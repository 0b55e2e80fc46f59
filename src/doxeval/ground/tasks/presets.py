"""The tasks of INEX and BioASQ by name: their rules, their conventions, their measures."""

from __future__ import annotations

from dataclasses import dataclass

from doxeval.core.errors import InputError
from doxeval.core.registry import Registry
from doxeval.ground.aligned import Aligned
from doxeval.ground.conventions import Conventions
from doxeval.ground.ground import Ground
from doxeval.ground.tasks.inclusive import inclusive_ground, inclusive_results
from doxeval.ground.tasks.rules import NO_OVERLAP, ONE_ENTRY_POINT, TOGETHER, Rule

RANKS = (1, 2, 3, 5, 10, 25, 50)
POINTS = tuple(f"{step / 10:.2f}" for step in range(11))
CHARACTERS = "iP[0.00] iP[0.01] iP[0.05] iP[0.10] MAiP"


def _list_measures(score: str) -> str:
    """The measures that the official scorer prints for lists of documents, by default with F(beta=0.25)."""
    given = f"(score={score})" if score else ""
    at_ranks = (f"gP{given}@{rank} gR@{rank}" for rank in RANKS)
    return " ".join([f"MAgP{given}", *at_ranks, *(f"gP{given}[{point}]" for point in POINTS)])


@dataclass(frozen=True)
class Task:
    """One task: `rules` are checked in order, `measures` are scored if none is named.

    If ends are `inclusive`, adjacent ranges are merged and include their last offset.
    """

    name: str
    summary: str
    rules: tuple[Rule, ...]
    measures: str
    repeated: str = "full"
    inclusive: bool = False

    def conventions(self, given: Conventions) -> Conventions:
        """The official scorer's conventions: gP of a short list at its last rank, and the task's own."""
        return given.but(task=self.name, past_end="last", repeated=self.repeated)


TASKS = Registry(
    "task",
    Task("thorough", "all relevant text, overlap allowed; only unseen text counts", (), CHARACTERS, "free"),
    Task("focused", "the most relevant text, without overlap", (NO_OVERLAP,), CHARACTERS),
    Task(
        "ric",
        "relevant in context: results of an article together, without overlap",
        (TOGETHER, NO_OVERLAP),
        _list_measures(""),
    ),
    Task(
        "bic",
        "best in context: one entry point per article",
        (ONE_ENTRY_POINT,),
        _list_measures("BEP(n=500)"),
    ),
    Task(
        "t2i",
        "relevant in context for a reader who stops after 300 irrelevant characters",
        (TOGETHER, NO_OVERLAP),
        _list_measures("T2I(n=300)"),
    ),
    Task(
        "bioasq",
        "BioASQ Phase A, snippets: adjacent ones are merged, ends are inclusive",
        (),
        "iP iR F(beta=1) SnipAP",
        inclusive=True,
    ),
    Task("bioasq-documents", "BioASQ Phase A, documents", (), "SetP SetR SetF DocAP"),
)


def ground_of_task(ground: Ground, conventions: Conventions) -> Ground:
    """The ground truth as interpreted by the scorer of a task."""
    taken = conventions.task is not None and TASKS[conventions.task].inclusive
    return inclusive_ground(ground) if taken else ground


def keep_to_task(aligned: Aligned) -> Aligned:
    """Check a run by the rules of its task: it is unchanged, repaired on request, or refused."""
    conventions = aligned.conventions
    if conventions.task is None:
        return aligned
    task = TASKS[conventions.task]
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
