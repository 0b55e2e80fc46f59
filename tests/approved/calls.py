"""Calls from Python with what is drawn for them: what they return is recorded like what lines print.

Retrievers of every shape, answers that cite in every style, ways to cut and to pool, people at a desk, gold
that follows edited documents, runs that are disturbed, assessors who differ, agents, readers.
"""

from __future__ import annotations

import asyncio
import json
import random
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import doxeval as dx
from doxeval.judging.desk import desk_of
from doxeval.judging.overview import Overview
from doxeval.judging.runs_so_far import RunsSoFar
from tests.approved.drawn import TOPICS, altered, sentence
from tests.approved.scoring_calls import (
    comparing,
    correlating,
    diagnosing,
    drawing_curves,
    evaluating,
    limiting,
    making,
    reporting,
    simulating,
    slicing,
)
from tests.approved.table_calls import reading, write_documents, writing
from tests.io.formats.format_samples import EVERY

RUN = "runs/paragraphs.jsonl"
OTHER_RUN = "runs/overlapping-800.jsonl"
GOLD = "answers.jsonl"
DOCS = "documents"
Call = Callable[[random.Random], Any]
HEADERS = ("content-type", "content-security-policy", "cache-control")


def calls() -> list[str]:
    """The names of all calls: what is done, and with which dice."""
    return [f"{name} {seed}" for name, (_, count) in CALLS.items() for seed in range(count)]


def called(name: str) -> str:
    """What a call returns, or the error that it raises, and the warnings that it gives."""
    what, _, seed = name.rpartition(" ")
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            found = list(told(CALLS[what][0](random.Random(int(seed)))))
        except dx.DoxevalError as problem:
            found = [f"{type(problem).__name__}: {problem}"]
    return "\n".join([*found, *(f"warning: {one.message}" for one in warned)])


def told(value: Any, depth: int = 0) -> Iterator[str]:
    """Anything that is returned, in full, on lines."""
    space = "  " * depth
    if isinstance(value, dx.Notices):
        for one in value:
            worth = [name for name in ("harmless", "lasting", "complete") if getattr(one, name)]
            yield f"{space}{' '.join(['notice', *worth])}: {one}"
    elif isinstance(value, bytes):
        yield value.decode()
    elif isinstance(value, np.ndarray):
        yield f"{space}{value.dtype} {value.tolist()}"
    elif isinstance(value, dx.Scores):
        yield str(value)
        for row in value.rows(per_topic=True):
            yield f"{space}{row}"
        yield from told(value.notices, depth)
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield f"{space}{key}:"
            yield from told(one, depth + 1)
    elif is_dataclass(value) and not isinstance(value, type):
        yield f"{space}{type(value).__name__}"
        for field in fields(value):
            if field.compare or isinstance(value, dx.Run | dx.Pool):
                yield f"{space} {field.name}"
                yield from told(getattr(value, field.name), depth + 1)
    elif isinstance(value, list | tuple) and any(map(is_dataclass, value)):
        for one in value:
            yield from told(one, depth)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        yield f"{space}{list(value)}"
    else:
        yield f"{space}{value!r}"


@cache
def collection(folder: Path) -> dx.Documents:
    """The documents of a workplace, read once."""
    return dx.read_documents(folder / DOCS)


def documents() -> dx.Documents:
    """The documents of the current workplace."""
    return collection(Path.cwd())


def text_of(doc: str) -> str:
    """The text of a document."""
    known = documents()
    assert known.text is not None
    return known.text[known.ids.index(doc)]


def rows(name: str) -> list[dict[str, Any]]:
    """The rows of a file."""
    return [json.loads(line) for line in Path(name).read_text(encoding="utf-8").splitlines()]


def drawn_part(dice: random.Random) -> tuple[str, int, int]:
    """A part of a document."""
    doc = dice.choice([name for name in documents().ids if len(text_of(name)) > 50])
    start = dice.randrange(len(text_of(doc)) - 20)
    return doc, start, min(len(text_of(doc)), start + dice.choice([12, 60, 300]))


