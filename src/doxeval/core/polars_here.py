"""polars, where it can work: in a fork of a process in which it has threads it would wait for ever.

``from doxeval.core.polars_here import polars`` inside the function that needs it is the only way by which
polars comes into this package.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from doxeval.core.errors import MissingExtra, UsageError
from doxeval.core.forks import in_child

if TYPE_CHECKING:
    import polars as polars

THREADS = Path("/proc/self/task")
POOLS = ("polars-", "async-executor", "tokio-")
WITHOUT_POOL = "polars-ooc"
"""How polars calls its threads; the one that it starts when it is imported is never waited for."""

_had_threads = False
_is_lost = False
"""Whether polars had threads when a fork began, and whether this process is such a fork."""


def __getattr__(name: str) -> Any:
    if name != "polars":
        raise AttributeError(name)
    if _is_lost:
        raise UsageError(
            "this process was forked from one in which polars was at work, and has none of its threads: it "
            "would wait for ever; start processes with multiprocessing.get_context('spawn'), or fork before "
            "the first Parquet file or frame"
        )
    try:
        import polars
    except ImportError:
        raise MissingExtra("frames", "a Parquet file or a frame") from None
    return polars


def _note_threads() -> None:
    global _had_threads
    _had_threads = "polars" in sys.modules and _has_threads()


def _has_threads() -> bool:
    """Whether polars has started its threads; where the system does not tell, it is taken to have."""
    try:
        names = [(task / "comm").read_text() for task in THREADS.iterdir()]
    except OSError:
        return True
    return any(name.startswith(POOLS) and not name.startswith(WITHOUT_POOL) for name in names)


@in_child
def _lose_threads() -> None:
    global _is_lost
    _is_lost = _is_lost or _had_threads


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_note_threads)
