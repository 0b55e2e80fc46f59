"""One page for each public name of Python, made from signatures, docstrings and the help of the flags."""

from __future__ import annotations

import contextlib
import doctest
import inspect
import io
import re
import sys
import warnings
from functools import cache
from types import ModuleType
from typing import Any

import click
from docs.command_pages import place as command_place
from docs.command_pages import safe
from docs.examples import commands, tidied, told
from docs.reference import default_shown, kinds_of, members, option_rows, prose, signature
from docs.side_by_side import functions_of, parameters_of

import doxeval
from doxeval.cli import COMMANDS
from doxeval.core.calls import READ, options_taken
from doxeval.core.options import OPTIONS, ScoringOptions, help_in_python

ALL = (
    "`import doxeval as dx`; every name has a page with its signature, parameters, result, errors, and an "
    "example that was run. What adds a measure, a format or a model is in [doxeval.extend](extend.md)."
)
PARAMETERS = {
    "answers": "Answers with citations: a path, or rows with `topic` and `answer`.",
    "assessments": "What is relevant: a path, rows, a frame or a table, in any format doxeval reads.",
    "cache": "A folder in which answers of the retriever are kept, so that nothing is asked twice.",
    "comparison": "A comparison of the same runs, whose significance the sentences then report.",
    "confidence": "The confidence of the intervals.",
    "data": "A path, bytes, rows (a list of dicts) or a polars or pandas frame.",
    "documents": "A file, folder, archive or index, a mapping from names to texts, or a table of documents.",
    "draws": "The number of draws of the bootstrap.",
    "folder": "Where to look for the project file; by default the current folder.",
    "format": "The format to write; by default that of the suffix.",
    "input_format": "The format of the data, if it is not recognised; `doxeval formats` lists them.",
    "k": "How many results to ask for.",
    "lead_by": "The measure that the first sentence is about; by default the first one.",
    "limits": "What a document may cost at most: `doxeval.extend.Limits`.",
    "measures": 'Measures as text, as in `"AiP iP[0.01] iR@10"`, or a list of them.',
    "name": "The name of the run.",
    "navigation": "The navigation model of measures that name none, as text, or several.",
    "pairs": "Pairs of names to compare; by default all, or each with the baseline.",
    "part": "Which part of the steps: the name of a stage.",
    "path": "The file to write; its suffix sets the format.",
    "perturbation": "The name of a perturbation; `doxeval perturb --help` lists them.",
    "progress": "A function that is called with what is done and how much there is.",
    "questions": "Questions by topic: a mapping, a list, or a file of topics.",
    "retriever": "A LangChain, LlamaIndex or Haystack retriever, or a function that takes a question.",
    "run": "A run: a path, rows, a frame or a table.",
    "runs": "One run or several: paths, rows, frames, tables, or a mapping from names to these.",
    "scores": "Scores, as `dx.evaluate` returns them.",
    "seed": "The random seed; the same seed gives the same numbers.",
    "study": "The name of the study.",
    "verbatim": "Keep what an INEX file says, even in lines that are refused.",
}
"""Parameters that no flag explains."""
DATA = ("runs", "run", "assessments", "measures", "documents", "navigation", "data", "questions", "answers")
"""Those that are explained here even where a flag explains them, since Python takes more than files."""
SPECIAL = {
    ("scores", "store"): "The folder that `dx.evaluate(..., store=folder)` has filled.",
    ("origins", "store"): "The folder that `dx.evaluate(..., store=folder)` has filled.",
    ("gate", "baseline"): "The name of the run to compare with.",
}
WRONG = "A wrong name, an unknown measure, a value out of range, options that contradict each other:"
UNREADABLE = (
    "`InputError`: a file or rows that cannot be read; the message says where, what was expected and found."
)


def place(name: str) -> str:
    """The page of a public name; names that differ only in case must not be one file anywhere."""
    twins = sorted((one for one in dir(doxeval) if one.lower() == name.lower()), reverse=True)
    return f"python/{name}{'-' * twins.index(name)}.md"


def names() -> list[str]:
    """The public names that have a page: functions first, then classes."""
    shown = [name for name in dir(doxeval) if not name.startswith("__")]
    return sorted(shown, key=lambda name: (name[0].isupper(), name.lower()))


