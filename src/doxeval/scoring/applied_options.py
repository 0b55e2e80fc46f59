"""Options of scoring, applied: assessments as read, and the conventions of an evaluation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from doxeval.core.errors import InputError, UsageError
from doxeval.core.options import (
    DEFAULTS,
    ConventionOptions,
    ScoringOptions,
    declared,
    how_to_read,
)
from doxeval.ground.aligned import Conventions
from doxeval.ground.tasks.formats import check_format, format_in_task
from doxeval.io.read import read_assessments
from doxeval.tables.assessments import Assessments

NOT_AS_SCORED = ("depth", "unjudged", "rank_by", "fix", "shape", "added", "own")
"""Options that no official scorer has; the order of the file, which they take, may be asked for."""


def _check_as_scored(given: ScoringOptions) -> None:
    """Refuse options that the official scorer of a task does not have."""
    for name in NOT_AS_SCORED:
        if given[name] not in (DEFAULTS[name], "file"):  # type: ignore[literal-required]
            raise UsageError(
                f"as_scored follows the official scorer of a task to the letter, which has no option {name}; "
                "leave out one of them"
            )


def read_truth(assessments: Any, given: ScoringOptions) -> Assessments:
    """Read assessments as the options say; refused lines are an error, as they would change the scores."""
    how = how_to_read(given, "assessments")
    if isinstance(assessments, Assessments):
        if not given["as_scored"]:
            check_format(assessments, given["task"])
    elif how["input_format"] is None:
        how["input_format"] = format_in_task("assessments", assessments, given["task"], how["encoding"])
    table = read_assessments(assessments, **how)
    read_as_written = given["as_scored"] and table.written is not None
    if table.notices.refusals and not given["keep_going"] and not read_as_written:
        raise InputError(
            f"{'; '.join(map(str, table.notices.refusals))}. Scores would differ without these lines: "
            "correct them, or leave them out with --keep-going"
        )
    return table


def conventions_of(given: ScoringOptions) -> tuple[Conventions, str]:
    """The conventions requested, and the measures usual with them."""
    if given["as_scored"]:
        _check_as_scored(given)
    tokenizer = given["tokenizer"]
    if given["store"] is not None and not isinstance(tokenizer, str | Path | None):
        raise UsageError(
            "a store identifies tokenizers by file or name; give a tokenizer.json or an encoding"
        )
    chosen: dict[str, Any] = {name: given[name] for name in declared(ConventionOptions)}  # type: ignore[literal-required]
    chosen["rank_by"] = given["rank_by"] or ("file" if given["task"] else "rank")
    chosen["tokenizer"] = str(tokenizer) if isinstance(tokenizer, Path) else tokenizer
    conventions = Conventions(**chosen)
    if given["task"] is None:
        return conventions, ""
    from doxeval.ground.tasks.presets import TASKS

    task = TASKS[given["task"]]
    return task.conventions(conventions), task.measures
