"""`doxeval formats`: list the formats of files, or show one."""

from __future__ import annotations

import click

from doxeval.cli.support import option, refuse_idle, warn_of_broken_plugins


@click.command(name="formats")
@click.argument("name", required=False)
@option("--format -f", "Output format.", "table", of=["table", "md", "json"], show_default=False)
def command(name: str | None, format: str) -> None:
    """List the formats of files that can be read and written, or show the one called NAME with a sample.

    Formats are recognised by content; --run-format, --qrels-format and --input-format name one.
    """
    from doxeval.io.formats.format import REGISTRY_OF
    from doxeval.io.formats.format_list import describe_format, list_formats

    if name and format != "json":
        refuse_idle("format", f"{name} is shown in full")
        click.echo(describe_format(name))
        return
    click.echo(list_formats(format, name))
    for registry in REGISTRY_OF.values():
        warn_of_broken_plugins(registry)
