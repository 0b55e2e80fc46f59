"""`doxeval study`: study measures, or repeat the papers' experiments."""

from __future__ import annotations

import click

from doxeval.cli.project import runs_argument
from doxeval.cli.scoring import OPTIONS, Scoring, scoring_options, seed_option
from doxeval.cli.support import Registered, option, refuse_idle, say, working

folder_option = option("--output -o FOLDER", "Write to FOLDER, tables and figures.", required=True)
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
    from doxeval.comparison.tests import TESTS
    from doxeval.lab.studies.measures import study_discrimination

    if not TESTS[test].drawn:
        refuse_idle("draws seed", f"the {TESTS[test].title} draws nothing")
    scores = scoring.scores(inputs)
    with working("studying the measures", scoring.quiet):
        found = study_discrimination(output, scores, test, draws, seed, figures)
    click.echo(found.path)
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
    from doxeval.lab.studies.measures import study_stability

    scores = scoring.scores(inputs)
    with working("studying the measures", scoring.quiet):
        found = study_stability(output, scores, splits, seed, figures)
    click.echo(found.path)
    scoring.finish(scores.notices)


@command.command()
@runs_argument("inputs")
@scoring_options("study sensitivity")
@seed_option
@folder_option
@figures_option
def sensitivity(inputs: tuple[str, ...], scoring: Scoring, seed: int, output: str, figures: bool) -> None:
    """How much does the ranking of RUNs depend on the navigation model? Give --nav at least twice."""
    from doxeval.core.grammar import split_names
    from doxeval.lab.studies.measures import study_sensitivity
    from doxeval.scoring.under_models import takes_model

    if len(scoring.navigation) < 2:
        raise click.UsageError("give --nav at least twice, as in --nav none --nav hierarchical")
    named = [name for text in scoring.measures for name in split_names(text)]
    studied = [name for name in named if takes_model(name)]
    if not studied:
        raise click.UsageError("none of the measures takes a navigation model")
    scores = scoring.scores(inputs)
    with working("studying the measures", scoring.quiet):
        found = study_sensitivity(output, scores, studied, scoring.navigation, seed, figures)
    click.echo(found.path)
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
    from doxeval.lab.perturbation.fidelity import fidelity as measured_fidelity
    from doxeval.lab.perturbation.fidelity import fidelity_look
    from doxeval.lab.perturbation.perturbations import Strength
    from doxeval.lab.studies.measures import study_fidelity

    if share == 1:
        refuse_idle("seed", "nothing is drawn, since all results are changed (--share)")
    look = fidelity_look(scoring.evaluation, strength=Strength(share, seed=seed))
    scores = scoring.run_scores(inputs, look)
    with working("studying the measures", scoring.quiet):
        found = study_fidelity(output, measured_fidelity(scores, look), figures)
    click.echo(found.path)
    scoring.finish(scores.notices)


@command.command("papers")
@click.argument("inputs", nargs=-1, metavar="[RUN]...")
@option("--paper papers", "Only the experiments of this paper; may be repeated.",
        of=Registered("lab.studies.papers.study.PAPERS"), multiple=True)  # fmt: skip
@scoring_options("study papers", without="measures")
@option("--derive", "Also score runs made better and worse from each of yours, if yours are few.")
@option("--share-of-topics", "On synthetic data: share of the papers' topics.", 0.3)
@option("--share-of-systems", "On synthetic data: share of the papers' systems.", 1.0)
@option("--results", "Results per topic of synthetic systems.", 300, least=1)
@seed_option
@folder_option
@figures_option
def papers_command(
    inputs: tuple[str, ...], papers: tuple[str, ...], scoring: Scoring, derive: bool, share_of_topics: float,
    share_of_systems: float, results: int, seed: int, output: str, figures: bool,
) -> None:  # fmt: skip
    """Repeat the papers' experiments on your RUNs, or on synthetic systems.

    \b
    doxeval study papers runs/* --qrels qrels.txt --docs docs.dox --paper effort -o effort
    doxeval study papers --qrels qrels.txt --docs docs.dox --paper err -o err
    doxeval study papers --share-of-topics 1 -o papers

    ERR and PRUM compare systems that are derived from the assessments, beside your RUNs if you give any; the
    derived runs are written to FOLDER, too.
    """
    from doxeval.cli.support import expand
    from doxeval.lab.studies.papers.material import MaterialSource, Own, Size, Synthetic
    from doxeval.lab.studies.papers.study import PAPERS, study_papers

    source: MaterialSource
    if inputs or scoring.assessments:
        refuse_idle("share_of_topics share_of_systems results", "it is about synthetic data, not your runs")
        if len(scoring.navigation) > 1:
            raise click.UsageError("give one navigation model, which replaces those of the papers")
        if not any(PAPERS[name].navigates for name in papers or PAPERS):
            refuse_idle("navigation", f"the reader of {', '.join(papers)} does not navigate")
        model = scoring.navigation[0] if scoring.navigation else None
        source = Own(
            expand(inputs), scoring.required_assessments, scoring.documents, model, derive, **scoring.options
        )
    else:
        given = ("derive", *(name for name in OPTIONS if name != "quiet"))
        refuse_idle(" ".join(given), "it is about scoring your runs, and none is given")
        source = Synthetic(Size(share_of_topics, share_of_systems, results), seed)
    told = (lambda text: None) if scoring.quiet else (lambda text: say(text, err=True))
    report = study_papers(output, source, papers, seed, figures, told)
    click.echo(report.path)
    for problem in source.unscored.values():
        say(f"error: not scored: {problem}", err=True)
    scoring.incomplete |= bool(source.unscored)
    scoring.finish(report.notices)


@command.command()
@option("--experiments", "Number of experiments.", 2_000, least=10)
@option("--topic-count", "Number of topics, in each experiment.", 40, least=5)
@seed_option
@folder_option
def null(experiments: int, topic_count: int, seed: int, output: str) -> None:
    """Are p-values uniform if systems do not differ? A simulation of all tests."""
    from doxeval.lab.studies.families import simulate_families
    from doxeval.lab.studies.null import simulate_null
    from doxeval.lab.studies.written import Report

    report = Report(output, "Tests under the null hypothesis")
    with working("simulating experiments"):
        report.table("null", simulate_null(experiments, topic_count, seed=seed).table())
        families = simulate_families(max(1, experiments // 10), topic_count, seed=seed)
        report.table("families", families.table())
    report.finish()
    click.echo(report.path)
