"""`doxeval gate`: fail a build when a measure has fallen."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from doxeval.cli.scoring import Scoring, direction_options, scoring_options, seed_option, slice_options
from doxeval.cli.support import Registered, finish, option, refuse_idle

if TYPE_CHECKING:
    from doxeval.scoring.scores import Scores


@click.command(name="gate")
@click.argument("inputs", nargs=-1, required=True, metavar="RUN...")
@option("--baseline -b FILE", "What was: a run, or a file of scores.", required=True)
@option("--baseline-run NAME", "Which run of the baseline file, where it holds several.")
@option("--max-drop [MEASURE:]DROP",
        "How far a measure may fall: 0.02, or 5% of the baseline, or AiP:0.01 for one measure.",
        multiple=True)  # fmt: skip
@option("--fail-on", "A significant fall, a fall by more than --max-drop, or either.", "either",
        of=["either", "significant", "drop"])  # fmt: skip
@scoring_options()
@slice_options
@option("--test", "Paired test.", "randomisation", of=Registered("comparison.tests.TESTS"))
@option("--level", "Below this, p is significant.", 0.05)
@option("--draws", "Permutations, samples.", 10_000, least=100)
@seed_option
@direction_options
@option("--junit FILE", "Also write JUnit XML.")
@option("--summary FILE", "Also append Markdown, as for $GITHUB_STEP_SUMMARY.")
def command(
    inputs: tuple[str, ...], baseline: str, baseline_run: str | None, max_drop: tuple[str, ...], fail_on: str,
    scoring: Scoring, by: str | None, queries: str | None, junit: str | None, summary: str | None,
    **options: Any,
) -> None:  # fmt: skip
    """Compare RUNs with a baseline and exit with 1 when a measure has fallen.

    \b
    doxeval gate new.jsonl --baseline old.jsonl --qrels answers.jsonl -m "iR@5 IoU@5" --max-drop 0.02
    doxeval gate new.jsonl --baseline scores.csv --qrels answers.jsonl -m iR@5 --junit gate.xml

    The message names measure, size, interval and the topics that got worst. A file of scores is what
    'doxeval eval --per-topic -f csv' writes. With --by, a fall in any slice of the topics counts, too.
    Exit 0: nothing fell; 1: something did; 2: it could not be told.
    """
    from doxeval.comparison.gate import gate
    from doxeval.core.notices import Notices
    from doxeval.core.output import atomic
    from doxeval.scoring.read_scores import join_scores

    if fail_on == "significant":
        refuse_idle("max_drop", "only a significant fall fails (--fail-on)")
    if fail_on == "drop":
        refuse_idle("level test", "only a fall by more than --max-drop fails (--fail-on)")
    topics = scoring.topics(by, queries)
    before = _baseline_scores(scoring, baseline, baseline_run, inputs)
    after = scoring.scores(inputs, beside=[baseline])
    (was,) = before.runs
    if was.name in after.names:
        before.runs[0] = replace(was, name=f"{was.name} (baseline)")
    scores = join_scores([before, after]).with_topics(topics)
    found = gate(scores, before.names[0], max_drop=max_drop, fail_on=fail_on, by=by, **options)
    if junit:
        with atomic(junit) as stream:
            stream.write(found.junit())
    if summary:
        _append(summary, found.summary())
    finish(found.comparison.notices, False, scoring.quiet)
    for verdict, line in zip(found.verdicts, found.lines(), strict=True):
        click.echo(line, err=verdict.failed or verdict.untold)
    if found.failed or found.untold:
        sys.exit(1 if found.failed else 2)
    scoring.finish(Notices())


def _baseline_scores(scoring: Scoring, baseline: str, name: str | None, inputs: Sequence[str]) -> Scores:
    """The scores of the one run that is the baseline."""
    from doxeval.core.errors import UsageError
    from doxeval.scoring.read_scores import select_runs

    scores = scoring.scores([baseline], beside=inputs)
    if name is None and len(scores.runs) > 1:
        raise UsageError(f"{baseline}: holds {', '.join(scores.names)}; say which with --baseline-run")
    return select_runs(scores, [name or scores.names[0]])


def _append(path: str, text: str) -> None:
    from pathlib import Path

    from doxeval.core.errors import UsageError

    try:
        with Path(path).open("a", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as problem:
        raise UsageError(f"{path}: cannot be written: {problem.strerror}") from None
