"""Where the time of one evaluation goes, stage by stage; the floor is reading the bytes."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.bench_scoring import MEASURES
from benchmarks.harness import ROOT, markdown
from benchmarks.synthetic import RUNS, Input, inex_size


class Stopwatch:
    """Seconds by stage, added up over the runs."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        begin = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - begin


def stages(data: Input) -> dict[str, float]:
    """Do what ``doxeval eval`` does, one stage at a time."""
    watch = Stopwatch()
    with watch.stage("import"):
        import numpy as np

        from doxeval.ground.align import align
        from doxeval.io.read import read_assessments, read_run
        from doxeval.scoring.evaluation import Evaluation
        from doxeval.scoring.scores import RunScores, Scores
        from doxeval.scoring.scores_table import render
    with watch.stage("assessments: read"):
        assessments = read_assessments(data.qrels)
    with watch.stage("assessments: prepare"):
        evaluation = Evaluation(assessments, MEASURES)
    scored = []
    for path in data.runs(RUNS):
        with watch.stage("floor: the bytes of the runs"):
            path.read_bytes()
        with watch.stage("runs: read"):
            run = read_run(path)
        with watch.stage("runs: align"):
            aligned = align(run, evaluation.ground, evaluation.conventions)
        rows = []
        for measure in evaluation.measures:
            with watch.stage(f"runs: {measure.label}"):
                rows.append(measure(aligned))
        scored.append(RunScores(run.name, np.array(rows), aligned.present, len(aligned), 0))
    with watch.stage("scores: gather and write CSV"):
        render(Scores.gather(evaluation, scored), "csv", per_topic=True)
    return watch.seconds


def report() -> str:
    inex_size()
    answer = subprocess.run(
        [sys.executable, "-m", "benchmarks.bench_stages"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    seconds = json.loads(answer.stdout)
    total = sum(value for name, value in seconds.items() if not name.startswith("floor"))
    rows = [[name, f"{1000 * value:.0f}", f"{value / total:.0%}"] for name, value in seconds.items()]
    rows.append(["all but the floor", f"{1000 * total:.0f}", "100%"])
    table = markdown(["stage", "ms", "share"], rows)
    return (
        f"## Where the time goes\n\nOne process, {RUNS} runs. The first measure pays for what all of them "
        f"share: what was shown at each rank.\n\n{table}"
    )


if __name__ == "__main__":
    print(json.dumps(stages(inex_size())))
