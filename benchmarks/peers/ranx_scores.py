"""Files to per-topic scores with ranx and its own readers."""

import csv
import sys
from pathlib import Path

from ranx import Qrels, Run, evaluate

MEASURES = ["precision@10", "map", "ndcg@10", "recall@1000"]

if __name__ == "__main__":
    qrels, *runs = map(Path, sys.argv[1:])
    truth = Qrels.from_file(str(qrels), kind="trec")
    out = csv.writer(sys.stdout)
    out.writerow(["run", "topic", "measure", "value"])
    for path in runs:
        run = Run.from_file(str(path), kind="trec")
        evaluate(truth, run, MEASURES)
        for measure, scores in run.scores.items():
            out.writerows((path.stem, topic, measure, value) for topic, value in scores.items())
