"""How runs are scored, for every command that scores: the options, and what they ask for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from doxeval.cli.support import Registered
from doxeval.core.errors import InputError

if TYPE_CHECKING:
    from doxeval.scoring.evaluation import Plan, RunLoader
    from doxeval.scoring.scores import Scores


@dataclass(frozen=True)
class Scoring:
    """How runs are to be scored, as far as the command line told."""

    qrels: str | None
    docs: str | None
    measures: tuple[str, ...]
    nav: tuple[str, ...]
    topics: str | None
    task: str | None
    fix: bool
    chunks: str | None
    shape: str | None
    tokenizer: str | None
    depth: int | None
    unjudged: str
    rank_by: str | None
    run_format: str | None
    qrels_format: str | None
    ranges: str
    encoding: str | None
    keep_going: bool
    quiet: bool

    def names(self) -> list[str]:
        """The measures, each under every navigation model where several are given."""
        from doxeval.core.grammar import split_names

        names = [name for text in self.measures for name in split_names(text)]
        if len(self.nav) < 2:
            return list(dict.fromkeys(names))
        from doxeval.lab.studies.sensitivity import under_models

        return under_models(names, self.nav)

    def plan(self) -> Plan:
        """What runs are measured against."""
        from doxeval.io.read import read_assessments, read_chunks, read_documents
        from doxeval.scoring.evaluation import plan_evaluation

        if not self.qrels:
            raise click.UsageError("runs need assessments to be scored with: --qrels FILE")
        if not self.measures and not self.task:
            raise click.UsageError("name at least one measure, as in -m AiP ('doxeval measures' lists them)")
        assessments = read_assessments(
            self.qrels, format=self.qrels_format, ranges=self.ranges, encoding=self.encoding
        )
        if assessments.notices.refusals and not self.keep_going:
            raise InputError(
                f"{'; '.join(map(str, assessments.notices.refusals))}. Without these lines the scores are "
                "others: mend them, or leave them out with --keep-going"
            )
        documents = read_documents(self.docs) if self.docs else None
        return plan_evaluation(
            assessments, self.names(), documents, self.nav[0] if len(self.nav) == 1 else None,
            topics=self.topics, depth=self.depth, unjudged=self.unjudged, rank_by=self.rank_by,
            task=self.task, fix=self.fix,
            chunks=read_chunks(self.chunks) if self.chunks else None, tokenizer=self.tokenizer,
            shape=self.shape,
        )  # fmt: skip

    def loaders(self, paths: Sequence[str]) -> list[RunLoader]:
        """The runs to be read, each when its turn comes."""
        from doxeval.scoring.evaluation import RunLoader

        return [
            RunLoader(path, format=self.run_format, ranges=self.ranges, encoding=self.encoding)
            for path in paths
        ]

    def scores(self, paths: Sequence[str]) -> Scores:
        """The scores of runs and of files of scores, side by side; `-m` picks from the latter."""
        from doxeval.cli.support import expand, progress
        from doxeval.scoring.read_scores import is_scores, join_scores, read_scores, select_measures
        from doxeval.scoring.scores import Scores

        files = expand(paths)
        known = {path: path != "-" and is_scores(path) for path in files}
        parts = [read_scores(path) for path in files if known[path]]
        if self.measures:
            parts = [select_measures(part, self.names()) for part in parts]
        runs = self.loaders([path for path in files if not known[path]])
        if runs:
            plan = self.plan()
            scored = list(progress(map(plan.score, runs), len(runs), "runs", self.quiet))
            parts.append(Scores.gather(plan, scored))
        return join_scores(parts)


OPTIONS = (
    click.option("--qrels", "-q", metavar="FILE", help="Assessments, in any format doxeval reads."),
    click.option("--docs", "-d", metavar="FILE", help="Documents: a file, folder, archive or index."),
    click.option(
        "--measure", "-m", "measures", multiple=True, metavar="MEASURE",
        help="Measures, as in -m 'AiP iP[0.01] iR@10'; may be repeated.",
    ),
    click.option(
        "--nav", multiple=True, metavar="MODEL",
        help="Navigation model for measures that name none; several: every measure under each of them.",
    ),
    click.option(
        "--topics", type=click.Choice(["qrels", "run"]),
        help="Average over all assessed topics (the default without --task), or over those each run has.",
    ),
    click.option(
        "--task", type=Registered("doxeval.ground.tasks.presets", "TASKS"),
        help="A task of INEX: its rules are checked, its scorer's conventions and measures are the defaults.",
    ),
    click.option("--fix", is_flag=True, help="Repair what breaks the rules of the task, and say how."),
    click.option("--chunks", metavar="FILE", help="All chunks of the collection (IoUomega)."),
    click.option(
        "--as", "shape", type=click.Choice(["trees"]), help="Join the results of each document into one tree."
    ),
    click.option("--tokenizer", metavar="FILE", help="The tokenizer.json that says what @1000t counts."),
    click.option(
        "--depth", type=click.IntRange(1), metavar="N", help="Look at the first N results of a topic only."
    ),
    click.option(
        "--unjudged", type=click.Choice(["irrelevant", "skip"]), default="irrelevant", show_default=True,
        help="What to do with results in documents nobody judged for the topic.",
    ),
    click.option(
        "--rank-by", type=click.Choice(["rank", "score", "file"]),
        help="Take results by the rank column (the default), by score as trec_eval does, or as the file has "
        "them (the default with --task).",
    ),
    click.option("--run-format", metavar="NAME", help="Format of the runs, where it is not recognised."),
    click.option("--qrels-format", metavar="NAME", help="Format of the assessments, likewise."),
    click.option(
        "--ranges", metavar="PATTERN", default="",
        help="How TREC document ids carry ranges: doc_offset_length or doc#start-end.",
    ),
    click.option(
        "--encoding", metavar="NAME", help="Encoding of runs and assessments, where it is not evident."
    ),
    click.option("--keep-going", is_flag=True, help="Score although lines of the assessments were refused."),
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


def direction_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Which way measures are better that doxeval does not know."""
    for way in ("higher", "lower"):
        command = click.option(
            f"--{way}-is-better", multiple=True, metavar="MEASURE",
            help=f"A measure unknown to doxeval whose {way} values are better; may be repeated.",
        )(command)  # fmt: skip
    return command
