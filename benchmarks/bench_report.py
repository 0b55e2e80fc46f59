"""The report of 500 topics and 2,000 documents: its size, its time, and which heavy packages it imports."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from benchmarks.harness import DATA, DOXEVAL, ROOT, Command, best, markdown

TOPICS, DOCUMENTS, RUNS, RESULTS, WORDS = 500, 2_000, 3, 10, 900
HEAVY = ("scipy", "polars", "pandas", "matplotlib")


def collection() -> Path:
    """Documents of words as frequent as in a language, three answers a topic, three runs of ten results."""
    import numpy as np

    folder = DATA / f"report-{TOPICS}-{DOCUMENTS}"
    if (folder / "answers.jsonl").exists():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(17)
    letters = np.array(list("etaoinshrdlucmfwypvbgk"))
    words = ["".join(random.choice(letters, size)) for size in random.integers(2, 11, 8_000)]
    texts = [" ".join(words[int(at) % 8_000] for at in random.zipf(1.3, WORDS)) for _ in range(DOCUMENTS)]

    def written(name: str, rows: list[dict[str, object]]) -> None:
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))

    def place(topic: int) -> dict[str, object]:
        doc = (4 * topic + int(random.integers(0, 8))) % DOCUMENTS
        start = int(random.integers(0, len(texts[doc]) - 600))
        return {"topic": f"t{topic}", "doc": f"d{doc}", "start": start, "end": start + 400}

    written("documents.jsonl", [{"doc": f"d{at}", "text": text} for at, text in enumerate(texts)])
    for run in range(RUNS):
        written(
            f"run{run}.jsonl",
            [place(topic) | {"rank": rank + 1} for topic in range(TOPICS) for rank in range(RESULTS)],
        )
    written("answers.jsonl", [place(topic) for topic in range(TOPICS) for _ in range(3)])
    return folder


def report() -> str:
    data = collection()
    target = data / "report.html"
    command: Command = [
        *DOXEVAL, "report", *sorted(data.glob("run*.jsonl")), "-q", data / "answers.jsonl",
        "-d", data / "documents.jsonl", "-m", "AiP iP@5 iR@5 IoU@5", "-o", target, "--quiet",
    ]  # fmt: skip
    taken = best({"report": command}, 3)["report"]
    timed = [sys.executable, "-X", "importtime", *command[1:]]
    told = subprocess.run(timed, cwd=ROOT, capture_output=True, text=True, check=True).stderr
    imported = {line.rpartition("|")[2].strip() for line in told.splitlines()}
    heavy = [name for name in HEAVY if name in imported]
    row = [f"{TOPICS} topics, {DOCUMENTS:,} documents, {RUNS} runs", f"{target.stat().st_size / 1e6:.1f}",
           f"{taken.cpu:.1f}", ", ".join(heavy) or "none"]  # fmt: skip
    return "## The report\n\n" + markdown(["report of", "MB", "s of CPU", "heavy imports"], [row])
