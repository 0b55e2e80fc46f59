"""Files to per-topic scores with ir_measures and its own readers."""

import csv
import sys
from pathlib import Path

import ir_measures

if __name__ == "__main__":
    qrels, *runs = map(Path, sys.argv[1:])
    measures = [ir_measures.parse_measure(name) for name in ("P@10", "AP", "nDCG@10", "R@1000")]
    evaluator = ir_measures.evaluator(measures, ir_measures.read_trec_qrels(str(qrels)))
    out = csv.writer(sys.stdout)
    out.writerow(["run", "topic", "measure", "value"])
    for path in runs:
        for score in evaluator.iter_calc(ir_measures.read_trec_run(str(path))):
            out.writerow((path.stem, score.query_id, score.measure, score.value))
