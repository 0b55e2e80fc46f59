"""A collection like that of the demo, drawn once and for all, in which everything awkward happens.

Documents of several formats are nested, hold text that is no ASCII, repeat each other, or are empty; topics
have several relevant parts, which touch or overlap, or none; runs have ties, repetitions, gaps, results in
documents that do not exist, topics that nobody asked, and topics left out.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import doxeval as dx

WORDS = (
    "red", "green", "blue", "light", "button", "wait", "press", "twice", "then", "never", "always", "naïve",
    "café", "日本語", "𝔘nit", "e\u0301tude", "x1", "3.5", "re-read", "it's", "(so)", "system", "result",
    "reader", "passage", "chapter", "The", "A", "In", "On", "Every",
)  # fmt: skip
TOPICS = [f"q{number:02}" for number in range(1, 16)]
NAMES = ("d1", "d2", "d10", "naïve", "p.1", "empty", "code", "page", "tree", "plain", "again", "long")
SYSTEMS: dict[str, dict[str, Any]] = {
    "chunks-400": {"size": 400}, "documents": {"cut": "document"},
    "overlapping-800": {"size": 800, "overlap": 400}, "paragraphs": {"cut": "paragraph"},
    "sections": {"cut": "paragraph", "size": 900}, "sentences": {"cut": "sentence"},
}  # fmt: skip
"""The systems of the demo, and how each cuts documents here."""
Row = dict[str, Any]


def write_collection(folder: Path) -> Path:
    """Write documents, runs, answers and questions as the demo has them; return the folder."""
    dice = random.Random(11)
    (folder / "runs").mkdir(parents=True)
    write_documents(folder / "documents", dice)
    documents = dx.read_documents(folder / "documents")
    answers, questions = drawn_answers(documents, dice)
    write_rows(folder / "answers.jsonl", answers)
    write_rows(folder / "questions.jsonl", questions)
    for name, rows in drawn_runs(documents, answers, dice):
        write_rows(folder / "runs" / f"{name}.jsonl", rows)
    return folder


def write_rows(path: Path, rows: list[Row]) -> None:
    """Write JSON Lines."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def sentence(dice: random.Random) -> str:
    """Some words and how they end."""
    return " ".join(dice.choices(WORDS, k=dice.randint(2, 14))) + dice.choice([".", ".", "?", "!", ":"])


def paragraph(dice: random.Random) -> str:
    """Some sentences, on one line or more."""
    return dice.choice([" ", " ", "\n"]).join(sentence(dice) for _ in range(dice.randint(1, 6)))


def write_documents(folder: Path, dice: random.Random) -> None:
    """Write documents of several formats."""
    folder.mkdir()
    last = ""
    for name in NAMES:
        parts = [paragraph(dice) for _ in range(dice.randint(3, 12) * (5 if name == "long" else 1))]
        if name == "empty":
            text, suffix = "", ".md"
        elif name == "again":
            text, suffix = last, ".md"
        elif name == "page":
            inside = "".join(f"<section><h2>{sentence(dice)}</h2><p>{part}</p></section>\n" for part in parts)
            text, suffix = f"<html><body><h1>{name}</h1>{inside}</body></html>", ".html"
        elif name == "tree":
            inside = "".join(f"<sec><st>{sentence(dice)}</st><p>{part}</p></sec>" for part in parts)
            text, suffix = f"<article><bdy>{inside}<sec>{inside}</sec></bdy></article>", ".xml"
        elif name == "code":
            lines = [f"def made_{at}(x):\n    # {sentence(dice)}\n    return x + {at}\n" for at in range(9)]
            text, suffix = "\n\n".join(["import os", *lines]), ".py"
        elif name == "plain":
            text, suffix = "\r\n\r\n".join(parts), ".txt"
        else:
            text, suffix = "".join(as_markdown(parts, dice)), ".md"
            last = text
        (folder / f"{name}{suffix}").write_bytes(text.encode())


def as_markdown(parts: list[str], dice: random.Random) -> Iterator[str]:
    """Paragraphs under headings of several depths, some of them lists, tables, quotes or code."""
    yield f"# {sentence(dice)}\n\n"
    for part in parts:
        if dice.random() < 0.5:
            yield f"{'#' * dice.randint(2, 4)} {sentence(dice)}\n\n"
        shape = dice.randrange(6)
        if shape == 0:
            yield "".join(f"- {line}\n" for line in part.splitlines()) + "\n"
        elif shape == 1:
            yield f"| a | b |\n|---|---|\n| {sentence(dice)} | 2 |\n\n"
        elif shape == 2:
            yield "".join(f"> {line}\n" for line in part.splitlines()) + "\n"
        elif shape == 3:
            yield f"```\n{part}\n```\n\n"
        else:
            yield f"{part}\n\n"


