"""Commands as tools: their parameters are those that the commands declare, without the ones that write."""

from __future__ import annotations

import inspect
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import click

from doxeval.cli import COMMANDS, group
from doxeval.cli.agents.folder import Folder
from doxeval.cli.agents.report_facts import report_facts
from doxeval.cli.files import Output, is_read
from doxeval.cli.project_file import RunsArgument
from doxeval.core.errors import UsageError, nearest
from doxeval.core.options import WorkOptions, declared

OFFERED = ("formats", "validate", "measures", "eval", "compare", "diagnose", "explain")
"""The commands that are tools; each reads files of the folder, prints JSON and writes nothing."""
NOT_FOR_TOOLS = {"format", "output", "quiet", "every", "no_config", *declared(WorkOptions)}
"""The parameters that are about writing, the screen, or other machines."""
BRIEF = {"measures": ("example", "user"), "formats": ("name", "kind", "summary")}
"""The columns of long lists, where nothing is asked for by its name."""
CALLS = ("MEASURE", "MODEL")
"""What help calls the values in which a file can be named, as in matrix(file=steps.csv)."""
KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,), "boolean": (bool,), "integer": (int,), "number": (int, float), "array": (list,),
}  # fmt: skip
ALL = "all"
"""The topic of means."""
FLAG = re.compile(r"(?<![\w-])--?[a-z][a-z-]*")
SENTENCE = re.compile(r"(?<=[.]) (?=[A-Z])")
ROWS_FROM = {"type": "integer", "minimum": 1, "description": "Leave out the rows before this one, from 1."}
SAFE_PYTHON = [sys.executable, "-P", "-m", "doxeval"]
"""doxeval in a process that imports nothing from the folder it works in."""


class Tool(NamedTuple):
    """A tool: its name, what it does, the JSON Schema of its arguments, and a function that answers.

    `words` are the options of the command line with the arguments that stand for them.
    """

    name: str
    told: str
    schema: dict[str, Any]
    call: Callable[[dict[str, Any]], dict[str, Any]]
    words: Mapping[str, str] = {}

    def answer(self, given: dict[str, Any]) -> dict[str, Any]:
        """The answer to arguments; an error if one is missing, unknown or of another type."""
        known = self.schema["properties"]
        for word, value in given.items():
            if word not in known:
                meant = self.words.get(f"--{word.replace('_', '-')}")
                hint = f"; it is called {meant!r} here" if meant else nearest(word, known)
                raise UsageError(f"there is no argument {word!r}{hint}")
            kind = known[word]["type"]
            if not isinstance(value, (*KINDS[kind], str) if kind == "array" else KINDS[kind]):
                raise UsageError(f"{word} must be of the type {kind}, not {value!r}")
        missing = [word for word in self.schema.get("required", []) if word not in given]
        if missing:
            raise UsageError(f"{self.name} needs {' and '.join(missing)}")
        return self.call(given)


def tools(folder: Folder, seconds: float) -> dict[str, Tool]:
    """Every tool by name."""
    made = [_files_tool(folder), *(_tool_of(name, folder, seconds) for name in OFFERED if name in COMMANDS)]
    return {tool.name: tool for tool in [*made, _report_tool(folder)]}


def _files_tool(folder: Folder) -> Tool:
    def call(given: dict[str, Any]) -> dict[str, Any]:
        rows, hidden = folder.listed(given.get("folder", ""))
        found = _from_row({"rows": rows}, given)
        if hidden:
            told = f"{hidden} entries that lead out of the folder, or are no files"
            found["left_out"] = [*found.get("left_out", []), told]
        return found

    properties = {
        "folder": {"type": "string", "description": "A folder within; by default all."},
        "rows_from": ROWS_FROM,
    }
    return Tool("files", "List the files that can be looked at, with their sizes.", _object(properties), call)


def _report_tool(folder: Folder) -> Tool:
    def call(given: dict[str, Any]) -> dict[str, Any]:
        return report_facts(folder.root / folder.path(given["report"]), given.get("part", ""))

    properties = {
        "report": {"type": "string", "description": "A report that 'doxeval report' wrote (HTML)."},
        "part": {"type": "string", "description": "A part of its data, as in runs or differences.0; by "
                 "default all that is short, and the names of the others."},
    }  # fmt: skip
    told = "Read the facts of a report: its runs, measures, means, notes and, by part, all other data in it."
    return Tool("report", told, _object(properties, ["report"]), call)


def _tool_of(name: str, folder: Folder, seconds: float) -> Tool:
    command = group.get_command(click.Context(group), name)
    assert command is not None
    parameters = {_named(one): one for one in _taken(command)}
    called = {flag: word for word, one in parameters.items() for flag in one.opts if flag.startswith("-")}
    schema = _object(
        {word: _schema(one, called) for word, one in parameters.items()} | {"rows_from": ROWS_FROM},
        [word for word, one in parameters.items() if one.required],
    )

    def call(given: dict[str, Any]) -> dict[str, Any]:
        words = _words(
            parameters, {word: value for word, value in given.items() if word != "rows_from"}, folder
        )
        words = [name, "--no-config", "--format", "json", *words]
        found = {"command": shlex.join(["doxeval", *words])} | _performed(words, called, folder, seconds)
        if name in BRIEF and not given.get("name"):
            found["rows"] = [{column: row[column] for column in BRIEF[name]} for row in found["rows"]]
        return _from_row(found, given)

    return Tool(name, _told(command, called), schema, call, called)


