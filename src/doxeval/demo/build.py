"""Make the demo's assessments and runs again: ``python -m doxeval.demo.build``, after an edit of its texts.

The systems differ in nothing but what they return: all rank their units by the same plain BM25. None of
this is used by the rest of the package.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from doxeval.demo import ANSWERS, DOCUMENTS, QUESTIONS, RUNS

RESULTS = 10
K1, B = 1.2, 0.75
WORD = re.compile(r"[a-z0-9]+")
HEADING = re.compile(r"^#+ ", re.MULTILINE)
PARAGRAPH = re.compile(r"\S.*?(?=\n\n|\Z)", re.DOTALL)
SENTENCE = re.compile(r"\S.*?(?:[.?!:](?=\s)|(?=\n\n)|\Z)", re.DOTALL)

Extent = tuple[int, int]


def whole(text: str) -> list[Extent]:
    """The document as one unit."""
    return [(0, len(text))]


def sections(text: str) -> list[Extent]:
    """From each heading to the next one."""
    starts = [match.start() for match in HEADING.finditer(text)]
    return list(zip(starts, [*starts[1:], len(text)], strict=True))


def windows(size: int, step: int) -> Callable[[str], list[Extent]]:
    """Windows of `size` characters that begin every `step` characters."""
    return lambda text: [(start, min(start + size, len(text))) for start in range(0, len(text), step)]


def matches(pattern: re.Pattern[str]) -> Callable[[str], list[Extent]]:
    """Every place where the pattern matches."""
    return lambda text: [match.span() for match in pattern.finditer(text)]


SYSTEMS: dict[str, Callable[[str], list[Extent]]] = {
    "documents": whole,
    "sections": sections,
    "paragraphs": matches(PARAGRAPH),
    "sentences": matches(SENTENCE),
    "chunks-400": windows(400, 400),
    "overlapping-800": windows(800, 400),
}


def texts() -> dict[str, str]:
    """The documents by their ids."""
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(DOCUMENTS.glob("*.md"))}


def questions() -> list[dict]:
    """The questions, each with the wording of its answers."""
    return [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]


def locate(text: str, quote: str, where: str) -> Extent:
    """Where a quotation stands; it must stand in exactly one place."""
    if text.count(quote) != 1:
        raise SystemExit(
            f"{where}: expected once in the document, found {text.count(quote)} times: {quote!r}"
        )
    start = text.index(quote)
    return start, start + len(quote)


def answer_lines() -> list[dict]:
    """The assessments: highlighted ranges, and the documents in which nothing answers the question."""
    collection, lines = texts(), []
    for question in questions():
        topic, answered = question["topic"], set()
        for answer in question["answers"]:
            doc = answer["doc"]
            start, end = locate(collection[doc], answer["quote"], f"{topic}, {doc}")
            lines.append({"topic": topic, "doc": doc, "start": start, "end": end})
            answered.add(doc)
        lines += [{"topic": topic, "doc": doc} for doc in collection if doc not in answered]
    return lines


def words(text: str) -> list[str]:
    """Lower-case words without a plural's ending."""
    return [word.removesuffix("s") for word in WORD.findall(text.lower())]


def run_lines(split: Callable[[str], list[Extent]]) -> list[dict]:
    """The best units for each question by BM25 (k1 = 1.2, b = 0.75)."""
    collection = texts()
    units = [(doc, *extent) for doc, text in collection.items() for extent in split(text)]
    counts = [Counter(words(collection[doc][start:end])) for doc, start, end in units]
    sizes = [count.total() for count in counts]
    mean_size = sum(sizes) / len(sizes)
    holders = Counter(word for count in counts for word in count)
    lines = []
    for question in questions():
        asked = {
            word: math.log(1 + (len(units) - holders[word] + 0.5) / (holders[word] + 0.5))
            for word in dict.fromkeys(words(question["question"]))
        }
        scored = []
        for unit, count, size in zip(units, counts, sizes, strict=True):
            damping = K1 * (1 - B + B * size / mean_size)
            score = sum(
                weight * count[word] * (K1 + 1) / (count[word] + damping) for word, weight in asked.items()
            )
            scored.append((-round(score, 4), *unit))
        for rank, (score, doc, start, end) in enumerate(sorted(scored)[:RESULTS], start=1):
            lines.append(
                {
                    "topic": question["topic"],
                    "doc": doc,
                    "rank": rank,
                    "score": -score,
                    "start": start,
                    "end": end,
                }
            )
    return lines


def files() -> dict[Path, str]:
    """Every file that is made, with its content."""
    tables = {ANSWERS: answer_lines()}
    tables |= {RUNS / f"{name}.jsonl": run_lines(split) for name, split in SYSTEMS.items()}
    return {path: "".join(json.dumps(line) + "\n" for line in lines) for path, lines in tables.items()}


if __name__ == "__main__":
    RUNS.mkdir(exist_ok=True)
    for path, content in files().items():
        path.write_text(content, encoding="utf-8")
