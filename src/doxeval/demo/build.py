"""Make the demo's assessments and runs again, after an edit: ``python -m doxeval.demo.build``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from doxeval import read_documents
from doxeval.demo import ANSWERS, DOCUMENTS, QUESTIONS, RUNS
from doxeval.demo.search import SYSTEMS, run_lines


def texts() -> dict[str, str]:
    """The documents by their ids."""
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(DOCUMENTS.glob("*.md"))}


def questions() -> list[dict[str, Any]]:
    """The questions, each with the wording of its answers."""
    return [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]


def locate(text: str, quote: str, where: str) -> tuple[int, int]:
    """The place of a quotation; it must occur in exactly one place."""
    if text.count(quote) != 1:
        raise SystemExit(
            f"{where}: expected once in the document, found {text.count(quote)} times: {quote!r}"
        )
    start = text.index(quote)
    return start, start + len(quote)


def answer_lines() -> list[dict[str, Any]]:
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


def files() -> dict[Path, str]:
    """Every generated file, with its content."""
    documents = read_documents(DOCUMENTS)
    tables = {ANSWERS: answer_lines()}
    for name, cutting in SYSTEMS.items():
        tables[RUNS / f"{name}.jsonl"] = run_lines(documents, cutting, questions())
    return {path: "".join(json.dumps(line) + "\n" for line in lines) for path, lines in tables.items()}


if __name__ == "__main__":
    RUNS.mkdir(exist_ok=True)
    for path, content in files().items():
        path.write_text(content, encoding="utf-8")
