"""The reference pages made from the code: commands by their help, Python names by their docstrings."""

from __future__ import annotations

import importlib
import inspect
import re

import click

import doxeval
from doxeval.cli import COMMANDS

WIDTH = 100


def commands_page() -> str:
    """Every command's help."""
    lines = ["# Commands", "", "What `doxeval COMMAND --help` prints.", ""]
    for name, summary in COMMANDS.items():
        command = importlib.import_module(f"doxeval.cli.{name}_command").command
        context = click.Context(
            command, info_name=f"doxeval {name}", max_content_width=WIDTH, terminal_width=WIDTH
        )
        lines += [f"## {name}", "", summary, "", "```text", command.get_help(context), "```", ""]
    return "\n".join(lines)


def api_page() -> str:
    """Every public name with its signature and docstring, and the public methods of classes."""
    lines = ["# Python", "", "`import doxeval as dx`; everything below is `dx.NAME`.", ""]
    for name in sorted(doxeval.__all__, key=lambda name: (name[0].isupper(), name.lower())):
        if name.startswith("__"):
            continue
        thing = getattr(doxeval, name)
        lines += [f"## {name}", ""]
        if inspect.isclass(thing):
            lines += [_prose(inspect.cleandoc(thing.__doc__ or "")), "", *_members(thing)]
        else:
            lines += [
                "```python",
                f"{name}{_signature(thing)}",
                "```",
                "",
                _prose(inspect.cleandoc(thing.__doc__ or "")),
                "",
            ]
    return "\n".join(lines)


def _signature(thing: object) -> str:
    found = inspect.signature(thing)  # type: ignore[arg-type]
    text = str(found).replace("'", "")
    if len(text) <= WIDTH - 20:
        return text
    inside = [str(parameter).replace("'", "") for parameter in found.parameters.values()]
    kinds = [parameter.kind for parameter in found.parameters.values()]
    if inspect.Parameter.KEYWORD_ONLY in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds:
        inside.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
    returned = text.rpartition(" -> ")[2] if " -> " in text else "None"
    return "(\n" + "".join(f"    {one},\n" for one in inside) + f") -> {returned}"


def _members(thing: type) -> list[str]:
    lines = []
    for name, member in vars(thing).items():
        function = member.fget if isinstance(member, property) else getattr(member, "func", member)
        told = inspect.getdoc(function)
        if name.startswith("_") or not told or not (inspect.isfunction(function)):
            continue
        shown = name if function is not member else f"{name}{_signature(function)}"
        lines.append(f"- `{shown}`: {_prose(told).splitlines()[0]}")
    return [*lines, ""] if lines else []


def _prose(text: str) -> str:
    """A docstring as Markdown: roles and double backquotes become code, examples fenced."""
    text = re.sub(r":\w+:`~?(?:[\w.]*\.)?(\w+)`", r"`\1`", re.sub(r"``(.+?)``", r"`\1`", text))
    lines, inside = [], False
    for line in text.splitlines():
        starts = line.startswith(">>>")
        if starts and not inside:
            lines.append("```pycon")
            inside = True
        elif inside and not line.strip():
            lines.append("```")
            inside = False
        lines.append(line)
    return "\n".join([*lines, "```"] if inside else lines)
