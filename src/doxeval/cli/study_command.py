"""`doxeval study`: study measures, or repeat the papers' experiments."""

from __future__ import annotations

from typing import Any

import click

import doxeval as dx
from doxeval.cli.files import OUTPUT_FOLDER
from doxeval.cli.project_file import runs_argument
from doxeval.cli.registered import Registered
from doxeval.cli.scoring import SCORING_FLAGS, Scoring, scoring_options, seed_option
from doxeval.cli.support import expand, option, refuse_idle, say, say_lines
from doxeval.core.progress import step

folder_option = option(
    "--output -o FOLDER", "Write to FOLDER, tables and figures.", of=OUTPUT_FOLDER, required=True
)
figures_option = option("--figures/--no-figures", "Draw figures (needs doxeval[plot]).", True)


@click.group(name="study")
def command() -> None:
    """Study measures on your runs, or repeat the papers' experiments; tables and figures go to a folder."""


@command.command()
@runs_argument("inputs")
@scoring_options("study discrimination")
@option("--test", "Paired test for every pair of runs.", "bootstrap", of=Registered("comparison.tests.TESTS"))
@option("--draws", "Number of permutations or samples to draw.", 2_000, least=100)
@seed_option
@folder_option
@figures_option
def discrimination(
    inputs: tuple[str, ...], scoring: Scoring, test: str, draws: int, seed: int, output: str, figures: bool
) -> None:
    """How many pairs of RUNs does each measure tell apart? (Sakai's ASL curves)"""
    from doxeval.extend import TESTS

    if not TESTS[test].drawn:
        refuse_idle("draws seed", f"the {TESTS[test].title} draws nothing")
    scores = scoring.scores(inputs)
    with step("studying the measures"):
        drawn = draws if TESTS[test].drawn else None
        found = dx.study(
            "discrimination", scores, path=output, test=test, draws=drawn, seed=seed, figures=figures
        )
    say_lines(found.path)
    scoring.finish(scores.notices)


@command.command()
@runs_argument("inputs")
@scoring_options("study stability")
@option("--splits", "Number of pairs of topic sets.", 500, least=1)
@seed_option
@folder_option
@figures_option
def stability(
    inputs: tuple[str, ...], scoring: Scoring, splits: int, seed: int, output: str, figures: bool
) -> None:
    """How often would other topics order two RUNs the other way? (swap rates)"""
    scores = scoring.scores(inputs)
    with step("studying the measures"):
        found = dx.study("stability", scores, path=output, splits=splits, seed=seed, figures=figures)
    say_lines(found.path)
    scoring.finish(scores.notices)


@command.command()
@runs_argument("inputs")
@scoring_options("study sensitivity")
@seed_option
@folder_option
@figures_option
def sensitivity(inputs: tuple[str, ...], scoring: Scoring, seed: int, output: str, figures: bool) -> None:
    """How much does the ranking of RUNs depend on the navigation model? Give --nav at least twice."""
    if len(scoring.navigation) < 2:
        raise click.UsageError("give --nav at least twice, as in --nav none --nav hierarchical")
    scores = scoring.scores(inputs)
    with step("studying the measures"):
        found = dx.study(
            "sensitivity", scores, None, scoring.measures, None, scoring.navigation, output, seed=seed,
            figures=figures,
        )  # fmt: skip
    say_lines(found.path)
    scoring.finish(scores.notices)


@command.command()
@runs_argument("inputs")
@scoring_options("study fidelity")
@option("--share", "Share of the results to change.", 1.0)
@seed_option
@folder_option
@figures_option
def fidelity(
    inputs: tuple[str, ...], scoring: Scoring, share: float, seed: int, output: str, figures: bool
) -> None:
    """Do measures order RUNs and their perturbations as they should? (SR, section 7.3)"""
    if share == 1:
        refuse_idle("seed", "nothing is drawn, since all results are changed (--share)")
    with scoring.then("studying the measures"):
        found = dx.study(
            "fidelity", expand(inputs), scoring.evaluation, path=output, share=share, seed=seed,
            figures=figures,
        )  # fmt: skip
    say_lines(found.path)
    scoring.finish(scoring.notices)


@command.command("papers")
@click.argument("inputs", nargs=-1, metavar="[RUN]...")
@option("--paper papers", "Only the experiments of this paper; may be repeated.",
        of=Registered("lab.studies.study.PAPERS"), multiple=True)  # fmt: skip
@scoring_options("study papers", without="measures")
@option("--derive", "Also score runs made better and worse from each of yours, if yours are few.")
@option("--share-of-topics", "On synthetic data: share of the papers' topics.", 0.3)
@option("--share-of-systems", "On synthetic data: share of the papers' systems.", 1.0)
@option("--results", "Results per topic of synthetic systems.", 300, least=1)
@seed_option
@folder_option
@figures_option
def papers_command(
    inputs: tuple[str, ...], papers: tuple[str, ...], scoring: Scoring, derive: bool, seed: int, output: str,
    figures: bool, **options: Any,
) -> None:  # fmt: skip
    """Repeat the papers' experiments on your RUNs, or on synthetic systems.

    \b
    doxeval study papers runs/* --qrels qrels.txt --docs docs.dox --paper effort -o effort
    doxeval study papers --qrels qrels.txt --docs docs.dox --paper err -o err
    doxeval study papers --share-of-topics 1 -o papers

    ERR and PRUM compare systems that are derived from the assessments, beside your RUNs if you give any; the
    derived runs are written to FOLDER, too.
    """
    if inputs or scoring.assessments:
        refuse_idle(" ".join(options), "it is about synthetic data, not your runs")
        names = ("runs", "assessments", "measures", "documents", "navigation")
        options = dict(zip(names, (expand(inputs), *scoring.given), strict=True))
        options |= {"derive": derive, **scoring.options}
    else:
        of_runs = ("derive", *(name for name in SCORING_FLAGS if name != "quiet"))
        refuse_idle(" ".join(of_runs), "it is about scoring your runs, and none is given")
    progress = (lambda text: None) if scoring.quiet else (lambda text: say(text, err=True))
    found = dx.study(
        "papers", path=output, papers=papers, seed=seed, figures=figures, progress=progress, **options
    )
    say_lines(found.path)
    scoring.finish(found.notices)


@command.command()
@option("--experiments", "Number of experiments.", 2_000, least=10)
@option("--topic-count", "Number of topics, in each experiment.", 40, least=5)
@seed_option
@folder_option
def null(experiments: int, topic_count: int, seed: int, output: str) -> None:
    """Are p-values uniform if systems do not differ? A simulation of all tests."""
    with step("simulating experiments"):
        found = dx.study("null", path=output, experiments=experiments, topic_count=topic_count, seed=seed)
    say_lines(found.path)
