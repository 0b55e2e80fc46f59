"""`doxeval synth`: make a collection, assessments and runs."""

from __future__ import annotations

import click

from doxeval.cli.scoring import seed_option
from doxeval.cli.support import option, quiet_option, refuse_idle, working


@click.command(name="synth")
@click.argument("folder", metavar="FOLDER")
@option("--document-count", "Number of documents.", 10_000, least=1)
@option("--topic-count", "Number of topics.", 107, least=1)
@option("--pool-size", "Number of documents assessed per topic, in blocks of 256.", 512, least=1)
@option("--relevant-share", "Average share of the pool that is relevant.", 0.17)
@option("--system-count", "Number of systems, spread over a range of quality.", 10, least=0)
@option("--system systems SYSTEM",
        "Add this system, instead of a spread of them; may be repeated: "
        "'name(granularity=section,skill=3,near_miss=0.1,overlap=0.2,results=100)'.",
        multiple=True)  # fmt: skip
@option("--results", "Results per topic of each spread system.", 1500, least=1)
@option("--words", "Fill the documents with made-up words; by default they are only trees and lengths.")
@option("--format -f",
        "Output format: JSON Lines, or file-offset-length runs and assessments of INEX.", "native",
        of=["native", "inex"])  # fmt: skip
@option("--docs-format", "Format of the documents.", "jsonl", of=["jsonl", "dox", "parquet", "none"])
@seed_option
@quiet_option
def command(
    folder: str, document_count: int, topic_count: int, pool_size: int, relevant_share: float,
    system_count: int, systems: tuple[str, ...], results: int, words: bool, format: str, docs_format: str,
    seed: int, quiet: bool,
) -> None:  # fmt: skip
    """Make an INEX-like collection with highlighted assessments and systems of controlled quality.

    \b
    doxeval synth small --document-count 2000 --topic-count 20 --system-count 5
    doxeval synth large --document-count 660000 --docs-format dox --format inex --seed 7
    doxeval synth two --system 'good(granularity=section,skill=3)' --system 'poor(skill=0.5,near_miss=0.5)'

    Granularity is article, section, element (sections, subsections, paragraphs), p or passage; skill 0 ranks
    at random. The same seed gives the same files on any machine; memory does not grow with the size.
    """
    from pathlib import Path

    from doxeval.lab.synthesis.making import write_all
    from doxeval.lab.synthesis.shape import Shape
    from doxeval.lab.synthesis.systems import System, spread_systems

    if systems:
        spread = "it is about spread systems, and --system gives each system and its results"
        refuse_idle("system_count results", spread)
    if docs_format == "none":
        refuse_idle("words", "no documents are written (--docs-format none)")
    shape = Shape(document_count, topic_count, pool_size, relevant_share, text=words)
    chosen = [System.parse(text) for text in systems] or spread_systems(system_count, seed, results=results)
    name = "" if docs_format == "none" else f"documents.{docs_format}"
    with working("writing the collection", quiet) as progress:
        paths = write_all(Path(folder), shape, chosen, seed, format, name, progress)
    if not quiet:
        for path in paths:
            click.echo(path)
