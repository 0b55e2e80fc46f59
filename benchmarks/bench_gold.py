"""Gold files of benchmarks read as assessments and as documents, beside parsing their JSON."""

from __future__ import annotations

import json
import random
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.harness import markdown

SIZE, WORDS = 1500, 20
WITHOUT_DOCUMENTS = {"kilt", "scifact", "beir"}


def made() -> dict[str, bytes]:
    """A file of each format, of a few megabytes."""
    rng = random.Random(1)

    def sentence() -> str:
        return " ".join(f"w{rng.randrange(5000)}" for _ in range(WORDS)) + "."

    def listed(record: Callable[[int], Any], count: int) -> bytes:
        return json.dumps([record(number) for number in range(count)]).encode()

    def lines(record: Callable[[int], Any], count: int) -> bytes:
        return "".join(json.dumps(record(number)) + "\n" for number in range(count)).encode()

    def hotpotqa(number: int) -> Any:
        context = [[f"Title {number} {at}", [sentence() for _ in range(4)]] for at in range(10)]
        facts = [[context[at][0], rng.randrange(4)] for at in range(2)]
        return {"_id": f"h{number}", "question": sentence(), "answer": "x", "type": "bridge",
                "supporting_facts": facts, "context": context}  # fmt: skip

    def kilt(number: int) -> Any:
        place = {"title": "t", "start_paragraph_id": 3, "end_paragraph_id": 3, "start_character": 0}
        places = [place | {"wikipedia_id": str(rng.randrange(10**6))} for _ in range(4)]
        outputs = [{"answer": "x", "provenance": places[:2]}, {"answer": "y", "provenance": places[2:]}]
        return {"id": f"k{number}", "input": sentence(), "output": outputs}

    def scifact(number: int) -> Any:
        rationales = [{"sentences": [1, 2], "label": "SUPPORT"}, {"sentences": [5], "label": "SUPPORT"}]
        return {
            "id": number,
            "claim": sentence(),
            "evidence": {f"{number}": rationales},
            "cited_doc_ids": [number],
        }

    def locomo(number: int) -> Any:
        sessions = {
            f"session_{session}": [
                {"speaker": "A", "dia_id": f"D{session}:{turn}", "text": sentence()} for turn in range(1, 21)
            ]
            for session in range(1, 21)
        }
        asked = [{"question": sentence(), "evidence": ["D3:4"], "category": 1} for _ in range(100)]
        return {"sample_id": f"c{number}", "conversation": sessions, "qa": asked}

    def longmemeval(number: int) -> Any:
        sessions = [
            [{"role": "user", "content": sentence(), "has_answer": not at} for at in range(8)]
            for _ in range(40)
        ]
        names = [f"answer_{at}" for at in range(40)]
        return {"question_id": f"m{number}", "question": sentence(), "haystack_session_ids": names,
                "haystack_sessions": sessions, "answer_session_ids": names[:1]}  # fmt: skip

    def qasper(number: int) -> Any:
        sections = [
            {"section_name": f"S{at}", "paragraphs": [sentence() for _ in range(6)]} for at in range(8)
        ]
        evidence = [{"answer": {"evidence": [sections[at]["paragraphs"][2]]}} for at in range(2)]
        asked = [{"question": "?", "question_id": f"{number} {at}", "answers": evidence} for at in range(3)]
        return {"title": "t", "abstract": sentence(), "full_text": sections, "qas": asked}

    papers = json.dumps({f"p{number}": qasper(number) for number in range(SIZE // 5)}).encode()
    rows = "".join(f"q{rng.randrange(900)}\td{number}\t{rng.randrange(3)}\n" for number in range(60 * SIZE))
    return {
        "hotpotqa": listed(hotpotqa, SIZE // 5),
        "kilt": lines(kilt, 4 * SIZE),
        "qasper": papers,
        "scifact": lines(scifact, 6 * SIZE),
        "locomo": listed(locomo, SIZE // 150),
        "longmemeval": listed(longmemeval, SIZE // 25),
        "beir": f"query-id\tcorpus-id\tscore\n{rows}".encode(),
    }


def seconds(work: Callable[[], Any]) -> float:
    """Processor time of the better of two calls."""
    found = []
    for _ in range(2):
        begin = time.process_time()
        work()
        found.append(time.process_time() - begin)
    return min(found)


def parsed(data: bytes) -> Any:
    """The JSON of a file, or of its lines; the fields of a file of another kind."""
    if data.startswith(b"query-id"):
        return [line.split(b"\t") for line in data.splitlines()]
    return (
        json.loads(data)
        if data.startswith(b"[") or b"\n" not in data
        else [*map(json.loads, data.splitlines())]
    )


def report() -> str:
    import doxeval as dx

    body = []
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, data in made().items():
            path = Path(folder) / f"{name}.json"
            path.write_bytes(data)
            size = len(data) / 1e6
            costs = [
                seconds(partial(parsed, data)),
                seconds(partial(dx.read_assessments, data)),
            ]
            if name not in WITHOUT_DOCUMENTS:
                costs.append(seconds(partial(dx.read_documents, path)))
            cells = [f"{size / cost:.1f}" for cost in costs]
            body.append([f"`{name}`", f"{size:.1f}", *cells, *[""] * (3 - len(cells))])
    header = ["format", "MB", "parsed, MB/s", "as assessments, MB/s", "as documents, MB/s"]
    return f"## Gold files of benchmarks\n\nProcessor time, the better of two.\n\n{markdown(header, body)}"
