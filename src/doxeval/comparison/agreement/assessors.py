"""The assessors to compare: files of assessments, and the assessors in a database of judgements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from doxeval.core.errors import IdleOption, UsageError
from doxeval.core.options import DEFAULTS, READING, ScoringOptions, check_names
from doxeval.io.formats.judgements import judgements_in, merged_assessments, undecided_of
from doxeval.io.source import Source
from doxeval.scoring.applied_options import read_truth
from doxeval.scoring.judged_answers import are_judged_rows
from doxeval.tables.assessments import Assessments


def read_assessors(
    assessments: Mapping[str, Any] | Sequence[Any], options: ScoringOptions, decisions: bool = True
) -> dict[str, Assessments]:
    """The assessments of each assessor, by name; an error if there are not two, or an option is unused.

    Without `decisions`, as they were before disagreements were decided; empty if none were.
    """
    check_names(options, READING, "agreement")
    given: ScoringOptions = {**DEFAULTS, **options}
    sources = named_sources(assessments)
    kept_in = {name: judgements_in(data) for name, data in sources.items()}
    people = {name: [*kept.assessors, *kept.sources] if kept else [] for name, kept in kept_in.items()}
    databases = [] if decisions else [name for name in sources if people[name]]
    read_before = {name: undecided_of(sources[name]) for name in databases}
    undecided = {name: kept for name, kept in read_before.items() if kept is not None}
    if not decisions and not undecided:
        return {}

    def read(name: str, rule: str) -> Assessments:
        if name in undecided:
            return merged_assessments(undecided[name], rule or "union", name)
        return read_truth(sources[name], {**given, "merge": rule})

    if given["merge"] and not any(people.values()):
        raise IdleOption("merge", "merge would do nothing: none of the assessments tell assessors apart")
    found: dict[str, Assessments] = {}
    for name in sources:
        if people[name] and not given["merge"]:
            for person in people[name]:
                found[f"{name}: {person}" if person in found else person] = read(name, person)
        else:
            found[name] = read(name, (given["merge"] or "") if people[name] else "")
    if len(found) < 2:
        raise UsageError("agreement needs two assessors or more; give another file of assessments")
    rule = given["highlighted"] or ""
    if rule and not any(options_for(table, given)["highlighted"] for table in found.values()):
        raise IdleOption(
            "highlighted",
            f"highlighted={rule} would do nothing: no nodes were judged by codes or by different values",
        )
    return found


def options_for(table: Assessments, options: ScoringOptions) -> ScoringOptions:
    """The options that apply to one table of several: it is merged, and may have no degrees."""
    from doxeval.ground.locate import degrees

    graded = table.nodes is not None and degrees(table.nodes)
    return {**options, "merge": "", "highlighted": options.get("highlighted") if graded else None}


def named_sources(assessments: Mapping[str, Any] | Sequence[Any]) -> dict[str, Any]:
    """Files and tables by name: their own, or that of their file."""
    if isinstance(assessments, Mapping):
        return {str(name): data for name, data in assessments.items()}
    if isinstance(assessments, str | Path | Assessments):
        assessments = [assessments]
    if are_judged_rows(assessments):
        return {"answers": assessments}
    if not isinstance(assessments, list | tuple) or any(isinstance(data, Mapping) for data in assessments):
        raise UsageError(
            "expected the assessments of two or more assessors, in a list or by name, found "
            f"{'rows' if isinstance(assessments, list | tuple) else type(assessments).__name__}"
        )
    found: dict[str, Any] = {}
    for number, data in enumerate(assessments, 1):
        is_file = isinstance(data, str | Path)
        name = Source(data).stem if is_file else f"assessor {number}"
        found[str(data) if name in found and is_file else name] = data
    if len(found) < len(assessments):
        raise UsageError("the same file of assessments is named twice")
    return found
