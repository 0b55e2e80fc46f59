"""`doxeval perturb`: make a run better or worse in a known way."""

from __future__ import annotations

import click

from doxeval.cli.scoring import seed_option


class _Command(click.Command):
    """A command whose help ends with the perturbations there are."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from doxeval.lab.perturbation.perturbations import PERTURBATIONS

        arrow = {1: "should gain", -1: "should lose", 0: "depends"}
        with formatter.section("Perturbations (what a sound measure should say)"):
            formatter.write_dl(
                [(p.name, f"{p.summary} ({arrow[p.expected]})") for p in PERTURBATIONS.all().values()]
            )


@click.command(name="perturb", cls=_Command)
@click.argument("run", metavar="RUN")
@click.argument("name", metavar="PERTURBATION")
@click.argument("output", metavar="OUT")
@click.option("--qrels", "-q", required=True, metavar="FILE", help="Assessments: what is relevant.")
@click.option("--docs", "-d", metavar="FILE", help="Documents; needed where the tree matters.")
@click.option(
    "--share", type=float, default=1.0, show_default=True, help="Share of the results that are touched."
)
@click.option(
    "--characters", type=click.IntRange(1), default=200, show_default=True, help="How far ranges change."
)
@seed_option
@click.option("--run-format", metavar="NAME", help="Format of the run, where it is not recognised.")
@click.option("--to", "to_format", metavar="FORMAT", help="Format of OUT, where its suffix does not tell.")
@click.option("--ranges", metavar="PATTERN", default="", help="How TREC document ids carry ranges.")
@click.option("--quiet", is_flag=True, help="No warnings on standard error.")
def command(
    run: str, name: str, output: str, qrels: str, docs: str | None, share: float, characters: int, seed: int,
    run_format: str | None, to_format: str | None, ranges: str, quiet: bool,
) -> None:  # fmt: skip
    """Write RUN, changed by PERTURBATION, to OUT.

    \b
    doxeval perturb run.fol relevant-up better.fol --qrels qrels.txt
    doxeval perturb chunks.jsonl shifted shifted.jsonl --qrels answers.jsonl --characters 100
    doxeval perturb run.jsonl leaves-up leaves.jsonl --qrels qrels.jsonl --docs docs.dox
    """
    from doxeval.cli.support import finish
    from doxeval.io.formats.base import Options
    from doxeval.io.read import read_assessments, read_documents, read_run
    from doxeval.io.write import format_to_write, write_table
    from doxeval.lab.perturbation.perturbations import Strength, perturb

    target = format_to_write("run", output, to_format)
    changed = perturb(
        read_run(run, format=run_format, ranges=ranges), name, read_assessments(qrels),
        read_documents(docs) if docs else None, Strength(share, characters, seed),
    )  # fmt: skip
    changed.notices.extend(write_table(changed, output, target, Options(ranges=ranges)))
    finish(changed.notices, False, quiet)
