"""Documents called by name: as they are indexed, or with the suffix of the file they came from."""

from __future__ import annotations

from collections.abc import Sequence
from os.path import splitext
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from doxeval.ground.ground import Ground
    from doxeval.tables.documents import Documents


def document_codes(documents: Documents, names: Sequence[str]) -> np.ndarray:
    """The document each name stands for, -1 where there is none.

    A document is called by its path without suffix; assessments and runs that keep the suffix
    (``contracts/lease.txt``) mean the same document.
    """
    from doxeval.io.documents.base import SUFFIXES

    codes = documents.codes(names).astype(np.int64)
    missing = np.flatnonzero(codes < 0)
    split = [splitext(names[at]) for at in missing.tolist()]  # noqa: PTH122 - several times faster than a Path
    suffixed = [at for at, (_, suffix) in enumerate(split) if suffix.lower() in SUFFIXES]
    if suffixed:
        codes[missing[suffixed]] = documents.codes([split[at][0] for at in suffixed])
    return codes


def assessed_codes(ground: Ground, names: Sequence[str]) -> np.ndarray:
    """The assessed document each name of a run stands for, -1 for those not assessed.

    By the name itself, else by the document that both names stand for.
    """
    codes = ground.docs.codes(names)
    missing = np.flatnonzero(codes < 0)
    if ground.documents is not None and len(missing):
        assessed = np.full(len(ground.documents) + 1, -1, dtype=np.int32)
        assessed[ground.doc_index] = np.arange(len(ground.doc_index))
        assessed[-1] = -1
        codes[missing] = assessed[document_codes(ground.documents, [names[at] for at in missing.tolist()])]
    return codes
