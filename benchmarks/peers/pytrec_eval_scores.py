"""Files to per-topic scores with pytrec_eval, read by the quickest plain-Python loop."""

import csv
import sys
from pathlib import Path

import pytrec_eval

MEASURES = {"P_10": "P_10", "map": "map", "ndcg_cut_10": "ndcg_cut.10", "recall_1000": "recall.1000"}


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    qrels: dict[str, dict[str, int]] = {}
    with path.open() as lines:
        for line in lines:
            topic, _, document, relevance = line.split()
            qrels.setdefault(topic, {})[document] = int(relevance)
    return qrels


def read_run(path: Path) -> dict[str, dict[str, float]]:
    run: dict[str, dict[str, float]] = {}
    current = None
    with path.open() as lines:
        for line in lines:
            topic, _, document, _, score, _ = line.split()
            if topic != current:
                scores, current = run.setdefault(topic, {}), topic
            scores[document] = float(score)
    return run


if __name__ == "__main__":
    qrels, *runs = map(Path, sys.argv[1:])
    evaluator = pytrec_eval.RelevanceEvaluator(read_qrels(qrels), set(MEASURES.values()))
    out = csv.writer(sys.stdout)
    out.writerow(["run", "topic", "measure", "value"])
    for path in runs:
        for topic, scores in evaluator.evaluate(read_run(path)).items():
            out.writerows((path.stem, topic, name, scores[name]) for name in MEASURES)
