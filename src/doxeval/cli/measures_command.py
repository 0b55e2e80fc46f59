"""`doxeval measures`: list the measures, or explain one."""

from __future__ import annotations

import click

from doxeval.cli.support import option, refuse_idle, say, say_lines, warn_of_broken_plugins


@click.command(name="measures")
@click.argument("name", required=False)
@option("--all every", "Show everything: also parameters and papers.")
@option("--format -f", "Output format.", "table", of=["table", "md", "json"], show_default=False)
def command(name: str | None, every: bool, format: str) -> None:
    """List the measures by the questions they ask, or explain the one called NAME.

    Any measure of ir_measures (AP, nDCG@10, P@5, ...) works too, on whole documents.
    """
    from doxeval.extend import MEASURES
    from doxeval.measurement.describe import describe, list_measures

    if name or format != "table":
        refuse_idle("every", f"{name or format} is shown in full anyway")
    if name and format == "json":
        say_lines(list_measures(format, name=name))
    elif name:
        say(describe(name))
    else:
        say_lines(list_measures(format, every))
    if not name:
        warn_of_broken_plugins(MEASURES)
