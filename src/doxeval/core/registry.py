"""Named things of one kind, found when asked for: measures, models, formats, orders, tasks, tests."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any, Generic, TypeVar

from doxeval.core.errors import UsageError, nearest

Thing = TypeVar("Thing")


class Registry(Generic[Thing]):
    """Everything of one `kind`, by name.

    Things register themselves when their module is imported. Modules are those of `package`; a name is looked
    for in the module called as it is, in small letters, before all others are loaded. Other distributions
    announce theirs under the entry point group `group`. A second thing of the same name is an error, and what
    is registered late is seen. `names_of` tells what a thing is called, its own name first.
    """

    def __init__(
        self,
        kind: str,
        *,
        package: str = "",
        group: str = "",
        listing: str = "",
        names_of: Callable[[Thing], tuple[str, ...]] = lambda thing: (thing.name,),  # type: ignore[attr-defined]
    ) -> None:
        self.kind = kind
        self.package = package
        self.group = group
        self.listing = listing
        self.names_of = names_of
        self._things: dict[str, Thing] = {}
        self._loaded = False

    def register(self, thing: Thing) -> Thing:
        """Make a thing known under its names; also a decorator of classes."""
        for name in self.names_of(thing):
            known = self._things.get(name)
            if known is not None and not _same(known, thing):
                raise UsageError(f"two {self.kind}s are called {name!r}: {_place(known)} and {_place(thing)}")
        for name in self.names_of(thing):
            self._things[name] = thing
        return thing

    def find(self, name: str) -> Thing | None:
        """The thing of that name, None where there is none."""
        if name not in self._things and not self._loaded:
            module = f"{self.package}.{name.casefold()}"
            if self.package and name.isidentifier() and find_spec(module):
                importlib.import_module(module)
            if name not in self._things:
                self._load_all()
        return self._things.get(name)

    def named(self, name: str) -> Thing:
        """The thing a user has named; an error with the nearest names where there is none."""
        found = self.find(name)
        if found is None:
            listed = f" ({self.listing})" if self.listing else f" (known: {', '.join(self.all())})"
            raise UsageError(f"no {self.kind} is called {name!r}{nearest(name, self.names())}{listed}")
        return found

    def names(self) -> list[str]:
        """Every name that may be typed, aliases too."""
        self._load_all()
        return list(self._things)

    def all(self) -> dict[str, Thing]:
        """Everything by its own name, in alphabetical order."""
        self._load_all()
        own = {self.names_of(thing)[0]: thing for thing in self._things.values()}
        return dict(sorted(own.items(), key=lambda item: (item[0].casefold(), item[0])))

    def __iter__(self) -> Iterator[str]:
        return iter(self.all())

    def __contains__(self, name: str) -> bool:
        return self.find(name) is not None

    def _load_all(self) -> None:
        if self._loaded:
            return
        if self.package:
            package = importlib.import_module(self.package)
            for module in pkgutil.iter_modules(package.__path__):
                importlib.import_module(f"{self.package}.{module.name}")
        if self.group:
            from importlib.metadata import entry_points

            for entry in entry_points(group=self.group):
                entry.load()
        self._loaded = True


def _same(one: Any, other: Any) -> bool:
    """Whether two things are one: the same object, or a class whose module was run again."""
    classes = isinstance(one, type) and isinstance(other, type)
    return one is other or (classes and _place(one) == _place(other))


def _place(thing: Any) -> str:
    kind = thing if isinstance(thing, type) else type(thing)
    return f"{kind.__module__}.{kind.__qualname__}"
