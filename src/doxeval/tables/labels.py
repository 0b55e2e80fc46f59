"""Labels of places: the set that a place belongs to, and the assessor who named it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from doxeval.core.quick_class import dataclass


@dataclass(eq=False)
class Labels:
    """Names for each row, empty where it has none.

    The places of one `set` answer a topic together, and any one set is enough; those without one belong to
    every set. `assessor` is the person, or the reference, that a place comes from.
    """

    set: np.ndarray
    assessor: np.ndarray

    def __len__(self) -> int:
        return len(self.set)

    @classmethod
    def none(cls, rows: int) -> Labels:
        """Rows without labels."""
        return cls(np.full(rows, "", dtype=object), np.full(rows, "", dtype=object))

    @classmethod
    def joined(cls, *parts: tuple[Labels | None, int]) -> Labels | None:
        """Concatenate labels, each with its number of rows; parts without labels have empty rows."""
        if all(labels is None for labels, _ in parts):
            return None
        filled = [labels or cls.none(rows) for labels, rows in parts]
        return cls(
            np.concatenate([labels.set for labels in filled]),
            np.concatenate([labels.assessor for labels in filled]),
        )

    def take(self, rows: np.ndarray) -> Labels:
        """The labels of some rows, by index in the order given, or by a mask."""
        return Labels(self.set[rows], self.assessor[rows])

    def of(self, row: int) -> dict[str, str]:
        """The labels that a row has, by the keys of native lines."""
        told = {"set": self.set[row], "assessor": self.assessor[row]}
        return {key: name for key, name in told.items() if name}


def labels_in(*parts: Labels | None) -> Iterator[Labels]:
    """The labels that there are."""
    return (part for part in parts if part is not None)
