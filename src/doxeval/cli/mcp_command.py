"""`doxeval mcp`: tools for agents, by the Model Context Protocol."""

from __future__ import annotations

import click

from doxeval.cli.support import option


@click.command(name="mcp")
@click.argument("folder", metavar="FOLDER")
@option("--max-seconds", "Maximum seconds to answer one call.", 300, least=1)
def command(folder: str, max_seconds: int) -> None:
    """Serve tools to an agent on standard input and output, for the files in FOLDER.

    \b
    doxeval mcp .
    doxeval mcp experiments --max-seconds 60

    The tools list and check files, explain measures, score, compare, diagnose and explain topics, and read
    the facts of reports. Nothing outside FOLDER is read, and nothing is written: paths are resolved, links
    included. Agents start the server themselves: see docs/agents.md. Needs the extra mcp.
    """
    from doxeval.cli.agents.tool_server import serve_tools

    serve_tools(folder, max_seconds)
