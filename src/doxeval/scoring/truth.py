"""The truth that runs are scored against, as it was given: assessments, documents, chunks of each run.

The ground can be prepared from it in either unit. Where no measure is named, those that suit it are scored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.grammar import Call
from doxeval.core.parameters import Called, unstated_sizes
from doxeval.core.quick_class import dataclass
from doxeval.ground.aligned import Conventions
from doxeval.ground.ground import CHUNKS_BY_NAME, RETRIEVED, Ground, prepare_ground
from doxeval.ground.need_sets import has_sets
from doxeval.ground.scoped import assessments_by_topic
from doxeval.ground.text_unit import note_unit
from doxeval.io.read import read_chunks, read_documents
from doxeval.io.source import Source
from doxeval.tables.places import AREA, CHARACTERS
from doxeval.tables.runs import WHOLE, Chunks

if TYPE_CHECKING:
    from doxeval.io.documents.git import GitDocuments
    from doxeval.measurement.base import Measure
    from doxeval.tables.assessments import Assessments
    from doxeval.tables.documents import Documents

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
            from doxeval.ground.retrieved_references import referenced

            assessments, documents, references = referenced(self.assessments)
        if self.level is None:
            ground = prepare_ground(assessments, documents, self.chunks, self.highlighted, unit, by_name=True)
            note_unit(unit, self.unit is not None, ground.notices, assessments.grid)
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

    def of_assessor(self, name: str) -> Truth:
        """The truth by one assessor alone."""
        return replace(self, assessments=self.assessments.of_assessor(name))

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
    if documents is None:
        return None
    from doxeval.io.documents.gitfiles import is_git

    if not is_git(documents):
        return read_documents(documents)
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


CHUNK_KEYS = {"doc", "start", "end"}


def chunks_by_run(given: Any) -> dict[str, Chunks] | None:
    """Chunks by the name of their run: of a file its own name, else the name in a mapping, else empty.

    >>> row = {"doc": "d1", "start": 0, "end": 9}
    >>> list(chunks_by_run({"small": [row], "large": [row]})), list(chunks_by_run([row]))
    (['small', 'large'], [''])
    """
    if given is None:
        return None
    if isinstance(given, Mapping) and not set(given) >= CHUNK_KEYS:
        return {str(name): read_chunks(chunks) for name, chunks in given.items()}
    several = isinstance(given, list | tuple) and given and all(isinstance(one, str | Path) for one in given)
    found: dict[str, Chunks] = {}
    for one in given if several else [given]:
        name = Source(one).stem if isinstance(one, str | Path) else ""
        if name in found:
            raise UsageError(f"{one}: two files of chunks are named {name}; {CHUNKS_BY_NAME}")
        found[name] = read_chunks(one)
    return found


def check_chunks(runs: Sequence[str], chunks: Mapping[str, Chunks]) -> None:
    """Refuse runs without chunks of their own; a single run may have the only ones, whatever their name."""
    missing = [name for name in runs if name not in chunks]
    if missing and not len(runs) == len(chunks) == 1:
        raise UsageError(f"there are no chunks of {', '.join(map(repr, missing))}; {CHUNKS_BY_NAME}")


FOR_TEXT = {
    "characters": "iR@2000c AiP iP@5 iR@5 IoU@5",
    "lines": "iR@100l AiP iP@5 iR@5 IoU@5",
    "seconds": "Hit(iou=0.5)@1 IoUAP(iou=0.5) iP@1 iR@5",
    "area": "Hit(iou=0.5)@5 iP@5 iR@5 IoU@5",
}
FOR_NEEDS = "NeedRecall@5 Complete@5"
FOR_NODES = "nXCG@10 AEP"
FOR_DOCUMENTS = "nDCG@10 AP P@5 R@10"


def usual_measures(ground: Ground) -> str:
    """Measures that suit the assessments; the choice and its reason are among what is noticed of them."""
    measures, reason = suiting(ground)
    ground.notices.add(
        f"no measure was named, and {reason}: scored by {measures} (-m names others)", harmless=True
    )
    return measures


def suiting(ground: Ground) -> tuple[str, str]:
    """The measures that suit the assessments, the one to lead by first, and the reason."""
    if ground.degrees and ground.highlighted is None:
        return FOR_NODES, f"the assessments judge nodes by {ground.degrees}"
    if _judges_whole_documents(ground):
        return FOR_DOCUMENTS, "the assessments judge whole documents"
    if has_sets(ground):
        return f"{FOR_TEXT[ground.unit]} {FOR_NEEDS} SetRecall@5", "the assessments highlight sets of places"
    if ground.unit_aspects is not None:
        return f"{FOR_TEXT[ground.unit]} {FOR_NEEDS}", "the assessments highlight text and name needs"
    return FOR_TEXT[ground.unit], "the assessments highlight text"


def _judges_whole_documents(ground: Ground) -> bool:
    """Whether whatever is relevant is so from the start of its document to the end."""
    if (ground.unit_end == WHOLE).any():
        return True
    length = ground.length[ground.assessments.pair_doc[ground.unit_pair]]
    whole = (ground.unit_start == 0) & (ground.unit_end == length)
    return bool(len(whole)) and bool(np.all(whole))
