"""The demo's search engine: BM25 of the library bm25s over units of any size."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from doxeval import Documents, MissingExtra, chunk

RESULTS = 10
K1, B = 1.2, 0.75
WORD = re.compile(r"[a-z0-9]+")

SYSTEMS: dict[str, dict[str, Any]] = {
    "documents": {"cut": "document"},
    "sections": {"cut": "section"},
    "paragraphs": {"cut": "paragraph"},
    "sentences": {"cut": "sentence"},
    "chunks-400": {"size": 400},
    "overlapping-800": {"size": 800, "overlap": 400},
}
"""What each system returns; they differ in nothing else."""


def words(text: str) -> list[str]:
    """Lower-case words without a plural's ending."""
    return [word.removesuffix("s") for word in WORD.findall(text.lower())]


def run_lines(
    documents: Documents, cutting: dict[str, Any], questions: Iterable[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The best units for each question; ties are broken by document and place."""
    try:
        import bm25s
    except ImportError:
        raise MissingExtra("demo", "searching the demo's documents anew") from None
    units, texts = chunk(documents, **cutting), documents.text
    assert texts is not None
    places = list(zip(units.doc.tolist(), units.start.tolist(), units.end.tolist(), strict=True))
    engine = bm25s.BM25(k1=K1, b=B, method="lucene")
    engine.index([words(texts[doc][start:end]) for doc, start, end in places], show_progress=False)
    lines = []
    for question in questions:
        scores = engine.get_scores(list(dict.fromkeys(words(question["question"]))))
        ranked = sorted(
            (-round(float(score), 4), units.docs[doc], start, end)
            for score, (doc, start, end) in zip(scores, places, strict=True)
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
