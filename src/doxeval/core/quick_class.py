"""Data classes that are made quickly: every command makes dozens of them before it does anything.

The standard library compiles up to six methods for a class, which takes longer than reading its module. Here
it compiles `__init__` alone; the others are closures over the names of the fields, with the same results.
"""

from __future__ import annotations

import dataclasses
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, eq=True, repr=True, kw_only=False):
        """A data class as the standard library makes it, or a decorator with these options."""
        if cls is None:
            return lambda made: dataclass(made, frozen=frozen, eq=eq, repr=repr, kw_only=kw_only)
        own = set(vars(cls))
        hashed = "__hash__" in own and not (cls.__hash__ is None and "__eq__" in own)
        dataclasses.dataclass(cls, eq=False, repr=False, kw_only=kw_only)
        fields = dataclasses.fields(cls)
        if repr and "__repr__" not in own:
            cls.__repr__ = _representation([field.name for field in fields if field.repr])
        if eq:
            values = _values([field.name for field in fields if field.compare])
            if "__eq__" not in own:
                cls.__eq__ = _equality(values)
            if not hashed:
                cls.__hash__ = (lambda self: hash(values(self))) if frozen else None
        if frozen:
            cls.__setattr__, cls.__delattr__ = _set_once, _keep
        return cls


def _values(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """A function that takes the values of some fields."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda thing: tuple(getattr(thing, name) for name in names)


def _equality(values: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any, Any], Any]:
    def __eq__(self: Any, other: Any) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return __eq__


def _representation(names: list[str]) -> Callable[[Any], str]:
    @recursive_repr()
    def __repr__(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    return __repr__


def _set_once(self: Any, name: str, value: Any) -> None:
    """Set a field that has no value yet, as `__init__` does."""
    if name in self.__dict__ or name not in self.__dataclass_fields__:
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
    object.__setattr__(self, name, value)


def _keep(self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
