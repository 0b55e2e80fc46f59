"""Which measure predicted success: ``python -m docs.outcomes_study``, into docs/studies/outcomes.md.

A section of the page is a function from the folder with the data to Markdown; its text goes between the marks
of its name. ``--confirm FOLDER`` runs what the page says will be tested, and prints it.
"""

from __future__ import annotations

import argparse
import os
import re
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from docs.agents_study import answers, confirm_answers, confirm_trajectories, trajectories
from docs.study_text import above_half, better_than, confirmation, scored_with_files, table, verdict

import doxeval as dx
from doxeval.core.phrases import counted, percent

PAGE = Path(__file__).resolve().parent / "studies" / "outcomes.md"
MARKED = "<!-- {name}: python -m docs.outcomes_study -->\n{text}<!-- end of {name} -->\n"
TESTED, RECALL, LINES, FILES = "ESRR(nav=readon(mean=20))", "iR", "F", "F of files"
"""The measures of the plan: what is tested, and what it is compared with."""
OTHERS = "iP Complete"
TRIED = "ESRR(nav=readon(mean=2,5,10,20,50,100,200,1000))"
SPLITS = 20


def scored_patches(instances: Path, submissions: list[Path], measures: str) -> dx.Scores:
    """The scores of patches by measures of lines and by F of the files they change."""
    return scored_with_files(submissions, instances, measures, LINES)


def predicted(scores: dx.Scores, outcomes: Any, **options: Any) -> dx.OutcomeCorrelation:
    """The correlation of scores with outcomes; more of F of files is better."""
    return dx.correlate(scores, outcomes=outcomes, higher_is_better=[FILES], **options)


def patches(data: Path) -> str:
    """Patches against resolution: AutoCodeRover's three runs on 200 issues of SWE-bench Lite."""
    code = data / "data" / "code"
    submissions = sorted((code / "submissions").glob("*.jsonl.gz"))
    scores = scored_patches(code / "instances.jsonl", submissions, f"{TESTED} {RECALL} {LINES} {OTHERS}")
    found = predicted(scores, submissions)
    parts = [
        f"{counted(found.cases, 'patch', 'patches')} by {counted(len(found.runs), 'run')} of AutoCodeRover "
        f"on {counted(found.topics, 'issue')} of SWE-bench Lite, of which "
        f"{round(found.mean * found.cases)} resolved their issue by its tests. Assessed are the lines that "
        "the accepted patch changes.",
        table(found, "measure_table"),
        "Intervals: 95%, 10,000 resamples of issues with all their patches. Higher, lower, equal: pairs of "
        "patches for one issue of which one resolved it, by the value of that one; p: outcomes permuted "
        "within issues, not corrected for the number of measures.",
        *_differences(found),
        f"By difficulty, which is how many of the other runs resolved the issue; {_easy(found)} of the "
        "successes are on issues that all other runs resolved:",
        table(found, "difficulty_table"),
        _searched(code, submissions),
    ]
    return "\n".join(f"{part.rstrip()}\n" for part in parts)


def _differences(found: dx.OutcomeCorrelation) -> list[str]:
    """The differences to the measure that is tested, and what they say."""
    pairs = [one for one in found.differences if TESTED in (one.measure, one.other)]
    recall = next(one for one in pairs if RECALL in (one.measure, one.other))
    apart = counted(sum(one.told_apart for one in pairs), "difference is", "differences are")
    span = f"{recall.difference:+.3f} [{recall.low:+.3f}, {recall.high:+.3f}]"
    told = f"among them that to `{RECALL}`: {span}"
    if not recall.told_apart:
        told = f"not that to `{RECALL}`: {span}, where {recall.least:.3f} could have been told from 0"
    return [
        f"Differences to `{TESTED}`, with a band over all {len(found.differences)} pairs:",
        table(replace(found, differences=pairs), "difference_table"),
        f"{apart} told from 0, {told}.",
    ]


def _easy(found: dx.OutcomeCorrelation) -> str:
    """The share of successes on topics that all other runs solved."""
    of_one = [one for one in found.strata if one.measure == TESTED]
    return percent(of_one[-1].successes / sum(one.successes for one in of_one))


def _mean(measure: str) -> int:
    """The mean of a reader who reads on, in lines."""
    return int(re.findall(r"mean=([0-9]+)", measure)[0])


