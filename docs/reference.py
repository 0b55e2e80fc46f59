"""Parts of the reference made from the code: signatures, docstrings, members, the options of scoring."""

from __future__ import annotations

import inspect
import re
from types import ModuleType

from doxeval import extend
from doxeval.core.options import OPTIONS, flags_of, help_in_python, values_in_python
from doxeval.core.registry import Registry

WIDTH = 100
STARS: dict[object, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}


def extend_page() -> str:
    """Every name of `doxeval.extend`, in the same way."""
    lines = ["# Python: doxeval.extend", "", prose(inspect.cleandoc(extend.__doc__ or "")), ""]
    return "\n".join([*lines, *_names_in(extend)])


def _names_in(module: ModuleType) -> list[str]:
    """The names of a public module: functions first, then classes, then what is neither."""
    lines = []
    for name in sorted(module.__all__, key=lambda name: (name[0].isupper(), name.lower())):
        thing = getattr(module, name)
        if name.startswith("__"):
            continue
        lines += [f"## {name}", ""]
        if inspect.isclass(thing):
            if "__init__" in vars(thing) and not issubclass(thing, Exception):
                lines += ["```python", f"{name}{signature(thing, 'self')}", "```", ""]
            lines += [prose(inspect.cleandoc(thing.__doc__ or "")), "", *members(thing)]
        elif inspect.isfunction(thing):
            lines += ["```python", f"{name}{signature(thing)}", "```", ""]
            lines += [prose(inspect.cleandoc(thing.__doc__ or "")), ""]
        elif isinstance(thing, Registry):
            lines += [f"The registry of every {thing.kind}: {', '.join(f'`{one}`' for one in thing)}.", ""]
        else:
            lines += ["```python", f"{name} = {str(thing).replace('typing.', '')}", "```", ""]
    return lines


def option_rows() -> list[str]:
    """What functions take as `**options`: defaults, values, flags, and what they do."""
    lines = ["| option | default | values | flag | what it does |", "|---|---|---|---|---|"]
    for name, option in OPTIONS.items():
        cells = [f"`{name}`", f"`{default_shown(option.default)}`", values_in_python(name)]
        cells += [f"`{flags_of(name).split()[0]}`", help_in_python(name)]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return [*lines, ""]


def signature(thing: object, *hidden: str) -> str:
    """A signature as it is written in the code: annotations as they are, defaults as one would type them."""
    found = inspect.signature(thing)  # type: ignore[arg-type]
    inside = []
    for parameter in found.parameters.values():
        if parameter.name in hidden:
            continue
        star = STARS.get(parameter.kind, "")
        typed = "" if parameter.annotation is parameter.empty else f": {_annotation(parameter.annotation)}"
        default = "" if parameter.default is parameter.empty else f" = {default_shown(parameter.default)}"
        inside.append(f"{star}{parameter.name}{typed}{default}")
    kinds = [parameter.kind for parameter in found.parameters.values()]
    if inspect.Parameter.KEYWORD_ONLY in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds:
        inside.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
    returned = "None" if found.return_annotation is found.empty else _annotation(found.return_annotation)
    line = f"({', '.join(inside)}) -> {returned}"
    if len(line) <= WIDTH - 20:
        return line
    return "(\n" + "".join(f"    {one},\n" for one in inside) + f") -> {returned}"


def _annotation(found: object) -> str:
    return found.replace("'", "") if isinstance(found, str) else inspect.formatannotation(found)


def default_shown(value: object) -> str:
    """A default as one would type it; what has no such form is shown by its name, else as dots."""
    if callable(value):
        name = getattr(value, "__name__", "...")
        return "..." if name == "<lambda>" else name
    shown = repr(value).replace("'", '"')
    return "..." if shown.startswith("<") or " object at 0x" in shown else shown


def members(thing: type) -> list[str]:
    """The public methods and properties of a class, a line each."""
    lines = []
    for name, member in vars(thing).items():
        function = member.fget if isinstance(member, property) else getattr(member, "func", member)
        told = inspect.getdoc(function)
        if name.startswith("_") or not told or not (inspect.isfunction(function)):
            continue
        shown = name if function is not member else f"{name}{signature(function)}"
        lines.append(f"- `{shown}`: {prose(told).splitlines()[0]}")
    return [*lines, ""] if lines else []


def prose(text: str) -> str:
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


def kinds_of(thing: object) -> list[str]:
    """The names of the types that a function returns; none of anything else."""
    if not inspect.isfunction(thing):
        return []
    return re.findall(r"[A-Za-z_]\w*", str(inspect.signature(thing).return_annotation))
