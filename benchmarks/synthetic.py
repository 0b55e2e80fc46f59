"""INEX-size input, seeded: assessments and runs in INEX form, and the same lines for TREC tools.

``python -m benchmarks.synthetic FOLDER NAMES TOPICS`` writes it; :func:`inex_size` does so once, in a process
of its own.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness import DATA, ROOT

TOPICS, RESULTS, ASSESSED, RELEVANT, POOL, RUNS = 107, 1500, 300, 100, 60_000, 20
SEED = 2009
NAMES = {"long": "tk/2003/article-{:08d}", "short": "{}"}
"""How documents are called: as in the collections of journals, and as in Wikipedia."""


@dataclass(frozen=True)
class Input:
    """Where the files are."""

    folder: Path

    @property
    def qrels(self) -> Path:
        return self.folder / "qrels.txt"

    @property
    def trec_qrels(self) -> Path:
        return self.folder / "qrels.trec"

    def runs(self, count: int) -> list[Path]:
        return [self.folder / f"run{number:02d}.fol" for number in range(count)]

    def trec_runs(self, count: int) -> list[Path]:
        return [path.with_suffix(".trec") for path in self.runs(count)]


def inex_size(names: str = "short", topics: int = TOPICS) -> Input:
    """The input, made if it is not there or was made differently."""
    folder = DATA / f"inex-size-{names}{'' if topics == TOPICS else f'-{topics}'}"
    stamp = folder / f"{topics}-{RESULTS}-{ASSESSED}-{RELEVANT}-{POOL}-{RUNS}-{SEED}"
    if not stamp.exists():
        folder.mkdir(parents=True, exist_ok=True)
        words = [str(folder), names, str(topics)]
        subprocess.run([sys.executable, "-m", "benchmarks.synthetic", *words], check=True, cwd=ROOT)
        stamp.touch()
    return Input(folder)


def write(target: Input, names: str, count: int) -> None:
    """Write assessments and runs; a document has one length wherever it occurs."""
    import numpy as np

    random = np.random.default_rng(SEED)
    numbers = random.choice(26_661_900, size=POOL, replace=False)
    documents = [NAMES[names].format(number) for number in numbers]
    lengths = random.integers(1_000, 30_000, size=POOL)
    topics = [2_009_001 + number for number in range(count)]
    assessed = [random.choice(POOL, size=ASSESSED, replace=False) for _ in topics]
    with target.qrels.open("w") as inex, target.trec_qrels.open("w") as trec:
        for topic, chosen in zip(topics, assessed, strict=True):
            for number, at in enumerate(chosen):
                passages = int(random.integers(1, 4)) if number < RELEVANT else 0
                ends = np.sort(random.choice(lengths[at], size=2 * passages, replace=False)).tolist()
                ranges = [(begin, end - begin) for begin, end in zip(ends[::2], ends[1::2], strict=True)]
                relevant = sum(length for _, length in ranges)
                bep = ranges[0][0] if ranges else 0
                shown = "".join(f" {begin}:{length}" for begin, length in ranges)
                inex.write(f"{topic} Q0 {documents[at]} {relevant} {lengths[at]} {bep}{shown}\n")
                trec.write(f"{topic} 0 {documents[at]} {min(1, passages)}\n")
    for fol, twin in zip(target.runs(RUNS), target.trec_runs(RUNS), strict=True):
        with fol.open("w") as inex, twin.open("w") as trec:
            for topic, chosen in zip(topics, assessed, strict=True):
                third = RESULTS // 3
                found = np.concatenate(
                    [random.choice(chosen, size=third), random.choice(POOL, size=RESULTS - third)]
                )
                random.shuffle(found)
                offset = (random.random(RESULTS) * lengths[found]).astype(np.int64)
                size = np.minimum(random.integers(50, 4_000, size=RESULTS), lengths[found] - offset)
                columns = zip((documents[at] for at in found), offset.tolist(), size.tolist(), strict=True)
                for rank, (document, begin, length) in enumerate(columns, start=1):
                    line = f"{topic} Q0 {document} {rank} {1000 - rank / 2} {fol.stem}"
                    inex.write(f"{line} {begin} {length}\n")
                    trec.write(f"{line}\n")


if __name__ == "__main__":
    write(Input(Path(sys.argv[1])), sys.argv[2], int(sys.argv[3]))
