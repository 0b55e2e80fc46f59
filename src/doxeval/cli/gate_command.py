"""`doxeval gate`: fail a build when a measure has dropped."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

import doxeval as dx
from doxeval.cli.files import OUTPUT
from doxeval.cli.registered import Registered
from doxeval.cli.scoring import Scoring, direction_options, scoring_options, seed_option, slice_options
from doxeval.cli.support import finish, option, refuse_idle, say

if TYPE_CHECKING:
    from doxeval.scoring.scores import Scores


@click.command(name="gate")
@click.argument("inputs", nargs=-1, required=True, metavar="RUN...")
@option("--baseline -b FILE", "The run to compare with: a file of the run, or of its scores.", required=True)
@option("--baseline-run NAME", "The run to use if the baseline file holds several.")
@option("--max-drop [MEASURE:]DROP",
        "How far a measure may drop: 0.02, or 5% of the baseline, or AiP:0.01 for one measure.",
        multiple=True)  # fmt: skip
@option("--fail-on", "Fail on a significant drop, on one larger than --max-drop, or on either.", "either",
        of=["either", "significant", "drop"])  # fmt: skip
@option("--strict-gold",
        "Also fail if answers are stale, ambiguous or lost, or if the chunks of the collection (--chunks) "
        "do not contain them.")  # fmt: skip
@scoring_options("gate")
@slice_options
@option("--test", "Paired test.", "randomisation", of=Registered("comparison.tests.TESTS"))
@option("--alpha", "Significance level: p-values below it are significant.", 0.05)
@option("--draws", "Number of permutations or samples to draw.", 10_000, least=100)
@seed_option
@direction_options
@option("--format -f", "Output format: a line for each comparison, or a row of JSON.", "table",
        of=["table", "json"], show_default=False)  # fmt: skip
@option("--junit FILE", "Also write JUnit XML.", of=OUTPUT)
@option("--summary FILE", "Also append a summary in Markdown, as for $GITHUB_STEP_SUMMARY.", of=OUTPUT)
def command(
    inputs: tuple[str, ...], baseline: str, baseline_run: str | None, max_drop: tuple[str, ...], fail_on: str,
    strict_gold: bool, scoring: Scoring, by: str | None, topics_file: str | None, junit: str | None,
    summary: str | None, format: str, **options: Any,
) -> None:  # fmt: skip
    """Compare RUNs with a baseline and exit with status 1 if a measure has dropped.

    \b
    doxeval gate new.jsonl --baseline old.jsonl --qrels answers.jsonl -m "iR@5 IoU@5" --max-drop 0.02
    doxeval gate new.jsonl --baseline scores.csv --qrels answers.jsonl -m iR@5 --junit gate.xml

    The message gives the measure, the size of the drop, its interval, the topics that got worst and, of
    runs, those that were mended and broken. A score file is what 'doxeval eval --per-topic -f csv' writes.
    With --by, a drop in any slice of the topics counts too. Exit status: 0 if nothing dropped, 1 if something
    did, 2 if it could not be determined.
    """
    from doxeval.core.notices import Notices
    from doxeval.core.output import atomic
    from doxeval.core.records import rendered

    if fail_on == "significant":
        refuse_idle("max_drop", "only a significant drop fails (--fail-on)")
    if fail_on == "drop":
        refuse_idle("alpha test", "only a drop larger than --max-drop fails (--fail-on)")
    problems = _gold_problems(scoring) if strict_gold else []
    topics = scoring.topics(by, topics_file)
    before = _baseline_scores(scoring, baseline, baseline_run, inputs)
    after = scoring.scores(inputs, beside=[baseline])
    (was,) = before.runs
    if was.name in after.names:
        before.runs[0] = replace(was, name=f"{was.name} (baseline)")
    gated = dx.gate(
        [before, after], baseline=before.names[0], max_drop=max_drop, fail_on=fail_on, by=by,
        topics_file=topics, **options,
    )  # fmt: skip
    if junit:
        with atomic(junit) as stream:
            stream.write(gated.junit())
    if summary:
        _append(summary, gated.summary())
    finish(gated.comparison.notices, False, scoring.quiet)
    if format == "json":
        with atomic("-") as stream:
            stream.write(rendered(format, lambda: gated.rows, list))
    else:
        for verdict, line in zip(gated.verdicts, gated.lines(), strict=True):
            say(line, err=verdict.failed or verdict.untold)
        if strict_gold and not problems:
            say("gold: nothing in it is stale, ambiguous, lost or out of reach")
    for problem in problems:
        say(f"FAILED: gold: {problem}", err=True)
    if gated.failed or gated.untold or problems:
        sys.exit(1 if gated.failed or problems else 2)
    scoring.finish(Notices())


def _gold_problems(scoring: Scoring) -> list[str]:
    """Problems with the assessments. Chunks that no measure needs are used for this alone."""
    given = scoring.options.get("chunks")
    if given is not None and not any("chunks" in dx.measure(name).needs for name in scoring.names()):
        scoring.options["chunks"] = None
    return scoring.evaluation.gold_problems(given)


def _baseline_scores(scoring: Scoring, baseline: str, name: str | None, inputs: Sequence[str]) -> Scores:
    """The scores of the one run that is the baseline."""
    from doxeval.core.errors import UsageError

    scores = scoring.scores([baseline], beside=inputs)
    if name is None and len(scores.runs) > 1:
        raise UsageError(f"{baseline}: holds {', '.join(scores.names)}; choose one with --baseline-run")
    return scores.select([name or scores.names[0]])


def _append(path: str, text: str) -> None:
    from pathlib import Path

    from doxeval.core.errors import UsageError

    try:
        with Path(path).open("a", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as problem:
        raise UsageError(f"{path}: cannot be written: {problem.strerror}") from None
