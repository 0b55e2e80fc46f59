"""The errors of doxeval; each says what was expected, what was found and what to do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path


class DoxevalError(Exception):
    """Base class of all errors; the message is meant for the user."""

    def _render_traceback_(self) -> list[str]:
        """The text shown by IPython and notebooks: the message, which says what to do, and no frames."""
        return [f"{type(self).__name__}: {self}"]


class InputError(DoxevalError):
    """A file or frame that cannot be read as expected."""


class UsageError(DoxevalError):
    """An invalid request: an unknown measure, a parameter out of range, conflicting options."""


class IdleOption(UsageError):
    """An option of scoring that would do nothing; `option` is its name."""

    def __init__(self, option: str, message: str) -> None:
        super().__init__(message)
        self.option = option

    def __reduce__(self) -> tuple[type[IdleOption], tuple[str, str]]:
        """Allow the error to be sent back from another process."""
        return IdleOption, (self.option, str(self))


class MissingExtra(DoxevalError):
    """An optional package is needed but not installed."""

    def __init__(self, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs an optional package; install it with: pip install 'doxeval[{extra}]'"
        )
        self.extra = extra
        self.purpose = purpose

    def __reduce__(self) -> tuple[type[MissingExtra], tuple[str, str]]:
        """Allow the error to be sent back from another process."""
        return MissingExtra, (self.extra, self.purpose)


class DoxevalWarning(UserWarning):
    """A notice about the inputs that did not stop doxeval; see :class:`doxeval.core.notices.Notices`."""


def nearest(name: str, known: Iterable[str], limit: int = 3) -> str:
    """A hint such as ``; did you mean 'AiP'?`` for a mistyped name, empty if nothing is near.

    >>> nearest("aip", ["AiP", "iP", "IoU"])
    "; did you mean 'AiP' or 'iP'?"
    >>> nearest("zzz", ["AiP"])
    ''
    >>> nearest("3", ["q01", "q03", "q13"])
    "; did you mean 'q03'?"
    """
    from difflib import get_close_matches

    by_folded: dict[str, str] = {}
    for candidate in known:
        by_folded.setdefault(candidate.casefold(), candidate)
    close = _numbered(name, by_folded) or get_close_matches(name.casefold(), by_folded, n=limit, cutoff=0.6)
    return f"; did you mean {' or '.join(repr(by_folded[c]) for c in close[:limit])}?" if close else ""


def no_such_file(name: str, what: str = "file") -> str:
    """The message for a file that is not there, with those beside it whose names are nearest."""
    folder = Path(name).parent
    try:
        beside = [entry.name if folder == Path() else str(folder / entry.name) for entry in folder.iterdir()]
    except OSError:
        beside = []
    return f"{name}: no such {what}{nearest(name, beside)}"


def _numbered(name: str, known: Iterable[str]) -> list[str]:
    """The names with this number and no other, where it is all that was typed."""
    if not name.isdecimal():
        return []
    number = [name.lstrip("0")]
    return [one for one in known if [digits.lstrip("0") for digits in re.findall(r"[0-9]+", one)] == number]


UNREADABLE = "not readable"
LONGEST_REASON = 120


class Unforeseen(InputError):
    """Content that made a reader fail instead of refusing it; `__cause__` is the original exception."""


class PlugInFailed(InputError):
    """A plug-in whose own code has failed, by its name and version; `__cause__` is the original exception."""

    def __init__(self, plug_in: str, reason: str, place: str = "") -> None:
        super().__init__(f"{place}{': ' if place else ''}the plug-in {plug_in} failed: {reason}")
        self.plug_in, self.reason, self.place = plug_in, reason, place

    def __reduce__(self) -> tuple[type[PlugInFailed], tuple[str, str, str]]:
        """Allow the error to be sent back from another process."""
        return PlugInFailed, (self.plug_in, self.reason, self.place)


@contextmanager
def guard(place: str) -> Iterator[None]:
    """Turn exceptions raised inside into errors that name the place being read.

    Readers refuse what they know to be wrong, in their own words. Unforeseen failures, and exceptions of the
    libraries below them, are turned into errors here and nowhere else.

    >>> with guard("run.jsonl:3"):
    ...     int("x")
    Traceback (most recent call last):
    ...
    doxeval.core.errors.Unforeseen: run.jsonl:3: not readable: ValueError: invalid literal for int() with ...
    """
    try:
        yield
    except BaseException as problem:
        raise_with_place(problem, place)
        raise


def raise_with_place(problem: BaseException, place: str) -> None:
    """Raise a problem as an error with its place, unless it is one already or not about the input."""
    if is_failure(problem) and not isinstance(problem, DoxevalError | OSError | MemoryError):
        if plug_in := plug_in_of(problem):
            raise PlugInFailed(plug_in, on_one_line(problem), place) from problem
        raise Unforeseen(f"{place}: {UNREADABLE}: {on_one_line(problem)}") from problem


def is_failure(problem: BaseException) -> bool:
    """Whether this is a failure rather than a request to exit; polars panics are not :class:`Exception`."""
    return isinstance(problem, Exception) or type(problem).__name__ == "PanicException"


def on_one_line(problem: BaseException) -> str:
    """The kind of a problem and its message, shortened, on one line."""
    kind, reason = type(problem).__name__, " ".join(str(problem).split())[:LONGEST_REASON]
    return f"{kind}: {reason}" if reason else kind


def plug_in_of(problem: BaseException) -> str:
    """The name and version of the plug-in whose code raised a problem; empty if it was none."""
    modules, entered = set(), problem.__traceback__
    while entered is not None:
        modules.add(str(entered.tb_frame.f_globals.get("__name__", "")).partition(".")[0])
        entered = entered.tb_next
    from importlib.metadata import distributions

    for distribution in distributions():
        announced = (entry for entry in distribution.entry_points if entry.group.startswith("doxeval."))
        if any(entry.module.partition(".")[0] in modules - {"doxeval"} for entry in announced):
            return f"{distribution.name} {distribution.version}"
    return ""


@contextmanager
def naming_plug_ins() -> Iterator[None]:
    """Turn what a plug-in's code raises inside into an error that names it, also in another process.

    A worker needs this because exceptions lose their tracebacks on the way back.
    """
    try:
        yield
    except BaseException as problem:
        if is_failure(problem) and not isinstance(problem, DoxevalError) and (plug_in := plug_in_of(problem)):
            raise PlugInFailed(plug_in, on_one_line(problem)) from problem
        raise