def _searched(code: Path, submissions: list[Path]) -> str:
    """How much of the value is owed to choosing the parameter on the same data, by splits of the issues."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        scores = dx.evaluate(submissions, code / "instances.jsonl", f"{TRIED} {RECALL}")
    whole = dx.correlate(scores, measures=TRIED, outcomes=submissions, draws=0)
    splits = [
        dx.correlate(
            scores, measures=f"{TRIED} {RECALL}", outcomes=submissions, chosen_on=0.5, seed=seed, draws=0
        )
        for seed in range(SPLITS)
    ]
    chosen = [next(one for one in split.predictors if one.measure != RECALL) for split in splits]
    gains = [one.value - split.at(RECALL).value for one, split in zip(chosen, splits, strict=True)]
    means = [_mean(one.measure) for one in chosen]
    often = sorted(set(means), key=lambda mean: -means.count(mean))
    by_mean = sorted(whole.predictors, key=lambda one: _mean(one.measure))
    listed = ", ".join(f"{_mean(one.measure)}: {one.value:.3f}" for one in by_mean)
    return (
        f"The mean of 20 lines was chosen while looking. AUC by mean, all explored: {listed}. Chosen on a "
        f"random half of the issues and reported on the other, {SPLITS} times: "
        + ", ".join(f"{mean} was chosen in {means.count(mean)}" for mean in often)
        + f"; AUC where chosen {np.mean([one.there for one in chosen]):.3f} on average, elsewhere "
        f"{np.mean([one.value for one in chosen]):.3f}; above `{RECALL}` elsewhere by {np.mean(gains):.3f} "
        f"on average, in {sum(gain > 0 for gain in gains)} of {SPLITS} splits. The splits share issues: "
        "these are not independent tests."
    )


SECTIONS: dict[str, Callable[[Path], str]] = {
    "patches": patches,
    "trajectories": trajectories,
    "answers": answers,
}
"""The sections of the page, by the names of their marks."""


def confirm_patches(folder: Path) -> str:
    """The four hypotheses of the page on patches that were kept back; see its plan."""
    submissions = sorted((folder / "submissions").glob("*.jsonl.gz"))
    scores = scored_patches(folder / "instances.jsonl", submissions, f"{TESTED} {RECALL} {LINES}")
    found = predicted(scores, submissions, draws=10_000, confidence=0.95, seed=0)
    tested = found.at(TESTED)
    confirmed = tested.higher > tested.lower and tested.p is not None and tested.p < 0.05
    verdicts = [
        above_half("1", found, TESTED),
        better_than("2", found, TESTED, RECALL),
        better_than("3", found, TESTED, FILES),
        verdict("4", confirmed, tested.lower >= tested.higher),
    ]
    return confirmation(found, verdicts, "resolved")


CONFIRMED: dict[str, tuple[str, Callable[[Path], str]]] = {
    "instances.jsonl": (".", confirm_patches),
    "swe-agent": ("swe-agent", confirm_trajectories),
    "hotpotqa-react": ("hotpotqa-react", confirm_answers),
}
"""What is run of the plan where a folder has a file or folder of this name: on which folder, and what."""


def with_section(page: str, name: str, text: str) -> str:
    """The page with the text of a section between its marks."""
    begin, _, end = MARKED.format(name=name, text="\0").partition("\0")
    before, found, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise SystemExit(f"{PAGE.name} has no marks for {name}:\n{begin}{end}")
    return before + begin + "\n" + text + "\n" + end + after


def main() -> None:
    """Make the sections anew, or run what was planned."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("DOXEVAL_REFERENCE_DATA"))
    parser.add_argument("--confirm", type=Path)
    given = parser.parse_args()
    if given.confirm is not None:
        found = [
            (given.confirm / place, run)
            for name, (place, run) in CONFIRMED.items()
            if (given.confirm / name).exists()
        ]
        if not found:
            parser.error(f"{given.confirm} has none of {', '.join(CONFIRMED)}")
        print("\n".join(run(place) for place, run in found))
        return
    if given.data is None:
        parser.error("name the folder with the data: --data FOLDER, or DOXEVAL_REFERENCE_DATA")
    page = PAGE.read_text(encoding="utf-8")
    for name, make in SECTIONS.items():
        page = with_section(page, name, make(Path(given.data)))
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
