"""The command line and Python side by side: a page made from the commands and the functions themselves."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click
from docs.reference import default_shown

import doxeval
from doxeval.cli import COMMAND_GROUPS, group
from doxeval.core.calls import options_taken
from doxeval.core.options import OPTIONS, flags_of

FUNCTIONS = {
    "eval": ("evaluate", "slice_scores", "trust", "write_scores"),
    "report": ("write_report",),
    "plot": ("plot", "curve"),
    "scores": ("scores", "origins"),
    "compare": ("compare", "compare_shapes", "verdict"),
    "chunk": ("chunk", "write_chunks"),
    "pool": ("pool", "write_pool"),
    "measures": ("measures", "measure"),
    "navigations": ("navigations", "compare_navigations", "fit_navigation"),
    "perturb": ("perturb", "write_run"),
    "anchor": ("anchor", "write_assessments"),
    "index": ("index", "write_documents"),
}
"""The functions of a command, unless it is the one of its name."""

NO_FUNCTION = {
    "demo": "a tour; what it scores is in `doxeval.demo`",
    "formats": "`doxeval.extend.formats(kind)` has them by name",
    "mcp": "a server for agents; programs call the functions themselves",
}
"""Commands without a function, and why."""

NO_COMMAND = {
    "read_assessments": "commands read the files they are given",
    "read_chunks": "commands read the files they are given",
    "read_documents": "commands read the files they are given",
    "read_layout": "a table in memory; `doxeval anchor` uses it to place boxes",
    "read_pool": "commands read the files they are given",
    "read_run": "commands read the files they are given",
    "read_scores": "commands read the files they are given",
    "read_topics": "commands read the files they are given",
    "retrieve": "asks an object in Python; a run file is what other programs hand over",
    "stages": "`doxeval explain` shows those of a topic, and `-m Stage(never)` their shares",
    "score_retriever": "asks an object in Python; a run file is what other programs hand over",
}
"""Functions without a command, and why."""

OTHER_NAMES = {
    "--adjudicator": ("adjudicators",),
    "--all": ("all_pairs",),
    "--as": ("shapes", "shape"),
    "--assessor": ("assessors",),
    "--cited": (),
    "--diagnose": ("with_diagnosis",),
    "--coefficient": ("coefficients", "coefficient"),
    "--from": ("old_documents",),
    "--need": ("needs",),
    "--next": ("between",),
    "--no-text": ("text",),
    "--open": ("open_page",),
    "--output": ("path",),
    "--paper": ("papers",),
    "--qrels-format": ("assessments_format", "input_format"),
    "--recall": ("recalls",),
    "--run": ("run", "run_names"),
    "--system": ("systems",),
    "--to": ("path",),
    "--topic": ("topic", "topic_names"),
    "--trust": ("trusted",),
    "--fit": ("navigation",),
}
"""Parameters of Python whose flag has another name."""

INSTEAD = {
    "--quiet": '`warnings.simplefilter("ignore", dx.DoxevalWarning)`',
    "--strict": "`result.notices.failures` says what was wrong",
    "--format": "`result.rendered(format)`, `result.write(path, format=...)`",
    "--output": "`result.write(path)`",
    "--open": "`webbrowser.open(path)`",
    "--all": "`result.rendered(format, all_pairs=True)`",
    "--baseline": "`result.rendered(format, baseline=name)`",
    "--baseline-run": "`scores.select([name])`",
    "--cited": "`dx.write_run(result.run, path)`",
    "--dot": '`dx.summary(documents, "summary.dot")`, `result.dot`',
    "--heatmap": "`dx.plot(result, path=...)`",
    "--junit": "`result.junit()`",
    "--list": "`dx.origins(store)`",
    "--measure": "`result.ranking(runs, measures)`",
    "--nav": "`result.ranking(runs, measures, navigation)`",
    "--part": "`result.part(name)`, `result.rendered(format, part=...)`",
    "--per-topic": "`result.rendered(format, per_topic=True)`",
    "--perturbations": "`doxeval.extend.PERTURBATIONS`",
    "--plot": "`dx.plot(result, path=...)`",
    "--replace": "`dx.write_assessments(result, path)` replaces what is at `path`",
    "--report": "`dx.write_report(result, path=...)`",
    "--runs": "`result.ranking(runs, measures)`",
    "--show-intervals": "`result.rendered(format, show_intervals=True)`",
    "--sort": "`scores.sort(measure)`",
    "--steps": "`result.steps`",
    "--strict-gold": "`dx.Evaluation(...).gold_problems(chunks)`",
    "--summary": "`result.summary()`",
    "--svg": '`dx.summary(documents, "summary.svg")`, `result.svg`',
    "--text": "`dx.write_chunks(chunks, path, documents=documents)`",
    "--verdicts": "`result.rendered(format, verdicts=0.25)`, `result.verdicts(0.25)`",
    "--max-": "`limits=doxeval.extend.Limits(...)`",
    "--no-config": "no project file is read unless `dx.config()` is called",
    "--write": "a project file is text; see `docs/config.md`",
    "--force": "a project file is text; see `docs/config.md`",
    "--no-color": "text has no colours unless a command prints it",
}
"""What does in Python what a flag without a parameter does."""

ONLY_PYTHON = {
    "limits": "the flags `--max-...`",
    "progress": "a command shows its progress by itself",
    "pairs": "`--as` compares each run with itself",
    "comparison": "a verdict opens the output of `doxeval compare`",
    "lead_by": "`doxeval eval --sort`",
    "folder": "the current folder",
    "study": "the name of the subcommand",
    "write_chunks.documents": "`--text`",
    "format": "the native format, which `doxeval convert` turns into others",
    "confidence": "that of the intervals, 0.95",
    "interval": "bootstrap intervals, the default",
    "correction": "Holm's, the default",
    "draws": "the default",
    "seed": "the default",
}
"""Parameters without a flag, and what commands do instead."""


def functions_of(command: str) -> tuple[str, ...]:
    """The functions that do what a command does."""
    return () if command in NO_FUNCTION else FUNCTIONS.get(command, (command,))


def commands_of(name: str) -> Iterator[click.Command]:
    """A command, or those of its group."""
    command = group.get_command(click.Context(group), name)
    assert command is not None
    yield from command.commands.values() if isinstance(command, click.Group) else [command]


def flags_in(command: str) -> dict[str, tuple[str, ...]]:
    """The flags of a command, without those about scoring, each with the names of its parameter."""
    found: dict[str, tuple[str, ...]] = {}
    for one in commands_of(command):
        scores = any(option.name == "unjudged" for option in one.params)
        for option in one.params:
            if isinstance(option, click.Option) and not (scores and option.name in OPTIONS):
                flag = next(spelling for spelling in option.opts if spelling.startswith("--"))
                spelled = flag.strip("-").replace("-", "_")
                found[flag] = (option.name or "", spelled, *OTHER_NAMES.get(flag, ()))
    return found


def parameters_of(function: str) -> dict[str, inspect.Parameter]:
    """The parameters of a function, without those it takes as options of scoring."""
    parameters = inspect.signature(getattr(doxeval, function)).parameters
    return {name: one for name, one in parameters.items() if one.kind is not one.VAR_KEYWORD}


def in_python(command: str, flag: str, names: tuple[str, ...]) -> str:
    """What does in Python what a flag does; empty if nothing does."""
    for function in functions_of(command):
        for name in names:
            if name in parameters_of(function) or name in options_taken(getattr(doxeval, function)):
                return f"`{name}`" if len(functions_of(command)) == 1 else f"`{name}` of `dx.{function}`"
    stem = "--max-" if flag.startswith("--max-") else flag
    return INSTEAD.get(stem, "")


def on_command_line(command: str, function: str) -> dict[str, str]:
    """What does on the command line what each parameter of a function does; empty if nothing does."""
    flags = flags_in(command)
    arguments = [
        one for each in commands_of(command) for one in each.params if isinstance(one, click.Argument)
    ]
    found = {}
    for name, parameter in parameters_of(function).items():
        flag = next((flag for flag, names in flags.items() if name in names), "")
        if name in OPTIONS:
            flag = flag or flags_of(name).split()[0]
        if not flag and parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
            flag = arguments[0].make_metavar(click.Context(click.Command(""))) if arguments else ""
        found[name] = flag or ONLY_PYTHON.get(f"{function}.{name}", ONLY_PYTHON.get(name, ""))
    return found


def side_by_side_page() -> str:
    """Every command beside its functions: what each flag is in Python."""
    lines = [
        "# Command line and Python",
        "",
        "Whatever the command line does can be done in Python, and the reverse. Options of scoring have",
        "the same names on both sides: see [ScoringOptions](python/ScoringOptions.md). `result` is what a",
        "function returns.",
        "",
    ]
    for title, commands in COMMAND_GROUPS.items():
        lines += [f"## {title}", ""]
        for command, summary in commands.items():
            lines += [f"### {command}", "", summary, "", *_beside(command), ""]
    lines += ["## Only in Python", "", "| function | why |", "|---|---|"]
    lines += [f"| `dx.{name}` | {why} |" for name, why in NO_COMMAND.items()]
    return "\n".join([*lines, ""])


def _beside(command: str) -> list[str]:
    """The functions of a command, and a table of its flags."""
    if command in NO_FUNCTION:
        return [f"No function: {NO_FUNCTION[command]}."]
    lines = ["```python", *map(_call, functions_of(command)), "```"]
    rows = [(flag, in_python(command, flag, names)) for flag, names in flags_in(command).items()]
    if rows:
        lines += ["", "| flag | in Python |", "|---|---|"]
        lines += [f"| `{flag}` | {python} |" for flag, python in sorted(rows)]
    return lines


def _call(function: str) -> str:
    """How a function is called: what it needs by position."""
    needed = [
        (f"{name}=..." if one.kind is one.KEYWORD_ONLY else name)
        if one.default is one.empty
        else f"{name}={default_shown(one.default)}"
        for name, one in parameters_of(function).items()
        if one.kind is one.POSITIONAL_OR_KEYWORD or one.default is one.empty
    ]
    return f"dx.{function}({', '.join(needed)})"
