"""Reference cases about bare elements or word spans as documents, assessments and runs."""

from __future__ import annotations

from pathlib import Path

import doxeval as dx

ROOT = "the-root"


def documents_of(given: dict, elements: list[str] | None = None) -> list[dict]:
    """Trees from word spans; elements without any are leaves of one document of their own."""
    spans = given.get("documents")
    if spans:
        return [
            {"doc": doc, "nodes": [node for node in spans if node["doc"] == doc]}
            for doc in dict.fromkeys(node["doc"] for node in spans)
        ]
    leaves = elements or given["elements"]
    root = {"id": ROOT, "parent": None, "start": 0, "end": len(leaves)}
    nodes = [{"id": name, "parent": ROOT, "start": at, "end": at + 1} for at, name in enumerate(leaves)]
    return [{"doc": "d", "length": len(leaves), "nodes": [root, *nodes]}]


class Case:
    """Rows about elements, each with the document it is in."""

    def __init__(self, given: dict, elements: list[str] | None = None) -> None:
        self.documents = documents_of(given, elements)
        self.home = {str(node["id"]): doc["doc"] for doc in self.documents for node in doc["nodes"]}

    def judged(self, **keys: dict) -> list[dict]:
        """Assessments: `judged(rel={"a": 1}, code={"a": "3E"})`."""
        rows = [{"topic": "t", "doc": doc["doc"]} for doc in self.documents]
        for name in dict.fromkeys(name for values in keys.values() for name in values):
            told = {key: values[name] for key, values in keys.items() if name in values}
            rows.append({"topic": "t", "doc": self.home[name], "node": name, **told})
        return rows

    def run(self, *blocks: list[str]) -> list[dict]:
        """Results in ties, best first."""
        return [
            {"topic": "t", "doc": self.home[name], "node": name, "rank": rank}
            for rank, block in enumerate(blocks, 1)
            for name in block
        ]

    def steps(self, path: Path, triples: list) -> Path:
        """A file of chances for the models matrix and links."""
        lines = [f"{self.home[a]},{a},{self.home[b]},{b},{p!r}" for a, b, p in triples]
        path.write_text("\n".join(["from_doc,from,to_doc,to,p", *lines]) + "\n")
        return path

    def scores(self, run: list[dict], qrels: list[dict], names: list[str]) -> dict[str, float | None]:
        """What the topic scores by each measure."""
        found = dx.evaluate({"run": run}, qrels, names, documents=self.documents)
        return {name: found.value("run", name, "t") for name in names}
