"""How runs are scored, for every command that scores: one list of options, read in one place."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, Unpack

import click

import doxeval as dx
from doxeval.cli.project_file import add_note, is_from_project
from doxeval.cli.support import Command, declared_option, option, quiet_option, refuse_idle, say
from doxeval.core.notices import Notices
from doxeval.core.options import OPTIONS as SCORING
from doxeval.core.options import ScoringOptions
from doxeval.core.options import declared as declared_in
from doxeval.core.progress import each, step

if TYPE_CHECKING:
    from doxeval.scoring.evaluation import Evaluation
    from doxeval.scoring.scores import Scores
    from doxeval.scoring.sweep import Scored
    from doxeval.tables.wordings import Topics


class Scoring:
    """The scoring options of the command line, and what follows from them: an evaluation, and scores.

    A command asks for `scores` of the files it was given, or hands what is `given` to a public function, and
    ends with `finish`. It watches all runs that are scored meanwhile: those that cannot be scored are
    reported at once, the others are scored, and the exit status is 2.
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
        self.notices = Notices()
        self.unscored: set[str] = set()
        self._afterwards = ""
        self._status = ExitStack()

    def names(self) -> list[str]:
        """The measures as typed, each by itself."""
        from doxeval.core.grammar import split_names

        return list(dict.fromkeys(name for text in self.measures for name in split_names(text)))

    @property
    def given(self) -> tuple[Any, ...]:
        """Assessments, measures, documents and navigation, as all functions take them."""
        return self.required_assessments, self.measures, self.documents, self.navigation

    @property
    def required_assessments(self) -> Any:
        """The assessments; an error if there are none."""
        if not self.assessments:
            raise click.UsageError("give the assessments to score runs with: --qrels FILE")
        return self.assessments

    @cached_property
    def evaluation(self) -> Evaluation:
        """The evaluation that runs are scored with."""
        return dx.Evaluation(*self.given, **self.options)

    def take_one_measure(self) -> None:
        """Take only the first of the measures in the project file."""
        if is_from_project("measures"):
            self.measures = tuple(self.names()[:1])

    def each(self, parts: Iterable[Scored], total: int) -> Iterator[Scored]:
        """Pass runs on as they are scored, and show how many of them are done."""
        self._status.close()
        return each(parts, "scoring runs", total)

    def done(self, scores: Scores) -> None:
        """Report each run that could not be scored once, and say below the numbers what the project gave."""
        for run in map(str, scores.unscored):
            if run not in self.unscored:
                say(f"error: not scored: {run}", err=True)
            self.unscored.add(run)
        add_note(scores.notices)
        self.notices.extend(scores.notices)
        if self._afterwards:
            self._status.enter_context(step(self._afterwards))

    @contextmanager
    def then(self, what: str) -> Iterator[None]:
        """Say what takes long after runs have been scored."""
        self._afterwards = what
        with self._status:
            yield
        self._afterwards = ""

    def run_scores(self, paths: Sequence[str]) -> Scores:
        """The scores of runs."""
        from doxeval.cli.support import expand

        return self.evaluation.scores(expand(paths))

    def scores(self, paths: Iterable[str], beside: Iterable[str] = ()) -> Scores:
        """The scores of runs and of score files, side by side; `-m` selects from the latter.

        Options about runs are refused if there is no run among these paths or those `beside` them.
        """
        from doxeval.cli.support import expand
        from doxeval.scoring.inputs import scores_given

        files, others = expand(paths), expand(beside)
        runs = [path for path in files if not only_scores([path])]
        if not runs and only_scores(others):
            self._refuse_idle_options()
        if self.options.get("bounds"):
            if any(only_scores([path]) for path in [*files, *others]):
                raise click.UsageError("--bounds needs runs; score files do not say what was unjudged")
            if self.evaluation.opened is None:
                self.evaluation = self.evaluation.open_to([*files, *others])
        if runs and self.options.get("chunks"):
            self.evaluation.check_chunks([*runs, *(path for path in others if not only_scores([path]))])
        models = self.navigation if self.measures and len(self.navigation) > 1 else ()
        parts = [scores_given(path, None, self.measures, None, models) for path in files if path not in runs]
        scores = scores_given([*parts, *([self.run_scores(runs)] if runs else [])], pooled=True)
        if parts:
            add_note(scores.notices)
        return scores

    def takes_one_shape(self, paths: Sequence[str], shapes: Sequence[str]) -> bool:
        """Whether runs are taken in one shape, which is then set; if not, they are in each of several."""
        if only_scores(paths):
            refuse_idle("shapes", "it is about scoring runs, and only score files are given")
        if len(shapes) > 1:
            if any(only_scores([path]) for path in paths):
                raise click.UsageError("--as is about runs; score files do not say what was retrieved")
            if self.options.get("bounds"):
                raise click.UsageError("--bounds needs one --as: shapes differ in the text that they show")
            return False
        if tuple(shapes) == ("given",):
            refuse_idle("shapes", "runs are taken as given unless another shape is named")
        self.options["shape"] = shapes[0] if shapes else None
        return True

    def _refuse_idle_options(self) -> None:
        """Refuse options about scoring runs where all scores have been computed before."""
        picks = ("measures", "quiet", *(["navigation"] if self.measures and len(self.navigation) > 1 else []))
        idle = " ".join(name for name in SCORING_FLAGS if name not in picks)
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
        topics = dx.read_topics(topics_file)
        if by is not None and self.assessments:
            self.evaluation.check_attribute(by, topics)
        return topics

    def finish(self, notices: Notices, strict: bool = False) -> None:
        """Print notices; exit with 2 if a run could not be scored, with 1 if strict and there were any."""
        from doxeval.cli.support import finish

        finish(notices, strict and not self.unscored, self.quiet)
        if self.unscored:
            sys.exit(2)


def only_scores(paths: Iterable[str]) -> bool:
    """Whether all these files hold scores and none holds a run."""
    from doxeval.cli.support import expand
    from doxeval.scoring.inputs import holds_scores

    return all(map(holds_scores, expand(paths)))


SUBJECT_FLAGS = {
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

SCORING_FLAGS = {
    **SUBJECT_FLAGS,
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
        for name in SCORING_FLAGS
        if (name in declared and declared[name].taken_by(command_name))
        or (name not in SCORING and name not in left_out)
    ]

    def decorate(command: Command) -> Command:
        @wraps(command)
        def with_scoring(**given: Any) -> Any:
            from doxeval.scoring.evaluation import watched_by

            scoring = Scoring(**{name: given.pop(name) for name in names})
            with watched_by(scoring):
                return command(scoring=scoring, **given)

        optioned: Command = with_scoring
        for name in reversed(names):
            optioned = SCORING_FLAGS[name](optioned)
        return optioned

    return decorate


TOPICS_FILE = "Topics: JSON Lines with topic, query and attributes, or topic TAB query."


def slice_options(command: Command) -> Command:
    """The attribute by which topics are sliced, and a file that describes them."""
    command = option("--topics-file FILE", TOPICS_FILE)(command)
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
