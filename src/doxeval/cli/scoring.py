"""How runs are scored, for every command that scores: one list of options, and one place that reads them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial, wraps
from typing import TYPE_CHECKING, Any, Unpack

import click

from doxeval.cli.support import Registered, refuse_idle

if TYPE_CHECKING:
    from doxeval.core.notices import Notices
    from doxeval.scoring.evaluation import Evaluation, Look, ScoringOptions
    from doxeval.scoring.scores import Scores


class Scoring:
    """What the command line told about scoring, and what comes of it: an evaluation, and scores.

    A command asks for `scores` of the files it was given and ends with `finish`; runs that could not be
    scored are told at once, the others are scored, and the exit status is 2.
    """

    def __init__(
        self,
        qrels: str | None = None,
        docs: Any = None,
        measures: tuple[str, ...] = (),
        nav: tuple[str, ...] = (),
        quiet: bool = False,
        **options: Unpack[ScoringOptions],
    ) -> None:
        self.qrels = qrels
        self.docs = docs
        self.measures = measures
        self.nav = nav
        self.quiet = quiet
        self.options = options
        self.incomplete = False

    def names(self) -> list[str]:
        """The measures as they are typed, each under every navigation model where several are given."""
        from doxeval.core.grammar import split_names
        from doxeval.scoring.under_models import under_models

        names = list(dict.fromkeys(name for text in self.measures for name in split_names(text)))
        return names if len(self.nav) < 2 else under_models(names, self.nav)

    @cached_property
    def evaluation(self) -> Evaluation:
        """What runs are scored against."""
        from doxeval.scoring.evaluation import Evaluation

        if not self.qrels:
            raise click.UsageError("runs need assessments to be scored with: --qrels FILE")
        if not self.measures and not self.options.get("task"):
            raise click.UsageError("name at least one measure, as in -m AiP ('doxeval measures' lists them)")
        return Evaluation(self.qrels, self.measures, self.docs, self.nav, **self.options)

    def run_scores(self, paths: Sequence[str], look: Look | None = None) -> Scores:
        """The scores of runs, each looked at where somebody wants to."""
        from doxeval.cli.support import progress

        watch = partial(progress, what="runs", quiet=self.quiet)
        scores = self.evaluation.scores(list(paths), look, watch)
        for run in scores.unscored:
            click.echo(f"error: not scored: {run}", err=True)
        self.incomplete |= bool(scores.unscored)
        return scores

    def scores(self, paths: Iterable[str], beside: Iterable[str] = ()) -> Scores:
        """The scores of runs and of files of scores, side by side; `-m` picks from the latter.

        Options of runs are refused where there is none, nor any `beside` these paths.
        """
        from doxeval.cli.support import expand
        from doxeval.scoring.read_scores import join_scores, read_scores, select_measures

        files = expand(paths)
        runs = [path for path in files if not only_scores([path])]
        if not runs and only_scores(beside):
            self._refuse_idle_options()
        parts = [read_scores(path) for path in files if path not in runs]
        if self.measures:
            parts = [select_measures(part, self.names()) for part in parts]
        return join_scores([*parts, *([self.run_scores(runs)] if runs else [])])

    def _refuse_idle_options(self) -> None:
        """What says how runs are scored does nothing for scores that were computed before."""
        picks = ("measures", "quiet", *(["nav"] if self.measures and len(self.nav) > 1 else []))
        for option in OPTIONS:
            if option not in picks:
                refuse_idle(option, "it says how runs are scored, and there are only files of scores")

    def finish(self, notices: Notices, strict: bool = False) -> None:
        """Tell what was noticed; exit with 2 where a run could not be scored, with 1 if strict and told."""
        from doxeval.cli.support import finish

        finish(notices, strict and not self.incomplete, self.quiet)
        if self.incomplete:
            sys.exit(2)


def only_scores(paths: Iterable[str]) -> bool:
    """Whether all these files hold scores, and none a run."""
    from doxeval.cli.support import expand
    from doxeval.scoring.read_scores import is_scores

    return all(path != "-" and is_scores(path) for path in expand(paths))


OPTIONS = {
    "qrels": click.option("--qrels", "-q", metavar="FILE", help="Assessments, in any format doxeval reads."),
    "docs": click.option("--docs", "-d", metavar="FILE", help="Documents: a file, folder, archive or index."),
    "measures": click.option(
        "--measure", "-m", "measures", multiple=True, metavar="MEASURE",
        help="Measures, as in -m 'AiP iP[0.01] iR@10'; may be repeated.",
    ),
    "nav": click.option(
        "--nav", multiple=True, metavar="MODEL",
        help="Navigation model for measures that name none; several: every measure under each of them.",
    ),
    "topics": click.option(
        "--topics", type=click.Choice(["qrels", "run"]),
        help="Average over all assessed topics (the default without --task), or over those each run has.",
    ),
    "task": click.option(
        "--task", type=Registered("doxeval.ground.tasks.presets", "TASKS"),
        help="A task of INEX: its rules are checked, its scorer's conventions and measures are the defaults.",
    ),
    "fix": click.option("--fix", is_flag=True, help="Repair what breaks the rules of the task, and say how."),
    "as_scored": click.option(
        "--as-scored", is_flag=True,
        help="Follow the official scorer of the task also where it is wrong, as published figures do.",
    ),
    "chunks": click.option("--chunks", metavar="FILE", help="All chunks of the collection (IoUomega)."),
    "shape": click.option(
        "--as", "shape", type=click.Choice(["trees"]), help="Join the results of each document into one tree."
    ),
    "highlighted": click.option(
        "--highlighted", type=click.Choice(["strict", "any"]),
        help="Which nodes, judged by codes or different values, count as highlighted whole to measures of "
        "text: the best ones (E3S3, 3E, the highest value) or all that are positive.",
    ),
    "added": click.option(
        "--added", type=click.Choice(["shown", "free"]), default="shown", show_default=True,
        help="Text of results that stands in no document, such as headers put before chunks: irrelevant text "
        "shown, or none.",
    ),
    "tokenizer": click.option(
        "--tokenizer", metavar="FILE", help="The tokenizer.json that says what @1000t counts."
    ),
    "depth": click.option(
        "--depth", type=click.IntRange(1), metavar="N", help="Look at the first N results of a topic only."
    ),
    "unjudged": click.option(
        "--unjudged", type=click.Choice(["irrelevant", "skip"]), default="irrelevant", show_default=True,
        help="What to do with results in documents nobody judged for the topic.",
    ),
    "rank_by": click.option(
        "--rank-by", type=click.Choice(["rank", "score", "file"]),
        help="Take results by the rank column (the default), by score as trec_eval does, or as the file has "
        "them (the default with --task).",
    ),
    "run_format": click.option(
        "--run-format", metavar="NAME", help="Format of the runs, where it is not recognised."
    ),
    "qrels_format": click.option(
        "--qrels-format", metavar="NAME", help="Format of the assessments, likewise."
    ),
    "ranges": click.option(
        "--ranges", metavar="PATTERN", default="",
        help="How TREC document ids carry ranges: doc_offset_length or doc#start-end.",
    ),
    "encoding": click.option(
        "--encoding", metavar="NAME", help="Encoding of runs and assessments, where it is not evident."
    ),
    "keep_going": click.option(
        "--keep-going", is_flag=True, help="Score although lines of the assessments were refused."
    ),
    "jobs": click.option(
        "--jobs", "-j", type=click.IntRange(1), default=1, metavar="N", help="Processes to use."
    ),
    "executor": click.option(
        "--executor", metavar="ADDRESS", help="Workers to use instead: dask://host:8786."
    ),
    "store": click.option(
        "--store", metavar="FOLDER",
        help="Keep each run's scores there; what it holds is not computed again (see 'doxeval scores').",
    ),
    "quiet": click.option("--quiet", is_flag=True, help="No progress and no warnings on standard error."),
}  # fmt: skip
"""Every option of scoring by its name; each is read by :class:`Scoring`, or by the evaluation it builds."""


def scoring_options(*left_out: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command the options of scoring, which it gets as one argument, `scoring`.

    An option that cannot mean anything to a command is `left_out`, and so refused by it.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def with_scoring(**given: Any) -> Any:
            told = {name: given.pop(name) for name in OPTIONS if name in given}
            return command(scoring=Scoring(**told), **given)

        for name in reversed(OPTIONS):
            if name not in left_out:
                with_scoring = OPTIONS[name](with_scoring)
        return with_scoring

    return decorate


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
