"""What a navigation model is, and the registry of all of them.

A model is a class in a module of this folder (or of a package that announces itself under the entry point
group ``doxeval.navigation``), decorated with :func:`register`. It gives p(e; f), the chance that a reader at
node f gets to see node e.
"""

from __future__ import annotations

import importlib
import pkgutil
from abc import ABC, abstractmethod
from functools import cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from doxeval.errors import UsageError, nearest
from doxeval.grammar import Call, parse_call
from doxeval.parameters import Parameter, bind

if TYPE_CHECKING:
    from doxeval.tables.documents import Documents

_REGISTRY: dict[str, type[Navigation]] = {}


class Navigation(ABC):
    """One navigation model with its parameters bound, for one collection of documents.

    `name` is what users type; `reader` tells in one sentence what this reader does; `paper` where it is
    defined. Models with `by_distance` look at gaps between characters and need no tree; a model that
    `crosses` follows links from one document to another.
    """

    name: ClassVar[str]
    reader: ClassVar[str]
    paper: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    by_distance: ClassVar[bool] = False
    crosses: ClassVar[bool] = False
    example: ClassVar[str] = ""

    def __init__(self, call: Call, documents: Documents | None) -> None:
        self.call = call
        self.documents = documents
        self.given = bind(self.parameters, call, str(call))

    @abstractmethod
    def chance(self, doc: np.ndarray, source: np.ndarray, target: np.ndarray) -> np.ndarray:
        """p(target; source) for columns of pairs of different nodes within documents `doc`.

        Nodes are indices within their document; a pair of equal nodes may get any value.
        """

    def __repr__(self) -> str:
        return f"<navigation {self.call}>"


def register(model: type[Navigation]) -> type[Navigation]:
    """Make a model known under its name."""
    if model.name in _REGISTRY and _REGISTRY[model.name].__qualname__ != model.__qualname__:
        raise UsageError(f"two navigation models are called {model.name!r}")
    _REGISTRY[model.name] = model
    return model


@cache
def navigations() -> dict[str, type[Navigation]]:
    """Every registered model by name."""
    import doxeval.navigation as package

    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    from importlib.metadata import entry_points

    for entry in entry_points(group="doxeval.navigation"):
        entry.load()
    return dict(sorted(_REGISTRY.items()))


def navigation_named(model: str | Call, documents: Documents | None) -> Navigation:
    """The model a user has typed, ready for a collection."""
    call = parse_call(model.strip()) if isinstance(model, str) else model
    known = navigations()
    if call.name not in known:
        raise UsageError(
            f"no navigation model is called {call.name!r}{nearest(call.name, known)} "
            "('doxeval navigations' lists them)"
        )
    return known[call.name](call, documents)