SHAPES = (
    "text",
    "dict",
    "quote",
    "langchain",
    "llama",
    "scored",
    "haystack",
    "chroma",
    "frame",
    "pair",
    "odd",
)


def shaped(shape: str, part: tuple[str, int, int], dice: random.Random) -> Any:
    """A chunk as a framework returns it."""
    doc, start, end = part
    text = text_of(doc)[start:end]
    seen = altered(text, dice)
    if shape == "text":
        return seen
    if shape == "dict":
        return dice.choice([
            {"doc": doc, "start": start, "end": end, "score": 0.5}, {"doc": "nowhere", "start": 0, "end": 5},
            {"source": doc, "text": text, "start": start}, {"doc": doc, "start": start, "end": end + 10_000},
        ])  # fmt: skip
    if shape == "quote":
        return {"text": seen, "metadata": {"source": f"/data/{doc}.md", "page": 1, "chunk_id": start % 7}}
    if shape == "langchain":
        place = {} if dice.random() < 0.5 else {"start_index": start}
        return SimpleNamespace(page_content=seen, metadata={"source": doc, **place})
    if shape in ("llama", "scored"):
        node = SimpleNamespace(
            text=seen, metadata={"file_name": doc}, ref_doc_id=doc, node_id=f"n{start}",
            start_char_idx=start if seen == text else None, end_char_idx=end if seen == text else None,
            prev_node=SimpleNamespace(node_id=f"n{start - 1}"), next_node=None,
        )  # fmt: skip
        return node if shape == "llama" else SimpleNamespace(node=node, score=0.25)
    if shape == "haystack":
        return SimpleNamespace(content=seen, meta={"file_path": doc, "split_idx_start": start}, score=0.75)
    if shape == "pair":
        return (seen, 0.5)
    if shape == "frame":
        return {"doc": doc, "start": float(start), "end": float(end), "text": None}
    if shape == "odd":
        return dice.choice(
            [{"doc": doc, "start": 1.5, "end": 3}, {"text": ""}, {"start": 3, "end": 9}, ("a", "b")]
        )
    return {"document": seen, "metadata": {"source": doc}}


def drawn_retriever(dice: random.Random, wrong: float = 0.05) -> Any:
    """A retriever with an interface, and chunks of a shape, that are drawn."""
    answers: dict[str, list[tuple[str, int, int]]] = {}
    shape, way = dice.choice(SHAPES[:-1]), dice.randrange(9)

    def ask(question: str, k: int = 6) -> Any:
        parts = answers.setdefault(question, [drawn_part(dice) for _ in range(dice.choice([0, 3, 9, 40]))])[
            :k
        ]
        if dice.random() < wrong:
            raise ValueError("no such question")
        found = [shaped("odd" if dice.random() < wrong / 5 else shape, part, dice) for part in parts]
        if shape == "chroma":
            columns = ([one["document"] for one in found], [one["metadata"] for one in found])
            return {
                "ids": [[*map(str, range(len(found)))]],
                "documents": [columns[0]],
                "metadatas": [columns[1]],
            }
        return {"documents": found} if shape == "haystack" else found

    async def later(question: str) -> Any:
        return ask(question)

    if way == 1:
        return lambda question: ask(question)
    if way == 2:
        return SimpleNamespace(invoke=ask)
    if way == 3:
        return SimpleNamespace(retrieve=ask, similarity_top_k=2)
    if way == 4:
        return SimpleNamespace(similarity_search=ask)
    if way == 5:
        return SimpleNamespace(run=lambda query, top_k: ask(query, top_k))
    if way == 6:
        return later
    if way == 7:
        return lambda question, limit: iter(ask(question, limit))
    if way == 8:
        return SimpleNamespace(search=lambda query: SimpleNamespace(limit=lambda k: ask(query, k)))
    return ask


def retrieving(dice: random.Random) -> Any:
    """A retriever of some shape, asked for a number of results."""
    asked = {topic: sentence(dice) for topic in TOPICS[: dice.choice([1, 5])]}
    retriever = drawn_retriever(dice)
    return dx.retrieve(retriever, asked, documents(), k=dice.choice([1, 3, 10]), progress=False)


