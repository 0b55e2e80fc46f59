"""The demonstration: our own documentation, questions about it, highlighted answers, and six systems.

`documents/` is the documentation itself. `questions.jsonl` holds the questions with their answers' wording;
`answers.jsonl` and `runs/` are made from it by ``python -m doxeval.demo.build``.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent
DOCUMENTS = FOLDER / "documents"
QUESTIONS = FOLDER / "questions.jsonl"
ANSWERS = FOLDER / "answers.jsonl"
RUNS = FOLDER / "runs"
