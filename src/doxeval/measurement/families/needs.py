"""Inputs that a measure may need besides results and assessments, and the advice if they are missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from doxeval.core.errors import UsageError
from doxeval.ground.ground import Ground

Need = Literal["tree", "aspects", "chunks"]
_GIVEN: dict[Need, tuple[Callable[[Ground], bool], str]] = {
    "tree": (
        lambda ground: ground.documents is not None,
        "needs the documents' trees (--docs FILE)",
    ),
    "aspects": (
        lambda ground: ground.unit_aspects is not None,
        'counts aspects, but the assessments name none; give them as "need" or "aspects" of the ranges',
    ),
    "chunks": (
        lambda ground: ground.chunks is not None,
        "needs all chunks, retrieved or not; give the list of them (--chunks FILE)",
    ),
}


def require(label: str, need: Need, ground: Ground) -> None:
    """Raise an error for a measure whose need is not met, with what to provide."""
    is_given, advice = _GIVEN[need]
    if not is_given(ground):
        raise UsageError(f"{label!r} {advice}")
