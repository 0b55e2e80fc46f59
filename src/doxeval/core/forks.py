"""Forks of a process in which another thread evaluates: the child lacks that thread, and finds no lock taken.

A lock that some other thread held when a process was forked stays locked in the child for ever, because
whoever would release it is not there. Modules that have locks say here how the child gets new ones.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
from collections.abc import Callable
from typing import TypeVar

Function = TypeVar("Function", bound=Callable[[], None])


def in_child(function: Function) -> Function:
    """Have a function called in every process that is forked from this one, before anything else."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=function)
    return function


if sys.version_info < (3, 12):

    @in_child
    def _free_cached_properties() -> None:
        """Give our cached properties new locks; later versions of Python have none."""
        for name, module in list(sys.modules.items()):
            if name.partition(".")[0] == "doxeval":
                for owner in list(vars(module).values()):
                    if isinstance(owner, type) and owner.__module__ == name:
                        for value in vars(owner).values():
                            if isinstance(value, functools.cached_property):
                                value.lock = threading.RLock()  # type: ignore[attr-defined]
