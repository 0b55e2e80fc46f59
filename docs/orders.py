"""What orders of judging are worth: ``python -m docs.orders`` or ``make orders``, into docs/judging.md.

The systems are the real runs of INEX 2009 and 2010 in the folder that `DOXEVAL_REFERENCE_DATA` names, and
runs that `doxeval perturb` made better or worse from each of them. All judgements are hidden, and come back
as a pool is read.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from pathlib import Path

import numpy as np
from scipy.stats import kendalltau

import doxeval as dx
from doxeval.core.strings import encode
from doxeval.lab.perturbation.perturbations import take_rows
from doxeval.lab.studies.papers.material import Own
from doxeval.tables.assessments import Assessments, Ranges, build_assessments
from doxeval.tables.runs import Run

PAGE = Path(__file__).resolve().parent / "judging.md"
BEGIN, END = "<!-- orders: python -m docs.orders -->\n", "<!-- end of orders -->\n"
REAL_RUNS = ("passages", "bert", "overlap")
DEPTH, MEASURE = 10, "iP@10"
SHARES = (0.02, 0.05, 0.1, 0.2, 0.4)

Document = tuple[str, str]
"""A topic and a document."""


def first_results(run: Run) -> Run:
    """The results that the pool looks at."""
    assert run.rank is not None
    order = np.lexsort((run.rank, run.topic))
    place = np.arange(len(order)) - np.searchsorted(run.topic[order], run.topic[order])
    return take_rows(run, order[place < DEPTH])


def judged(table: Assessments, known: list[Document]) -> Assessments:
    """The judgements of some documents; those that nobody at INEX has judged are irrelevant."""
    topics, topic = encode([*table.topics, *(topic for topic, _ in known)])
    docs, doc = encode(doc for _, doc in known)
    place = {document: at for at, document in enumerate(known)}
    names = list(zip(table.pair_topic.tolist(), table.pair_doc.tolist(), strict=True))
    row = np.array([place.get((table.topics[t], table.docs[d]), -1) for t, d in names])[table.ranges.pair]
    ranges = table.ranges.take(row >= 0)
    found = Ranges(row[row >= 0], ranges.start, ranges.end, ranges.grade)
    return build_assessments(topics, docs, topic[len(table.topics) :], doc, found)


def topic_order(runs: list[Run], order: str) -> dict[str, int]:
    """The topics as they come in a pool, and how many characters each has to read."""
    found: dict[str, int] = {}
    for document in dx.pool(runs, depth=DEPTH, order=order).documents:
        found[document.topic] = found.get(document.topic, 0) + document.characters
    return found


def taus(table: Assessments, runs: list[Run], order: str) -> list[float]:
    """Kendall's tau-b of the ranking by the topics read so far with that by all, after shares of the pool."""
    scores = dx.Evaluation(table, MEASURE).scores(runs)
    values = np.array([run.values[0] for run in scores.runs])
    final = np.nanmean(values, axis=1)
    cost = topic_order(runs, order)
    read = np.cumsum(list(cost.values()))
    found = []
    for share in SHARES:
        topics = list(cost)[: max(1, int(np.searchsorted(read, share * read[-1], side="right")))]
        so_far = values[:, [scores.topics.index(topic) for topic in topics]]
        found.append(float(kendalltau(np.nanmean(so_far, axis=1), final).statistic))
    return found


def until_decided(table: Assessments, two: tuple[Run, Run]) -> tuple[float, float] | None:
    """The share of the pool of two runs to read until one is ahead for sure: by depth, and by --next."""
    names = two[0].name, two[1].name
    whole = dx.pool(two, depth=DEPTH)
    cost = {(document.topic, document.doc): document.characters for document in whole.documents}
    rank: dict[Document, int] = {}
    for found in whole.retrieved:
        key = found.topic, found.doc
        rank[key] = min(found.rank, rank.get(key, found.rank))
    by_depth = sorted(cost, key=lambda document: rank[document])

    def following(known: list[Document]) -> dx.Pool:
        return dx.pool(two, judged(table, known), depth=DEPTH, between=names)

    enough = bisect_left(range(len(by_depth)), True, key=lambda count: not len(following(by_depth[:count])))
    if enough == len(by_depth):
        return None
    known: list[Document] = []
    read = 0
    while len(more := following(known)):
        known += [(document.topic, document.doc) for document in more.documents]
        read += more.characters
    total = sum(cost.values())
    return sum(cost[document] for document in by_depth[:enough]) / total, read / total


def tables(folder: Path) -> str:
    """Both tables in Markdown."""
    own = Own([folder / f"{name}.fol" for name in REAL_RUNS], folder / "qrels.txt", derive=True)
    table, runs = own.assessments, [first_results(load()) for load in own.runs]
    orders = {order: taus(table, runs, order) for order in ("depth", "deciding")}
    lines = ["| share of the pool read | tau, `depth` | tau, `deciding` |", "|---:|---:|---:|"]
    for at, share in enumerate(SHARES):
        lines.append(f"| {share:.0%} | {orders['depth'][at]:.2f} | {orders['deciding'][at]:.2f} |")
    real = [run for run in runs if run.name in REAL_RUNS]
    pairs = [(one, run) for one in real for run in runs if run.name.startswith(f"{one.name}-")]
    pairs += [(one, other) for at, one in enumerate(real) for other in real[at + 1 :]]
    found = [decided for two in pairs if (decided := until_decided(table, two)) is not None]
    shares = np.array(found).reshape(-1, 2)
    lines += ["", "| two runs, read until decided | `depth` | `--next` |", "|---|---:|---:|"]
    for what, rows in (("median share of their pool", np.median(shares, axis=0)),
                       ("mean share of their pool", shares.mean(axis=0))):  # fmt: skip
        lines.append(f"| {what} | {rows[0]:.0%} | {rows[1]:.0%} |")
    told = (
        f"{len(runs)} systems, {len(table.topics)} topics, pools of depth {DEPTH}, ranked by `{MEASURE}`; "
        f"{len(found)} of {len(pairs)} pairs of a run and a perturbed one, or of two real ones, are decided "
        "before everything is read."
    )
    return "\n".join([*lines, "", told, ""])


def main() -> None:
    """Write the tables into the page."""
    folder = Path(os.environ["DOXEVAL_REFERENCE_DATA"]) / "data" / "inex0910"
    before, begin, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    assert begin and end, "the page has no place for the tables"
    text = tables(folder)
    PAGE.write_text(f"{before}{BEGIN}{text}{END}{after}", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
