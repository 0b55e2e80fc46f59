"""Scores for the commands that compare: from runs and assessments, or from files of scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from doxeval.evaluation import Plan
    from doxeval.scores.scores import Scores


@dataclass(frozen=True)
class Scoring:
    """How runs are to be scored, as far as the command line told."""

    qrels: str | None
    docs: str | None
    measures: tuple[str, ...]
    nav: tuple[str, ...]
    topics: str
    depth: int | None
    unjudged: str
    run_format: str | None
    qrels_format: str | None
    ranges: str
    quiet: bool

    def names(self) -> list[str]:
        """The measures, each under every navigation model where several are given."""
        from doxeval.grammar import split_names
        from doxeval.studies.sensitivity import under_models

        names = [name for text in self.measures for name in split_names(text)]
        return under_models(names, self.nav) if len(self.nav) > 1 else list(dict.fromkeys(names))

    def plan(self) -> Plan:
        """What runs are measured against."""
        from doxeval.evaluation import plan_evaluation
        from doxeval.reading import read_assessments, read_documents

        if not self.qrels:
            raise click.UsageError("runs need assessments to be scored with: --qrels FILE")
        if not self.measures:
            raise click.UsageError("name at least one measure, as in -m AiP ('doxeval measures' lists them)")
        assessments = read_assessments(self.qrels, format=self.qrels_format)
        documents = read_documents(self.docs) if self.docs else None
        return plan_evaluation(
            assessments, self.names(), documents, self.nav[0] if len(self.nav) == 1 else None,
            topics=self.topics, depth=self.depth, unjudged=self.unjudged,
        )  # fmt: skip

    def scores(self, paths: Sequence[str]) -> Scores:
        """The scores of runs and of files of scores, side by side; `-m` picks from the latter."""
        from doxeval.cli.support import expand, progress
        from doxeval.evaluation import RunLoader
        from doxeval.scores.reading import is_scores, join_scores, read_scores, select_measures
        from doxeval.scores.scores import Scores

        files = expand(paths)
        known = {path: path != "-" and is_scores(path) for path in files}
        parts = [read_scores(path) for path in files if known[path]]
        if self.measures:
            parts = [select_measures(part, self.names()) for part in parts]
        runs = [
            RunLoader(path, format=self.run_format, ranges=self.ranges) for path in files if not known[path]
        ]
        if runs:
            plan = self.plan()
            scored = list(progress(map(plan.score, runs), len(runs), "runs", self.quiet))
            parts.append(Scores.gather(plan, scored))
        return join_scores(parts)


OPTIONS = (
    click.option("--qrels", "-q", metavar="FILE", help="Assessments, where runs are to be scored."),
    click.option("--docs", "-d", metavar="FILE", help="Documents: a file, folder, archive or index."),
    click.option("--measure", "-m", "measures", multiple=True, metavar="MEASURE", help="As for eval."),
    click.option(
        "--nav", multiple=True, metavar="MODEL",
        help="Navigation model for measures that name none; several: every measure under each of them.",
    ),
    click.option(
        "--topics", type=click.Choice(["qrels", "run"]), default="qrels", show_default=True,
        help="Count all assessed topics, or those each run has.",
    ),
    click.option("--depth", type=click.IntRange(1), metavar="N", help="Look at the first N results only."),
    click.option(
        "--unjudged", type=click.Choice(["irrelevant", "skip"]), default="irrelevant", show_default=True,
        help="What to do with results in documents nobody judged for the topic.",
    ),
    click.option("--run-format", metavar="NAME", help="Format of the runs, where it is not recognised."),
    click.option("--qrels-format", metavar="NAME", help="Format of the assessments, likewise."),
    click.option("--ranges", metavar="PATTERN", default="", help="How TREC document ids carry ranges."),
    click.option("--quiet", is_flag=True, help="No progress and no warnings on standard error."),
)  # fmt: skip


def scoring_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of :class:`Scoring`, which it gets as its argument `scoring`."""
    names = [field.name for field in fields(Scoring)]

    @wraps(command)
    def with_scoring(**given: Any) -> Any:
        scoring = Scoring(**{name: given.pop(name) for name in names})
        return command(scoring=scoring, **given)

    for option in reversed(OPTIONS):
        with_scoring = option(with_scoring)
    return with_scoring


seed_option = click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of all draws."
)
lower_option = click.option(
    "--lower-is-better", "lower", multiple=True, metavar="MEASURE",
    help="A measure unknown to doxeval whose lower values are better; may be repeated.",
)  # fmt: skip
