"""The demonstration: twelve pages about focused retrieval, questions, highlighted answers, and six systems.

`documents/` is a collection like any other: it began as pages of the documentation and stays as it is while
those change. `questions.jsonl` holds the questions with their answers' wording; `answers.jsonl` and `runs/`
are made from it by ``python -m doxeval.demo.build``.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent
DOCUMENTS = FOLDER / "documents"
QUESTIONS = FOLDER / "questions.jsonl"
ANSWERS = FOLDER / "answers.jsonl"
RUNS = FOLDER / "runs"
