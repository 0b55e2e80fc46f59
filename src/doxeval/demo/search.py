"""The demo's search engine: BM25 of the library bm25s over units of any size."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from doxeval.core.errors import MissingExtra
from doxeval.io.write import chunk_rows
from doxeval.rag.chunk import Cutting, cut_all
from doxeval.tables.documents import Documents

RESULTS = 10
K1, B = 1.2, 0.75
WORD = re.compile(r"[a-z0-9]+")

SYSTEMS = {
    "documents": Cutting("document"),
    "sections": Cutting("section"),
    "paragraphs": Cutting("paragraph"),
    "sentences": Cutting("sentence"),
    "chunks-400": Cutting("size", 400),
    "overlapping-800": Cutting("size", 800, 400),
}
"""What each system returns; they differ in nothing else."""


def words(text: str) -> list[str]:
    """Lower-case words without a plural's ending."""
    return [word.removesuffix("s") for word in WORD.findall(text.lower())]


def run_lines(
    documents: Documents, cutting: Cutting, questions: Iterable[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The best units for each question; ties are broken by document and place."""
    try:
        import bm25s
    except ImportError:
        raise MissingExtra("demo", "searching the demo's documents anew") from None
    units = list(chunk_rows(documents, cut_all(documents, cutting)))
    engine = bm25s.BM25(k1=K1, b=B, method="lucene")
    engine.index([words(unit["text"]) for unit in units], show_progress=False)
    lines = []
    for question in questions:
        scores = engine.get_scores(list(dict.fromkeys(words(question["question"]))))
        ranked = sorted(
            (-round(float(score), 4), unit["doc"], unit["start"], unit["end"])
            for score, unit in zip(scores, units, strict=True)
        )
        for rank, (score, doc, start, end) in enumerate(ranked[:RESULTS], start=1):
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