def _told(command: click.Command, called: Mapping[str, str]) -> str:
    """The help of a command without its examples, and without sentences on options that a tool has not."""
    parts = inspect.cleandoc(command.help or "").split("\n\n")
    kept = [
        " ".join(
            one for one in SENTENCE.split(" ".join(part.split())) if set(FLAG.findall(one)) <= set(called)
        )
        for part in parts
        if not part.startswith("\b")
    ]
    return _in_words("\n\n".join(part for part in kept if part), called)


def _in_words(text: str, called: Mapping[str, str]) -> str:
    """A text in which options are called as the arguments of the tool."""
    return FLAG.sub(lambda found: called.get(found[0], found[0]), text)


def _taken(command: click.Command) -> Iterator[click.Parameter]:
    """The parameters of a command that a tool has: none that writes."""
    for one in command.params:
        if one.expose_value and not isinstance(one.type, Output) and one.name not in NOT_FOR_TOOLS:
            yield one


def _named(parameter: click.Parameter) -> str:
    return "runs" if isinstance(parameter, RunsArgument) else str(parameter.name)


def _schema(parameter: click.Parameter, called: Mapping[str, str]) -> dict[str, Any]:
    """The JSON Schema of a parameter, by its declaration."""
    kind, flag = parameter.type, isinstance(parameter, click.Option) and parameter.is_flag
    one: dict[str, Any] = {"type": "boolean" if flag else "string"}
    if isinstance(kind, click.Choice):
        one["enum"] = list(kind.choices)
    elif isinstance(kind, click.types.IntParamType):
        least = getattr(kind, "min", None)
        one = {"type": "integer"} | ({} if least is None else {"minimum": least})
    elif isinstance(kind, click.types.FloatParamType):
        one = {"type": "number"}
    several = parameter.multiple or parameter.nargs == -1
    made = {"type": "array", "items": one} if several else one
    told = parameter.help if isinstance(parameter, click.Option) else ""
    if is_read(parameter) or isinstance(parameter, RunsArgument):
        told = f"{told or ''} Paths in the folder{', or patterns' if several else ''}.".strip()
    return made | ({"description": _in_words(told, called)} if told else {})


def _words(parameters: dict[str, click.Parameter], given: dict[str, Any], folder: Folder) -> list[str]:
    """The words of the command line for arguments."""
    options: list[str] = []
    arguments: list[str] = []
    for word, value in given.items():
        one = parameters[word]
        texts = [str(each) for each in value] if isinstance(value, list) else [str(value)]
        if is_read(one) or isinstance(one, RunsArgument):
            texts = [path for text in texts for path in folder.paths(text)]
        elif one.metavar in CALLS or word == "name":
            for text in texts:
                folder.check_call(text)
        if not isinstance(one, click.Option):
            arguments += texts
        elif not one.is_flag:
            options += [f"{_flag(one)}={text}" for text in texts]
        elif value is True:
            options.append(_flag(one))
    return [*options, "--", *arguments]


def _flag(option: click.Option) -> str:
    return next(flag for flag in option.opts if flag.startswith("--"))


def _performed(words: list[str], called: Mapping[str, str], folder: Folder, seconds: float) -> dict[str, Any]:
    """The output of a command: its rows, or its one object, and its messages by their level."""
    try:
        done = subprocess.run(
            [*SAFE_PYTHON, "--errors", "json", *words], cwd=folder.root, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=seconds, encoding="utf-8", errors="replace", check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise UsageError(f"not done within {seconds:g} seconds (--max-seconds); ask for less") from None
    told = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    told = [one | {"message": _in_words(one["message"], called)} for one in told]
    if not done.stdout.strip():
        errors = [one["message"] for one in told if one["level"] == "error"] or [done.stderr[-500:]]
        raise UsageError("; ".join(errors))
    printed = json.loads(done.stdout)
    found: dict[str, Any] = {"verdict": [one["message"] for one in told if one["level"] == "verdict"]}
    found |= {"rows": sorted(printed, key=_is_of_topic)} if isinstance(printed, list) else printed
    notices = [one for one in told if one["level"] != "verdict"]
    said = {one["message"] for one in notices}
    found["notices"] = [*(one for one in found.get("notices", []) if one not in said), *notices]
    return {name: value for name, value in found.items() if value or name in ("rows", "score")}


def _is_of_topic(row: dict[str, Any]) -> bool:
    """Whether a row is of one topic; those of all come first in an answer, which may be cut."""
    return row.get("topic", ALL) != ALL


def _from_row(found: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """An answer without the rows before the one asked for."""
    first = max(1, given.get("rows_from", 1))
    if first == 1 or "rows" not in found:
        return found
    left_out = f"rows: {min(first - 1, len(found['rows'])):,} before those shown, of {len(found['rows']):,}"
    return found | {"rows": found["rows"][first - 1 :], "left_out": [left_out]}


def _object(properties: dict[str, Any], required: list[str] | None = None) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    return made | ({"required": required} if required else {})
