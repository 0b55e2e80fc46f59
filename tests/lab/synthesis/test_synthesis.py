"""Synthetic collections: sound trees, the statistics promised, the same from the same seed, streamed."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import group
from doxeval.core.errors import UsageError
from doxeval.kernels import nodes as kernel
from doxeval.lab.synthesis.collection import BLOCK_DOCUMENTS, Shape, make_block
from doxeval.lab.synthesis.made_topics import make_topic
from doxeval.lab.synthesis.making import make_documents, make_topics, synthesise, write_all
from doxeval.lab.synthesis.systems import System, make_run, spread_systems

SMALL = Shape(documents=600, topics=3, pool=256)


def test_trees_are_sound() -> None:
    block = make_block(SMALL, 1, 0)
    misplaced = kernel.first_misplaced(block.node_offset, block.parent, block.start, block.end, block.length)
    assert (misplaced < 0).all()
    assert (kernel.depths(block.node_offset, block.parent) == block.depth).all()
    leaves = np.setdiff1d(
        np.arange(len(block.parent)),
        (np.repeat(block.node_offset[:-1], np.diff(block.node_offset)) + block.parent)[block.parent >= 0],
    )
    assert (block.end - block.start)[leaves].sum() == block.length.sum()
    assert block.path(0, 2) == "/article[1]/body[1]"


def test_lengths_are_as_ordered() -> None:
    shape = Shape(documents=2_048)
    lengths = make_documents(shape, 3).length
    assert np.median(lengths) == pytest.approx(shape.document_length, rel=0.1)
    assert np.log(lengths).std() == pytest.approx(shape.document_spread, rel=0.12)


def test_highlights_are_as_ordered() -> None:
    shape = Shape(documents=2_048, topics=30, pool=512)
    topics = list(make_topics(shape, 5))
    shares = [len(np.unique(topic.doc)) / len(topic.pool) for topic in topics]
    assert np.mean(shares) == pytest.approx(shape.relevant_share, rel=0.3)
    ranges = sum(len(topic.doc) for topic in topics) / sum(len(np.unique(topic.doc)) for topic in topics)
    assert 1.2 < ranges <= shape.ranges_per_document
    for topic in topics:
        assert (topic.start < topic.end).all() and (topic.end <= topic.pool.length[topic.doc]).all()


def test_relevant_text_in_ranges_is_counted_right() -> None:
    topic = make_topic(SMALL, 2, 0)
    random = np.random.default_rng(0)
    doc = random.choice(topic.doc, 40)
    bounds = np.sort(
        (random.random((40, 2)) * (topic.pool.length[doc] + 1)[:, None]).astype(np.int64), axis=1
    )
    found = topic.relevant_in(doc, bounds[:, 0], bounds[:, 1])
    for at in range(40):
        mask = np.zeros(topic.pool.length[doc[at]], dtype=bool)
        for d, start, end in zip(topic.doc, topic.start, topic.end, strict=True):
            if d == doc[at]:
                mask[start:end] = True
        assert found[at] == mask[bounds[at, 0] : bounds[at, 1]].sum()


def test_skill_shows_in_scores() -> None:
    systems = [System("random", skill=0), System("fair", skill=2), System("good", skill=5)]
    documents, assessments, runs = synthesise(SMALL, systems, 1)
    scores = dx.evaluate(runs, assessments, "AiP iP@10", documents)
    values = [scores.value(name, "AiP") for name in ("random", "fair", "good")]
    assert values == sorted(values) and values[2] > 2 * values[0]


def test_overlap_and_near_misses_are_what_they_say() -> None:
    systems = [System("clean"), System("overlapping", overlap=1.0), System("missing", near_miss=0.9, skill=5)]
    documents, assessments, runs = synthesise(SMALL, [*systems, System("exact", skill=5)], 1)
    scores = dx.evaluate(runs, assessments, "iP@10", documents)
    assert scores.value("missing", "iP@10") < scores.value("exact", "iP@10")
    from doxeval.ground.align import align
    from doxeval.ground.ground import prepare_ground
    from doxeval.lab.perturbation.perturbations import overlaps_earlier

    ground = prepare_ground(assessments, documents)
    shares = [overlaps_earlier(align(run, ground)).mean() for run in runs[:2]]
    assert shares[0] == 0 and shares[1] > 0.3


@pytest.mark.parametrize("granularity", ["article", "section", "element", "p", "passage"])
def test_every_granularity_returns_its_units(granularity: str) -> None:
    topic = make_topic(SMALL, 1, 0)
    run = make_run(System("s", granularity, results=50), topic, 1)
    assert len(run) == 50 and (run.start < run.end).all() and (run.end <= topic.pool.length[run.doc]).all()
    if granularity == "article":
        assert (run.end == topic.pool.length[run.doc]).all()
    if granularity == "passage":
        assert (run.end - run.start <= 1000).all()


def test_files_are_the_same_from_the_same_seed_and_equal_what_is_made_in_memory(tmp_path: Path) -> None:
    systems = spread_systems(2, 4, results=40)
    for name in ("a", "b"):
        write_all(tmp_path / name, SMALL, systems, seed=4)
    files = sorted(path.relative_to(tmp_path / "a") for path in (tmp_path / "a").rglob("*") if path.is_file())
    assert len(files) == 4
    for file in files:
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()
    documents, assessments, runs = synthesise(SMALL, systems, 4)
    memory = dx.evaluate(runs, assessments, "AiP iR@10", documents)
    folder = tmp_path / "a"
    disk = dx.evaluate(
        sorted((folder / "runs").iterdir()),
        folder / "assessments.jsonl",
        "AiP iR@10",
        folder / "documents.jsonl",
    )
    for before, after in zip(memory.runs, disk.runs, strict=True):
        assert np.array_equal(before.values, after.values)


def test_another_seed_makes_something_else() -> None:
    assert make_block(SMALL, 1, 0).length.tolist() != make_block(SMALL, 2, 0).length.tolist()


def test_a_block_does_not_depend_on_how_many_there_are() -> None:
    many = replace(SMALL, documents=5_000)
    assert make_block(SMALL, 1, 1).length.tolist() == make_block(many, 1, 1).length.tolist()
    assert len(make_block(SMALL, 1, 2)) == 600 - 2 * BLOCK_DOCUMENTS


def test_memory_does_not_grow_with_the_collection(tmp_path: Path) -> None:
    from doxeval.lab.synthesis.making import write_collection

    peaks = []
    for number, documents in enumerate((512, 2_560)):
        tracemalloc.start()
        write_collection(tmp_path / f"{number}.jsonl", replace(SMALL, documents=documents), 1)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0]


def test_the_command_writes_inex_files_with_text(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    options = [
        "--document-count",
        "300",
        "--topic-count",
        "2",
        "-f",
        "inex",
        "--docs-format",
        "dox",
        "--words",
    ]
    system = ["--system", "one(granularity=section,results=20)"]
    result = CliRunner().invoke(group, ["synth", str(folder), *options, *system])
    assert result.exit_code == 0, result.output
    documents = dx.read_documents(folder / "documents.dox")
    assert len(documents) == 300 and len(documents.text[0]) == documents.length[0]
    scores = dx.evaluate(folder / "runs" / "one.fol", folder / "qrels.txt", "AiP", documents)
    assert scores.names == ["one"] and len(scores.topics) == 2


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a(skil=1)", "unknown parameter 'skil'; did you mean 'skill'"),
        ("a(granularity=sektion)", "did you mean 'section'"),
        ("a(overlap=2)", "overlap must be between 0 and 1"),
        ("a(results=0)", "results must be at least 1"),
        ("a(skill=high)", "skill cannot be high"),
    ],
)
def test_wrong_systems_are_explained(text: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        System.parse(text)


def test_a_folder_in_use_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(UsageError, match="not empty"):
        write_all(tmp_path, SMALL, [System("a")], 0)
