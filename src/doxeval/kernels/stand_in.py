"""The parts of the module `cython` that the kernels use, for plain Python without Cython.

Compiled kernels need neither: Cython resolves its own names when it translates them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Function = TypeVar("Function", bound=Callable[..., object])
Value = TypeVar("Value")

compiled = False


class CType:
    """A type of C, or an array of it: an annotation without a meaning in Python."""

    def __getitem__(self, dimensions: object) -> CType:
        return self


Py_ssize_t = bint = const = double = int = longlong = ulonglong = schar = uchar = CType()
p_char = p_const_uchar = p_int = CType()


def cfunc(function: Function) -> Function:
    """The function itself."""
    return function


inline = cclass = cfunc


class Unlocked:
    """A decorator or context manager that leaves the interpreter's lock alone."""

    def __call__(self, function: Function) -> Function:
        return function

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None


nogil = Unlocked()


def directive(*values: object, **named: object) -> Callable[[Function], Function]:
    """A decorator that changes nothing, as every directive without a compiler."""
    return cfunc


binding = cdivision = exceptval = directive


def struct(**fields: CType) -> CType:
    """A type."""
    return CType()


class Pointer(CType):
    """A pointer, written ``pointer(type)`` or ``pointer[type]``."""

    def __call__(self, ctype: CType) -> CType:
        return ctype


pointer = Pointer()


def declare(ctype: CType, value: Value) -> Value:
    """The value."""
    return value


def cast(ctype: CType, value: Value) -> Value:
    """The value."""
    return value
