"""Random evaluations for hypothesis: documents with lengths, highlighted ranges, ranked ranges."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import strategies as st

import doxeval as dx

LENGTHS = {"d1": 40, "d2": 25, "d3": 60}
UNKNOWN = "elsewhere"


@dataclass
class Case:
    """One topic: relevant ranges per document and results in rank order."""

    relevant: dict[str, list[tuple[int, int]]]
    results: list[tuple[str, list[tuple[int, int]]]]
    lengths: dict[str, int] = field(default_factory=lambda: dict(LENGTHS))

    def qrels(self, topic: str = "t1") -> list[dict]:
        rows: list[dict] = [{"topic": topic, "doc": doc, "length": n} for doc, n in self.lengths.items()]
        for doc, ranges in self.relevant.items():
            rows += [{"topic": topic, "doc": doc, "start": a, "end": b} for a, b in ranges]
        return rows

    def run(self, topic: str = "t1") -> list[dict]:
        return [
            {"topic": topic, "doc": doc, "rank": rank, "spans": [list(span) for span in spans]}
            for rank, (doc, spans) in enumerate(self.results, 1)
        ]

    def relevant_characters(self, doc: str) -> set[int]:
        return {at for a, b in self.relevant.get(doc, []) for at in range(a, b)}

    def shown(self, at: int) -> tuple[str, set[int]]:
        doc, spans = self.results[at]
        return doc, {c for a, b in spans for c in range(a, min(b, self.lengths.get(doc, b)))}

    @property
    def total(self) -> int:
        return sum(len(self.relevant_characters(doc)) for doc in self.lengths)


def ranges(length: int, most: int) -> st.SearchStrategy[list[tuple[int, int]]]:
    pair = st.tuples(st.integers(0, length - 1), st.integers(1, length)).map(
        lambda p: (p[0], max(p[0] + 1, p[1]))
    )
    return st.lists(pair, max_size=most)


@st.composite
def cases(draw: st.DrawFn, relevant: bool = True, several_spans: bool = True) -> Case:
    marked = {doc: draw(ranges(length, 3)) for doc, length in LENGTHS.items()}
    if relevant and not any(marked.values()):
        marked["d1"] = [(5, 12)]
    names = [*LENGTHS, UNKNOWN]
    results = []
    for _ in range(draw(st.integers(0, 8))):
        doc = draw(st.sampled_from(names))
        spans = draw(ranges(LENGTHS.get(doc, 30), 2 if several_spans else 1)) or [(0, 5)]
        results.append((doc, spans))
    return Case(marked, results)


def scores(case: Case, measures: str, **options) -> dict[str, float | None]:
    """The scores of a case's one topic, through the public interface."""
    found = dx.evaluate({"run": case.run()}, case.qrels(), measures, **options)
    return {measure: found.value("run", measure, "t1") for measure in found.measures}
