"""Citations with planted faults, ten of each kind, in answers over the demo's documents.

``python -m tests.rag.planted`` prints the table in docs/integrations/citations.md.
"""

from __future__ import annotations

import random
import re
from collections import Counter

import doxeval as dx
from doxeval.demo import DOCUMENTS
from doxeval.rag.citations import CITATION_KINDS

EACH = 10
INVENTED = [
    "Every landlord has to install a second meter for rain water by the end of the year.",
    "The committee never published the minutes of its autumn meeting in Lisbon.",
    "Batteries were exchanged free of charge during the first eighteen months.",
    "No passenger may board the ferry without a stamped paper ticket.",
    "Its orchestra rehearses on Thursdays in the old customs house.",
    "Sales of umbrellas doubled once the tram line had been closed.",
    "Three volunteers counted the swallows under the northern bridge.",
    "The recipe asks for juniper berries and half a litre of buttermilk.",
    "Visitors leave their boots at the gate before they enter the greenhouse.",
    "A crane lifted the bronze statue onto a barge shortly after midnight.",
]
SENTENCE = re.compile(r"(?<=[.!?\n])\s+|\n+")


def planted(seed: int = 7) -> tuple[list[dict], list[dict], list[str]]:
    """Answers, the run they were made from, and what each citation is, in their order."""
    rng = random.Random(seed)
    documents = dx.read_documents(DOCUMENTS)
    sentences = {
        doc: [one for one in SENTENCE.split(text)
              if 10 <= len(one.split()) <= 40 and '"' not in one and "[" not in one
              and not re.search(r"[\u201c\u201d#|*`]", one) and text.count(one) == 1]
        for doc, text in zip(documents.ids, documents.text, strict=True)
    }  # fmt: skip
    names = [doc for doc, found in sentences.items() if len(found) >= 4]
    run, answers, truth = [], [], []
    for topic in range(EACH):
        first, second, third = rng.sample(names, 3)
        run += [
            {"topic": f"q{topic}", "doc": doc, "rank": rank} for rank, doc in enumerate((first, second), 1)
        ]
        real, other, base, far = rng.sample(sentences[first], 4)
        elsewhere = rng.choice([*sentences[second], *sentences[third]])
        words = base.split()
        for at in rng.sample(range(2, len(words) - 2), 2):
            words[at] = rng.choice(["purple", "seldom", "kettle", "nineteen"])
        stitched = " ".join([*other.split()[:7], *far.split()[-7:]])
        quotes = {"real": real, "altered": " ".join(words), "stitched": stitched,
                  "misattributed": elsewhere, "made up": INVENTED[topic]}  # fmt: skip
        answers.append(
            {"topic": f"q{topic}", "answer": " ".join(f'It says "{one}" [1].' for one in quotes.values())}
        )
        truth += list(quotes)
    return answers, run, truth


def confusion() -> str:
    """What was planted against what was found, as a Markdown table."""
    answers, run, truth = planted()
    found = [one.kind for one in dx.cite(answers, run, documents=DOCUMENTS).cited]
    counts = Counter(zip(truth, found, strict=True))
    lines = [f"| planted | {' | '.join(CITATION_KINDS)} |", "|---|" + "---:|" * len(CITATION_KINDS)]
    for kind in CITATION_KINDS:
        lines.append(f"| {kind} | {' | '.join(str(counts[kind, other]) for other in CITATION_KINDS)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(confusion())
