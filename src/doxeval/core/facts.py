"""Values computed once and shared: facts about a context, such as an aligned run or the ground truth.

A function decorated with :func:`once` is computed once for each context and arguments. The context owns its
facts and drops them when it is closed; a fact never refers back to its context.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, overload

Arguments = ParamSpec("Arguments")
Fact = TypeVar("Fact")


class Facts:
    """The facts of one context."""

    def __init__(self) -> None:
        self.known: dict[Any, Any] = {}
        self.closed = False

    def tell(self, find: Callable[..., Fact], fact: Fact, *args: Any) -> None:
        """Set the result of a function decorated with :func:`once`, so it need not be computed."""
        self.known[(find, args, ())] = fact

    @contextmanager
    def passing(self, kind: type) -> Iterator[None]:
        """Drop facts of a kind at the end, unless they were known before: they are not needed again soon."""
        before = set(self.known)
        try:
            yield
        finally:
            for key in [key for key, fact in self.known.items() if isinstance(fact, kind)]:
                if key not in before:
                    del self.known[key]

    def __reduce__(self) -> tuple[type[Facts], tuple[()]]:
        """Copy without the facts: a copy of the context computes its own."""
        return Facts, ()

    def close(self) -> None:
        """Drop all facts, and those of the contexts among them."""
        kept = list(self.known.values())
        self.known.clear()
        self.closed = True
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
    """Decorate a function to be computed once for each context (the first argument) and other arguments.

    The look-up is written out here, not in a method of its own, so that it adds one frame to each call.
    """

    @wraps(find)
    def recalled(context: Subject, /, *args: Arguments.args, **named: Arguments.kwargs) -> Fact:
        facts, key = context.facts, (recalled, args, tuple(sorted(named.items())))
        if key not in facts.known:
            if facts.closed:
                raise RuntimeError(f"a closed context was asked for {find.__qualname__}")
            facts.known[key] = find(context, *args, **named)
        return facts.known[key]

    return recalled
