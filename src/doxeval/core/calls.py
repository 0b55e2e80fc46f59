"""Calls of public functions: a wrong name or kind of argument is an error that names the right one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, update_wrapper
from inspect import CO_VARKEYWORDS, unwrap
from numbers import Integral, Real
from os import PathLike
from types import FunctionType, NoneType
from typing import Any, TypeVar, get_args

from doxeval.core import polars_here  # noqa: F401 - from now on it sees every fork
from doxeval.core.errors import UsageError, nearest
from doxeval.core.values import quoted

Function = TypeVar("Function", bound=Callable[..., Any])

OTHER_WORDS = {
    "assessments": "qrels gold truth ground_truth labels answers judgements judgments relevance assessment",
    "documents": "docs document corpus collection texts",
    "measures": "measure metric metrics",
    "navigation": "nav model navigation_model",
    "runs": "run results system systems scores",
    "run": "runs results system",
    "scores": "runs run results",
    "questions": "queries topics question query",
    "topics_file": "queries topics topic_file",
    "data": "path file source input",
    "path": "output out target file filename database destination",
    "input_format": "format from_format run_format",
    "format": "form to to_format output_format",
    "assessments_format": "qrels_format",
    "figure": "kind",
    "cut": "by unit",
    "draws": "samples resamples permutations",
    "jobs": "n_jobs workers processes threads",
    "perturbation": "name",
    "graded": "grades",
    "reading_order": "order",
    "log_axis": "log",
    "lead_by": "by measure",
    "max_characters": "characters",
    "max_megabytes": "size size_megabytes",
    "show_results": "results",
    "trusted": "human",
    "topic": "query question topics",
}
"""The words of others for our parameters; a call that uses one gets ours as a hint."""

WRITTEN = ("path", "sources", "offline", "export", "backup", "store", "cache")
READ = (
    "data", "runs", "run", "scores", "assessments", "documents", "old_documents", "trusted", "topics_file",
    "questions", "answers", "outcomes", "pool", "suggested", "baseline", "between", "chunks", "tokenizer",
    "log", "take", "partition",
)  # fmt: skip
KEPT = ("store",)
"""The parameters of public functions that can be files to write, to read, and to add to."""

WORDS_FOR_CUTOFFS = ("k", "cutoff", "cut_off", "top_k", "at", "n")

ANNOTATED_KINDS: dict[str, tuple[type, str]] = {
    "str": (str, "a text"),
    "int": (Integral, "a whole number"),
    "float": (Real, "a number"),
    "bool": (bool, "True or False"),
    "Path": (PathLike, "a path"),
    "bytes": (bytes, "bytes"),
    "None": (NoneType, "None"),
}
"""The types in annotations that are checked, and how they are called in messages."""


def checked_call(function: Function, name: str, module: str = "") -> Function:
    """The function with its arguments checked on the way in; `name` is what messages call it.

    >>> def shorten(text: str, *, size: int = 3) -> str:
    ...     return text[:size]
    >>> checked_call(shorten, "shorten")("abcd", sise=2)
    Traceback (most recent call last):
    ...
    doxeval.core.errors.UsageError: shorten() has no parameter 'sise'; did you mean 'size'?
    """
    check = _Check(function, name)

    def call(*args: Any, **kwargs: Any) -> Any:
        check(args, kwargs)
        check.outputs(args, kwargs)
        return function(*args, **kwargs)

    update_wrapper(call, function)
    call.__name__ = call.__qualname__ = name
    call.__module__ = module or function.__module__
    return call  # type: ignore[return-value]


def options_taken(function: Callable[..., Any]) -> frozenset[str]:
    """The names of the options that a function takes besides its parameters."""
    return _Check(function, "").options


class _Check:
    """The arguments that a function takes, by its signature."""

    def __init__(self, decorated: Callable[..., Any], name: str) -> None:
        function = unwrap(decorated)
        assert isinstance(function, FunctionType)
        self.function, self.name = function, name
        code = function.__code__
        self.positional = code.co_varnames[: code.co_argcount]
        self.own = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        with_default = self.positional[len(self.positional) - len(function.__defaults__ or ()) :]
        self.required = [
            parameter
            for parameter in self.own
            if parameter not in with_default and parameter not in (function.__kwdefaults__ or ())
        ]
        self.takes_options = bool(code.co_flags & CO_VARKEYWORDS)

    def __call__(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        """Raise an error for arguments that the function does not take, or of a wrong kind."""
        if len(args) > len(self.positional):
            further = self.own[len(self.positional) :]
            hint = f"; name the others, as in {further[0]}=" if further else ""
            raise UsageError(
                f"{self.name}() takes {_listed(self.positional)} by position, not {len(args)} of them{hint}"
            )
        given = dict(zip(self.positional, args, strict=False))
        for parameter in kwargs:
            if parameter in given:
                raise UsageError(f"{self.name}() is given {parameter} twice, by position and by name")
            if parameter not in self.own and parameter not in self.options:
                raise UsageError(self.hint(parameter))
        given |= kwargs
        missing = [parameter for parameter in self.required if parameter not in given]
        if missing:
            raise UsageError(f"{self.name}() needs {_listed(missing)}")
        for parameter, (kinds, words) in self.kinds.items():
            if parameter in given and not isinstance(given[parameter], kinds):
                expected = " or ".join(words)
                raise UsageError(
                    f"{self.name}() expects {expected} as {parameter}, found {quoted(given[parameter])}"
                )

    def outputs(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        """Raise an error if a file to write is one of those to read; with `replace`, it may be `data`."""
        given = dict(zip(self.positional, args, strict=False)) | dict(kwargs)
        written = {name: given[name] for name in WRITTEN if given.get(name)}
        if not written:
            return
        from doxeval.core.files import check_outputs, files_of_calls

        read = {name: value if name in READ else files_of_calls(value) for name, value in given.items()}
        replaced = ("data", "replace=True", given.get("replace", False)) if "replace" in self.own else None
        check_outputs(written, read, KEPT, replaced)

    @cached_property
    def options(self) -> frozenset[str]:
        """The names in the `TypedDict` that its further keywords are."""
        if not self.takes_options:
            return frozenset()
        code = self.function.__code__
        keywords = code.co_varnames[code.co_argcount + code.co_kwonlyargcount :][0]
        (options,) = get_args(eval(self.function.__annotations__[keywords], self.function.__globals__))
        return frozenset(options.__required_keys__ | options.__optional_keys__)

    @cached_property
    def kinds(self) -> dict[str, tuple[tuple[type, ...], list[str]]]:
        """The types of parameters whose annotation is simple, and the words for these types."""
        found = {}
        for parameter in self.own:
            names = str(self.function.__annotations__.get(parameter, "Any")).split(" | ")
            if all(name in ANNOTATED_KINDS for name in names):
                types, words = zip(*(ANNOTATED_KINDS[name] for name in names), strict=True)
                found[parameter] = types, list(words)
        return found

    def hint(self, wrong: str) -> str:
        """Advice on what to write instead of a name that the function does not take."""
        takes = [*self.own, *sorted(self.options)]
        for parameter, others in OTHER_WORDS.items():
            if parameter in takes and wrong in others.split():
                return f"{self.name}() takes {parameter}=, not {wrong}="
        if wrong in WORDS_FOR_CUTOFFS and "measures" in takes:
            return (
                f"{self.name}() takes a cut-off as part of a measure, as in measures='iP@10', not as {wrong}="
            )
        more = "" if not self.takes_options else " and the options of scoring"
        near = nearest(wrong, takes) or f"; it takes {_listed(self.own) if self.own else 'nothing'}{more}"
        return f"{self.name}() has no parameter {wrong!r}{near}"


def _listed(names: Iterable[str]) -> str:
    """Names in a sentence."""
    *first, last = (name for name in names if name != "self")
    return f"{', '.join(first)} and {last}" if first else last