def pages() -> dict[str, str]:
    """Every page made here, by its place in the site."""
    failed: list[str] = []
    made = {"api.md": index()}
    for name in names():
        thing = getattr(doxeval, name)
        made[place(name)] = (
            _function(name, thing, failed) if inspect.isfunction(thing) else _class(name, thing)
        )
    if failed:
        sys.exit("examples of Python that fail:\n" + "\n".join(failed))
    return made


def index() -> str:
    """All public names with what each is."""
    lines = ["# Python", "", ALL, ""]
    for title, of_kind in (("Functions", inspect.isfunction), ("Classes", inspect.isclass)):
        lines += [f"## {title}", "", "| name | what it does |", "|---|---|"]
        for name in filter(lambda one: of_kind(getattr(doxeval, one)), names()):
            lines.append(f"| [{name}]({place(name)}) | {first_line(getattr(doxeval, name))} |")
        lines.append("")
    return "\n".join(lines)


def first_line(thing: Any) -> str:
    """The first sentence of a docstring, as a cell of a table."""
    told = prose(inspect.getdoc(thing) or "").partition("\n\n")[0]
    return " ".join(told.split()).replace("|", "\\|")


def described(name: str, parameter: str) -> str:
    """What a parameter of a function is; empty if nobody says."""
    if (name, parameter) in SPECIAL or parameter in DATA:
        return SPECIAL.get((name, parameter)) or PARAMETERS[parameter]
    if parameter in OPTIONS:
        return help_in_python(parameter)
    own = [one for one in COMMANDS if name in functions_of(one)]
    for command in [*own, *(one for one in COMMANDS if one == "compare")]:
        if parameter in _helps(command):
            return _helps(command)[parameter]
    return PARAMETERS.get(parameter, "")


@cache
def _helps(command: str) -> dict[str, str]:
    """What the flags of a command do, under the names of their parameters."""
    from docs.side_by_side import flags_in

    found: dict[str, str] = {}
    named = flags_in(command)
    for one in (one for full, one in commands().items() if full.split()[0] == command):
        for option in one.params:
            if isinstance(option, click.Option):
                flag = next((flag for flag in option.opts if flag in named), "")
                for name in named.get(flag, ()):
                    found.setdefault(name, safe(option.help or ""))
    return found


def _function(name: str, thing: Any, failed: list[str]) -> str:
    title, example = f"# dx.{name}", _example(name, thing)
    failed += [f"dx.{name}: {told}" for told in tried(name, example)]
    lines = [title, "", "```python", f"dx.{name}{signature(thing)}", "```", "", *_prose_of(thing)]
    parameters = parameters_of(name)
    if parameters:
        lines += ["## Parameters", "", "| parameter | default | what it is |", "|---|---|---|"]
    for parameter, one in parameters.items():
        default = "required" if one.default is one.empty else f"`{default_shown(one.default)}`"
        lines.append(_row(f"`{parameter}`", default, described(name, parameter)))
    taken = sorted(options_taken(thing))
    if taken:
        own = [option for option in taken if option not in OPTIONS]
        lines += [_row(f"`{option}`", "an option", described(name, option)) for option in own]
        if len(own) < len(taken):
            lines.append(_row("`**options`", "", "[ScoringOptions](ScoringOptions.md)"))
    lines += ["", "## Returns", "", _returned(thing), "", "## Errors", "", *_errors(name, thing)]
    lines += ["## Example", "", "```pycon", *example, "```", "", "## See also", "", *_also(name), ""]
    return "\n".join(lines)


def _class(name: str, thing: Any) -> str:
    lines = [f"# dx.{name}", ""]
    if inspect.isclass(thing) and "__init__" in vars(thing) and not issubclass(thing, Exception | dict):
        lines += ["```python", f"dx.{name}{signature(thing, 'self')}", "```", ""]
    lines += [prose(inspect.cleandoc(thing.__doc__ or "")), ""]
    if thing is ScoringOptions:
        return "\n".join([*lines, *option_rows()])
    if issubclass(thing, Exception):
        above = thing.__mro__[1]
        lines += [f"It is a `{above.__name__}`.", ""]
    elif found := members(thing):
        lines += ["## Members", "", *found]
    makers = [one for one in names() if name in kinds_of(getattr(doxeval, one))]
    if makers:
        lines += [
            "## Returned by",
            "",
            *(f"- {_link(one)}: {first_line(getattr(doxeval, one))}" for one in makers),
            "",
        ]
        lines += ["## Example", "", "```pycon", *_example(makers[0], getattr(doxeval, makers[0])), "```", ""]
    return "\n".join(lines)