def scoring_retrievers(dice: random.Random) -> Any:
    """Retrievers scored with measures of several depths."""
    asked: Any = {topic: sentence(dice) for topic in TOPICS[:4]}
    if dice.random() < 0.3:
        asked = [
            {"topic": topic, dice.choice(["question", "query", "text"]): asked[topic]} for topic in asked
        ]
    measures = dice.choice(["iR@3 iP@20", "iR@500c", "iR@200w iR@2", "AiP", "IoU@1", "iR@3d"])
    retrievers = {name: drawn_retriever(dice, 0.02) for name in ("one", "other")[: dice.randint(1, 2)]}
    kept = "kept.jsonl" if dice.random() < 0.3 else None
    k = dice.choice([None, None, 2])
    first = dx.score_retriever(
        retrievers, asked, GOLD, measures, documents(), k=k, cache=kept, progress=False
    )
    if kept is None:
        return first
    again = dx.score_retriever(
        retrievers, asked, GOLD, measures, documents(), k=k, cache=kept, progress=False
    )
    return {"first": first, "again": again}


def drawn_answer(dice: random.Random) -> str:
    """An answer of a model: sentences, quotes as they are or not, and marks of every style."""
    said = []
    for _ in range(dice.randint(1, 5)):
        said.append(sentence(dice)[:-1])
        if dice.random() < 0.8:
            doc, start, end = drawn_part(dice)
            quote = altered(text_of(doc)[start:end], dice).replace('"', "")
            if dice.random() < 0.25:
                other, begin, stop = drawn_part(dice)
                quote = f"{quote} {text_of(other)[begin:stop]}".replace('"', "")
            said.append(
                dice.choice(['"{}"', "\u201c{}\u201d", "\u201e{}\u201c", "\u00ab{}\u00bb"]).format(quote)
            )
        number, doc = dice.randint(1, 9), dice.choice(documents().ids)
        marks = (
            f"[{number}]", f"[{number}, {number + 2}-{number + 4}]", f"(Source {number})", f"[^{number}]",
            f"\u3010{number}\u2020source\u3011", f"\u30104:0\u2020{doc}\u3011", "[sic]", "[^a]", "[as told]",
            f"<cite>{number}</cite>", f"<cite id='{doc}'>so</cite>", "<cite></cite>", f"[{doc}.md]",
            "[plain.txt, p. 3]", "(docs 1 and 3)", "",
        )  # fmt: skip
        said.append(dice.choice(marks) + dice.choice([".", "", " ", "!\n"]))
    return " ".join(said) + dice.choice(["", "\n[^a]: d1.md\n", "\n[^a]: [It](d10.md)\n[^3]: 2\n"])


def drawn_citation(dice: random.Random) -> Any:
    """A citation as it is given by interfaces of model providers, or by us."""
    doc, start, end = drawn_part(dice)
    quote = altered(text_of(doc)[start:end], dice)
    return dice.choice([
        {"quote": quote, "result": dice.randint(0, 9)}, {"quote": quote, "doc": doc}, {"doc": doc}, quote,
        {"type": "char_location", "cited_text": quote, "document_index": 1, "document_title": doc},
        {"type": "file_citation", "filename": doc, "quote": quote}, {"type": "url_citation", "url": doc},
        {"file_citation": {"file_id": doc, "quote": quote}}, {"document_ids": ["doc_0", doc, "doc-2"]},
        {"sources": [{"id": "doc_1"}, {"id": doc}]}, {"groundingChunkIndices": [0, 4]}, {"result": 2},
    ])  # fmt: skip


