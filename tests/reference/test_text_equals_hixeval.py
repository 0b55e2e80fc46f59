"""Text mode without navigation is HiXEval, on real runs."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

import doxeval as dx

PAIRS = {"SRiP": "iP", "SRiR": "iR"}


def check(runs: list[Path], qrels: Path, cutoffs: tuple[int, ...]) -> None:
    assert runs
    names = [f"{name}@{rank}" for pair in PAIRS.items() for name in pair for rank in cutoffs]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        scores = dx.evaluate([str(path) for path in runs], str(qrels), names)
    for structural, plain in PAIRS.items():
        for rank in cutoffs:
            one, other = (
                scores.per_topic.filter(measure=f"{name}@{rank}").sort("run", "topic")["value"].to_numpy()
                for name in (structural, plain)
            )
            assert len(one) and np.allclose(one, other, rtol=0, atol=1e-12, equal_nan=True)


def test_inex(reference: Path) -> None:
    folder = reference / "data" / "inex0910"
    check(sorted(folder.glob("*.fol")), folder / "qrels.txt", (1, 5, 20, 100))


def test_chunking(reference: Path) -> None:
    folder = reference / "data" / "chunking"
    check(sorted((folder / "runs").glob("*")), folder / "qrels.jsonl", (1, 3, 5, 10))
