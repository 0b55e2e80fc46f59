"""How many chunks a second are placed, and what scoring a retriever costs: seconds of one core."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable

from benchmarks.harness import ROOT, markdown, verdict

DOCUMENTS, WORDS, CHUNKS, SIZE, SEED = 1_000, 3_000, 4_000, 800, 14
QUESTIONS, ANSWERS = 10_000, 20
HEADER = "Document: a handbook, chapter 7\n\n"
GOALS = {
    "exact, in a known document": 20_000,
    "white space folded, in a known document": 20_000,
    "with a header, in a known document": 2_000,
    "exact, in any of 1,000 documents": 200,
    "with a header, in any of 1,000 documents": 200,
}
SECONDS = 3.0
"""For all answers to all questions, with offsets."""


def time_all() -> dict[str, float]:
    """Chunks a second of each kind, and the seconds of scoring a retriever."""
    import doxeval as dx
    from doxeval.core.notices import Notices
    from doxeval.io.placing.place_chunks import Chunk, place_chunks

    draw = random.Random(SEED)
    words = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=draw.randrange(2, 9))) for _ in range(5000)]
    texts = {f"d{at}": " ".join(draw.choices(words, k=WORDS)) for at in range(DOCUMENTS)}
    names = list(texts)

    def some(known: bool, change: Callable[[str], str], count: int, among: int) -> list[Chunk]:
        found = []
        for _ in range(count):
            name = names[draw.randrange(among)]
            start = draw.randrange(len(texts[name]) - SIZE)
            found.append(Chunk(change(texts[name][start : start + SIZE]), (name,) if known else ()))
        return found

    def rate(chunks: list[Chunk]) -> float:
        documents = dx.read_documents([{"doc": name, "text": text} for name, text in texts.items()])
        place_chunks(chunks[:20], [""] * 20, documents, Notices(), "warm")
        begin = time.process_time()
        place_chunks(chunks, [""] * len(chunks), documents, Notices(), "run")
        return len(chunks) / (time.process_time() - begin)

    kinds = {
        "exact, in a known document": (True, lambda text: text, 5 * CHUNKS, 50),
        "white space folded, in a known document": (
            True,
            lambda text: text.replace(" ", "\n"),
            5 * CHUNKS,
            50,
        ),
        "with a header, in a known document": (True, lambda text: HEADER + text, CHUNKS, 50),
        "exact, in any of 1,000 documents": (False, lambda text: text, 1000, DOCUMENTS),
        "with a header, in any of 1,000 documents": (False, lambda text: HEADER + text, 1000, DOCUMENTS),
    }
    rates = {name: rate(some(*kind)) for name, kind in kinds.items()}
    documents = dx.read_documents([{"doc": name, "text": texts[name]} for name in names[:100]])
    questions = {f"q{at}": f"what is {at}?" for at in range(QUESTIONS)}
    answers = {}
    for wording in questions.values():
        places = [(draw.choice(names[:100]), draw.randrange(10_000)) for _ in range(ANSWERS)]
        answers[wording] = [
            {"doc": name, "start": start, "end": start + SIZE, "text": texts[name][start : start + SIZE]}
            for name, start in places
        ]
    gold = dx.read_assessments(
        [
            {
                "topic": topic,
                "doc": answers[wording][3]["doc"],
                "start": answers[wording][3]["start"],
                "end": answers[wording][3]["end"],
            }
            for topic, wording in questions.items()
        ]
    )
    begin = time.process_time()
    dx.score_retriever(
        lambda wording, k=ANSWERS: answers[wording], questions, gold, "iR@20 iP@5 IoU@5", documents
    )
    return rates | {"score_retriever": time.process_time() - begin}


def report() -> str:
    command = [sys.executable, "-m", "benchmarks.bench_placing"]
    answer = subprocess.run(command, check=True, cwd=ROOT, capture_output=True, text=True)
    found = json.loads(answer.stdout)
    rows = [
        [f"chunks {name}", f"{found[name]:,.0f} a second", verdict(goal, found[name])]
        for name, goal in GOALS.items()
    ]
    seconds = found["score_retriever"]
    told = f"`score_retriever`, {QUESTIONS:,} questions x {ANSWERS} chunks with offsets and text"
    rows.append([told, f"{seconds:.2f} s", verdict(seconds, SECONDS)])
    return "Placing chunks (800 characters each; seconds of one core)\n\n" + markdown(
        ["what", "measured", "goal"], rows
    )


if __name__ == "__main__":
    print(json.dumps(time_all()))
