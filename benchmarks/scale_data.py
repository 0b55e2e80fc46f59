"""Input for the benchmarks of scale, made once: many runs of INEX size, a large collection of XML archives.

``python -m benchmarks.scale_data runs COUNT`` and ``... documents COUNT`` write it, each by itself.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.harness import DATA, ROOT
from benchmarks.synthetic import POOL, RESULTS, SEED, TOPICS, inex_size

SYSTEMS = 20
BLOCKS_PER_ARCHIVE = 100


def many_runs(count: int) -> list[Path]:
    """Run files on the assessments of :func:`benchmarks.synthetic.inex_size`."""
    inex_size()
    return sorted(_made("runs", count).glob("*.fol"))


def collection(documents: int) -> Path:
    """A folder: XML documents in `docs`, assessments, and runs of systems that found something in them."""
    return _made("documents", documents)


def _made(what: str, count: int) -> Path:
    folder = DATA / f"scale-{what}-{count}"
    if not (folder / "complete").exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "benchmarks.scale_data", what, str(count)]
        subprocess.run(command, check=True, cwd=ROOT)
        (folder / "complete").touch()
    return folder


def write_runs(folder: Path, count: int) -> None:
    """Runs as those of :mod:`benchmarks.synthetic`, a third of the results in assessed documents."""
    import numpy as np
    import polars as pl

    from doxeval import read_assessments

    qrels = read_assessments(inex_size().qrels)
    names = np.array(list(qrels.docs))
    random = np.random.default_rng([SEED, 8])
    strangers = np.array([f"x{number}" for number in range(POOL)])
    pool = np.concatenate([names, strangers])
    lengths = np.concatenate([np.maximum(100, qrels.length), random.integers(1_000, 30_000, size=POOL)])
    topic = np.repeat(np.array(qrels.topics), RESULTS)
    rank = np.tile(np.arange(1, RESULTS + 1), TOPICS)
    for number in range(count):
        found = []
        for at in range(TOPICS):
            assessed = qrels.pair_doc[qrels.pair_offset[at] : qrels.pair_offset[at + 1]]
            third = random.choice(assessed, size=RESULTS // 3)
            rest = random.integers(0, len(pool), size=RESULTS - RESULTS // 3)
            found.append(random.permutation(np.concatenate([third, rest])))
        doc = np.concatenate(found)
        offset = (random.random(len(doc)) * lengths[doc]).astype(np.int64)
        size = np.minimum(random.integers(50, 4_000, size=len(doc)), lengths[doc] - offset)
        columns = {
            "topic": topic, "q0": np.full(len(doc), "Q0"), "doc": pool[doc], "rank": rank,
            "score": 1000 - rank / 2, "run": np.full(len(doc), f"s{number}"),
            "offset": offset, "length": size,
        }  # fmt: skip
        frame = pl.DataFrame(columns)
        frame.write_csv(folder / f"s{number:04d}.fol", include_header=False, separator=" ")


def write_documents(folder: Path, count: int) -> None:
    """Articles of 79 nodes and 7,000 characters on average, as INEX's Wikipedia of 2006 had them."""
    from doxeval.lab.synthesis.collection import Shape
    from doxeval.lab.synthesis.making import write_all
    from doxeval.lab.synthesis.systems import spread_systems

    shape = Shape(documents=count, document_length=3_500, paragraph_length=120, text=True)
    (folder / "docs").mkdir(exist_ok=True)
    for first in range(0, shape.blocks, BLOCKS_PER_ARCHIVE):
        with tarfile.open(folder / "docs" / f"part{first:05d}.tar", "w") as archive:
            for block in range(first, min(shape.blocks, first + BLOCKS_PER_ARCHIVE)):
                _add_block(archive, shape, block)
    trees = replace(shape, text=False)
    write_all(folder / "task", trees, spread_systems(SYSTEMS, SEED), SEED, form="inex", documents="")


def _add_block(archive: tarfile.TarFile, shape: Any, block: int) -> None:
    from doxeval.lab.synthesis.collection import make_block

    documents = make_block(shape, SEED, block)
    assert documents.text is not None
    tag, depth = documents.tag.tolist(), documents.depth.tolist()
    start, end = documents.start.tolist(), documents.end.tolist()
    bounds = documents.node_offset.tolist()
    for at, name in enumerate(documents.ids):
        text = documents.text[at]
        open_tags: list[str] = []
        parts: list[str] = []
        place = 0
        for node in range(bounds[at], bounds[at + 1]):
            while len(open_tags) >= depth[node]:
                parts.append(f"</{open_tags.pop()}>")
            name_of = documents.tags[tag[node]]
            if name_of in ("p", "title", "name"):
                parts.append(f"<{name_of}>{text[start[node] : end[node]]}</{name_of}>")
                place = end[node]
            else:
                parts.append(f"<{name_of}>")
                open_tags.append(name_of)
        assert place == len(text)
        while open_tags:
            parts.append(f"</{open_tags.pop()}>")
        content = "".join(parts).encode()
        member = tarfile.TarInfo(f"{name}.xml")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))


if __name__ == "__main__":
    what, count = sys.argv[1], int(sys.argv[2])
    target = DATA / f"scale-{what}-{count}"
    {"runs": write_runs, "documents": write_documents}[what](target, count)
