"""Brute force: readers who walk through documents character by character."""

from __future__ import annotations

from fractions import Fraction

from tests.cases import Case


class Walk:
    """One topic walked through; `bep` holds the assessor's best entry points."""

    def __init__(self, case: Case, bep: dict[str, int] | None = None) -> None:
        self.case = case
        self.bep = bep or {}
        self.documents = list(dict.fromkeys(doc for doc, _ in case.results))
        self.relevant_documents = [doc for doc in case.lengths if case.relevant_characters(doc)]

    def passages(self, doc: str) -> list[list[int]]:
        """The characters of each result in a document, best first."""
        results = [self.case.shown(at) for at in range(len(self.case.results))]
        return [sorted(shown) for name, shown in results if name == doc]

    def retrieved(self, doc: str) -> set[int]:
        return {character for passage in self.passages(doc) for character in passage}

    def target(self, doc: str) -> int:
        return min(self.bep.get(doc, min(self.case.relevant_characters(doc))), self.case.lengths[doc])

    def entry(self, doc: str) -> int:
        first = next(spans for name, spans in self.case.results if name == doc)
        return min(min(a for a, _ in first), self.case.lengths[doc] - 1)

    def order(self, doc: str, order: str, start: str = "top", passage: int = 0) -> list[int]:
        """The characters of a document as they are read; -1 for each that a passage costs besides them."""
        length, relevant = self.case.lengths[doc], self.case.relevant_characters(doc)
        if order == "bep":
            order, start = "sequential", "bep"
        begin = {"top": 0, "bep": self.target(doc), "entry": self.entry(doc)}[start]
        everything = [*range(begin, length), *range(begin)]
        if order == "sequential":
            return everything
        led = sorted(self.retrieved(doc))
        if order == "rank":
            led = list(dict.fromkeys(character for passage in self.passages(doc) for character in passage))
        rest = [character for character in everything if character not in set(led)]
        if order in ("best", "worst"):
            rest.sort(key=lambda character: (character in relevant) == (order == "worst"))
        before = [-1, *led]
        jumps = [character != before[at] + 1 for at, character in enumerate(led)]
        return [
            one for at, character in enumerate(led) for one in [*[-1] * (passage * jumps[at]), character]
        ] + rest

    def score(
        self, doc: str, name: str, order: str = "natural", start: str = "top", n: int = 0, passage: int = 0
    ) -> float:
        relevant = self.case.relevant_characters(doc) if doc in self.case.lengths else set()
        if not relevant:
            return 5.0 if name == "LE" else 0.0
        retrieved = self.retrieved(doc) if order == "natural" else set(range(self.case.lengths[doc]))
        both = len(relevant & retrieved)
        if name == "P":
            return both / len(retrieved) if retrieved else 0.0
        if name == "R":
            return both / len(relevant)
        if name == "F":
            return f_of(Fraction(1, 4), both, len(retrieved), len(relevant))
        if name in ("BEP", "BEPD"):
            distance = abs(self.entry(doc) - self.target(doc))
            scaled = n * self.case.lengths[doc]
            return max(0.0, (n - distance) / n) if name == "BEP" else scaled / (scaled + distance)
        return self._along(self.order(doc, order, start, passage), relevant, name, n)

    def _along(self, order: list[int], relevant: set[int], name: str, n: int) -> float:
        found = total = 0.0
        irrelevant = read = 0
        for place, character in enumerate(order, 1):
            if (name == "ChP" and place > n) or (name.startswith("T2I") and irrelevant >= n):
                break
            read = place
            if character in relevant:
                found += 1
                total += found / place
                if name == "LE":
                    return min(4.0, float(-(-place // n)))
            else:
                irrelevant += 1
        if name == "aveChP":
            return total / len(relevant)
        if name == "T2Ir":
            return found / len(relevant)
        if name == "T2If":
            return f_of(Fraction(1), found, read, len(relevant))
        return found / read if read else 0.0

    def generalised(self, **how) -> list[float]:
        """gP at every rank."""
        scores = [self.score(doc, **how) for doc in self.documents]
        return [sum(scores[:rank]) / rank for rank in range(1, len(scores) + 1)]

    def agp(self, **how) -> float:
        found = zip(self.documents, self.generalised(**how), strict=True)
        return sum(value for doc, value in found if doc in self.relevant_documents) / len(
            self.relevant_documents
        )

    def nce(self, depth: int, screen: int) -> list[float]:
        """NCE at every rank up to a depth, past the end with NR."""
        effort = [self.score(doc, "LE", n=screen) for doc in self.documents]
        effort += [5.0] * depth
        ideal = [1.0] * len(self.relevant_documents) + [5.0] * depth
        return [sum(effort[j] / ideal[j] - 1 for j in range(i)) for i in range(1, depth + 1)]

    def alone(self, name: str, n: int = 0) -> list[float]:
        """The score of each result read by itself; text is relevant if it finds a passage."""
        found_passages: set[tuple[str, int]] = set()
        found = []
        for at in range(len(self.case.results)):
            doc, shown = self.case.shown(at)
            passages = {c: self.passage_of(doc, c) for c in shown if self.is_relevant(doc, c)}
            new = {c for c, passage in passages.items() if passage not in found_passages}
            found.append(self._along(sorted(shown), new, name, n) if new else 0.0)
            found_passages |= set(passages.values())
        return found

    def effort_alone(self, screen: int, passage: int = 0) -> list[float]:
        """The effort of each result read by itself: until it shows text of a passage that none did before."""
        found_passages: set[tuple[str, int]] = set()
        found = []
        for at in range(len(self.case.results)):
            doc, shown = self.case.shown(at)
            effort = before = 0
            for previous, character in zip([-2, *sorted(shown)], sorted(shown), strict=False):
                before += passage * (character != previous + 1)
                if self.is_relevant(doc, character) and self.passage_of(doc, character) not in found_passages:
                    effort = min(4, 1 + before // screen)
                    break
                before += 1
            found.append(float(effort or 5))
            found_passages |= {self.passage_of(doc, at) for at in shown if self.is_relevant(doc, at)}
        return found

    def passage_of(self, doc: str, character: int) -> tuple[str, int]:
        """The document and start of the stretch of relevant text around a character."""
        while self.is_relevant(doc, character - 1):
            character -= 1
        return doc, character

    def relevant_passages(self) -> int:
        """The number of maximal stretches of relevant text."""
        marked = ((doc, at) for doc in self.case.lengths for at in self.case.relevant_characters(doc))
        return len({self.passage_of(doc, at) for doc, at in marked})

    def shown(self, budget: float = float("inf")) -> list[tuple[int, str, int]]:
        """Every character shown, in order, within a budget: result, document, character."""
        results = [self.case.shown(at) for at in range(len(self.case.results))]
        text = [
            (at, doc, character) for at, (doc, shown) in enumerate(results) for character in sorted(shown)
        ]
        return text if budget == float("inf") else text[: int(budget)]

    def is_relevant(self, doc: str, character: int) -> bool:
        return doc in self.case.lengths and character in self.case.relevant_characters(doc)

    def char_ap(self) -> float:
        met: set[tuple[str, int]] = set()
        counted = total = 0.0
        for _, doc, character in self.shown():
            relevant = self.is_relevant(doc, character)
            if relevant and (doc, character) in met:
                continue
            counted += 1
            if relevant:
                met.add((doc, character))
                total += len(met) / counted
        return total / self.case.total

    def reach(self, recall: Fraction) -> tuple[float, float]:
        """Characters and results until the recall."""
        met: set[tuple[str, int]] = set()
        for place, (result, doc, character) in enumerate(self.shown(), 1):
            if self.is_relevant(doc, character):
                met.add((doc, character))
            if len(met) >= recall * self.case.total:
                return place, result + 1
        return float("inf"), float("inf")


def f_of(beta: Fraction, both: float, found: int, relevant: int) -> float:
    squared = float(beta**2)
    return (1 + squared) * both / (squared * relevant + found)
