"""`doxeval agree`: measure how far assessors agree."""

from __future__ import annotations

from typing import Any

import click

import doxeval as dx
from doxeval.cli.files import OUTPUT
from doxeval.cli.registered import Registered
from doxeval.cli.scoring import SCORING_FLAGS, Scoring, scoring_options, seed_option
from doxeval.cli.support import TakingManyRuns, expand, option, output_option, refuse_idle, say
from doxeval.core.notices import Notices
from doxeval.core.options import READING
from doxeval.core.records import ROW_FORMS

NO_RUNS = "it is about scoring runs, and none are given (--runs)"
FORMATS = ("table", "md", "latex", *ROW_FORMS)


@click.command(name="agree", cls=TakingManyRuns)
@click.argument("assessments", nargs=-1, required=True, metavar="ASSESSMENTS...")
@scoring_options("agree", without="assessments")
@option("--coefficient -c coefficients", "Coefficient to compute; may be repeated; all but gamma by default.",
        of=Registered("comparison.agreement.coefficients.AGREEMENTS", "all"), multiple=True)  # fmt: skip
@option("--judged",
        "Count documents that both assessors judged for the topic, or also those that only one judged, as "
        "irrelevant to the other.", "both", of=["both", "either"])  # fmt: skip
@option("--graded", "Distinguish grades, not only relevant from irrelevant text.")
@option("--runs RUN...", "Runs to compare, by -m MEASURE: how assessors would rank them.", multiple=True)
@option(
    "--report FILE",
    "Write a report to FILE, with the first assessor as truth and the others as runs.",
    of=OUTPUT,
)
@option("--confidence", "Confidence level of the intervals.", 0.95)
@option("--draws", "Number of permutations or samples to draw.", 10_000, least=100)
@seed_option
@option("--format -f", "Output format.", of=FORMATS)
@output_option
def command(
    assessments: tuple[str, ...], scoring: Scoring, coefficients: tuple[str, ...], runs: tuple[str, ...],
    report: str | None, format: str | None, output: str, **options: Any,
) -> None:  # fmt: skip
    """Measure how far ASSESSMENTS, by people or models, agree on what is relevant.

    \b
    doxeval agree ann.jsonl bob.jsonl --docs documents
    doxeval agree judgements.db
    doxeval agree human.jsonl model.jsonl --docs documents --report page.html -o agreement.csv
    doxeval agree ann.jsonl bob.jsonl --runs runs/*.jsonl -m AiP

    Every pair of assessors is compared on the characters of each topic's documents: overlap (Jaccard), F1,
    Cohen's kappa, Krippendorff's alpha and unitized alpha, and gamma if asked for (extra agree). With
    --runs, also Kendall's tau between the rankings that each assessor's judgements give. CSV and JSON have
    the columns first, second, topic, measure, value, with means under the topic 'all'. Judged answers are
    compared nugget by nugget and citation by citation; -m NuggetRecall compares how assessors rank them.
    """
    from doxeval.core.output import form_of
    from doxeval.extend import AGREEMENTS

    if not runs:
        of_runs = " ".join(
            name
            for name in SCORING_FLAGS
            if name not in (*READING, "assessments", "documents", "measures", "quiet")
        )
        refuse_idle(of_runs, NO_RUNS)
    wanted = list(AGREEMENTS) if "all" in coefficients else coefficients
    form = format or form_of(output)
    if form in ROW_FORMS:
        refuse_idle("confidence draws", f"it is about intervals, which {form} does not hold")
    if wanted and not any(AGREEMENTS[name].extent for name in wanted):
        refuse_idle("graded", f"{' and '.join(wanted)} ask only whether text is relevant")
    reading: Any = {name: scoring.options[name] for name in READING}  # type: ignore[literal-required]
    agreement = dx.agree(expand(assessments), scoring.documents, coefficients=wanted, **options, **reading)
    if form in ROW_FORMS and not any(
        AGREEMENTS[name.partition("(")[0]].drawn for name in agreement.coefficients
    ):
        refuse_idle("seed", "only gamma, and intervals in a table, draw anything")
    of_answers = not agreement.assessments
    if not runs and not of_answers:
        refuse_idle("measures", NO_RUNS)
    rankings = None
    if runs or (of_answers and scoring.measures):
        drawn = {name: options[name] for name in ("confidence", "seed")}
        measures, navigation = scoring.measures, scoring.navigation
        rankings = agreement.ranking(expand(runs), measures, navigation, **drawn, **scoring.options)
    agreement.write(output, format=form, rankings=rankings)
    if report:
        written = dx.write_report(agreement, path=report)
        if report != "-":
            say(f"{report}: {written.told()}", err=True)
    notices = Notices(agreement.notices)
    if rankings is not None:
        notices.extend(rankings.scores.notices)
    scoring.finish(notices)