def drawn_answers(documents: dx.Documents, dice: random.Random) -> tuple[list[Row], list[Row]]:
    """Judged parts of each topic, and its question with some of them as quotes."""
    answers: list[Row] = []
    questions: list[Row] = []
    assert documents.text is not None
    written = [at for at, text in enumerate(documents.text) if len(text) > 100]
    for number, topic in enumerate(TOPICS):
        quotes = []
        for doc in dice.sample(written, dice.randint(1, 4)):
            text, name = documents.text[doc], documents.ids[doc]
            begin = 0
            for _ in range(dice.randint(1, 3)):
                if number == len(TOPICS) - 1 or begin + 5 >= len(text):
                    break
                start = min(len(text) - 5, begin + dice.choice([0, dice.randrange(len(text))]))
                end = min(len(text), start + dice.choice([5, 40, 200, 2000]))
                quotes.append({"doc": name, "quote": altered(text[start:end], dice)})
                answers.append({"topic": topic, "doc": name, "start": start, "end": end})
                begin = end
        seen = {row["doc"] for row in answers if row["topic"] == topic}
        looked_at = [name for name in dice.sample(documents.ids, 5) if name not in seen]
        answers += [{"topic": topic, "doc": name} for name in looked_at]
        questions.append({"topic": topic, "question": sentence(dice), "answers": quotes})
    return answers, questions


def altered(text: str, dice: random.Random) -> str:
    """A quote as people and models give it: whole, in other space and case, or with other words."""
    return dice.choice(
        [text, text, text.upper(), " ".join(text.split()), f"{text[: len(text) // 2]} so be it"]
    )


def drawn_runs(
    documents: dx.Documents, answers: list[Row], dice: random.Random
) -> Iterator[tuple[str, list[Row]]]:
    """The runs of six systems, which return parts of different sizes."""
    for name in SYSTEMS:
        parts = {doc: parts_of(documents, at, name) for at, doc in enumerate(documents.ids)}
        rows: list[Row] = []
        for topic in TOPICS:
            if name == "sentences" and topic in TOPICS[6:8]:
                continue
            relevant = [row for row in answers if row["topic"] == topic and "start" in row]
            rows += ranked(topic, parts, relevant, dice)
        if name == "overlapping-800":
            rows.append({"topic": "q99", "doc": "d1", "rank": 1, "score": 1.0, "start": 0, "end": 9})
            rows.append({"topic": "q01", "doc": "nowhere", "rank": 99, "score": -1.0, "start": 0, "end": 9})
        yield name, rows


def parts_of(documents: dx.Documents, doc: int, name: str) -> list[tuple[int, int]]:
    """The parts of a document that a system can return."""
    assert documents.text is not None
    alone = {documents.ids[doc]: documents.text[doc]}
    found = dx.chunk(alone, **SYSTEMS[name])
    return list(zip(found.start.tolist(), found.end.tolist(), strict=True))


def ranked(
    topic: str, parts: dict[str, list[tuple[int, int]]], relevant: list[Row], dice: random.Random
) -> Iterator[Row]:
    """A ranking that knows some of the answers, repeats itself, and has ties."""
    found: list[tuple[str, int, int]] = []
    for row in relevant:
        meeting = [at for at in parts[row["doc"]] if at[0] < row["end"] and row["start"] < at[1]]
        found += [(row["doc"], *at) for at in meeting if dice.random() < 0.4]
    docs = [doc for doc in parts if parts[doc]]
    for _ in range(dice.choice([1, 4, 9, 20])):
        doc = dice.choice(docs)
        found.append((doc, *dice.choice(parts[doc])))
    dice.shuffle(found)
    if dice.random() < 0.3:
        found.append(found[0])
    score = 9.0
    for rank, (doc, start, end) in enumerate(found, 1):
        score -= dice.choice([0, 0.5, 1.25])
        yield {"topic": topic, "doc": doc, "rank": rank, "score": score, "start": start, "end": end}
