"""`doxeval perturb`: make a run better or worse in a known way."""

from __future__ import annotations

import click

import doxeval as dx
from doxeval.cli.files import OUTPUT
from doxeval.cli.scoring import Scoring, scoring_options, seed_option
from doxeval.cli.support import option, refuse_idle
from doxeval.core.options import ReadingOptions, checked_options


def _list(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    """List the perturbations, and end."""
    if not value or ctx.resilient_parsing:
        return
    from doxeval.extend import PERTURBATIONS

    should = {1: "should gain", -1: "should lose", 0: "depends"}
    formatter = ctx.make_formatter()
    with formatter.section("Perturbations (what a sound measure should do)"):
        listed = PERTURBATIONS.all().values()
        formatter.write_dl([(one.name, f"{one.summary} ({should[one.expected]})") for one in listed])
    click.echo(formatter.getvalue(), nl=False)
    ctx.exit()


@click.command(name="perturb")
@click.argument("run", metavar="RUN")
@click.argument("name", metavar="PERTURBATION")
@click.argument("output", metavar="OUT", type=OUTPUT)
@scoring_options("perturb", ReadingOptions, without="measures navigation")
@option("--share",
        "Share of the results to change, or of the documents if these are moved as one.",
        1.0)  # fmt: skip
@option("--characters", "Number of characters by which ranges change.", 200, least=1)
@seed_option
@option("--format -f FORMAT", "Output format, if neither its suffix nor that of RUN should decide.")
@option("--perturbations", "List the perturbations, and what each should do to a score.", is_eager=True,
        expose_value=False, callback=_list)  # fmt: skip
def command(
    run: str, name: str, output: str, scoring: Scoring, share: float, characters: int, seed: int,
    format: str | None,
) -> None:  # fmt: skip
    """Write RUN, changed by PERTURBATION, to OUT.

    \b
    doxeval perturb run.fol relevant-up better.fol --qrels qrels.txt
    doxeval perturb chunks.jsonl shifted shifted.jsonl --qrels answers.jsonl --characters 100
    doxeval perturb run.jsonl leaves-up leaves.jsonl --qrels qrels.jsonl --docs docs.dox

    OUT has the format of its suffix, else that of RUN. If that format cannot hold all of the run, nothing is
    written.
    """
    from doxeval.extend import PERTURBATIONS, Strength
    from doxeval.io.formats.format import Options
    from doxeval.io.read import read_table
    from doxeval.io.write import format_to_write, write_table
    from doxeval.lab.perturbation.perturbations import perturbed
    from doxeval.scoring.applied_options import read_truth

    perturbation = PERTURBATIONS[name]
    if not perturbation.moves_ranges:
        refuse_idle("characters", f"{name} moves no boundaries")
    if share == 1 and not perturbation.draws:
        refuse_idle("seed", f"{name} draws nothing when all is changed (--share)")
    if not scoring.assessments:
        raise click.UsageError("give the assessments that say what is relevant: --qrels FILE")
    given = checked_options(scoring.options)
    options = Options(ranges=given["ranges"], question_attribute=given["question_attribute"])
    _, own_format, table = read_table(
        run, kind="run", format=given["run_format"], options=options, encoding=given["encoding"]
    )
    target = format_to_write("run", output, format, own_format)
    documents = dx.read_documents(scoring.documents) if scoring.documents else None
    truth = read_truth(scoring.assessments, given)
    made = perturbed(table, name, truth, documents, Strength(share, characters, seed))
    made.notices.extend(write_table(made, output, target, options, whole=True))
    scoring.finish(made.notices)
