"""Named things of one kind, loaded on demand: measures, models, formats, orders, tasks, tests."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Generic, TypeVar

from doxeval.core.errors import UsageError, nearest, on_one_line
from doxeval.core.plugins import any_announced

Thing = TypeVar("Thing")
Known = TypeVar("Known")


class Registry(Generic[Thing]):
    """Everything of one `kind`, by name: the `things` given, and those found.

    The latter are what `held_by` finds in the modules of `package`: by default classes of this kind that have
    a name. A name is looked up in the module that `homes` gives, by module with all names in it, or in the
    module with that name in lower case, before all others are loaded. Other distributions announce theirs
    under the entry point group `group`, by default that of the kind; `failures` are those of these plug-ins
    that could not be loaded. A second thing of the same name is an error, and things registered later are
    found. `takes` says whether something is a thing of this kind: by default, of the type of `things`.
    `needs` are attributes without which a class is refused, each with what it says.
    """

    def __init__(
        self,
        kind: str,
        *things: Thing,
        takes: Callable[[Any], bool] | None = None,
        package: str = "",
        homes: Mapping[str, str] | None = None,
        group: str = "",
        listing: str = "",
        held_by: Callable[[ModuleType], Iterable[Thing]] | None = None,
        needs: Mapping[str, str] | None = None,
    ) -> None:
        self.kind, self.package, self.listing = kind, package, listing
        self.takes = takes or instances_of(type(things[0]))
        self.group = group or f"doxeval.{kind.replace(' ', '_')}s"
        self.held_by = held_by or self._defined_in
        self.needs = needs or {}
        self.homes = {name: module for module, names in (homes or {}).items() for name in names.split()}
        self._things: dict[str, Thing] = {}
        self._own_loaded = self._plugins_loaded = False
        self._failures: list[str] = []
        for thing in things:
            self.register(thing)
        REGISTRIES.append(self)

    @staticmethod
    def names_of(thing: Any) -> tuple[str, ...]:
        """The names of a thing, its own name first."""
        return (thing.name, *getattr(thing, "aliases", ()))

    def register(self, thing: Known) -> Known:
        """Register a thing under its names; also a decorator of classes."""
        if not self.takes(thing):
            raise UsageError(f"{_full_name(thing)} is not a {self.kind}")
        names = self.names_of(thing)
        for name in names:
            known = self._things.get(name)
            if known is not None and not _same(known, thing):
                raise UsageError(
                    f"two {self.kind}s are named {name!r}: {_full_name(known)} and {_full_name(thing)}"
                )
        if missing := self._missing(thing):
            raise UsageError(f"the {self.kind} {_full_name(thing)} lacks {'; '.join(missing)}")
        self._things |= dict.fromkeys(names, thing)  # type: ignore[arg-type]
        return thing

    def _missing(self, thing: Any) -> list[str]:
        """The things that a class must state or define and does not, each with an explanation."""
        stated = [f"`{name}`, {said}" for name, said in self.needs.items() if not getattr(thing, name, "")]
        methods = sorted(getattr(thing, "__abstractmethods__", ()))
        return stated + [f"`{name}()`: {_first_line(getattr(thing, name))}" for name in methods]

    def find(self, name: str) -> Thing | None:
        """The thing with a name, None if there is none; loads no more than needed to find it."""
        for load in (self._load_home, self._load_own, self._load_plugins):
            if name in self._things:
                break
            load(name)
        return self._things.get(name)

    def find_apart(self, name: str) -> Thing | None:
        """The thing with a name that none of the package has: one that was registered or is a plug-in."""
        return self.find(name) if any_announced() else self._things.get(name)

    def named(self, name: str, where: str = "") -> Thing:
        """The thing named in the text `where`; an error with the nearest names if there is none."""
        found = self.find(name)
        if found is None:
            listed = self.listing or f"known: {', '.join(self)}"
            told = f"{where!r}: " if where else ""
            near = nearest(name, self.names())
            raise UsageError(f"{told}unknown {self.kind} {name!r}{near} ({listed}){self.failures_told}")
        return found

    __getitem__ = named

    def names(self) -> list[str]:
        """Every name that may be typed, including aliases."""
        self._load_all()
        return list(self._things)

    def all(self) -> dict[str, Thing]:
        """Everything by its own name: sorted if modules are loaded, else in the order declared."""
        self._load_all()
        own = {self.names_of(thing)[0]: thing for thing in self._things.values()}
        if not self.package:
            return own
        return dict(sorted(own.items(), key=lambda item: (item[0].casefold(), item[0])))

    def __iter__(self) -> Iterator[str]:
        return iter(self.all())

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.find(name) is not None

    def __len__(self) -> int:
        return len(self.all())

    @property
    def failures(self) -> list[str]:
        """The plug-ins that could not be loaded, each with the reason."""
        self._load_plugins()
        return self._failures

    @property
    def failures_told(self) -> str:
        """The same, to be put behind a message about a name that may be theirs."""
        return "".join(f"; {failure}" for failure in self.failures)

    def _load_all(self) -> None:
        self._load_own()
        self._load_plugins()

    def _load_home(self, name: str) -> None:
        module = f"{self.package}.{self.homes.get(name, name.casefold())}"
        if self.package and name.isidentifier() and find_spec(module):
            self._load(module)

    def _load_own(self, name: str = "") -> None:
        if self.package and not self._own_loaded:
            import pkgutil

            for module in pkgutil.iter_modules(importlib.import_module(self.package).__path__):
                self._load(f"{self.package}.{module.name}")
        self._own_loaded = True

    def _load_plugins(self, name: str = "") -> None:
        """Load what other distributions announce; one that fails is noted, and breaks nothing else."""
        if self._plugins_loaded:
            return
        self._plugins_loaded = True
        if not any_announced():
            return
        from importlib.metadata import entry_points

        for entry in entry_points(group=self.group):
            try:
                entry.load()
            except (Exception, SystemExit) as problem:
                origin = f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value
                reason = on_one_line(problem)
                self._failures.append(
                    f"the plug-in {entry.name!r} of {origin} ({self.group}) cannot be loaded: {reason}"
                )

    def _defined_in(self, module: ModuleType) -> list[Any]:
        """The classes of this kind that a module defines under a name of their own."""
        classes = (thing for thing in vars(module).values() if isinstance(thing, type) and self.takes(thing))
        return [thing for thing in classes if thing.__module__ == module.__name__ and "name" in vars(thing)]

    def _load(self, module: str) -> None:
        for thing in self.held_by(importlib.import_module(module)):
            self.register(thing)


REGISTRIES: list[Registry[Any]] = []
"""The registries of all kinds whose modules were imported."""


def register(thing: Known) -> Known:
    """Register something to be used by name like doxeval's own; also a decorator of classes.

    It is a class of measures, navigation models or document scores; or a format, reading order, task,
    test, interval, correction, coefficient or perturbation.
    """
    for registry in REGISTRIES:
        if registry.takes(thing):
            return registry.register(thing)
    kinds = ", ".join(registry.kind for registry in REGISTRIES)
    raise UsageError(f"{_full_name(thing)} cannot be registered: it is none of these: {kinds}")


def instances_of(*kinds: type) -> Callable[[Any], bool]:
    """A test for instances of classes."""
    return lambda thing: isinstance(thing, kinds)


def subclasses_of(parent: type) -> Callable[[Any], bool]:
    """A test for subclasses of a class."""
    return lambda thing: isinstance(thing, type) and issubclass(thing, parent)


def _same(one: Any, other: Any) -> bool:
    """Whether two things are one: the same object, or a class whose module was run again."""
    classes = isinstance(one, type) and isinstance(other, type)
    return one is other or (classes and _full_name(one) == _full_name(other))


def _first_line(method: Any) -> str:
    """The first line of a method's docstring."""
    return (method.__doc__ or "").partition("\n")[0].rstrip(".")


def _full_name(thing: Any) -> str:
    """The full name of a class; anything else as its repr."""
    return f"{thing.__module__}.{thing.__qualname__}" if isinstance(thing, type) else repr(thing)
