"""TREC files made of real runs: equal to ir_measures and trec_eval, with no documents given."""

from __future__ import annotations

from pathlib import Path

import pytest

import doxeval as dx
from tests.measurement.test_documents import assert_equal_to_ir_measures

ir_measures = pytest.importorskip("ir_measures")

NAMES = [
    "AP", "AP@10", "nDCG", "nDCG@10", "P@10", "R@100", "RR", "Rprec", "Bpref", "infAP", "NumQ", "NumRet",
    "NumRel", "NumRelRet", "SetP", "SetR", "SetF", "SetAP", "Success@5", "IPrec@0.1", "ERR@10",
]  # fmt: skip


def documents_of(run: Path, folder: Path) -> Path:
    """The documents of a run of passages, each at its first line and with that line's score."""
    seen: dict[tuple[str, str], str] = {}
    for line in run.read_text().splitlines():
        topic, _, doc, _, score, tag, *_ = line.split()
        seen.setdefault((topic, doc), f"{score} {tag}")
    rank: dict[str, int] = {}
    path = folder / f"{run.stem}.trec"
    with path.open("w") as stream:
        for (topic, doc), rest in seen.items():
            rank[topic] = rank.get(topic, 0) + 1
            stream.write(f"{topic} Q0 {doc} {rank[topic]} {rest}\n")
    return path


@pytest.fixture
def qrels(reference: Path, tmp_path: Path) -> Path:
    path = tmp_path / "inex.qrels"
    fields = [line.split() for line in (reference / "data/inex0910/qrels.txt").read_text().splitlines()]
    path.write_text("".join(f"{row[0]} 0 {row[2]} {int(int(row[3]) > 0)}\n" for row in fields))
    return path


@pytest.mark.parametrize("name", ["bert", "passages"])
def test_real_runs_are_scored_as_by_ir_measures(
    reference: Path, tmp_path: Path, qrels: Path, name: str
) -> None:
    run = documents_of(reference / f"data/inex0910/{name}.fol", tmp_path)
    assert assert_equal_to_ir_measures(run, qrels, NAMES, rank_by="score") == 120 * len(NAMES)


def test_ties_make_the_order_of_ranks_another_one_and_that_is_told(
    reference: Path, tmp_path: Path, qrels: Path
) -> None:
    run = documents_of(reference / "data/inex0910/passages.fol", tmp_path)
    by_rank = dx.evaluate(run, qrels, "AP")
    by_score = dx.evaluate(run, qrels, "AP", rank_by="score")
    assert (by_rank.runs[0].values != by_score.runs[0].values).sum() == 8
    assert "trec_eval" not in repr(by_score)
    assert "topics have documents with equal scores that trec_eval would put in another order" in repr(
        by_rank
    )
