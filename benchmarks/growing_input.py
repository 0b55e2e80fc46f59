"""Collections that grow in one way: topics, runs, results, documents, or the length of documents."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from benchmarks.harness import DATA, ROOT

WORDS_OF_A_QUOTE = 8
MOST_LINES, MOST_WORDS = 1_000_000, 6_000_000


@dataclass(frozen=True)
class Shape:
    """How much there is of everything; `length` is that of a document in words."""

    topics: int = 80
    runs: int = 4
    results: int = 20
    documents: int = 300
    length: int = 600

    def grown(self, way: str, times: int) -> Shape:
        """The same with several times as much of one thing."""
        return replace(self, **{way: getattr(self, way) * times})

    @property
    def fits(self) -> bool:
        """Whether it is not too large to be made and read in a benchmark."""
        lines = self.topics * self.runs * self.results
        return lines <= MOST_LINES and self.documents * self.length <= MOST_WORDS


WAYS = tuple(asdict(Shape()))
"""What can grow."""
TINY = Shape(6, 3, 2, 5, 60)
"""Next to nothing: what a command takes for it is its start."""
RUNS = "runs"
"""Stands for the files of all runs."""
FILES = (
    "documents.jsonl", "answers.jsonl", "others.jsonl", "quotes.jsonl", "cited.jsonl", "chunks.jsonl",
    "steps.jsonl", RUNS,
)  # fmt: skip


def made(shape: Shape, names: Collection[str]) -> Path:
    """The folder of a collection with the files named: each is written once, the same for the same shape.

    They are written in a process of its own: this one stays small (see :mod:`benchmarks.harness`).
    """
    folder = DATA / ("growth-" + "-".join(map(str, asdict(shape).values())))
    missing = sorted(name for name in names if not (folder / f"{name}.complete").exists())
    if missing:
        words = [*map(str, asdict(shape).values()), *missing]
        subprocess.run([sys.executable, "-m", __name__, str(folder), *words], check=True, cwd=ROOT)
    return folder


class Collected:
    """A collection of some shape: documents of random words, and what each file says about them."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        draw = random.Random(3)
        words = ["".join(draw.choices("etaoinshrdlu", k=draw.randint(3, 9))) for _ in range(5_000)]
        self.texts = [" ".join(draw.choices(words, k=shape.length)) + "." for _ in range(shape.documents)]
        self.sizes = [len(text) for text in self.texts]
        self.draw = draw

    def write(self, folder: Path, name: str) -> None:
        """Write one of the files, or those of all runs."""
        self.draw.seed(name)
        if name == RUNS:
            settings = [f"run{run:03d},{run % 2},{run // 2}" for run in range(self.shape.runs)]
            (folder / "runs.csv").write_text("\n".join(["run,cut,size", *settings]) + "\n")
            for run in range(self.shape.runs):
                self.written(folder / f"run{run:03d}.jsonl", self.ranked('"rank"'))
        else:
            content: Callable[[], Iterable[str]] = {
                "documents.jsonl": self.documents, "answers.jsonl": self.places, "others.jsonl": self.places,
                "quotes.jsonl": self.quotes, "cited.jsonl": self.cited, "chunks.jsonl": self.chunks,
                "steps.jsonl": lambda: self.ranked('"action": "read", "step"'),
            }[name]  # fmt: skip
            self.written(folder / name, content())
        (folder / f"{name}.complete").touch()

    def written(self, path: Path, lines: Iterable[str]) -> None:
        with path.open("w") as stream:
            stream.writelines(f"{{{line}}}\n" for line in lines)

    def documents(self) -> Iterator[str]:
        return (f'"doc": "d{at}", "text": "{text}"' for at, text in enumerate(self.texts))

    def chunks(self) -> Iterator[str]:
        for at, size in enumerate(self.sizes):
            for start in range(0, size, 300):
                yield f'"doc": "d{at}", "start": {start}, "end": {min(start + 300, size)}'

    def place(self, topic: int, rank: int) -> str:
        doc = (7 * topic + int(self.draw.random() * (4 * rank + 4))) % self.shape.documents
        start = int(self.draw.random() * max(1, self.sizes[doc] - 120))
        end = min(start + 120, self.sizes[doc])
        return f'"topic": "t{topic}", "doc": "d{doc}", "start": {start}, "end": {end}'

    def places(self) -> Iterator[str]:
        return (self.place(topic, 1) for topic in range(self.shape.topics) for _ in range(5))

    def ranked(self, number: str) -> Iterator[str]:
        for topic in range(self.shape.topics):
            for rank in range(self.shape.results):
                yield f"{self.place(topic, rank)}, {number}: {rank + 1}"

    def quoted(self) -> Iterator[tuple[int, int, str]]:
        for topic in range(self.shape.topics):
            for _ in range(5):
                doc = topic * 7 % self.shape.documents
                held = self.texts[doc].split(" ")
                first = self.draw.randrange(max(1, len(held) - WORDS_OF_A_QUOTE))
                yield topic, doc, " ".join(held[first : first + WORDS_OF_A_QUOTE]).rstrip(".")

    def quotes(self) -> Iterator[str]:
        return (
            f'"topic": "t{topic}", "doc": "d{doc}", "quote": "{told}"' for topic, doc, told in self.quoted()
        )

    def cited(self) -> Iterator[str]:
        for topic, _, told in self.quoted():
            yield f'"topic": "t{topic}", "answer": "It says \\"{told}\\" [1]."'


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    collected = Collected(Shape(*map(int, sys.argv[2:7])))
    for wanted in sys.argv[7:]:
        collected.write(target, wanted)
