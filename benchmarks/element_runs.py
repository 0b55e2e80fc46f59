"""INEX-size element runs on documents with trees, seeded: what the measures of near misses are timed on.

``python -m benchmarks.element_runs FOLDER`` writes them; :func:`element_size` does so once.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.harness import DATA, ROOT

TOPICS, RESULTS, ASSESSED, RELEVANT, POOL, NODES, RUNS = 107, 1500, 300, 100, 20_000, 80, 20
SEED = 2006


class ElementInput:
    """Where the files are."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.docs = folder / "documents.dox"
        self.qrels = folder / "qrels.txt"

    def runs(self, count: int) -> list[Path]:
        return [self.folder / f"run{number:02d}.fol" for number in range(count)]


def element_size() -> ElementInput:
    """The input, made if it is not there or was made differently."""
    folder = DATA / "element-size"
    stamp = folder / f"{TOPICS}-{RESULTS}-{ASSESSED}-{RELEVANT}-{POOL}-{NODES}-{RUNS}-{SEED}"
    if not stamp.exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "benchmarks.element_runs", folder], check=True, cwd=ROOT)
        stamp.touch()
    return ElementInput(folder)


def tree(random: Any) -> Any:
    """One article: sections of paragraphs, NODES nodes; parents, tags, starts and ends."""
    parent, tag, start, end, at = [-1], [0], [0], [0], 0
    while len(parent) < NODES:
        section = len(parent)
        parent.append(0)
        tag.append(1)
        start.append(at)
        end.append(at)
        for _ in range(min(int(random.integers(3, 12)), NODES - len(parent))):
            length = int(random.integers(40, 600))
            parent.append(section)
            tag.append(2)
            start.append(at)
            end.append(at + length)
            at += length
        at += 20
        end[section] = at
    end[0] = at
    return parent, tag, start, end


def write(target: ElementInput) -> None:
    """Write documents, assessments and runs; relevant are stretches of paragraphs, results are elements."""
    import numpy as np

    from doxeval.io.documents.index import index

    random = np.random.default_rng(SEED)
    trees = [tree(random) for _ in range(200)]
    shape = random.integers(0, len(trees), size=POOL)
    tags = ["article", "sec", "p"]
    native = target.folder / "documents.jsonl"
    import json

    shapes = []
    for parent, tag, start, end in trees:
        nodes = [
            {"id": f"n{at}", "parent": f"n{up}" if up >= 0 else None, "tag": tags[kind], "start": a, "end": b}
            for at, (up, kind, a, b) in enumerate(zip(parent, tag, start, end, strict=True))
        ]
        shapes.append(f'"length": {end[0]}, "nodes": {json.dumps(nodes)}}}\n')
    with native.open("w") as stream:
        for number, one in enumerate(shape):
            stream.write(f'{{"doc": "{number}", {shapes[one]}')
    index([str(native)], target.docs, jobs=2, text=False)
    native.unlink()
    columns = [[np.array(column) for column in one] for one in trees]
    assessed = [random.choice(POOL, size=ASSESSED, replace=False) for _ in range(TOPICS)]
    with target.qrels.open("w") as stream:
        for topic, chosen in enumerate(assessed, 1):
            for number, doc in enumerate(chosen):
                start, end = columns[shape[doc]][2], columns[shape[doc]][3]
                shown = ""
                relevant = 0
                if number < RELEVANT:
                    for first in np.unique(random.integers(1, NODES // 8, size=random.integers(1, 4))) * 8:
                        a, b = int(start[first - 7]) + 5, int(end[first - 2])
                        if b > a:
                            shown += f" {a}:{b - a}"
                            relevant += b - a
                stream.write(f"{topic} Q0 {doc} {relevant} {end[0]} 0{shown}\n")
    for path in target.runs(RUNS):
        with path.open("w") as stream:
            for topic, chosen in enumerate(assessed, 1):
                found = np.concatenate(
                    [
                        random.choice(chosen, size=RESULTS // 3),
                        random.choice(POOL, size=RESULTS - RESULTS // 3),
                    ]
                )
                random.shuffle(found)
                node = random.integers(0, NODES, size=RESULTS)
                for rank, (doc, at) in enumerate(zip(found.tolist(), node.tolist(), strict=True), 1):
                    start, end = columns[shape[doc]][2][at], columns[shape[doc]][3][at]
                    stream.write(
                        f"{topic} Q0 {doc} {rank} {1000 - rank / 2} {path.stem} {start} {end - start}\n"
                    )


if __name__ == "__main__":
    write(ElementInput(Path(sys.argv[1])))
