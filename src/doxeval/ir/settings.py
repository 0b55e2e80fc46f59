"""Settings that ir_measures has no place for: documents, a navigation model, conventions of scoring."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Unpack

from doxeval import ScoringOptions, read_documents
from doxeval.core.options import checked_options


@dataclass(frozen=True)
class Settings:
    """The settings that measures are computed with."""

    documents: Any = None
    navigation: str | None = None
    options: ScoringOptions = field(default_factory=ScoringOptions)


_in_force = [Settings()]


def settings() -> Settings:
    """The settings in use."""
    return _in_force[-1]


class use:
    """Compute measures with these documents, navigation model and options; see :func:`doxeval.evaluate`.

    Permanently, or within a ``with`` block. Documents are read once, here.

    >>> with use({"d1": "One. Two."}, navigation="readon(mean=200)"):
    ...     settings().navigation
    'readon(mean=200)'
    >>> settings().navigation
    """

    def __init__(
        self, documents: Any = None, navigation: str | None = None, **options: Unpack[ScoringOptions]
    ) -> None:
        checked_options(options)
        known = None if documents is None else read_documents(documents)
        self._before = settings()
        _in_force[-1] = Settings(known, navigation, options)

    def __enter__(self) -> use:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _in_force[-1] = self._before
