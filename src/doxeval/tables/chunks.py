"""Chunks: everything a chunker made from a collection, ranked or not, as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from doxeval.core.notices import Notices
from doxeval.core.phrases import counted


@dataclass(eq=False)
class Chunks:
    """Ranges `[start, end)` of documents; `doc` holds codes of `docs`."""

    docs: Sequence[str]
    doc: np.ndarray
    start: np.ndarray
    end: np.ndarray
    source: str = ""
    notices: Notices = field(default_factory=Notices)

    def __len__(self) -> int:
        return len(self.doc)

    def __repr__(self) -> str:
        return f"<Chunks: {counted(len(self), 'chunk')}, {counted(len(self.docs), 'document')}>"
