"""What runs are scored against, as it was given: the ground truth can be prepared from it in either unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from doxeval.core.errors import UsageError
from doxeval.core.grammar import Call
from doxeval.core.parameters import Called, unstated_sizes
from doxeval.ground.conventions import Conventions
from doxeval.ground.ground import Ground, prepare_ground
from doxeval.ground.unit import note_unit
from doxeval.tables.unit import CHARACTERS

if TYPE_CHECKING:
    from doxeval.tables.assessments import Assessments
    from doxeval.tables.chunks import Chunks
    from doxeval.tables.documents import Documents


@dataclass(frozen=True, eq=False)
class Truth:
    """Assessments, documents and chunks, and how they count; without a `unit`, as the assessments give text."""

    assessments: Assessments
    documents: Documents | None
    chunks: Chunks | None
    highlighted: str | None
    unit: str | None
    conventions: Conventions

    def ground(self) -> Ground:
        """The ground truth, by the conventions of the task if there is one."""
        unit = self.unit or self.assessments.unit
        ground = prepare_ground(self.assessments, self.documents, self.chunks, self.highlighted, unit)
        note_unit(unit, self.unit is not None, ground.notices)
        if self.conventions.task is None:
            return ground
        from doxeval.ground.tasks.presets import ground_of_task

        return ground_of_task(ground, self.conventions)


def check_sizes(called: Called, call: Call, typed: str, unit: str) -> None:
    """Refuse a measure or model with a default in characters where text is counted in another unit."""
    unstated = [] if unit == CHARACTERS else list(unstated_sizes(called, call, typed))
    if unstated:
        raise UsageError(
            f"{typed!r}: text is counted in {unit}, but the default of {' and of '.join(unstated)} is a number "
            f"of characters; give it in {unit}"
        )