def citing(dice: random.Random) -> Any:
    """Answers checked against a run."""
    answers: list[dict[str, Any]] = []
    for topic in TOPICS[:3]:
        if dice.random() < 0.3:
            answers.append(
                {"topic": topic, "citations": [drawn_citation(dice) for _ in range(dice.randint(1, 4))]}
            )
        else:
            answers.append({"topic": topic, dice.choice(["answer", "output"]): drawn_answer(dice)})
    gold, measures = dice.choice([(None, ()), (None, ()), (GOLD, "iP iR")])
    found = dx.cite(answers, dice.choice([RUN, OTHER_RUN]), gold, measures, documents())
    return {"rows": found.rows, "used": found.used, "evidence": found.evidence, "said": f"{found}",
            "notices": found.notices, "scores": found.scores}  # fmt: skip


def cutting(dice: random.Random) -> Any:
    """Documents cut by a word, a tag, or a function."""
    size = dice.choice([None, 1, 60, 200, 1000])
    words = ("document", "section", "paragraph", "sentence", "size", "<p>", "<sec>", "<nothing>", "word")
    if dice.random() < 0.6:
        return dx.chunk(documents(), cut=dice.choice(words), size=size, overlap=dice.choice([0, 0, 20, 60]))
    shape = dice.randrange(6)

    def split(text: str) -> Any:
        parts = [part for part in text.split(dice.choice(["\n\n", ". ", "e"])) if part.strip()][:40]
        if shape == 0:
            return [(at, min(at + 50, len(text))) for at in range(0, len(text), 35)]
        if shape == 1:
            return [altered(part, dice) for part in parts]
        if shape == 2:
            return [SimpleNamespace(text=part, start_index=0, end_index=len(part)) for part in parts[:1]]
        if shape == 3:
            return "one" if dice.random() < 0.1 else [{"text": part} for part in parts]
        if shape == 4:
            return [(0, len(text) + dice.choice([0, 0, 0, 1]))]
        return parts

    return dx.chunk(documents(), cut=split)


def pooling(dice: random.Random) -> Any:
    """Pools of some runs, grown, ordered and limited in some way."""
    names = ["chunks-400", "documents", "overlapping-800", "paragraphs", "sentences"]
    runs = [f"runs/{name}.jsonl" for name in dice.sample(names, dice.randint(1, 3))]
    between = tuple(Path(run).stem for run in runs[:2]) if len(runs) > 1 and dice.random() < 0.4 else None
    limits: dict[str, Any] = dice.choice([{}, {"max_characters": 900}, {"minutes": 2, "speed": 500}])
    gold, known = dice.choice([None, GOLD, "some.jsonl"]), dice.choice([documents(), documents(), None])
    return dx.pool(
        runs, gold, known,
        depth=dice.choice([1, 2, 5]), grow=dice.choice([None, "sentence", "node", "none"]),
        assessed=dice.choice(["whole", "highlights"]), order=dice.choice(["depth", "document", "deciding"]),
        between=between, suggested=dice.choice([None, {"model": "model.jsonl"}]), **limits,
    )  # fmt: skip


def drawn_act(dice: random.Random, number: int, length: int, marks: list[str]) -> dict[str, Any]:
    """What a person does with a document: mostly something that makes sense."""
    start = dice.randrange(max(1, length - 3))
    mark: dict[str, Any] = {
        "id": f"m{number}",
        "start": start,
        "end": min(length, start + dice.choice([3, 30, 90])),
    }
    mark |= dice.choice([{}, {}, {"rel": 2}, {"needs": ["causes"]}, {"rel": 9}, {"needs": ["else"]}])
    return dice.choice([
        {"adds": [mark]}, {"adds": [mark]}, {"done": True}, {"done": True}, {"note": "so"}, {"done": False},
        {"takes": marks[:1], "adds": [mark]}, {"bep": start}, {"takes": ["m99"]},
        {"rule": {"id": f"r{number}", "text": "Titles are *relevant*."}},
    ])  # fmt: skip


