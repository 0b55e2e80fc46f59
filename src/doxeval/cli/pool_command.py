"""`doxeval pool`: gather what assessors should read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import doxeval as dx
from doxeval.cli.files import OUTPUT
from doxeval.cli.project_file import runs_argument
from doxeval.cli.registered import Registered
from doxeval.cli.scoring import SCORING_FLAGS, Scoring, scoring_options
from doxeval.cli.support import option, refuse_idle, say
from doxeval.core.options import ReadingOptions


@click.command(name="pool")
@runs_argument(required=False)
@scoring_options("pool", ReadingOptions, without="measures navigation")
@option("--topics-file FILE",
        "Topics to show to assessors: JSON Lines with topic and query, or topic TAB query.")  # fmt: skip
@option("--depth N", "Use only the first N results of each topic.", 10, least=1)
@option("--assessed", "Whether assessors read whole documents, or only what is highlighted.", "whole",
        of=["whole", "highlights"])  # fmt: skip
@option("--grow", "Grow passages to whole sentences (the default where the documents have text) or nodes.",
        of=Registered("judging.growing.GROWTHS"))  # fmt: skip
@option("--order", "Order by best rank, by document, or by what could separate the runs most.",
        "depth", of=Registered("judging.orders.ORDERS"))  # fmt: skip
@option("--next between",
        "Pool the fewest characters that could decide between two runs by iP at the depth; A and B are files "
        "or names of RUNs.", of=str, nargs=2, metavar="A B")  # fmt: skip
@option("--max-characters N", "Stop after N characters.", least=1)
@option("--minutes M", "Stop after M minutes of reading.", of=float)
@option("--speed N", "Reading speed, in characters per minute.", 1400, least=1)
@option("--suggested FILE", "Assessments by a model or a rule, for assessors to confirm; may be repeated.",
        multiple=True)  # fmt: skip
@SCORING_FLAGS["rank_by"]
@option("--output -o FILE", "Write to FILE.", "-", OUTPUT)
@option("--sources FILE", "Also write which run retrieved what; do not show it to assessors.",
        of=OUTPUT)  # fmt: skip
def command(
    runs: tuple[str, ...], scoring: Scoring, between: tuple[str, str] | None, output: str,
    sources: str | None, minutes: float | None, suggested: tuple[str, ...], **options: Any,
) -> None:  # fmt: skip
    """Gather the unjudged text that the first results of each RUN show, as JSON Lines for assessors.

    \b
    doxeval pool runs/*.jsonl --docs corpus/ --topics-file questions.jsonl --depth 10 -o pool.jsonl
    doxeval pool runs/*.jsonl --docs corpus/ --qrels known.jsonl --order deciding --minutes 60 -o pool.jsonl
    doxeval pool --next old.jsonl new.jsonl --docs corpus/ --qrels known.jsonl -o pool.jsonl

    Every stretch of text is pooled once, however many runs show it. Each line is a document for a topic, with
    the passages to judge; see docs/judging.md.
    """
    from doxeval.cli.support import expand
    from doxeval.extend import Source

    if minutes is None:
        refuse_idle("speed", "the budget is not in minutes (--minutes)")
    if scoring.assessments is None:
        refuse_idle("assessed assessments_format merge keep_going", "no assessments were given (--qrels)")
    files = expand(runs)
    if between is not None:
        refuse_idle("order", "passages are ordered by what they could decide (--next)")
        files += [path for path in between if Path(path).is_file() and path not in files]
        options["between"] = tuple(Source(name).stem if name in files else name for name in between)
    if not files:
        raise click.UsageError("name the runs to pool")
    options |= scoring.options
    options["suggested"] = list(suggested) or None
    found = dx.pool(files, scoring.assessments, scoring.documents, minutes=minutes, **options)
    dx.write_pool(found, output, sources=sources)
    if not scoring.quiet:
        say(found.told(), err=output == "-")
    scoring.finish(found.notices)
