"""What a measure may need beyond results and assessments, and what to do where it was not given."""

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
        'counts aspects, and the assessments name none; give them as "need" or "aspects" of the ranges',
    ),
    "chunks": (
        lambda ground: ground.chunks is not None,
        "looks at all chunks, retrieved or not; give the list of them (--chunks FILE)",
    ),
}


def require(label: str, need: Need, ground: Ground) -> None:
    """Refuse a measure whose need is not met, and say what to give."""
    is_given, advice = _GIVEN[need]
    if not is_given(ground):
        raise UsageError(f"{label!r} {advice}")
