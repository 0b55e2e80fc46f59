"""Documents and snippets as the scorer of BioASQ (task B, Phase A, 2022) compares them.

Offsets include their last character. Documents, and snippets in their average precision, are compared by the
whole address; in precision, recall and F1 of snippets the last part of the address counts.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from doxeval.core.errors import InputError
from doxeval.core.facts import once
from doxeval.core.notices import Notices
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.tables.file_text import FileText
from doxeval.tables.runs import Run

FORMATS = ("bioasq", "bioasq-documents")
MOST_ITEMS = 10
KEYS = ("document", "beginSection", "endSection", "offsetInBeginSection", "offsetInEndSection", "text")


class Snippet(NamedTuple):
    """A passage of a document, from an offset in one section to one in another or the same."""

    address: str
    sections: tuple[str, str]
    first: int
    last: int

    @property
    def size(self) -> int:
        """The number of characters."""
        return self.last - self.first + 1

    @property
    def number(self) -> str:
        """The last part of the address."""
        return self.address.rstrip("/").rpartition("/")[2]

    def meets(self, other: Snippet) -> bool:
        """Whether they have a character in common, provided that they are of the same document."""
        alike = self.sections == other.sections
        alike |= self.sections[0] == "0" and other.sections[0] == "abstract"
        return alike and self.first <= other.last and other.first <= self.last

    def shared(self, other: Snippet) -> int:
        """The number of characters in common."""
        common = min(self.last, other.last) - max(self.first, other.first) + 1
        return common if self.meets(other) else 0

    def covering(self, other: Snippet) -> Snippet:
        """The snippet that covers both."""
        return self._replace(first=min(self.first, other.first), last=max(self.last, other.last))


@dataclass(eq=False)
class Question:
    """The documents of a question, each once, and its snippets, both in order."""

    documents: Sequence[str] = ()
    snippets: Sequence[Snippet] = ()


Questions = dict[str, Question]


class BioasqFigures(NamedTuple):
    """The figures of one question; average precision is `gains` by the number `wanted`."""

    precision: float = 0.0
    recall: float = 0.0
    f1: float = 0.0
    gains: float = 0.0
    wanted: int = 0


class AnswerFigures:
    """The figures printed: a value for each question, 0 for one that the submission leaves out."""

    def __init__(self, questions: Sequence[BioasqFigures | None]) -> None:
        self.notices = Notices()
        self.present = np.array([question is not None for question in questions], dtype=bool)
        columns = np.array([question or BioasqFigures() for question in questions], dtype=np.float64)
        self.precision, self.recall, self.f1, self._gains, self._wanted = columns.reshape(-1, 5).T

    def average(self, divisor: str) -> np.ndarray:
        """Average precision, by the smaller of ten and the number wanted (`"least"`), or by `"ten"`."""
        wanted = (
            np.minimum(MOST_ITEMS, self._wanted)
            if divisor == "least"
            else np.full(len(self._wanted), MOST_ITEMS)
        )
        return self._gains / np.maximum(wanted, 1)


def score_answers(run: Run, aligned: Aligned, snippets: bool) -> AnswerFigures:
    """The figures of the snippets or the documents of a submission."""
    gold, given = gold_questions(aligned.ground), questions_in(run.written, run.source or run.name)
    score = _score_snippets if snippets else _score_documents
    asked = ((gold.get(name, Question()), given.get(name)) for name in aligned.ground.topics)
    return AnswerFigures([None if answer is None else score(wanted, answer) for wanted, answer in asked])


def _score_documents(gold: Question, given: Question) -> BioasqFigures:
    if not given.documents:
        return BioasqFigures(wanted=len(gold.documents))
    hits = np.array([document in gold.documents for document in given.documents])
    so_far = hits.cumsum() / np.arange(1, len(hits) + 1)
    precision, recall = float(so_far[-1]), hits.sum() / len(gold.documents) if gold.documents else 0.0
    return BioasqFigures(precision, recall, _f1(precision, recall), so_far[hits].sum(), len(gold.documents))


def _score_snippets(gold: Question, given: Question) -> BioasqFigures:
    wanted, found = united(gold.snippets), united(given.snippets)
    if not found:
        return BioasqFigures(wanted=len(wanted))
    shared = sum(one.shared(other) for one in found for other in wanted if one.number == other.number)
    sizes = [sum(snippet.size for snippet in snippets) for snippets in (found, wanted)]
    precision, recall = (shared / size if size else 0.0 for size in sizes)
    return BioasqFigures(precision, recall, _f1(precision, recall), _gains(wanted, found), len(wanted))


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision or recall else 0.0


def _gains(wanted: Sequence[Snippet], found: Sequence[Snippet]) -> float:
    """Precision so far, summed over the snippets in documents with wanted ones, whether they meet or not.

    The scorer has a condition that they meet, but a stray semicolon ends it.
    """
    gains, size, shared = 0.0, 0, 0
    for snippet in found:
        beside = [other for other in wanted if other.address == snippet.address]
        size += snippet.size
        shared += sum(snippet.shared(other) for other in beside)
        if beside:
            gains += shared / size if size else math.nan
    return gains


def united(snippets: Sequence[Snippet]) -> list[Snippet]:
    """Snippets with those that meet in the same sections of a document united, at the place of the first."""
    pieces: list[Snippet] = []
    for snippet in snippets:
        place = snippet.address, snippet.sections
        alike = (number for number, piece in enumerate(pieces) if (piece.address, piece.sections) == place)
        met = [number for number in alike if pieces[number].meets(snippet)]
        for number in met:
            snippet = snippet.covering(pieces[number])
        first = met[0] if met else len(pieces)
        pieces = [piece for number, piece in enumerate(pieces) if number not in met]
        pieces.insert(first, snippet)
    return pieces


@once
def gold_questions(ground: Ground) -> Questions:
    """The questions of the gold."""
    return questions_in(ground.assessments.written, ground.assessments.source or "the assessments")


def questions_in(written: FileText | None, name: str) -> Questions:
    """The questions in a file, of two with the same id the first."""
    if written is None or written.format not in FORMATS:
        raise InputError(f"{name}: the official scorer of BioASQ reads only its own JSON; give such a file")
    found: Questions = {}
    for record in json.loads(written.text)["questions"]:
        place = f"{name}: question {record['id']}"
        if _has_plain_answers(record):
            raise InputError(
                f"{place}: the official scorer breaks off at an exact answer that is a list of texts; it "
                "expects a list of lists"
            )
        documents = list(dict.fromkeys(record.get("documents") or ()))
        snippets = [_snippet(snippet, place) for snippet in record.get("snippets") or ()]
        found.setdefault(str(record["id"]), Question(documents, snippets))
    return found


def _has_plain_answers(record: dict[str, Any]) -> bool:
    answers = record.get("exact_answer")
    return isinstance(answers, list) and bool(answers) and isinstance(answers[0], str)


def _snippet(record: dict[str, Any], place: str) -> Snippet:
    """A snippet; of the name of a section what follows the first dot counts."""
    if unknown := [key for key in record if key not in KEYS]:
        raise InputError(f"{place}: the official scorer breaks off at the key {unknown[0]!r} of a snippet")
    names = (str(record.get(key, "")) for key in ("beginSection", "endSection"))
    begin, end = (name[name.find(".") + 1 :] for name in names)
    offsets = (int(record.get(key, 0)) for key in ("offsetInBeginSection", "offsetInEndSection"))
    return Snippet(record.get("document", ""), (begin, end), *offsets)
