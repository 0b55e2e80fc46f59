"""`doxeval simulate`: simulate the user of a measure and compare with its formula."""

from __future__ import annotations

import click

from doxeval.cli.project_file import add_note
from doxeval.cli.scoring import Scoring, scoring_options, seed_option
from doxeval.cli.support import expand, option
from doxeval.core.output import atomic
from doxeval.core.records import ROW_FORMS


@click.command(name="simulate")
@click.argument("run")
@scoring_options("simulate")
@option("--readers", "Number of simulated readers.", 1000, least=20)
@seed_option
@option("--visits",
        "Whether a reader decides anew at every result, or once for each place.",
        "independent", of=["independent", "persistent"])  # fmt: skip
@option("--format -f", "Output format.", "table", of=["table", *ROW_FORMS], show_default=False)
def command(run: str, scoring: Scoring, readers: int, seed: int, visits: str, format: str) -> None:
    """Simulate readers of RUN and print, for each measure, the formula's mean over topics and the readers'.

    Readers can be simulated if they leave something to chance: 'doxeval measures NAME' says what, or why they
    cannot be. Without -m, the measures are Hits, NearMisses and Misses at 10. At several cut-offs, as in
    ERRU@1..10, the readers are the same. Formulas assume that visits are independent; --visits persistent
    shows how far off they are for readers who do not change their minds.
    """
    import doxeval as dx

    (path,) = expand([run])
    given = scoring.required_assessments, scoring.measures, scoring.documents, scoring.navigation
    found = dx.simulate(path, *given, readers=readers, seed=seed, visits=visits, **scoring.options)
    add_note(found.notices)
    with atomic("-") as stream:
        stream.write(found.rendered(format))
    scoring.finish(found.notices)
