"""Values computed once and shared: facts about a context, such as an aligned run or the ground truth.

A function decorated with :func:`once` is computed once for each context and arguments. The context owns its
facts and drops them when it is closed; a fact never refers back to its context.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, overload

Arguments = ParamSpec("Arguments")
Fact = TypeVar("Fact")


class Facts:
    """The facts of one context."""

    def __init__(self) -> None:
        self._known: dict[Any, Any] = {}
        self._closed = False

    def tell(self, find: Callable[..., Fact], fact: Fact, *args: Any) -> None:
        """Set the result of a function decorated with :func:`once`, so it need not be computed."""
        self._known[(find, args, ())] = fact

    def recall(self, key: Any, make: Callable[[], Fact]) -> Fact:
        """The fact with that key, computed if it is not known yet."""
        if key not in self._known:
            if self._closed:
                raise RuntimeError("a closed context was asked for a fact")
            self._known[key] = make()
        return self._known[key]

    def __reduce__(self) -> tuple[type[Facts], tuple[()]]:
        """Copy without the facts: a copy of the context computes its own."""
        return Facts, ()

    def close(self) -> None:
        """Drop all facts, and those of the contexts among them."""
        kept = list(self._known.values())
        self._known.clear()
        self._closed = True
        for fact in kept:
            facts = getattr(fact, "facts", None)
            if isinstance(facts, Facts):
                facts.close()


class kept(Generic[Fact]):
    """A property that is computed once and kept.

    Unlike `functools.cached_property` it has no lock, which before Python 3.12 all objects of a class share:
    threads that work on different objects do not wait for each other.
    """

    def __init__(self, find: Callable[[Any], Fact]) -> None:
        self.find = find
        self.__doc__ = find.__doc__

    @overload
    def __get__(self, holder: None, owner: type) -> kept[Fact]: ...

    @overload
    def __get__(self, holder: object, owner: type) -> Fact: ...

    def __get__(self, holder: object | None, owner: type) -> kept[Fact] | Fact:
        if holder is None:
            return self
        fact = vars(holder)[self.find.__name__] = self.find(holder)
        return fact


class Context(Protocol):
    """An object with facts."""

    facts: Facts


Subject = TypeVar("Subject", bound=Context)


def once(
    find: Callable[Concatenate[Subject, Arguments], Fact],
) -> Callable[Concatenate[Subject, Arguments], Fact]:
    """Decorate a function to be computed once for each context (the first argument) and other arguments."""

    @wraps(find)
    def recalled(context: Subject, /, *args: Arguments.args, **named: Arguments.kwargs) -> Fact:
        key = (recalled, args, tuple(sorted(named.items())))
        return context.facts.recall(key, lambda: find(context, *args, **named))

    return recalled
