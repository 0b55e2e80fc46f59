"""`doxeval measures`: list the measures, or explain one."""

from __future__ import annotations

import click

from doxeval.cli.support import option


@click.command(name="measures")
@click.argument("name", required=False)
@option("--format -f", "Output format.", "table", of=["table", "md", "json"], show_default=False)
def command(name: str | None, format: str) -> None:
    """List the measures with their parameters and users, or explain the one called NAME.

    Any measure of ir_measures (AP, nDCG@10, P@5, ...) works too, on whole documents.
    """
    from doxeval.measurement.describe import describe, list_measures

    click.echo(describe(name) if name else list_measures(format))
