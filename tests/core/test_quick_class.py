"""Data classes made quickly are those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import FrozenInstanceError, field
from typing import Any

import pytest

from doxeval.core import quick_class

OPTIONS = [
    {},
    {"frozen": True},
    {"eq": False},
    {"repr": False},
    {"frozen": True, "eq": False},
    {"frozen": True, "repr": False},
    {"eq": False, "repr": False},
    {"kw_only": True},
]


def twins(options: dict[str, bool]) -> list[tuple[type[Any], ...]]:
    """A class, its child and one with methods of its own, made by us and by the standard library."""
    made: list[tuple[type[Any], ...]] = []
    for dataclass in (quick_class.dataclass, dataclasses.dataclass):

        @dataclass(**options)
        class Point:
            """A place."""

            x: int
            y: tuple[int, ...] = ()
            notes: list[str] = field(default_factory=list, compare=False)
            hidden: str = field(default="", repr=False)

        @dataclass(**options)
        class Child(Point):
            """A place with a name."""

            name: str = "n"

        @dataclass(**options)
        class Single:
            """One value, and methods of its own."""

            x: int

            def __repr__(self) -> str:
                return "own"

            def __eq__(self, other: object) -> bool:
                return True

            def __hash__(self) -> int:
                return 7

        @dataclass(**options)
        class Hashed:
            """One value, and a hash of its own."""

            x: int

            def __hash__(self) -> int:
                return 7

        @dataclass(**options)
        class Empty:
            """No value."""

        made.append((Point, Child, Single, Hashed, Empty))
    return made


def told(call: Any) -> Any:
    """What a call returns, or which error it raises."""
    try:
        return call()
    except Exception as problem:
        return type(problem)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_the_standard_library_makes_the_same(options: dict[str, bool]) -> None:
    seen = []
    for classes in twins(options):
        things = [make(x=x) for make in classes[:4] for x in (1, 2, 1)] + [classes[4](), classes[4]()]
        shown = [
            repr(thing).rpartition(".<locals>.")[2].partition(" at ")[0] if options.get("repr", True) else ""
            for thing in things
        ]
        equal = [[one == other for other in things] for one in things]
        hashed = [told(lambda thing=thing: hash(thing) and type(thing).__hash__ is None) for thing in things]
        alike = [
            told(lambda one=one, other=other: hash(one) == hash(other)) for one in things for other in things
        ]
        changed = [told(lambda thing=thing: setattr(thing, "x", 5)) for thing in things]
        removed = [told(lambda thing=thing: delattr(thing, "x")) for thing in things]
        extra = [told(lambda thing=thing: setattr(thing, "unknown", 5)) for thing in things]
        values = [dataclasses.asdict(dataclasses.replace(thing, x=3)) for thing in things[:12]]
        copies = [dataclasses.asdict(copy.deepcopy(make(x=4))) for make in classes[:4]]
        missing = [told(make) for make in classes[:4]]
        seen.append((shown, equal, hashed, alike, changed, removed, extra, values, copies, missing))
    assert seen[0] == seen[1]


@quick_class.dataclass(frozen=True)
class Kept:
    """A value that is sent to a worker."""

    x: int
    within: list[Any] = field(default_factory=list)


def test_values_are_pickled_frozen_and_shown_within_themselves() -> None:
    kept = pickle.loads(pickle.dumps(Kept(3)))
    assert kept == Kept(3)
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'x'"):
        kept.x = 4
    kept.within.append(kept)
    assert repr(kept) == "Kept(x=3, within=[...])"
