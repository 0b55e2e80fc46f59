"""The parts of the study of outcomes that are about agents: what they read, and whether they succeeded."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from docs.study_text import (
    above_half,
    better_than,
    confirmation,
    only,
    scored,
    scored_with_files,
    table,
    with_column,
)

import doxeval as dx
from doxeval.core.phrases import counted

PATIENCE, RECALL, FILES = "tU(L=2000)", "iR", "iR of files"
ARTICLES = "R@1000"
"""The measures of the plan: the first three for trajectories, recall of text and of articles for answers."""
ALSO = "iP Area(of=iR)@20steps Again UsedR"
FEWER = "fewer steps"
NOTHING_FOUND = ("Could not find", "The last page Searched", "No more results")


def _rows(path: Path) -> list[dict[str, Any]]:
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()
    return [json.loads(line) for line in text.splitlines()]


def scored_trajectories(folder: Path, measures: str) -> dx.Scores:
    """Trajectories of SWE-agent, by measures of lines and by recall of files."""
    inside = sorted(path for path in (folder / "traj").iterdir() if path.is_dir())
    runs = {path.name: path for path in inside} or {"SWE-agent": folder / "traj"}
    return scored_with_files(runs, folder / "gold_lines.jsonl", measures, RECALL)


def outcomes_of_trajectories(folder: Path, runs: list[str]) -> list[dict[str, Any]]:
    """The outcome of each trajectory, by topic and run."""
    rows = _rows(folder / "outcomes.jsonl")
    return [
        {"topic": row["topic"], "run": runs[0] if len(runs) == 1 else row["configuration"],
         "resolved": row["resolved"], "steps": row["steps"]}
        for row in rows
    ]  # fmt: skip


def trajectories(data: Path) -> str:
    """Trajectories against resolution: SWE-agent on issues of SWE-bench Lite."""
    folder = data / "data" / "agents" / "swe-agent"
    scores = scored_trajectories(folder, f"{PATIENCE} {RECALL} {ALSO}")
    cases = outcomes_of_trajectories(folder, scores.names)
    steps = {row["topic"]: -row["steps"] for row in cases}
    fewer = np.array([steps.get(topic, np.nan) for topic in scores.topics], dtype=float)
    scores = with_column(scores, FEWER, [fewer])
    found = dx.correlate(scores, outcomes=cases, outcome_column="resolved", higher_is_better=[FILES, FEWER])
    opened = [row for row in cases if (scores.value(scores.names[0], FILES, row["topic"]) or 0) > 0]
    within = dx.correlate(
        only(scores, [PATIENCE, RECALL, "UsedR", FEWER]), outcomes=opened, outcome_column="resolved",
        higher_is_better=[FEWER],
    )  # fmt: skip
    resolved = round(found.mean * found.cases)
    parts = [
        f"{counted(found.cases, 'trajectory', 'trajectories')} of SWE-agent on as many issues of SWE-bench "
        f"Lite, of which {resolved} resolved their issue by its tests. Assessed are the lines that the "
        "accepted patch changes; shown are the windows of files, in lines.",
        table(found, "measure_table"),
        f"Intervals: 95%, 10,000 resamples of issues. `{FILES}`: recall of the files that hold these lines. "
        f"`{FEWER}`: no measure, but how long the trajectory was. `UsedR` looks at what was edited, so at "
        "the product and not at the reading. `Again`: less is taken as better, and who read nothing has read "
        "nothing again.",
        *_differences(found),
        "How far they got, and how many of them resolved their issue (with the interval of Wilson):",
        _shares(scores, cases),
        f"Among the {within.cases} that opened the right file, where recall of files says nothing:",
        table(within, "measure_table"),
    ]
    return "\n".join(f"{part.rstrip()}\n" for part in parts)


def _differences(found: dx.OutcomeCorrelation) -> list[str]:
    """The differences of the plan, among all."""
    wanted = [{PATIENCE, RECALL}, {RECALL, FILES}, {PATIENCE, FILES}, {PATIENCE, FEWER}]
    pairs = [one for one in found.differences if {one.measure, one.other} in wanted]
    listed = table(replace(found, differences=pairs), "difference_table")
    return [f"Differences, with a band over all {len(found.differences)} pairs of these measures:", listed]


def _shares(scores: dx.Scores, cases: list[dict[str, Any]]) -> str:
    """The share of successes among those who read all, some or no relevant lines, or not even the file."""
    from scipy.stats import binomtest

    classes = ("all relevant lines shown", "some shown", "only the file opened", "not opened")
    count: Counter[tuple[str, bool]] = Counter()
    for row in cases:
        lines, files = (scores.value(scores.names[0], name, row["topic"]) or 0 for name in (RECALL, FILES))
        count[classes[0 if lines >= 1 else 1 if lines > 0 else 2 if files > 0 else 3], row["resolved"]] += 1
    rows = ["| reading | trajectories | resolved | share | interval |", "| --- | ---: | ---: | ---: | ---: |"]
    for name in classes:
        yes, total = count[name, True], count[name, True] + count[name, False]
        if total:
            low, high = binomtest(yes, total).proportion_ci(method="wilson")
            rows.append(f"| {name} | {total} | {yes} | {yes / total:.1%} | [{low:.1%}, {high:.1%}] |")
    return "\n".join(rows)


def answered(folder: Path) -> tuple[dx.Scores, list[dict[str, Any]]]:
    """Trajectories on HotpotQA by recall of supporting sentences and of articles, and their outcomes."""
    documents: dict[str, str] = {}
    gold = []
    for asked in _rows(folder / "questions.jsonl"):
        context = dict(zip(asked["context"]["title"], asked["context"]["sentences"], strict=True))
        documents |= {title: "".join(sentences) for title, sentences in context.items()}
        facts = asked["supporting_facts"]
        for title, number in zip(facts["title"], facts["sent_id"], strict=True):
            if number < len(context[title]):
                start = sum(map(len, context[title][:number]))
                place = {"start": start, "end": start + len(context[title][number])}
                gold.append({"topic": asked["id"], "doc": title} | place)
    runs: dict[str, list[dict[str, Any]]] = {}
    outcomes, tries = [], Counter[str]()
    for one in _rows(folder / "trajectories.jsonl.gz"):
        topic = one["question_id"]
        tries[topic] += 1
        run = f"attempt {tries[topic]}"
        outcomes.append({"topic": topic, "run": run, "correct": one["correct"]})
        runs.setdefault(run, []).extend(_step(topic, step) for step in one["steps"])
    return scored(runs, gold, f"{RECALL} {ARTICLES} {PATIENCE} iP", documents), outcomes


def _step(topic: str, step: dict[str, Any]) -> dict[str, Any]:
    """A step as trajectories have it: what Search and Lookup said is text that was read."""
    line = {"topic": topic, "step": step["n"], "action": "other"}
    text = step["observation"] or ""
    if step["action"] in ("Search", "Lookup"):
        line |= {"action": "read", "query": step["argument"]}
        line |= {"text": text} if text and not text.startswith(NOTHING_FOUND) else {}
    return line


def answers(data: Path) -> str:
    """Question answering: ReAct and Reflexion agents on HotpotQA."""
    scores, outcomes = answered(data / "data" / "agents" / "hotpotqa-react")
    found = dx.correlate(scores, outcomes=outcomes)
    pair = next(one for one in found.differences if {one.measure, one.other} == {RECALL, ARTICLES})
    sign = 1 if pair.measure == RECALL else -1
    parts = [
        f"{counted(found.cases, 'trajectory', 'trajectories')} on {counted(found.topics, 'question')} of "
        f"HotpotQA, of which {round(found.mean * found.cases)} ended with the correct answer; those "
        "that were halted count as not correct. Relevant are the supporting sentences; what Search and "
        "Lookup said is placed in the paragraphs of the questions by its text.",
        table(found, "measure_table"),
        f"`{ARTICLES}`: recall of the articles that hold these sentences. No difference between measures "
        f"that read sentences and this one is told from 0: `{RECALL}` minus `{ARTICLES}` is "
        f"{sign * (pair.difference or 0):+.3f}, where {pair.least:.3f} could have been told from 0. Having "
        "opened the article says all that we can see here.",
    ]
    assert not pair.told_apart
    return "\n".join(f"{part.rstrip()}\n" for part in parts)


def confirm_trajectories(folder: Path) -> str:
    """The hypotheses of the page on trajectories that were kept back; see its plan."""
    scores = scored_trajectories(folder, f"{PATIENCE} {RECALL}")
    cases = outcomes_of_trajectories(folder, scores.names)
    found = dx.correlate(
        scores, outcomes=cases, outcome_column="resolved", higher_is_better=[FILES], draws=10_000,
        confidence=0.95, seed=0,
    )  # fmt: skip
    verdicts = [
        above_half("5", found, PATIENCE),
        better_than("6", found, PATIENCE, RECALL),
        better_than("7", found, RECALL, FILES),
    ]
    return confirmation(found, verdicts, "resolved")


def confirm_answers(folder: Path) -> str:
    """The hypotheses of the page on answers that were kept back; see its plan."""
    scores, outcomes = answered(folder)
    found = dx.correlate(
        only(scores, [RECALL, ARTICLES]), outcomes=outcomes, draws=10_000,
        confidence=0.95, seed=0,
    )  # fmt: skip
    verdicts = [above_half("8", found, RECALL), better_than("9", found, RECALL, ARTICLES)]
    return confirmation(found, verdicts, "correct")
