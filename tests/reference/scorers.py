"""Official scorers as plain programs, character by character: small, slow, and independent of the package."""

from __future__ import annotations

import math
from collections.abc import Iterable

Passage = tuple[str, int, int]
"""A document, where a passage starts, and where it ends."""


def letters(passages: Iterable[Passage]) -> set[tuple[str, int]]:
    """The characters of passages."""
    return {(doc, at) for doc, start, end in passages for at in range(start, end)}


def touched(result: Passage, gold: list[tuple[Passage, frozenset[str]]]) -> int | None:
    """The first gold passage that shares a character with a result."""
    doc, start, end = result
    for number, ((other, begin, finish), _) in enumerate(gold):
        if doc == other and max(start, begin) < min(end, finish):
            return number
    return None


def genomics(results: list[Passage], gold: list[tuple[Passage, frozenset[str]]]) -> dict[str, float]:
    """What the scorer of the TREC Genomics track 2007 gives to one topic."""
    relevant = letters(passage for passage, _ in gold)
    documents = {doc for doc, _ in relevant}
    met: set[tuple[str, int]] = set()
    shown, earned = 0, 0.0
    for doc, start, end in results:
        for letter in ((doc, at) for at in range(start, end)):
            if letter in met:
                continue
            shown += 1
            if letter in relevant:
                met.add(letter)
                earned += len(met) / shown
    by_character = earned / len(relevant)

    hit, good, size, earned = set(), 0, 0, 0.0
    hits = 0
    for result in results:
        size += result[2] - result[1]
        number = touched(result, gold)
        if number is not None:
            (_, begin, finish), _ = gold[number]
            good += min(result[2], finish) - max(result[1], begin)
            hit.add(number)
            hits += 1
            earned += good / size
    by_passage = earned / (hits + len(gold) - len(hit))

    known: set[str] = set()
    above, below, earned = 0, 0, 0.0
    for result in results:
        number = touched(result, gold)
        if number is None:
            below += 1
        elif new := gold[number][1] - known:
            above, below = above + 1, below + 1
            earned += len(new) * above / below
            known |= new
    by_aspect = earned / len(frozenset().union(*(aspects for _, aspects in gold)))

    ranked = list(dict.fromkeys(doc for doc, _, _ in results))
    found = [rank for rank, doc in enumerate(ranked, start=1) if doc in documents]
    by_document = sum(count / rank for count, rank in enumerate(found, start=1)) / len(documents)
    return {"PASSAGE2": by_character, "PASSAGE": by_passage, "ASPECT": by_aspect, "DOCUMENT": by_document}


def chunk_evaluation(results: list[Passage], gold: list[Passage], chunks: list[Passage]) -> dict[str, float]:
    """What the evaluation of chunks gives to one question; `chunks` are all chunks of the collection."""
    relevant = letters(gold)
    gain = len(letters(results) & relevant)
    size = sum(end - start for _, start, end in results)
    best = letters(
        chunk
        for chunk in chunks
        if any(chunk[0] == doc and max(chunk[1], start) <= min(chunk[2], end) for doc, start, end in gold)
    )
    return {
        "recall": gain / len(relevant),
        "precision": gain / size if size else 0.0,
        "iou": gain / (size + len(relevant) - gain),
        "precision_omega": len(best & relevant) / len(best | relevant),
    }


def locagent(found: list[str], gold: set[str], k: int) -> dict[str, float]:
    """What LocAgent's scorer gives to one issue at a cut-off; its MAP is divided by k."""
    hits = [rank for rank, name in enumerate(found[:k], start=1) if name in gold]
    ideal = sum(1 / math.log2(1 + rank) for rank in range(1, min(k, len(gold)) + 1))
    return {
        "Acc": float(len(hits) == min(k, len(gold))),
        "NDCG": sum(1 / math.log2(1 + rank) for rank in hits) / ideal,
        "P": len(hits) / k,
        "Recall": len(hits) / len(gold),
        "MAP": sum(count / rank for count, rank in enumerate(hits, start=1)) / k,
    }
