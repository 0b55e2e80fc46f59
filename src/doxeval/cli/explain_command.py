"""`doxeval explain`: where the score of one topic comes from, rank by rank."""

from __future__ import annotations

import click

import doxeval as dx
from doxeval.cli.scoring import Scoring, scoring_options
from doxeval.cli.support import expand, option, refuse_idle


@click.command(name="explain")
@option("--run -r FILE", "The run to explain.", required=True)
@option("--topic -t TOPIC", "The topic to explain.", required=True)
@scoring_options("explain")
@option("--part NAME", "Only this table: ranks, code, missed, or one of those that the measure adds.")
@option("--format -f", "Output format; csv and jsonl have a row per row of each table, named by its part.",
        "table", of=["table", "json", "csv", "jsonl"])  # fmt: skip
def command(run: str, topic: str, scoring: Scoring, part: str | None, format: str) -> None:
    """Explain the score of one topic: what each rank gained, repeated, left to reach, and contributed.

    \b
    doxeval explain --run chunks.jsonl --qrels answers.jsonl --topic q3 --measure IoU@5

    Unless you name a measure, it is the first that suits the assessments: AiP where text is highlighted. The
    contributions of the ranks add up to the score. A measure that is not a sum over results is explained by
    how the score changes with each rank. With a navigation model, the output also shows how much it makes
    reachable. PRUM and ERRU add tables of what they compute: the terms of PRUM's Eq. 5 by recall (recall) and
    by rank (list), its scenarios if it is exact and they are few (scenarios), the chances of ERRU's units
    (units), and every step the reader can take (steps). Measures of near misses add what they expect by rank
    (expected) and, of trees, by assessed tree (trees); SR and SRP what each tree repeats (redundancy) and the
    chances between trees (between). Of results in source code, given with the documents, the lines are
    shown (code).
    """
    from doxeval.core.output import atomic

    scoring.take_one_measure()
    if format == "json":
        refuse_idle("part", "json has all parts")
    found = dx.explain(expand([run]), *scoring.given, topic=topic, **scoring.options)
    with atomic("-") as stream:
        stream.write(found.rendered(format, part))
    scoring.finish(found.notices)
