"""The reader with given chances for each pair of nodes."""

from __future__ import annotations

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.grammar import Call
from doxeval.core.keys import find_keys
from doxeval.core.parameters import Parameter
from doxeval.reader.navigation.base import NORMALISE, Array, Navigation
from doxeval.reader.navigation.files import read_steps
from doxeval.tables.documents import Documents


class Matrix(Navigation):
    """p(e; f) from a CSV file with the columns doc, from, to, p; 0 for pairs that are not listed."""

    name = "matrix"
    reader = "Goes where the file says, with the chance it gives."
    paper = "all: the given table of chances"
    parameters = (Parameter("file", "text", "", "CSV with the columns doc, from, to, p"), NORMALISE)
    example = "matrix(file=nav.csv)"

    def __init__(self, call: Call, documents: Documents | None) -> None:
        super().__init__(call, documents)
        if not self.given.file:
            raise UsageError(f"{str(call)!r}: name the file, as in matrix(file=nav.csv)")
        steps = read_steps(self.given.file, self.tree())
        self.notices.extend(steps.notices)
        inside = steps.source_doc == steps.target_doc
        self._width = 1 + len(self.tree().parent)
        keys = steps.source_row[inside] * self._width + steps.target_row[inside]
        order = np.argsort(keys, kind="stable")
        self._keys, self._chances = keys[order], np.append(steps.chance[inside][order], 0.0)

    def pairs(self, doc: Array, source: Array, target: Array, coverage: Array | None) -> Array:
        documents = self.tree()
        keys = documents.rows(doc, source) * self._width + documents.rows(doc, target)
        return self._chances[find_keys(self._keys, keys)]