def judging(dice: random.Random) -> Any:
    """Three people at a desk, who see where they differ, and decide some of it."""
    from doxeval.judging.server import application
    from doxeval.judging.store import JudgementStore

    pool = dx.pool([RUN, OTHER_RUN], documents=documents(), depth=1, suggested={"model": "model.jsonl"})
    pairs = [one for one in pool.documents if one.topic in TOPICS[:2]][:4]
    pool = type(pool)(pairs, pool.made)
    desk = desk_of(pool, documents(), dx.read_topics({"q01": "So?"}), 2, ["causes"])
    database = Path("desk.db")
    database.unlink(missing_ok=True)
    seen: list[str] = []
    with JudgementStore(database) as store:
        store.know(desk.queries, desk.documents)
        desk.prepare()
        standing = RunsSoFar([RUN, OTHER_RUN], (), documents(), dice.choice(["", "majority", "any"]), 1)
        people = {f"secret-{name}": name for name in ("ann", "bob", "dora")}
        overview = Overview(desk, database, standing, frozenset({"dora"}), {"runs": [RUN, OTHER_RUN]})
        app = application(desk, store, ("desk", 80), people, overview)

        def ask(method: str, who: str, path: str, body: Any = None) -> Any:
            status, headers, content = asyncio.run(answered(app, method, f"/secret-{who}/{path}", body))
            shown = content.decode(errors="replace")
            page = "<!doctype" in shown.lower()
            seen.append(f"{method} {who} {path} {body}: {status} {headers} {'a page' if page else shown}")
            return json.loads(shown) if status == 200 and not page and "/" not in path and path else {}

        places = [f"{what}/{at}" for what in ("text", "pairs", "siblings", "picture/0") for at in (0, 3, 99)]
        for path in ("", *places, "no"):
            ask("GET", "ann", path)
        marks: list[str] = []
        for number in range(30):
            one, who = dice.choice(pairs), dice.choice(["ann", "bob"])
            act = drawn_act(dice, number, len(text_of(one.doc)), marks)
            marks += [mark["id"] for mark in act.get("adds", ())]
            time = f"2026-01-02T03:{number:02}:05.678Z"
            made = {"id": f"act{number}", "time": time, "topic": one.topic, "doc": one.doc, "act": act}
            ask("POST", who, "acts", {"acts": [made], "after": number})
        for who in people.values():
            ask("GET", who, "standing")
            ask("GET", who, "acts")
        disputes = ask("GET", "dora", "disputes").get("disputes", [])
        for number, dispute in enumerate(disputes[:3]):
            one = pairs[dispute["at"]]
            act = {"decides": dice.choice(dispute["choices"])}
            made = {
                "id": f"d{number}",
                "time": "2026-01-02T05:00:05.678Z",
                "topic": one.topic,
                "doc": one.doc,
            }
            ask("POST", "dora", "acts", {"acts": [made | {"act": act}]})
        for who in people.values():
            ask("GET", who, "disputes")
            ask("GET", who, "standing")
        ask("GET", "bob", "acts?after=9")
        ask("POST", "bob", "acts", [])
        ask("GET", "eve", "acts")
    for form in ("native", "rules"):
        dx.judge(path=database, export="exported.txt", format=form)
        seen.append(Path("exported.txt").read_text(encoding="utf-8"))
    dx.judge(path=database, documents=documents(), export="exported.txt", format="label-studio")
    seen.append(Path("exported.txt").read_text(encoding="utf-8"))
    return {
        "seen": seen,
        "merged": [dx.read_assessments(database, merge=rule) for rule in ("union", "majority")],
    }


async def answered(app: Any, method: str, path: str, body: Any) -> tuple[int, list[str], bytes]:
    """The answer of a server to one request: its status, some headers, and its content."""
    sent: list[Any] = []
    place, _, query = path.partition("?")

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": json.dumps(body).encode(), "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    headers = {"host": "desk:80", "origin": "http://desk:80", "content-type": "application/json"}
    scope = {
        "type": "http", "method": method, "path": place, "raw_path": place.encode(), "scheme": "http",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()], "root_path": "",
        "query_string": query.encode(), "server": ("desk", 80), "client": ("127.0.0.1", 9), "asgi": {},
        "http_version": "1.1",
    }  # fmt: skip
    await app(scope, receive, send)
    shown = [
        f"{name.decode()}: {value.decode()}" for name, value in sent[0]["headers"] if name.decode() in HEADERS
    ]
    return sent[0]["status"], shown, b"".join(one.get("body", b"") for one in sent[1:])


