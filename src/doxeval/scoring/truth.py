"""What runs are scored against, as it was given: the ground truth can be prepared from it in either unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from doxeval.ground.conventions import Conventions
from doxeval.ground.ground import Ground, prepare_ground
from doxeval.ground.unit import note_unit

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
