"""`doxeval synth`: make a collection, assessments and runs."""

from __future__ import annotations

from typing import Any

import click

from doxeval.cli.files import OUTPUT_FOLDER
from doxeval.cli.scoring import seed_option
from doxeval.cli.support import option, quiet_option, refuse_idle, say_lines
from doxeval.core.progress import keep, step


@click.command(name="synth")
@click.argument("folder", metavar="FOLDER", type=OUTPUT_FOLDER)
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
def command(folder: str, results: int, quiet: bool, **given: Any) -> None:
    """Make an INEX-like collection with highlighted assessments and systems of controlled quality.

    \b
    doxeval synth small --document-count 2000 --topic-count 20 --system-count 5
    doxeval synth large --document-count 660000 --docs-format dox --format inex --seed 7
    doxeval synth two --system 'good(granularity=section,skill=3)' --system 'poor(skill=0.5,near_miss=0.5)'

    Granularity is article, section, element (sections, subsections, paragraphs), p or passage; skill 0 ranks
    at random. The same seed gives the same files on any machine; memory does not grow with the size.
    """
    import doxeval as dx

    if given["systems"]:
        spread = "it is about spread systems, and --system gives each system and its results"
        refuse_idle("system_count results", spread)
    if given["docs_format"] == "none":
        refuse_idle("words", "no documents are written (--docs-format none)")
        given["words"] = False
    keep(f"what was written so far stays in {folder}, incomplete")
    with step("writing the collection") as taken:

        def progress(stage: str) -> None:
            taken.what = f"writing the collection: {stage}"

        made = dx.synth(folder, results=None if given["systems"] else results, progress=progress, **given)
    if not quiet:
        for file in made.files:
            say_lines(file.path)
