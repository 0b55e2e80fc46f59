"""The server: tools are listed and called by the Model Context Protocol, on standard input and output."""

from __future__ import annotations

import os
from typing import Any

from doxeval.cli.agents.folder import Folder
from doxeval.cli.agents.tool_answers import MOST_CHARACTERS, answer
from doxeval.cli.agents.tools import Tool, tools
from doxeval.core.errors import DoxevalError, MissingExtra, nearest
from doxeval.core.version import __version__

INSTRUCTIONS = f"""\
doxeval scores retrieval systems that return parts of documents: passages, chunks, elements, lines of code.
Look at the files first (files, then validate with assessments and documents), choose measures by the question
asked (measures), score (eval), tell whether a difference is real (compare), and see where a score comes from
(explain; eval with per_topic names the topics). Read notices before numbers: they say what was assumed,
refused or left out. Paths are relative to one folder; nothing outside it is read, and nothing is written.
An answer has at most {MOST_CHARACTERS:,} characters and says in left_out what it lacks; rows_from asks for
later rows."""


def server(folder: Folder, seconds: float) -> Any:
    """The server for a folder, to be run on any transport of the protocol's package."""
    try:
        from mcp import types
        from mcp.server.lowlevel import Server
    except ImportError:
        raise MissingExtra("mcp", "a server for agents") from None
    known = tools(folder, seconds)

    async def list_tools(context: Any, parameters: Any) -> Any:
        reads = types.ToolAnnotations(read_only_hint=True, open_world_hint=False)
        listed = [
            types.Tool(name=tool.name, description=tool.told, input_schema=tool.schema, annotations=reads)
            for tool in known.values()
        ]
        return types.ListToolsResult(tools=listed)

    async def call_tool(context: Any, asked: Any) -> Any:
        from anyio import to_thread

        text, failed = await to_thread.run_sync(
            lambda: called(known, asked.name, asked.arguments or {}, folder)
        )
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=failed)

    return Server(
        "doxeval",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def called(known: dict[str, Tool], name: str, given: dict[str, Any], folder: Folder) -> tuple[str, bool]:
    """The answer of a tool, and whether it is an error; paths in it are relative to the folder."""
    try:
        if name not in known:
            raise DoxevalError(f"there is no tool {name!r}{nearest(name, known)}")
        failed, text = False, answer(known[name].answer(given))
    except DoxevalError as problem:
        failed, text = True, answer({"error": str(problem)})
    except OSError as problem:
        failed, text = True, answer({"error": f"{problem.filename or name}: {problem.strerror}"})
    return text.replace(f"{folder.root}{os.sep}", ""), failed


def serve_tools(folder: str, seconds: float) -> None:
    """Answer on standard input and output until the former ends."""
    made = server(Folder(folder), seconds)
    from anyio import run
    from mcp.server.stdio import stdio_server

    async def answering() -> None:
        async with stdio_server() as (asked, told):
            await made.run(asked, told, made.create_initialization_options())

    run(answering)
