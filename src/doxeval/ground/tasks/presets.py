"""The tasks of INEX and BioASQ by name: their rules, their conventions, their measures."""

from __future__ import annotations

from dataclasses import dataclass, replace

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
    """What the official scorer prints for lists of documents; their score is F(beta=0.25) unless given."""
    given = f"(score={score})" if score else ""
    at_ranks = (f"gP{given}@{rank} gR@{rank}" for rank in RANKS)
    return " ".join([f"MAgP{given}", *at_ranks, *(f"gP{given}[{point}]" for point in POINTS)])


@dataclass(frozen=True)
class Task:
    """One task: `rules` are checked in order, `measures` are those scored when none is named.

    Where ends are `inclusive`, ranges that meet are one, and the last offset belongs to it.
    """

    name: str
    summary: str
    rules: tuple[Rule, ...]
    measures: str
    repeated: str = "full"
    inclusive: bool = False

    def conventions(self, given: Conventions) -> Conventions:
        """The official scorer's way: gP of a short list at its last rank, and what else a task has."""
        return replace(given, task=self.name, past_end="last", repeated=self.repeated)


TASKS = Registry(
    "task",
    Task("thorough", "all relevant text, overlap allowed; only unseen text is paid", (), CHARACTERS, "free"),
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
        "relevant in context for a reader who leaves after 300 irrelevant characters",
        (TOGETHER, NO_OVERLAP),
        _list_measures("T2I(n=300)"),
    ),
    Task(
        "bioasq",
        "BioASQ Phase A, snippets: those that meet are one, ends are inclusive",
        (),
        "iP iR F(beta=1) SnipAP",
        inclusive=True,
    ),
    Task("bioasq-documents", "BioASQ Phase A, documents", (), "SetP SetR SetF DocAP"),
)


def ground_of_task(ground: Ground, conventions: Conventions) -> Ground:
    """The ground truth as the scorer of a task takes it."""
    taken = conventions.task is not None and TASKS[conventions.task].inclusive
    return inclusive_ground(ground) if taken else ground


def keep_to_task(aligned: Aligned) -> Aligned:
    """A run checked by the rules of its task: as it is, or repaired if that was asked for, or refused."""
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
            f"({task.summary}); nothing was scored, --fix repairs:\n{listed}"
        )
    return aligned
