"""`doxeval judge`: show a pool to assessors, and keep what they mark."""

from __future__ import annotations

from typing import Any

import click

from doxeval.cli.files import KEPT_FILE, OUTPUT
from doxeval.cli.support import (
    TakingManyRuns,
    declared_option,
    expand,
    finish,
    on_a_desktop,
    option,
    refuse_idle,
    say,
)

SERVING = "host port open_page adjudicators runs"
ASKING = "topics_file grades needs assessors"


@click.command(name="judge", cls=TakingManyRuns)
@click.argument("pool", required=False, metavar="[POOL]")
@option("--docs -d documents FILE", "Documents of the pool: a file, folder, archive or index.")
@option("--to database FILE", "Database to keep the judgements in; created if it does not exist.",
        of=KEPT_FILE)  # fmt: skip
@option(
    "--assessor -a assessors NAME",
    "Name of an assessor; may be repeated, each gets an address.",
    multiple=True,
)
@option("--topics-file FILE",
        "Topics: JSON Lines with topic, query and needs, or topic TAB query.")  # fmt: skip
@option("--grades N", "Offer the grades 1 to N.", 1, of=click.IntRange(1, 9))
@option("--need needs NAME", "A need that answers can meet, in every topic; may be repeated.", multiple=True)
@option("--adjudicator adjudicators NAME",
        "Name of somebody who decides where assessors differ; may be repeated, each gets an address.",
        multiple=True)  # fmt: skip
@option("--runs RUN...",
        "Runs to compare, by -m MEASURE: what hangs on disagreements, and the scores so far.",
        multiple=True)  # fmt: skip
@option("--measure -m measures MEASURE",
        "Measures, of which one compares the runs; by default iP at the depth of the pool.",
        multiple=True)  # fmt: skip
@option(
    "--host ADDRESS", "Address to listen on; the default can be reached only from this machine.", "127.0.0.1"
)
@option("--port N", "Port to listen on; by default 8421, or any free one.", of=click.IntRange(0, 65535))
@click.option(
    "--open/--no-open", "open_page", default=None, help="Open the page in a browser; by default on a desktop."
)
@option("--offline FILE", "Write the page to one file instead, to mail to an assessor.", of=OUTPUT)
@option("--take FILE", "Add the judgements saved by such a page; may be repeated.", multiple=True)
@option("--export FILE", "Export the judgements to FILE.", of=OUTPUT)
@option("--backup FILE", "Write a copy of the database to FILE; whole even while people are judging.",
        of=OUTPUT)  # fmt: skip
@option(
    "--format -f", "Output format of the export.", "native", of=["native", "inex", "label-studio", "rules"]
)
@declared_option("merge")
def command(
    pool: str | None, documents: str | None, database: str | None, assessors: tuple[str, ...],
    open_page: bool | None, offline: str | None, take: tuple[str, ...], export: str | None,
    backup: str | None, format: str, runs: tuple[str, ...], **given: Any,
) -> None:  # fmt: skip
    """Serve the documents of POOL to assessors, who mark what is relevant in them.

    \b
    doxeval judge pool.jsonl --docs documents --to judgements.db --assessor ann
    doxeval judge pool.jsonl --docs documents --to judgements.db -a ann -a bob --runs runs/*.jsonl -m iP@5
    doxeval judge pool.jsonl --docs documents --assessor bob --offline bob.html
    doxeval judge --take judgements-bob.json --to judgements.db
    doxeval judge --to judgements.db --export tasks.json --format label-studio --docs documents
    doxeval judge --to judgements.db --backup copy.db

    Every mark is on disk before the page says that it is saved, and history is kept. Anyone who knows the
    address, which contains a secret, can judge. Every command reads the database as assessments (--qrels
    judgements.db --merge majority).
    """
    import doxeval as dx

    ways = {"--offline": offline, "--take": take, "--export": export, "--backup": backup}
    chosen = [flag for flag, typed in ways.items() if typed]
    if len(chosen) > 1:
        raise click.UsageError(f"{' and '.join(chosen)} cannot be combined; use one at a time")
    if not export:
        refuse_idle("format", "nothing is exported (--export)")
        if not runs:
            refuse_idle("merge", "nothing is exported (--export), and there are no runs to compare (--runs)")
    if not runs:
        refuse_idle("measures", "there are no runs to compare (--runs)")
    if chosen:
        refuse_idle(SERVING, "no page is served")
    if take:
        refuse_idle(f"pool documents {ASKING}", "what --take adds has been judged already")
        needed = {"--to": database}
    elif backup:
        refuse_idle(f"pool documents {ASKING}", "the copy holds what has been judged already")
        needed = {"--to": database}
    elif export:
        refuse_idle(f"pool {ASKING}", "what is exported has been judged already")
        needed = {"--to": database}
        if format == "label-studio":
            refuse_idle("merge", "an export to Label Studio keeps assessors apart")
            needed["--docs"] = documents
        elif format == "rules":
            refuse_idle("merge documents", "rules are those of all assessors")
        else:
            refuse_idle("documents", "judgements are ranges of their documents already")
    else:
        needed = {"POOL": pool, "--docs": documents, "--assessor": " ".join(assessors)}
        if offline:
            refuse_idle("database", "an offline page saves its judgements to a file, which --take adds")
        else:
            needed["--to"] = database
    for name, typed in needed.items():
        if not typed:
            usual = "doxeval judge pool.jsonl --docs documents --to judgements.db --assessor ann"
            raise click.UsageError(f"{name} is missing, as in: {usual}")
    opening = on_a_desktop() if open_page is None else open_page
    done = dx.judge(
        pool, documents, database, assessors=assessors, offline=offline, take=take, export=export,
        backup=backup, format=format, runs=expand(runs) or None, open_page=opening, **given,
    )  # fmt: skip
    for line in done.lines:
        say(line, err=True)
    finish(done.notices, False)
