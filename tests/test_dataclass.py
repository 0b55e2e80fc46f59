"""`doxeval.core.dataclass` makes what the standard library makes."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, asdict, field, fields, replace
from itertools import product
from typing import Any

import pytest

from doxeval.core.dataclass import dataclass

OPTIONS = [
    dict(zip(("repr", "eq", "frozen", "kw_only"), chosen, strict=True))
    for chosen in product((True, False), repeat=4)
]
ARGUMENTS = [
    ((), {}), ((1,), {}), ((1, 2), {}), ((), {"first": 1}), ((1,), {"second": 3, "third": [4]}),
    ((1, 2, [3], 4, 5), {}), ((1,), {"first": 2}), ((1,), {"other": 2}), ((float("nan"),), {}),
    ((), {"first": 1, "named": "x"}), ((), {"first": 1, "made": [2]}),
]  # fmt: skip


def declared(decorator: Callable[..., Any], **options: bool) -> Any:
    class Base:
        """What every kind of field does."""

        first: Any
        second: int = 2
        third: list[int] = field(default_factory=list)
        silent: str = field(default="", repr=False, compare=False)
        made: tuple[int, ...] = field(default_factory=tuple, init=False)
        named: str = field(default="n", kw_only=True)

        def __post_init__(self) -> None:
            object.__setattr__(self, "seen", self.first)

    class Heir(decorator(**options)(Base)):  # type: ignore[misc]
        """A class with the fields of another, and one of its own."""

        last: int = 0

    return decorator(**options)(Heir)


ACTS: tuple[Callable[[Any], Any], ...] = (
    vars, asdict, lambda one: vars(replace(one, second=7)), lambda one: one == copy.copy(one),
    lambda one: one == replace(one, silent="s"), lambda one: one == replace(one, second=8),
    lambda one: one == 1, lambda one: setattr(one, "first", 5), lambda one: delattr(one, "second"),
)  # fmt: skip


def outcome(act: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """What an act gives, or how it fails."""
    try:
        return act(*given, **named)
    except (TypeError, FrozenInstanceError) as problem:
        return type(problem)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_it_makes_what_the_standard_library_makes(options):
    ours, theirs = declared(dataclass, **options), declared(dataclasses.dataclass, **options)
    assert str(inspect.signature(ours)) == str(inspect.signature(theirs))
    assert [one.name for one in fields(ours)] == [one.name for one in fields(theirs)]
    assert (ours.__hash__ is None) == (theirs.__hash__ is None)
    for given, named in ARGUMENTS:
        mine, other = outcome(ours, *given, **named), outcome(theirs, *given, **named)
        if isinstance(other, type):
            assert mine is other
            continue
        assert [repr(outcome(act, mine)) for act in ACTS] == [repr(outcome(act, other)) for act in ACTS]
        assert repr(mine) == repr(other) or not options["repr"]
        if options["eq"]:
            assert isinstance(mine.third, list) and outcome(hash, mine) is outcome(hash, other) is TypeError
        if options["eq"] and options["frozen"]:
            assert hash(replace(mine, third=())) == hash(replace(other, third=(), silent="s"))


@dataclass(frozen=True)
class Known:
    """One whose `__init__` has not been looked up yet."""

    name: str
    me: Any = None


def test_objects_from_another_process_are_whole_before_the_class_was_called():
    known = object.__new__(Known)
    vars(known).update(name="a", me=[])
    assert repr(known) == "Known(name='a', me=[])"
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'name'"):
        known.name = "b"
    assert pickle.loads(pickle.dumps(known)) == known == Known("a", [])
    known.me.append(known)
    assert repr(known) == "Known(name='a', me=[...])"


def test_methods_of_the_class_itself_stay():
    @dataclass
    class Own:
        """One that tells equality and its text itself."""

        name: str

        def __repr__(self) -> str:
            return "own"

        def __eq__(self, other: object) -> bool:
            return True

    assert repr(Own("a")) == "own" and Own("a") == Own("b")
