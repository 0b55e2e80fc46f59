"""`dataclass` as in the standard library, but nothing is compiled when a module is imported.

The standard library compiles up to six methods for each class, which would take a tenth of the time of a
short command. Here `__init__` is compiled when it is first looked up; all classes share the other methods.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, fields
from functools import partial
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(
        cls: type | None = None,
        *,
        repr: bool = True,
        eq: bool = True,
        frozen: bool = False,
        kw_only: bool = False,
    ) -> Any:
        """Make a class a dataclass; all functions of the module `dataclasses` take it as one."""
        if cls is None:
            return partial(dataclass, repr=repr, eq=eq, frozen=frozen, kw_only=kw_only)
        dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=kw_only)(cls)
        methods: dict[str, Any] = {"__init__": _Init(cls, frozen)}
        methods |= {"__repr__": _repr} if repr else {}
        methods |= {"__eq__": _eq, "__hash__": _hash if frozen else None} if eq else {}
        methods |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete} if frozen else {}
        for name, method in methods.items():
            if name not in vars(cls):
                setattr(cls, name, method)
        return cls


class _Unset:
    """The default of a parameter whose value is made by a factory, as signatures show it."""

    def __repr__(self) -> str:
        return "<factory>"


_UNSET = _Unset()


class _Init:
    """The `__init__` of a class until it is first looked up, which replaces it by the real one."""

    def __init__(self, owner: type, frozen: bool) -> None:
        self.owner, self.frozen = owner, frozen

    def __get__(self, instance: object, owner: type) -> Any:
        method = _compiled_init(self.owner, self.frozen)
        setattr(self.owner, "__init__", method)  # noqa: B010
        return method if instance is None else partial(method, instance)


def _compiled_init(cls: Any, frozen: bool) -> Callable[..., None]:
    """The `__init__` that the standard library would write."""
    taken = fields(cls)
    parameters = ["self", *(_parameter(one) for one in taken if one.init and not one.kw_only)]
    if named := [_parameter(one) for one in taken if one.init and one.kw_only]:
        parameters += ["*", *named]
    lines = []
    for one in taken:
        value = one.name if one.init else "__unset"
        if one.default_factory is not MISSING:
            value = f"__made[{one.name!r}]() if {value} is __unset else {value}"
        elif not one.init:
            continue
        lines.append(f"__set(self, {one.name!r}, {value})" if frozen else f"self.{one.name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    known: dict[str, Any] = {
        "__given": {one.name: _UNSET if one.default is MISSING else one.default for one in taken},
        "__made": {one.name: one.default_factory for one in taken},
        "__unset": _UNSET,
        "__set": object.__setattr__,
    }
    exec(f"def __init__({', '.join(parameters)}):\n  " + "\n  ".join(lines or ["pass"]), known)
    method: Callable[..., None] = known["__init__"]
    method.__qualname__, method.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    method.__annotations__ = {one.name: one.type for one in taken if one.init} | {"return": None}
    return method


def _parameter(one: Field[Any]) -> str:
    required = one.default is one.default_factory is MISSING
    return one.name if required else f"{one.name}=__given[{one.name!r}]"


@recursive_repr()
def _repr(self: Any) -> str:
    told = (f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{type(self).__qualname__}({', '.join(told)})"


def _compared(self: Any) -> tuple[Any, ...]:
    return tuple(getattr(self, one.name) for one in fields(self) if one.compare)


def _eq(self: Any, other: Any) -> bool:
    return _compared(self) == _compared(other) if type(other) is type(self) else NotImplemented


def _hash(self: Any) -> int:
    return hash(_compared(self))


def _refuse_to_set(self: object, name: str, value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: object, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")