def edited(text: str, dice: random.Random) -> str:
    """A later version of a text: parts moved, dropped, doubled or worded anew."""
    parts = text.split("\n\n")
    for _ in range(dice.randint(0, 4)):
        at = dice.randrange(len(parts))
        way = dice.randrange(5)
        if way == 0:
            parts.insert(at, sentence(dice))
        elif way == 1 and len(parts) > 1:
            del parts[at]
        elif way == 2:
            parts.insert(dice.randrange(len(parts)), parts.pop(at))
        elif way == 3:
            words = parts[at].split(" ")
            words[dice.randrange(len(words))] = "Zwischenzeit"
            parts[at] = " ".join(words)
        else:
            parts[at] = f"{parts[at]} {parts[at]}"
    return "\n\n".join(parts)


def anchoring(dice: random.Random) -> Any:
    """Gold that follows documents which were edited, and quotes found in them."""
    later = {doc: edited(text_of(doc), dice) for doc in documents().ids if dice.random() < 0.95}
    if dice.random() < 0.3:
        return dx.anchor("quotes.jsonl", later)
    return dx.anchor(dice.choice([GOLD, "graded.jsonl"]), later, old_documents=documents())


def disturbing(dice: random.Random) -> Any:
    """A run that is disturbed in some way."""
    from doxeval.lab.perturbation.perturbations import PERTURBATIONS

    name = dice.choice(sorted(PERTURBATIONS))
    share, characters = dice.choice([0.3, 1.0]), dice.choice([10, 200])
    return name, dx.perturb(
        dice.choice([RUN, OTHER_RUN]), GOLD, name, documents(), share=share, characters=characters,
        seed=dice.randrange(9),
    )  # fmt: skip


def agreeing(dice: random.Random) -> Any:
    """Assessors who differ a little."""
    people: dict[str, list[dict[str, Any]]] = {}
    for name in ("ann", "bob", "carl")[: dice.randint(2, 3)]:
        kept = [row for row in rows(GOLD) if dice.random() < 0.9]
        for row in kept:
            if "start" in row and dice.random() < 0.5:
                row["start"] = max(0, row["start"] - dice.choice([0, 3, 50]))
                row["rel"] = dice.choice([1, 1, 2])
        people[name] = kept
    return dx.agree(
        people, documents(), judged=dice.choice(["both", "either"]), graded=dice.random() < 0.5,
        coefficients=dice.choice([(), ("alpha", "kappa"), ("overlap", "F1", "jaccard")]), draws=50,
    )  # fmt: skip


def stepping(dice: random.Random) -> Any:
    """Runs of an agent that searches, opens, reads, comes back, and cites."""
    steps: list[dict[str, Any]] = []
    for topic in TOPICS[:5]:
        gold = [row for row in rows(GOLD) if row["topic"] == topic and "start" in row]
        for step in range(1, dice.choice([2, 6, 12])):
            action = dice.choice(["search", "open", "read", "cite"])
            for _ in range(dice.choice([0, 1, 1, 3])):
                doc, start, end = drawn_part(dice)
                if gold and dice.random() < 0.4:
                    row = dice.choice(gold)
                    doc, start, end = row["doc"], row["start"], row["end"]
                place = {
                    "topic": topic,
                    "step": step,
                    "action": action,
                    "doc": doc,
                    "start": start,
                    "end": end,
                }
                steps.append(place | dice.choice([{}, {"cost": 0.5}]))
    measures = "iR@2steps iP@3 Area@5 UsedR UsedP Again Stage(used) Stage(read) Stage(found) Stage(never)"
    own, before = dice.choice(["free", "shown"]), dice.choice([None, "cite"])
    scores = dx.evaluate({"agent": steps}, GOLD, measures, documents(), own=own, before=before)
    return {"scores": scores, "stages": str(dx.stages({"agent": steps}, GOLD, documents()))}


