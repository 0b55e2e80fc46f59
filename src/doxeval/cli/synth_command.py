"""`doxeval synth`: make a collection, assessments and runs."""

from __future__ import annotations

from typing import Any

import click

from doxeval.cli.scoring import seed_option
from doxeval.cli.support import option, refuse_idle, working


@click.command(name="synth")
@click.argument("folder", metavar="FOLDER")
@option("--documents", "Number of documents.", 10_000, least=1)
@option("--topics", "Number of topics.", 107, least=1)
@option("--pool", "Number of documents assessed per topic, in blocks of 256.", 512, least=1)
@option("--relevant-share", "Average share of the pool that is relevant.", 0.17)
@option("--systems", "Number of systems, spread over a range of quality.", 10, least=0)
@option("--system named SYSTEM",
        "Add this system, instead of a spread of them; may be repeated: "
        "'name(granularity=section,skill=3,near_miss=0.1,overlap=0.2,results=100)'.",
        multiple=True)  # fmt: skip
@option("--results", "Results per topic of each spread system.", 1500, least=1)
@option("--text", "Fill the documents with made-up words; by default they are only trees and lengths.")
@option("--form", "Write JSON Lines, or file-offset-length runs and assessments of INEX.", "native",
        of=["native", "inex"])  # fmt: skip
@option("--docs-form", "Format of the documents.", "jsonl", of=["jsonl", "dox", "parquet", "none"])
@seed_option
@option("--quiet", "Show no progress, and do not list what was written.")
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
    at random. The same seed gives the same files on any machine; memory does not grow with the size.
    """
    from pathlib import Path

    from doxeval.lab.synthesis.making import write_all
    from doxeval.lab.synthesis.shape import Shape
    from doxeval.lab.synthesis.systems import System, spread_systems

    if named:
        spread = "it is about spread systems, and --system gives each system and its results"
        refuse_idle("systems results", spread)
    if docs_form == "none":
        refuse_idle("text", "no documents are written (--docs-form none)")
    chosen = [System.parse(text) for text in named] or spread_systems(systems, seed, results=results)
    name = "" if docs_form == "none" else f"documents.{docs_form}"
    with working("writing the collection", quiet) as progress:
        paths = write_all(Path(folder), Shape(**shape), chosen, seed, form, name, progress)
    if not quiet:
        for path in paths:
            click.echo(path)
