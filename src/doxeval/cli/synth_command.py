"""`doxeval synth`: make a collection, assessments and runs."""

from __future__ import annotations

from typing import Any

import click

from doxeval.cli.scoring import seed_option
from doxeval.cli.support import refuse_idle


@click.command(name="synth")
@click.argument("folder", metavar="FOLDER")
@click.option(
    "--documents", type=click.IntRange(1), default=10_000, show_default=True, help="How many documents."
)
@click.option("--topics", type=click.IntRange(1), default=107, show_default=True, help="How many topics.")
@click.option(
    "--pool", type=click.IntRange(1), default=512, show_default=True,
    help="Documents that were assessed for a topic, in blocks of 256.",
)  # fmt: skip
@click.option(
    "--relevant-share", type=float, default=0.17, show_default=True, help="Of the pool, on average."
)
@click.option(
    "--systems", type=click.IntRange(0), default=10, show_default=True, help="How many systems to spread."
)
@click.option(
    "--system", "named", multiple=True, metavar="SYSTEM",
    help="One system instead: 'name(granularity=section,skill=3,near_miss=0.1,overlap=0.2,results=100)'.",
)  # fmt: skip
@click.option(
    "--results", type=click.IntRange(1), default=1500, show_default=True, help="Of a spread system."
)
@click.option(
    "--text", is_flag=True, help="Fill the documents with made-up words; else only trees and lengths."
)
@click.option(
    "--form", type=click.Choice(["native", "inex"]), default="native", show_default=True,
    help="JSON Lines, or INEX's file-offset-length runs and assessments.",
)  # fmt: skip
@click.option(
    "--docs-form", type=click.Choice(["jsonl", "dox", "parquet", "none"]), default="jsonl", show_default=True,
    help="Form of the documents.",
)  # fmt: skip
@seed_option
@click.option("--quiet", is_flag=True, help="Do not tell what was written.")
def command(
    folder: str, systems: int, named: tuple[str, ...], results: int, form: str, docs_form: str, seed: int,
    quiet: bool, **shape: Any,
) -> None:  # fmt: skip
    """Make an INEX-like collection with highlighted assessments and systems of controlled quality.

    \b
    doxeval synth small --documents 2000 --topics 20 --systems 5
    doxeval synth large --documents 660000 --docs-form dox --form inex --seed 7
    doxeval synth two --system 'good(granularity=section,skill=3)' --system 'poor(skill=0.5,near_miss=0.5)'

    Granularity is article, section, element (sections, subsections, paragraphs), p or passage; skill 0 ranks
    at random. The same seed gives the same files, whatever the machine; memory does not grow with the size.
    """
    from pathlib import Path

    from doxeval.lab.synthesis.making import write_all
    from doxeval.lab.synthesis.shape import Shape
    from doxeval.lab.synthesis.systems import System, spread_systems

    if named:
        for option in ("systems", "results"):
            refuse_idle(
                option, "it is about systems that are spread, and --system names each with its results"
            )
    if docs_form == "none":
        refuse_idle("text", "no documents are written (--docs-form none)")
    chosen = [System.parse(text) for text in named] or spread_systems(systems, seed, results=results)
    name = "" if docs_form == "none" else f"documents.{docs_form}"
    paths = write_all(Path(folder), Shape(**shape), chosen, seed, form, name)
    if not quiet:
        for path in paths:
            click.echo(path)
