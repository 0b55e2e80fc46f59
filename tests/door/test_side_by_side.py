"""Everything the command line does can be done in Python, and the reverse; the page says how."""

from __future__ import annotations

import inspect
import re
from typing import Any, cast

import pytest
from docs.side_by_side import (
    INSTEAD,
    NO_COMMAND,
    NO_FUNCTION,
    ONLY_PYTHON,
    flags_in,
    functions_of,
    in_python,
    on_command_line,
    parameters_of,
    side_by_side_page,
)

import doxeval as dx
from doxeval.cli import COMMANDS

FUNCTIONS = {name for name in cast(Any, dx).__all__ if inspect.isfunction(getattr(dx, name))}


def test_every_command_has_its_functions_and_every_function_its_command() -> None:
    for command in COMMANDS:
        assert command in NO_FUNCTION or set(functions_of(command)) <= FUNCTIONS, command
    covered = {function for command in COMMANDS for function in functions_of(command)}
    assert covered.isdisjoint(NO_COMMAND)
    assert covered | set(NO_COMMAND) == FUNCTIONS
    assert set(NO_FUNCTION) <= set(COMMANDS)


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in NO_FUNCTION])
def test_every_flag_has_its_counterpart(command: str) -> None:
    missing = [flag for flag, names in flags_in(command).items() if not in_python(command, flag, names)]
    assert not missing, f"doxeval {command}: nothing in Python does what {', '.join(missing)} does"


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in NO_FUNCTION])
def test_every_parameter_has_its_counterpart(command: str) -> None:
    for function in functions_of(command):
        missing = [name for name, flag in on_command_line(command, function).items() if not flag]
        assert not missing, (
            f"dx.{function}: no flag of 'doxeval {command}' does what {', '.join(missing)} does"
        )


def test_reasons_are_in_use() -> None:
    flags = {flag for command in COMMANDS if command not in NO_FUNCTION for flag in flags_in(command)}
    assert {flag for flag in INSTEAD if flag != "--max-"} <= flags
    names = {name.rpartition(".")[2] for name in ONLY_PYTHON}
    assert names <= {name for function in FUNCTIONS for name in parameters_of(function)}


@pytest.mark.parametrize("text", [text for text in INSTEAD.values() if "result." in text])
def test_what_results_are_said_to_have_they_have(text: str) -> None:
    classes = [getattr(dx, name) for name in cast(Any, dx).__all__ if inspect.isclass(getattr(dx, name))]
    for attribute in re.findall(r"result\.(\w+)", text):
        assert any(
            hasattr(one, attribute) or attribute in getattr(one, "__dataclass_fields__", ())
            for one in classes
        ), attribute


def test_the_page_names_every_command_and_function() -> None:
    page = side_by_side_page()
    assert all(f"### {command}\n" in page for command in COMMANDS)
    assert all(f"dx.{function}" in page for function in FUNCTIONS)
