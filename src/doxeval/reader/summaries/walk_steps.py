"""Single steps between classes of nodes, or nodes: the matrix that a navigation model is made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from doxeval.core.ragged import quotient, sums_by
from doxeval.core.records import rendered
from doxeval.core.table import Table, shown

STEP_COLUMNS = ("from", "to", "weight", "p")
STATES_SHOWN = 30


@dataclass(eq=False)
class WalkSteps:
    """Steps from state `source[i]` to state `target[i]`: their weight, and their chance from the source.

    States have `names`, and the short `labels` of the papers; `steady` is pi of the walk, if it has one.
    """

    labels: Sequence[str]
    names: Sequence[str]
    source: np.ndarray
    target: np.ndarray
    weight: np.ndarray
    chance: np.ndarray
    steady: np.ndarray | None = None

    @classmethod
    def of_weights(
        cls, labels: Sequence[str], names: Sequence[str], source: np.ndarray, target: np.ndarray,
        weight: np.ndarray, steady: np.ndarray | None = None,
    ) -> WalkSteps:  # fmt: skip
        """Steps whose chances are their shares of all weight that leaves their source."""
        keys, place = np.unique(source * max(1, len(names)) + target, return_inverse=True)
        source, target = np.divmod(keys, max(1, len(names)))
        weight = sums_by(place, weight, len(keys))
        leaving = sums_by(source, weight, len(names))
        return cls(labels, names, source, target, weight, quotient(weight, leaving[source]), steady)

    def _each(self) -> Iterator[tuple[int, int, float, float]]:
        columns = (self.source, self.target, self.weight, self.chance)
        yield from zip(*(column.tolist() for column in columns), strict=True)

    def rendered(self, form: str, most: int = STATES_SHOWN) -> bytes:
        """The matrix as a table, of `most` states, or one row per step, of all, as `csv` or `jsonl`."""
        steps = (
            (self.names[source], self.names[target], *numbers) for source, target, *numbers in self._each()
        )
        return rendered(
            form,
            lambda: [dict(zip(STEP_COLUMNS, step, strict=True)) for step in steps],
            lambda: [self.table(most)],
            STEP_COLUMNS,
        )

    def table(self, most: int = STATES_SHOWN) -> Table:
        """The matrix as the papers print it, such as 2 (0.6667); of many states those most often left."""
        leaving = sums_by(self.source, self.weight, len(self.names))
        states = np.sort(np.argsort(-leaving, kind="stable")[:most]).tolist()
        place = {state: at for at, state in enumerate(states)}
        labels, names = ([column[state] for state in states] for column in (self.labels, self.names))
        cells = [["0"] * len(states) for _ in states]
        for source, target, weight, chance in self._each():
            if source in place and target in place:
                cells[place[source]][place[target]] = f"{number(weight)} ({number(chance)})"
        body = [[label, *row] for label, row in zip(labels, cells, strict=True)]
        header = ["from", *labels]
        if self.steady is not None:
            header.append("pi")
            body = [[*row, number(pi)] for row, pi in zip(body, self.steady[states].tolist(), strict=True)]
        left = len(self.names) - len(states)
        more = [f"... and {left:,} more, which csv and jsonl have too"] if left else []
        return Table(header, body, 1, [*explained(labels, names), *more])


def explained(labels: Sequence[str], names: Sequence[str]) -> list[str]:
    """The meaning of short labels, one per line; nothing where they are the names of nodes."""
    pairs = zip(labels, names, strict=True)
    return [f"{label} = {name}" for label, name in pairs if label != name and not name.endswith(f": {label}")]


def number(value: float) -> str:
    """A weight or a chance: whole numbers as such, others as in every table."""
    return f"{value:,.0f}" if value == round(value) else shown(value)


def class_labels(count: int) -> list[str]:
    """The numbers of classes as the papers write them: S1, S2, ..."""
    return [f"S{at}" for at in range(1, count + 1)]
