"""Runs derived from real ones, the papers' tables that they allow, and elements made from highlights."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from doxeval.core.errors import InputError
from doxeval.core.grammar import parse_measure
from doxeval.core.ragged import OneEach
from doxeval.ground.ground import prepare_ground
from doxeval.io.read import read_assessments, read_run
from doxeval.lab.perturbation.perturbations import Strength, perturb
from doxeval.lab.studies.tasks import ESR_TASKS, PaperTable
from doxeval.reader.recall_base import assessed_nodes
from doxeval.tables.assessments import Assessments, JudgedNodes, Ranges
from doxeval.tables.documents import Documents
from doxeval.tables.runs import Names, Run

QRELS = "qrels.txt"
REAL_RUNS = ("passages.fol", "bert.fol", "overlap.fol")
WITHOUT_DOCUMENTS = ("AiP", "iP", "AgP", "ASRiP", "ASRiP2", "SRiP", "SRiP2")
DERIVATIONS = (
    ("relevant-up", Strength(share=0.1)),
    ("relevant-up", Strength(share=0.3)),
    ("relevant-down", Strength(share=0.3)),
    ("relevant-down", Strength(share=0.7)),
    ("shuffled", Strength(share=0.2)),
    ("shuffled", Strength(share=0.6)),
    ("shifted", Strength(characters=400)),
    ("widened", Strength(characters=500)),
    ("narrowed", Strength(characters=400)),
    ("duplicated", Strength(share=0.3)),
    ("whole-documents", Strength()),
)


def _possible(task: PaperTable) -> PaperTable | None:
    """The part of a task that needs no documents; None if nothing is left."""
    printed = {
        pair: values
        for pair, values in task.printed.items()
        if all(
            parse_measure(side[name]).call.name in WITHOUT_DOCUMENTS
            for side, name in zip((task.rows, task.columns), pair, strict=True)
        )
    }
    rows = {name: typed for name, typed in task.rows.items() if any(name == row for row, _ in printed)}
    columns = {name: typed for name, typed in task.columns.items() if any(name == col for _, col in printed)}
    return replace(task, rows=rows, columns=columns, printed=printed) if printed else None


REAL_TASKS = tuple(left for task in ESR_TASKS if (left := _possible(task)) is not None)


def derived_runs(folder: Path) -> tuple[Assessments, list[Run]]:
    """The assessments and runs of a folder, and runs made worse or better from each of them."""
    missing = [name for name in (QRELS, *REAL_RUNS) if not (folder / name).is_file()]
    if missing:
        raise InputError(
            f"{folder}: expected {QRELS} and {', '.join(REAL_RUNS)}; {', '.join(missing)} is missing"
        )
    assessments = read_assessments(folder / QRELS)
    runs = []
    for name in REAL_RUNS:
        original = read_run(folder / name)
        runs.append(original)
        for way, strength in DERIVATIONS:
            changed = perturb(original, way, assessments, None, strength)
            label = f"{strength.share:g}" if strength.share < 1 else str(strength.characters)
            runs.append(replace(changed, name=f"{original.name}-{way}-{label}"))
    return assessments, runs


def element_assessments(assessments: Assessments, documents: Documents) -> Assessments:
    """Every node that holds relevant text, judged by its specificity: the share of it that is relevant."""
    nodes = assessed_nodes(prepare_ground(assessments, documents))
    doc, node = nodes.trees.doc.tolist(), nodes.trees.node.tolist()
    names = [documents.path(*place) for place in zip(doc, node, strict=True)]
    judged = JudgedNodes(
        nodes.pair,
        Names(names, OneEach(len(names)).offset, np.arange(len(names))),
        nodes.specificity,
        [""] * len(names),
    )
    nothing = np.zeros(0, dtype=np.int64)
    return replace(assessments, ranges=Ranges(nothing, nothing, nothing, np.zeros(0)), nodes=judged)