def _row(*cells: str) -> str:
    return "| " + " | ".join(re.sub(r"(?<!\\)\|", r"\\|", cell) for cell in cells) + " |"


def _link(name: str) -> str:
    return f"[dx.{name}]({place(name).rpartition('/')[2]})"


def _prose_of(thing: Any) -> list[str]:
    """A docstring without its example."""
    return [re.sub(r"```pycon.*?```", "", prose(inspect.getdoc(thing) or ""), flags=re.DOTALL).rstrip(), ""]


def _returned(thing: Any) -> str:
    links = [_link(one) for one in kinds_of(thing) if one in dir(doxeval)]
    typed = str(inspect.signature(thing).return_annotation).replace("'", "")
    return f"`{typed}`" + (f": see {', '.join(links)}." if links else ".")


def _errors(name: str, thing: Any) -> list[str]:
    """What goes wrong, with the message of one mistake, made here."""
    try:
        thing(nonsense=1)
    except doxeval.UsageError as problem:
        lines = [WRONG, "", "```pycon", f">>> dx.{name}(nonsense=1)", "Traceback (most recent call last):"]
        lines += ["    ...", f"doxeval.UsageError: {problem}", "```", ""]
    else:
        lines = []
    lines += [UNREADABLE, ""] if set(parameters_of(name)) & set(READ) else []
    module = sys.modules[inspect.unwrap(thing).__module__]
    for extra in _extras(module):
        lines += [f"`MissingExtra`: something of it needs the extra `{extra}`.", ""]
    return lines


def _extras(module: ModuleType) -> list[str]:
    return sorted(set(re.findall(r'MissingExtra\(\s*"(\w+)"', inspect.getsource(module))))


def _example(name: str, thing: Any) -> list[str]:
    """The example of a function: that of its docstring, called as users call it, or one written for it."""
    if name in told()["python"]:
        return list(_session(told()["python"][name]))
    found = [one for block in re.findall(r"```pycon\n(.*?)```", prose(inspect.getdoc(thing) or ""), re.DOTALL)
             for one in block.strip().splitlines()]  # fmt: skip
    used = {one for one in dir(doxeval) if re.search(rf"(?<![\w.]){one}\(", "\n".join(found))}
    for one in used:
        found = [re.sub(rf"(?<![\w.]){one}\(", f"dx.{one}(", line) for line in found]
    return found


@cache
def _session(source: str) -> tuple[str, ...]:
    """Statements with what each of them prints, run in the current folder."""
    lines: list[str] = []
    names: dict[str, Any] = {"dx": doxeval}
    with tidied(), warnings.catch_warnings():
        warnings.simplefilter("ignore", doxeval.DoxevalWarning)
        for one in doctest.DocTestParser().get_examples(source):
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(one.source, "<example>", "single"), names)
            first, *more = one.source.rstrip().splitlines()
            lines += [f">>> {first}", *(f"... {line}" for line in more), *printed.getvalue().splitlines()]
    return tuple(lines)


def tried(name: str, example: list[str]) -> list[str]:
    """What is wrong with an example that is run in the current folder."""
    if not example:
        return ["there is no example: give its docstring one, or docs/site/examples.toml"]
    if name in told()["python"]:
        return []
    wrong: list[str] = []
    test = doctest.DocTestParser().get_doctest("\n".join([*example, ""]), {"dx": doxeval}, name, name, 0)
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS).run(
        test, out=wrong.append
    )
    return wrong


def _also(name: str) -> list[str]:
    of = [command for command in COMMANDS if name in functions_of(command)]
    lines = [f"- [doxeval {full}](../{command_place(full)})" for full in commands() if full.split()[0] in of]
    near = [one for command in of for one in functions_of(command) if one != name]
    module = inspect.unwrap(getattr(doxeval, name)).__module__
    near += [
        one
        for one in names()
        if inspect.isfunction(getattr(doxeval, one))
        and inspect.unwrap(getattr(doxeval, one)).__module__ == module
    ]
    lines += [
        f"- {_link(one)}: {first_line(getattr(doxeval, one))}" for one in dict.fromkeys(near) if one != name
    ]
    return lines or ["- [All functions](../api.md)"]
