"""What runs are scored against, as it was given: the ground truth can be prepared from it in either unit."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from doxeval.core.errors import UsageError
from doxeval.core.grammar import Call
from doxeval.core.parameters import Called, unstated_sizes
from doxeval.ground.conventions import Conventions
from doxeval.ground.ground import Ground, prepare_ground
from doxeval.ground.references import RETRIEVED, referenced
from doxeval.ground.scoped import assessments_by_topic
from doxeval.ground.unit import note_unit
from doxeval.io.documents.gitfiles import is_git
from doxeval.io.read import read_documents
from doxeval.tables.unit import AREA, CHARACTERS

if TYPE_CHECKING:
    from doxeval.io.documents.git import GitDocuments
    from doxeval.measurement.base import Measure
    from doxeval.tables.assessments import Assessments
    from doxeval.tables.documents import Documents
    from doxeval.tables.runs import Chunks

DISTANCES = re.compile(r"\b(?:t2i|readon|proximity|err)\b")


@dataclass(frozen=True)
class Truth:
    """Assessments, documents and chunks, and how they count; without a `unit`, as the assessments give text.

    Of documents in git repositories only those assessed or `retrieved` are read, given by topic and name.
    """

    assessments: Assessments
    documents: Documents | GitDocuments | str | None
    chunks: Mapping[str, Chunks] | None
    highlighted: str | None
    unit: str | None
    conventions: Conventions
    level: str | None = None
    retrieved: frozenset[tuple[str, str]] = frozenset()

    def ground(self) -> Ground:
        """The ground truth, by the conventions of the task if there is one."""
        unit = self.unit or self.assessments.unit
        assessments, documents, scope = self._read()
        references = None
        if unit == AREA and assessments.apart is not None:
            assessments = assessments.apart
        if self.documents == RETRIEVED:
            assessments, documents, references = referenced(self.assessments)
        if self.level is None:
            ground = prepare_ground(assessments, documents, self.chunks, self.highlighted, unit)
            note_unit(unit, self.unit is not None, ground.notices)
        else:
            from doxeval.ground.level import fold_ground

            ground = fold_ground(assessments, documents, self.level)
        ground.scope, ground.references = scope, references
        if self.conventions.task is None:
            return ground
        from doxeval.ground.tasks.presets import ground_of_task

        return ground_of_task(ground, self.conventions)

    def _read(self) -> tuple[Assessments, Documents | None, GitDocuments | None]:
        """Assessments and documents; from repositories those files that somebody asks for."""
        if not self.reads_on_demand:
            return self.assessments, cast("Documents | None", self.documents), None
        source = replace(cast("GitDocuments", self.documents), topics=self.assessments.attributes)
        assessments = assessments_by_topic(self.assessments, source.name_in)
        retrieved = (
            source.name_in(topic, doc) for topic, doc in sorted(self.retrieved) if topic in self._topics
        )
        return assessments, source.documents([*assessments.docs, *retrieved]), source

    @property
    def reads_on_demand(self) -> bool:
        """Whether documents are those of git repositories, read when they are asked for."""
        return hasattr(self.documents, "name_in")

    @property
    def _topics(self) -> set[str]:
        return set(self.assessments.topics)


def collection_of(documents: Any) -> Documents | GitDocuments | str | None:
    """The documents, if any; those of git repositories, and what was retrieved, are read when asked for."""
    if isinstance(documents, str) and documents == RETRIEVED:
        return RETRIEVED
    if documents is None or not is_git(documents):
        return None if documents is None else read_documents(documents)
    from doxeval.io.documents.git import GitDocuments

    return GitDocuments.of(documents)


def check_sizes(called: Called, call: Call, typed: str, unit: str) -> None:
    """Refuse a measure or model with a default in characters where text is counted in another unit.

    In area there are no distances: a page's rows are next to each other, and its cells are not.
    """
    if unit == AREA and (model := DISTANCES.search(str(call))):
        raise UsageError(f"{typed!r}: {model[0]} goes by distances, which pages measured in area do not have")
    unstated = [] if unit == CHARACTERS else list(unstated_sizes(called, call, typed))
    if unstated:
        raise UsageError(
            f"{typed!r}: text is counted in {unit}, but the default of {' and of '.join(unstated)} is a "
            f"number of characters; give it in {unit}"
        )


def refuse_documents_of_contexts(measure: Measure, ground: Ground) -> None:
    """Refuse a measure of documents where contexts are all the text there is."""
    if ground.references is not None and (measure.ranks_documents or not measure.reads_text):
        raise UsageError(
            f"{measure.label!r} counts documents, but with --docs {RETRIEVED} contexts are compared with "
            "references; leave out --docs to score the names of what was retrieved"
        )
