"""Perturbations keep what they should keep, change what they should change, and measures notice."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import group
from doxeval.core.errors import UsageError
from doxeval.ground.align import align
from doxeval.ground.ground import prepare_ground
from doxeval.lab.perturbation.fidelity import fidelity, fidelity_look
from doxeval.lab.perturbation.perturbations import PERTURBATIONS, Strength, overlaps_earlier, perturbed
from doxeval.lab.synthesis.collection import Shape
from doxeval.lab.synthesis.making import synthesise
from doxeval.lab.synthesis.systems import System
from doxeval.scoring.evaluation import Evaluation
from doxeval.tables.runs import Run

REORDERING = ("relevant-up", "relevant-down", "leaves-up", "midbranch-up", "shuffled", "grouped")


@pytest.fixture(scope="module")
def material() -> Any:
    systems = [
        System("one", "element", overlap=0.3, results=60),
        System("two", "passage", overlap=0.3, results=60),
    ]
    return synthesise(Shape(documents=400, topics=3, pool=256), systems, 1)


def results(run: Run) -> Counter:
    """Topic, document and ranges of every result, with how often each occurs."""
    return Counter(
        (run.topics[run.topic[at]], run.docs[run.doc[at]], tuple(run.spans_of(at))) for at in range(len(run))
    )


@pytest.mark.parametrize("name", REORDERING)
@pytest.mark.parametrize("share", [1.0, 0.4])
def test_reordering_keeps_every_result(material: Any, name: str, share: float) -> None:
    documents, assessments, runs = material
    for run in runs:
        changed = perturbed(run, name, assessments, documents, Strength(share=share))
        assert results(changed) == results(run)
        assert changed.name == f"{run.name}-{name}"
        for topic in range(len(changed.topics)):
            assert changed.rank[changed.topic == topic].tolist() == list(range(1, 61))


def relevance(run: Run, material: Any) -> np.ndarray:
    documents, assessments, _ = material
    aligned = align(run, prepare_ground(assessments, documents))
    return aligned.relevant.reshape(len(assessments.topics), -1) > 0


def test_relevant_results_go_up_or_down_in_their_old_order(material: Any) -> None:
    _, assessments, runs = material
    before = relevance(runs[0], material)
    up = relevance(perturbed(runs[0], "relevant-up", assessments), material)
    down = relevance(perturbed(runs[0], "relevant-down", assessments), material)
    for was, first, last in zip(before, up, down, strict=True):
        count = was.sum()
        assert first[:count].all() and not first[count:].any()
        assert last[len(was) - count :].all() and not last[: len(was) - count].any()
    partly = relevance(perturbed(runs[0], "relevant-up", assessments, None, Strength(0.5)), material)
    assert before.cumsum(axis=1).sum() < partly.cumsum(axis=1).sum() < up.cumsum(axis=1).sum()


def test_leaves_and_midbranch_go_first(material: Any) -> None:
    documents, assessments, runs = material

    def is_leaf(run: Run, at: int) -> bool:
        doc = int(documents.codes([run.docs[run.doc[at]]])[0])
        _, nodes = documents.cover(np.array([doc]), run.start[at : at + 1], run.end[at : at + 1])
        return all(not len(documents.children(doc, int(node))) for node in nodes)

    for name, wanted in (("leaves-up", True), ("midbranch-up", False)):
        changed = perturbed(runs[0], name, assessments, documents)
        leaf = np.array([is_leaf(changed, at) for at in range(60)])
        turn = int((leaf == wanted).sum())
        assert 0 < turn < 60 and (leaf[:turn] == wanted).all()
    with pytest.raises(UsageError, match="needs the documents' trees"):
        perturbed(runs[0], "leaves-up", assessments)


def test_removing_overlap_leaves_none_and_keeps_the_first(material: Any) -> None:
    documents, assessments, runs = material
    for run in runs:
        changed = perturbed(run, "overlap-removed", assessments, documents)
        assert len(changed) < len(run) and results(changed) <= results(run)
        shown: dict[tuple, set[int]] = {}
        kept = []
        for at in range(len(run)):
            characters = {c for a, b in run.spans_of(at) for c in range(a, b)}
            seen = shown.setdefault((run.topic[at], run.doc[at]), set())
            if not characters & seen:
                kept.append(at)
                seen |= characters
        assert [run.spans_of(at) for at in kept] == [changed.spans_of(at) for at in range(len(changed))]
        ground = prepare_ground(assessments, documents)
        assert not overlaps_earlier(align(changed, ground)).any()


def test_duplicates_follow_what_they_repeat(material: Any) -> None:
    _, assessments, runs = material
    changed = perturbed(runs[0], "duplicated", assessments)
    assert results(changed) == Counter({key: 2 * count for key, count in results(runs[0]).items()})
    assert (changed.start[::2] == changed.start[1::2]).all()


@pytest.mark.parametrize(
    ("name", "low", "high"), [("shifted", 50, 50), ("widened", -50, 50), ("narrowed", 50, -50)]
)
def test_ranges_change_by_so_many_characters(material: Any, name: str, low: int, high: int) -> None:
    documents, assessments, runs = material
    changed = perturbed(runs[1], name, assessments, documents, Strength(characters=50))
    length = documents.length[runs[1].doc]
    inner = (runs[1].start >= 50) & (runs[1].end + 50 <= length) & (runs[1].end - runs[1].start > 100)
    assert inner.any()
    assert (changed.start - runs[1].start)[inner].tolist() == [low] * inner.sum()
    assert (changed.end - runs[1].end)[inner].tolist() == [high] * inner.sum()
    assert (
        (changed.start >= 0).all() and (changed.end <= length).all() and (changed.start <= changed.end).all()
    )
    if name == "narrowed":
        assert (changed.end > changed.start).all()


def test_grouping_and_clustering_by_document(material: Any) -> None:
    documents, assessments, runs = material
    grouped = perturbed(runs[1], "grouped", assessments)
    places = list(zip(grouped.topic.tolist(), grouped.doc.tolist(), strict=True))
    assert places == sorted(places, key=places.index)
    clustered = perturbed(runs[1], "clustered", assessments)
    once = perturbed(runs[1], "first-of-document", assessments)
    whole = perturbed(runs[1], "whole-documents", assessments, documents)
    assert clustered.doc.tolist() == once.doc.tolist() == whole.doc.tolist()
    assert len(clustered) == len(set(places))
    assert (whole.end == documents.length[whole.doc]).all()
    for at in range(len(clustered)):
        wanted = {
            c
            for row in range(len(grouped))
            if (grouped.topic[row], grouped.doc[row]) == (clustered.topic[at], clustered.doc[at])
            for a, b in grouped.spans_of(row)
            for c in range(a, b)
        }
        assert {c for a, b in clustered.spans_of(at) for c in range(a, b)} == wanted


def test_nodes_and_several_ranges_survive_reordering() -> None:
    extents = [(None, "a", 0, 30), (0, "p", 0, 10), (0, "p", 10, 30)]
    nodes = [dict(zip(("parent", "tag", "start", "end"), extent, strict=True)) for extent in extents]
    documents = dx.read_documents([{"doc": "d", "length": 30, "nodes": nodes}])
    run = dx.read_run(
        [
            {"topic": "t", "doc": "d", "rank": 1, "node": "/a[1]/p[1]"},
            {"topic": "t", "doc": "d", "rank": 2, "spans": [[0, 4], [12, 20]]},
            {"topic": "t", "doc": "d", "rank": 3, "node": "/a[1]/p[2]"},
        ]
    )
    assessments = dx.read_assessments([{"topic": "t", "doc": "d", "start": 25, "end": 30}])
    changed = perturbed(run, "relevant-up", assessments, documents)
    assert [changed.nodes.of(at) for at in range(3)] == [["/a[1]/p[2]"], ["/a[1]/p[1]"], []]
    assert changed.spans_of(2) == [(0, 4), (12, 20)]


def test_measures_notice_in_the_expected_direction(material: Any) -> None:
    documents, assessments, runs = material
    evaluation = Evaluation(assessments, ["AiP", "iP@10"], documents)
    look = fidelity_look(evaluation)
    found = fidelity(evaluation.scores(runs, look), look)
    assert found.values.shape == (2, 6, 6)
    assert (found.rho > 0.5).all() and (found.p < 0.01).all()
    original, up, down = (
        found.values[:, found.variants.index(v)] for v in ("original", "relevant-up", "relevant-down")
    )
    assert (up[0] >= original[0]).all() and (down[0] <= original[0]).all()
    assert "relevant-up > overlap-removed > original" in found.table().footer[0]
    assert "leaves-up" not in fidelity_look(Evaluation(assessments, "AiP")).variants


def test_the_command_writes_runs_that_can_be_read(tmp_path: Path, material: Any) -> None:
    (tmp_path / "run.fol").write_text("t Q0 d 1 2.0 s 0 10\nt Q0 d 2 1.0 s 10 10\n")
    (tmp_path / "qrels.txt").write_text("t Q0 d 5 40 0 12:5\n")
    arguments = [
        str(tmp_path / "run.fol"),
        "relevant-up",
        str(tmp_path / "up.fol"),
        "-q",
        str(tmp_path / "qrels.txt"),
    ]
    result = CliRunner().invoke(group, ["perturb", *arguments])
    assert result.exit_code == 0, result.output
    assert dx.read_run(tmp_path / "up.fol").start.tolist() == [10, 0]


@pytest.mark.parametrize("name", PERTURBATIONS)
def test_a_share_touches_less_than_all(material: Any, name: str) -> None:
    documents, assessments, runs = material

    def changed(share: float) -> list[tuple[str, str, list[tuple[int, int]]]]:
        run = perturbed(
            runs[1 if name != "overlap-removed" else 0], name, assessments, documents, Strength(share)
        )
        return [
            (run.topics[run.topic[at]], run.docs[run.doc[at]], run.spans_of(at)) for at in range(len(run))
        ]

    half = changed(0.5)
    assert half not in (changed(1.0), changed(1e-9))


@pytest.mark.parametrize("name", ["grouped", "clustered", "first-of-document", "whole-documents"])
def test_documents_that_are_not_touched_stay_as_they_are(material: Any, name: str) -> None:
    documents, assessments, runs = material
    nothing = perturbed(runs[1], name, assessments, documents, Strength(1e-9))
    assert results(nothing) == results(runs[1])
    assert (nothing.doc == runs[1].doc).all()


@pytest.mark.parametrize("target", ["up.fol", "up.txt", "up", "up.fol.gz", "up.jsonl", "up.parquet"])
def test_the_command_never_loses_ranges(tmp_path: Path, target: str) -> None:
    """Where the suffix names no format, that of the run is kept."""
    lines = "t Q0 d 1 2.0 s 0 10\nt Q0 d 2 1.0 s 10 10\n"
    (tmp_path / "run.fol").write_text(lines)
    (tmp_path / "qrels.txt").write_text("t Q0 d 5 40 0 12:5\n")
    words = ["relevant-up", str(tmp_path / target), "-q", str(tmp_path / "qrels.txt")]
    done = CliRunner().invoke(group, ["perturb", str(tmp_path / "run.fol"), *words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert dx.read_run(tmp_path / target).start.tolist() == [10, 0]


@pytest.mark.parametrize(
    ("name", "target", "told"),
    [("relevant-up", "up.run", "2 results are parts of documents, which trec-run cannot hold"),
     ("clustered", "up.fol", "1 result has several ranges, which inex-fol cannot hold")],
)  # fmt: skip
def test_a_format_that_cannot_hold_the_run_is_refused(
    tmp_path: Path, name: str, target: str, told: str
) -> None:
    (tmp_path / "run.fol").write_text("t Q0 d 1 2.0 s 0 10\nt Q0 d 2 1.0 s 20 10\n")
    (tmp_path / "qrels.txt").write_text("t Q0 d 5 40 0 12:5\n")
    words = [name, str(tmp_path / target), "-q", str(tmp_path / "qrels.txt")]
    done = CliRunner().invoke(group, ["perturb", str(tmp_path / "run.fol"), *words])
    assert done.exit_code != 0 and told in str(done.exception)
    assert not (tmp_path / target).exists()


def test_every_perturbation_is_listed() -> None:
    said = CliRunner().invoke(group, ["perturb", "--perturbations"]).output
    assert all(name in said for name in PERTURBATIONS)


def test_unknown_perturbations_are_explained(material: Any) -> None:
    _, assessments, runs = material
    with pytest.raises(UsageError, match="did you mean 'relevant-up'"):
        perturbed(runs[0], "relevant_up", assessments)
    with pytest.raises(UsageError, match="between 0 and 1"):
        Strength(share=0)
