"""The changes that mutants make: each compiles, differs, and is drawn by seed with all rooms in turn."""

from __future__ import annotations

import random
from itertools import islice
from pathlib import Path

import pytest

import doxeval
from tests.mutants.changes import Changes, sampled

PACKAGE = Path(doxeval.__file__).parent
SOURCE = b"""
def clip(value: int, least: int = 0) -> int:
    '''A text that stays.'''
    if value < least and not done(value, strict=True):
        log(value)
        value -= 1
    return value + least
"""


def test_all_kinds_of_changes_are_found():
    assert [(m.line, m.before, m.after) for m in Changes("a/b.py", SOURCE).found] == [
        (2, "0", "(0 + 1)"),
        (4, "value < least and not done(value, strict=True)",
         "(not (value < least and not done(value, strict=True)))"),
        (4, "and", "or"),
        (4, "<", "<="),
        (4, "not ", ""),
        (4, ", strict=True", ""),
        (4, "True", "False"),
        (5, "log(value)", "pass"),
        (6, "value -= 1", "pass"),
        (6, "1", "(1 + 1)"),
        (7, "value + least", "None"),
        (7, "+", "-"),
    ]  # fmt: skip


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four modules of every room, which are read quicker than all."""
    dice, folder = random.Random(2), tmp_path_factory.mktemp("package")
    for room in sorted(path.parent for path in PACKAGE.glob("*/__init__.py")):
        modules = sorted(room.rglob("*.py"))
        for module in dice.sample(modules, min(4, len(modules))):
            path = folder / module.relative_to(PACKAGE)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(module.read_bytes())
    return folder


def test_every_room_is_drawn_in_turn_and_every_change_compiles(package: Path):
    drawn = list(sampled(package, 160, seed=5))
    rooms = {mutant.room for mutant in drawn}
    assert (
        {mutant.room for mutant in drawn[: len(rooms)]} == rooms >= {"kernels", "measurement", "io", "show"}
    )
    for mutant in drawn:
        source = (package / mutant.path).read_bytes()
        assert source[mutant.start : mutant.end].decode() == mutant.before != mutant.after
        compile(mutant.applied(source), mutant.path, "exec")


def test_a_seed_draws_the_same_changes_again(package: Path):
    assert list(sampled(package, 20, 3)) == list(sampled(package, 20, 3)) != list(sampled(package, 20, 4))
    assert {m.room for m in islice(sampled(package, 9, 3, ("show",)), 9)} == {"show"}