MODELS = (
    "none", "hierarchical", "readon(mean=200)", "t2i(tolerance=80)", "proximity", "tiring", "deciding",
    "mix(0.7*hierarchical+0.2*readon(mean=90))", "depthweighted",
)  # fmt: skip
EXPLAINED = (
    "iP@5", "AiP", "iR@500c", "ESRR@5", "SRiP2@5", "NearMisses@5", "Hits@5", "CE@5", "xCG@5", "nXCG@5",
    "tTBG", "tRBP", "tU", "Area@5", "AEP", "gP@5", "AgP", "CharAP", "IoU@5", "F@5", "nDCG@5", "PsgAP",
    "Reach(recall=0.5)", "tINST", "DocAP", "EPRUM", "PRUM", "DistinctP@5", "alphanDCG@5", "Complete@5",
)  # fmt: skip


def explaining(dice: random.Random) -> Any:
    """Why a run has a score, and how its score changes with the model of navigation."""
    run, measure, topic = dice.choice([RUN, OTHER_RUN]), dice.choice(EXPLAINED), dice.choice(TOPICS)
    taken = getattr(dx.measures().get(dx.measure(measure).name), "parameters", ())
    model = dice.choice(MODELS) if any(one.name == "nav" for one in taken) else None
    found = dx.explain(run, dice.choice([GOLD, "graded.jsonl"]), measure, documents(), model, topic=topic)
    return {"explained": found.rendered(), "rows": found.rows, "notices": found.notices}


def navigating(dice: random.Random) -> Any:
    """Chances that readers get from some nodes to others, and models fitted to logs of them."""
    known = documents()
    doc = dice.choice(["d1", "d10", "tree", "page"])
    at = known.ids.index(doc)
    paths = [known.path(at, node) for node in range(int(np.diff(known.node_offset)[at]))]
    if dice.random() < 0.6:
        chances = dx.navigate(known, dice.choice(MODELS), doc=doc, node=dice.choice([None, *paths[:5]]))
        return {"chances": chances.rendered(), "notices": chances.notices}
    log = [{"doc": doc, "route": dice.choices(paths, k=dice.randint(2, 6))} for _ in range(30)]
    models = ["hierarchical", dice.choice(MODELS)]
    return dx.compare_navigations(
        log, known, models, candidates=dice.choice(["logged", "all"]), folds=3
    ).rendered()


def of_collection(call: Callable[[dx.Documents, random.Random], Any]) -> Call:
    """A call that is given the documents of the current workplace."""
    return lambda dice: call(documents(), dice)


def of_tables(call: Call) -> Call:
    """A call beside a file with the documents that its rows name."""

    def called(dice: random.Random) -> Any:
        write_documents()
        return call(dice)

    return called


CALLS: dict[str, tuple[Call, int]] = {
    "retrieve": (retrieving, 120), "score_retriever": (scoring_retrievers, 60), "cite": (citing, 100),
    "chunk": (cutting, 80), "pool": (pooling, 100), "judge": (judging, 16), "anchor": (anchoring, 50),
    "perturb": (disturbing, 60), "agree": (agreeing, 40), "stages": (stepping, 40),
    "explain": (explaining, 120), "navigate": (navigating, 60),
    "evaluate": (of_collection(evaluating), 250), "compare": (of_collection(comparing), 60),
    "correlate": (of_collection(correlating), 30), "diagnose": (of_collection(diagnosing), 50),
    "slices": (of_collection(slicing), 40), "ceiling": (of_collection(limiting), 40),
    "curve": (of_collection(drawing_curves), 30), "simulate": (of_collection(simulating), 30),
    "synth": (of_collection(making), 20), "summary": (of_collection(reporting), 40),
    **{f"read {one.kind} {one.name}": (partial(reading, one), 8) for one in EVERY if not one.binary},
    **{f"write {kind}": (of_tables(partial(writing, kind)), 60) for kind in ("run", "assessments")},
}  # fmt: skip
"""How calls are made, and how often each is, with other dice."""
