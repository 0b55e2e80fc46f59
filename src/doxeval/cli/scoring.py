"""How runs are scored, for every command that scores: one list of options, read in one place."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial, wraps
from typing import TYPE_CHECKING, Any, Unpack

import click

from doxeval.cli.project import add_note, is_from_project
from doxeval.cli.support import Command, declared_option, option, quiet_option, refuse_idle, say
from doxeval.core.options import OPTIONS as SCORING
from doxeval.core.options import ScoringOptions
from doxeval.core.options import declared as declared_in

if TYPE_CHECKING:
    from doxeval.core.notices import Notices
    from doxeval.io.topics import Topics
    from doxeval.scoring.evaluation import Evaluation, Look
    from doxeval.scoring.scores import Scores


class Scoring:
    """The scoring options of the command line, and what follows from them: an evaluation, and scores.

    A command asks for `scores` of the files it was given and ends with `finish`. Runs that cannot be scored
    are reported at once, the others are scored, and the exit status is 2.
    """

    def __init__(
        self,
        assessments: Any = None,
        measures: tuple[str, ...] = (),
        documents: Any = None,
        navigation: tuple[str, ...] = (),
        quiet: bool = False,
        **options: Unpack[ScoringOptions],
    ) -> None:
        self.assessments = assessments
        self.measures = measures
        self.documents = documents
        self.navigation = navigation
        self.quiet = quiet
        self.options = options
        self.incomplete = False

    def names(self) -> list[str]:
        """The measures as typed, each under every navigation model if several are given."""
        from doxeval.core.grammar import split_names
        from doxeval.scoring.under_models import under_models

        names = list(dict.fromkeys(name for text in self.measures for name in split_names(text)))
        return names if len(self.navigation) < 2 else under_models(names, self.navigation)

    @property
    def required_assessments(self) -> Any:
        """The assessments; an error if there are none."""
        if not self.assessments:
            raise click.UsageError("give the assessments to score runs with: --qrels FILE")
        return self.assessments

    @cached_property
    def evaluation(self) -> Evaluation:
        """The evaluation that runs are scored with."""
        from doxeval.scoring.evaluation import Evaluation

        truth = self.required_assessments
        if self.options.get("bounds") and self.options["pool"] is not None:
            from doxeval.judging.pool_file import read_pool

            self.options["pool"] = read_pool(str(self.options["pool"]))
        return Evaluation(truth, self.measures, self.documents, self.navigation, **self.options)

    def by_one_measure(self) -> None:
        """Score by the first measure alone where none was typed."""
        if not self.measures:
            self.evaluation = self.evaluation.by(self.evaluation.measures[0].label)
        self.take_one_measure()

    def take_one_measure(self) -> None:
        """Take only the first of the measures in the project file."""
        if is_from_project("measures"):
            self.measures = tuple(self.names()[:1])

    def run_scores(self, paths: Sequence[str], look: Look | None = None) -> Scores:
        """The scores of runs; `look`, if given, looks at each aligned run on the way."""
        from doxeval.cli.support import expand, progress

        watch = partial(progress, what="runs", quiet=self.quiet)
        scores = self.evaluation.scores(expand(paths), look, watch)
        for run in scores.unscored:
            say(f"error: not scored: {run}", err=True)
        self.incomplete |= bool(scores.unscored)
        add_note(scores.notices)
        return scores

    def trusting(self, human: str) -> Scoring:
        """The same with other assessments; `--merge` applies to whichever of the two name their assessors."""
        from doxeval.io.formats.judgements import assessors_of
        from doxeval.io.read import read_documents

        if self.documents:
            self.documents = read_documents(self.documents)
        theirs = Scoring(human, self.measures, self.documents, self.navigation, self.quiet, **self.options)
        if self.options["merge"] and not assessors_of(human):
            theirs.options = {**self.options, "merge": ""}
        elif self.options["merge"] and not assessors_of(self.assessments):
            self.options = {**self.options, "merge": ""}
        return theirs

    def scores(self, paths: Iterable[str], beside: Iterable[str] = ()) -> Scores:
        """The scores of runs and of score files, side by side; `-m` selects from the latter.

        Options about runs are refused if there is no run among these paths or those `beside` them.
        """
        from doxeval.cli.support import expand
        from doxeval.scoring.read_scores import join_scores, read_scores
        from doxeval.scoring.selection import select_measures

        files, others = expand(paths), expand(beside)
        runs = [path for path in files if not only_scores([path])]
        if not runs and only_scores(others):
            self._refuse_idle_options()
        if self.options.get("bounds"):
            if any(only_scores([path]) for path in [*files, *others]):
                raise click.UsageError("--bounds needs runs; score files do not say what was unjudged")
            if self.evaluation.opened is None:
                self.evaluation = self.evaluation.open_to([*files, *others])
        self._check_chunks([*runs, *(path for path in others if not only_scores([path]))])
        parts = [read_scores(path) for path in files if path not in runs]
        if self.measures:
            parts = [select_measures(part, self.names()) for part in parts]
        scores = join_scores([*parts, *([self.run_scores(runs)] if runs else [])])
        if parts:
            add_note(scores.notices)
        return scores

    def _check_chunks(self, runs: Sequence[str]) -> None:
        """Refuse chunks that are not those of all runs, also of those that are scored apart."""
        if runs and self.options.get("chunks") and self.evaluation.ground.chunks is not None:
            from doxeval.scoring.chunks import check_chunks
            from doxeval.scoring.loader import RunLoader

            check_chunks([RunLoader(path).run_name for path in runs], self.evaluation.ground.chunks)

    def takes_one_shape(self, paths: Sequence[str], shapes: Sequence[str]) -> bool:
        """Whether runs are taken in one shape, which is then set; if not, they are in each of several."""
        if only_scores(paths):
            refuse_idle("shapes", "it is about scoring runs, and only score files are given")
        if len(shapes) > 1:
            return False
        if tuple(shapes) == ("given",):
            refuse_idle("shapes", "runs are taken as given unless another shape is named")
        self.options["shape"] = shapes[0] if shapes else None
        return True

    def scores_in_shapes(
        self, paths: Sequence[str], shapes: Sequence[str], look: Look | None = None
    ) -> dict[str, Scores]:
        """The scores of runs taken in each of several shapes; `look`, if given, looks at each."""
        from doxeval.cli.support import expand

        if any(only_scores([path]) for path in expand(paths)):
            raise click.UsageError("--as is about runs; score files do not say what was retrieved")
        if self.options.get("bounds"):
            raise click.UsageError("--bounds needs one --as: shapes differ in the text that they show")
        evaluation, found = self.evaluation, {}
        for shape in shapes:
            self.evaluation = evaluation.shaped(shape)
            found[shape] = self.run_scores(paths, look)
        return found

    def _refuse_idle_options(self) -> None:
        """Refuse options about scoring runs where all scores have been computed before."""
        picks = ("measures", "quiet", *(["navigation"] if self.measures and len(self.navigation) > 1 else []))
        idle = " ".join(name for name in OPTIONS if name not in picks)
        refuse_idle(idle, "it is about scoring runs, and only score files are given")
        if is_from_project("measures"):
            refuse_idle("measures", "score files have measures of their own")
            self.measures = ()

    def topics(self, by: str | None, topics_file: str | None, for_slices: bool = True) -> Topics | None:
        """The topics in a file; an error if neither it nor the assessments know the attribute.

        A file that is `for_slices` only is refused without `--by`.
        """
        if by is None and for_slices:
            refuse_idle("topics_file", "topics are not sliced (--by)")
        if by is None and topics_file is None:
            return None
        from doxeval.io.topics import topics_of

        topics = topics_of(topics_file)
        if by is not None and self.assessments:
            from doxeval.comparison.slices import check_attribute
            from doxeval.scoring.scores import merged

            check_attribute(by, merged(self.evaluation.ground.attributes, topics.attributes))
        return topics

    def finish(self, notices: Notices, strict: bool = False) -> None:
        """Print notices; exit with 2 if a run could not be scored, with 1 if strict and there were any."""
        from doxeval.cli.support import finish

        finish(notices, strict and not self.incomplete, self.quiet)
        if self.incomplete:
            sys.exit(2)


def scored_runs(paths: Sequence[str], scores: Scores) -> list[str]:
    """The runs among these that could be scored; the others have been reported already."""
    from doxeval.cli.support import expand

    unscored = {run.name for run in scores.unscored}
    return [path for path in expand(paths) if path not in unscored]


def only_scores(paths: Iterable[str]) -> bool:
    """Whether all these files hold scores and none holds a run."""
    from doxeval.cli.support import expand
    from doxeval.scoring.read_scores import is_scores

    return all(path != "-" and is_scores(path) for path in expand(paths))


SUBJECTS = {
    "assessments": option("--qrels --assessments -q assessments FILE",
        "Assessments, in any format doxeval reads."),
    "documents": option("--docs -d documents FILE", "Documents: a file, folder, archive or index."),
    "measures": option("--measure -m measures MEASURE",
        "Measures, as in -m 'AiP iP[0.01] iR@10'; may be repeated. Without any: those of the task, or what "
        "suits the assessments.", multiple=True),
    "navigation": option("--nav -n navigation MODEL",
        "Navigation model for measures that name none; if repeated, measures are scored under each model.",
        multiple=True),
}  # fmt: skip
"""What is scored against what, by what: arguments of their own in Python."""

OPTIONS = {
    **SUBJECTS,
    **{name: declared_option(name) for name in SCORING},
    "quiet": quiet_option,
}
"""All scoring options by name; each is read by :class:`Scoring`, or by the evaluation it builds."""


def scoring_options(
    command_name: str, kind: Any = ScoringOptions, without: str = ""
) -> Callable[[Command], Command]:
    """Add the scoring options of a kind that a command takes; it receives them as one argument, `scoring`.

    Assessments, measures, documents, navigation and quiet come with them, `without` some by name.
    """
    declared = declared_in(kind) if kind is not None else {}
    left_out = without.split()
    names = [
        name
        for name in OPTIONS
        if (name in declared and declared[name].taken_by(command_name))
        or (name not in SCORING and name not in left_out)
    ]

    def decorate(command: Command) -> Command:
        @wraps(command)
        def with_scoring(**given: Any) -> Any:
            scoring = Scoring(**{name: given.pop(name) for name in names})
            return command(scoring=scoring, **given)

        optioned: Command = with_scoring
        for name in reversed(names):
            optioned = OPTIONS[name](optioned)
        return optioned

    return decorate


def slice_options(command: Command) -> Command:
    """The attribute by which topics are sliced, and a file that describes them."""
    file = "Topics: JSON Lines with topic, query and attributes, or topic TAB query."
    command = option("--topics-file FILE", file)(command)
    told = "Also score slices of the topics, as in --by question_type; attributes of topics come from the "
    told += "assessments, the metadata of relevant documents or --topics-file."
    return option("--by ATTRIBUTE", told)(command)


def shapes_option(several: str) -> Callable[[Command], Command]:
    """The shapes in which runs are taken, in place of the scoring option of one, and what `several` do."""
    told = "Take runs as they are given, each document's results joined into one tree, or whole documents. "
    choices = ["given", "trees", "documents"]
    return option("--as shapes", f"{told}Given twice, {several}", of=choices, multiple=True)


seed_option = option("--seed", "Random seed.", 0, least=0)


def direction_options(command: Command) -> Command:
    """The direction of measures unknown to doxeval."""
    for way in ("higher", "lower"):
        told = f"Treat {way} values of MEASURE, unknown to doxeval, as better; may be repeated."
        command = option(f"--{way}-is-better MEASURE", told, multiple=True)(command)
    return command
