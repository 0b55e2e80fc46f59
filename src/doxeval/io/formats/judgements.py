"""Judgements as stored by ``doxeval judge``: an append-only SQLite database of acts.

An act is what one assessor did to one document of one topic, as JSON: it `adds` marks (`id`, `start`, `end`,
perhaps `rel` and `needs`), `takes` marks back by their ids, sets the best entry point (`bep`), the `note`,
and whether the document is `done`. The judgements are the result of all acts in order. A rule (``--merge``,
:mod:`doxeval.io.formats.merging`) decides what counts where there are several assessors.

Two acts concern others as well. One that `decides` a disagreement gives all its `people` the same `marks`
from `start` to `end`; one with a `rule` (`id`, `text`) writes it down in the rule book, or changes it. An act
that `suggests` marks is of their source, a model or a rule, which is no assessor; `answers` are what an
assessor said of suggestions.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from doxeval.core.files import DATABASE
from doxeval.core.notices import Notices
from doxeval.core.values import is_number, is_text, quoted
from doxeval.io.formats.build_tables import collect_assessments
from doxeval.io.formats.columns import rows_of_dicts
from doxeval.io.formats.format import Format, Options
from doxeval.io.formats.judgement_database import (
    INSERT,
    create_tables,
    opened_database,
    seal,
)
from doxeval.io.formats.merging import EACH, SEVERAL_ASSESSORS, JudgedRange, MergedTruth, merged_judgements
from doxeval.io.json_text import NotJson, json_value
from doxeval.io.source import Source, readable
from doxeval.tables.assessments import Assessments

ACT_PARTS = {"adds", "takes", "bep", "note", "done", "answers"}
ANSWERS = ("confirmed", "corrected", "rejected", None)
"""What an assessor says of a suggestion; None takes it back."""
SHARED_PARTS = ("decides", "rule")
"""Parts of acts that concern other assessors too; such an act, and one that suggests, has no other part."""
DECISION_PARTS = {"start", "end", "people", "marks", "how", "as", "rule"}
CHOICES = ("pick", "merge", "common", "redraw")
"""How a disagreement is decided: as one of them marked it, all that any, or only what all marked, or anew."""
LONGEST_RULE = 4000
LONGEST_ID = 64
UNFINISHED = (
    "{count} {document is|documents are} unfinished; text not marked in {it|them} counts as not relevant"
)


@dataclass
class Judgement:
    """The judgement of one assessor on one document for one topic: the result of their acts."""

    marks: dict[str, JudgedRange] = field(default_factory=dict)
    bep: int | None = None
    note: str = ""
    done: bool = False
    time: str = ""
    answers: dict[str, str] = field(default_factory=dict)

    @property
    def assessed(self) -> bool:
        """Whether the document was judged, even if not to its end."""
        return self.done or bool(self.marks)

    def follow(self, act: Mapping[str, Any]) -> None:
        """Apply one more act."""
        for name in act.get("takes", ()):
            self.marks.pop(name, None)
        for mark in act.get("adds", ()):
            needs = tuple(mark.get("needs", ()))
            self.marks[mark["id"]] = JudgedRange(mark["start"], mark["end"], float(mark.get("rel", 1)), needs)
        for name in ACT_PARTS - {"takes", "adds", "answers"} & act.keys():
            setattr(self, name, act[name])
        told = {**self.answers, **act.get("answers", {})}
        self.answers = {name: answer for name, answer in told.items() if answer}

    def settle(self, decision: Mapping[str, Any]) -> None:
        """Replace the marks within a range that was decided; a mark that reaches beyond it keeps the rest."""
        start, end = decision["start"], decision["end"]
        kept: dict[str, JudgedRange] = {}
        for name, mark in self.marks.items():
            if mark.end <= start or end <= mark.start:
                kept[name] = mark
                continue
            if mark.start < start:
                kept[name] = replace(mark, end=start)
            if end < mark.end:
                kept[f"{name}+" if mark.start < start else name] = replace(mark, start=end)
        self.marks = kept
        self.follow({"adds": decision["marks"]})


@dataclass(frozen=True)
class RuleWritten:
    """A rule of the rule book, with who wrote it last and when, and about which document of a topic."""

    text: str
    assessor: str
    time: str
    topic: str
    doc: str


Judgements = dict[tuple[str, str], dict[str, Judgement]]
"""By topic and document, then by assessor."""


def problem_of(act: Any, length: int) -> str:
    """The reason why a value is not an act on a document of that length; empty if it is one.

    >>> problem_of({"adds": [{"id": "a", "start": 3, "end": 9}]}, 10)
    ''
    >>> problem_of({"adds": [{"id": "a", "start": 3, "end": 11}]}, 10)
    "expected in 'adds' an id and a range within 10 characters, found {'id': 'a', 'start': 3, 'end': 11}"
    """
    if isinstance(act, dict) and len(act) == 1 and not act.keys().isdisjoint((*SHARED_PARTS, "suggests")):
        return _problem_of_shared(act, length)
    if not isinstance(act, dict) or not act or not act.keys() <= ACT_PARTS:
        return f"expected an act with some of {', '.join(sorted(ACT_PARTS))}, found {quoted(act)}"
    for key in ("adds", "takes"):
        if not isinstance(act.get(key, []), list):
            return f"expected a list as {key!r}, found {quoted(act[key])}"
    for mark in act.get("adds", []):
        if not _is_mark(mark, length):
            return f"expected in 'adds' an id and a range within {length:,} characters, found {quoted(mark)}"
    if not all(is_id(name) for name in act.get("takes", [])):
        return f"expected ids in 'takes', found {quoted(act['takes'])}"
    bep, note, done = act.get("bep"), act.get("note", ""), act.get("done", False)
    if bep is not None and not (type(bep) is int and 0 <= bep <= length):
        return f"expected a place within {length:,} characters as 'bep', found {quoted(bep)}"
    if not isinstance(note, str) or not is_text(note):
        return f"expected a text as 'note', found {quoted(note)}"
    answers = act.get("answers", {})
    if not isinstance(answers, dict) or not all(value in ANSWERS for value in answers.values()):
        return f"expected in 'answers' some of {', '.join(ANSWERS[:-1])}, found {quoted(answers)}"
    return "" if isinstance(done, bool) else f"expected true or false as 'done', found {quoted(done)}"


def _problem_of_shared(act: Mapping[str, Any], length: int) -> str:
    """The reason why a value is no decision, no rule, or no suggestion."""
    if "suggests" in act:
        marks = act["suggests"]
        fits = isinstance(marks, list) and all(_is_mark(mark, length) for mark in marks)
        return (
            ""
            if fits
            else f"expected as 'suggests' marks within {length:,} characters, found {quoted(marks)}"
        )
    if "rule" in act:
        rule = act["rule"]
        text = rule.get("text") if isinstance(rule, dict) and rule.keys() == {"id", "text"} else None
        if isinstance(text, str) and is_id(rule["id"]) and is_text(text) and len(text) <= LONGEST_RULE:
            return ""
        expected = f"expected as 'rule' an id and a text of up to {LONGEST_RULE:,} characters"
        return f"{expected}, found {quoted(rule)}"
    told = act["decides"]
    expected = "expected as 'decides' a range, the marks in it, the people it is for, and how"
    if not isinstance(told, dict) or not told.keys() <= DECISION_PARTS:
        return f"{expected}, found {quoted(told)}"
    start, end, people, marks = (told.get(key) for key in ("start", "end", "people", "marks"))
    if not _is_mark({"id": "range", "start": start, "end": end}, length):
        return f"{expected}, found {quoted(told)}"
    if not isinstance(people, list) or not people or not all(_is_name(name) for name in people):
        return f"{expected}, found the people {quoted(people)}"
    if not isinstance(marks, list) or not all(
        _is_mark(mark, length) and start <= mark["start"] and mark["end"] <= end for mark in marks
    ):
        return f"{expected}, found the marks {quoted(marks)}"
    named, rule = told.get("as", "-"), told.get("rule", "-")
    if told.get("how") not in CHOICES or not _is_name(named) or not is_id(rule):
        return f"{expected} ({', '.join(CHOICES)}), found {quoted(told)}"
    return ""


def _is_mark(mark: Any, length: int) -> bool:
    if not isinstance(mark, dict) or not mark.keys() <= {"id", "start", "end", "rel", "needs"}:
        return False
    start, end, rel, needs = (mark.get(key) for key in ("start", "end", "rel", "needs"))
    return (
        is_id(mark.get("id"))
        and type(start) is int
        and type(end) is int
        and 0 <= start < end <= length
        and (rel is None or (is_number(rel) and 0 < rel < float("inf")))
        and (needs is None or (isinstance(needs, list) and all(_is_name(need) for need in needs)))
    )


def is_id(value: Any) -> bool:
    """Whether a value can identify an act or a mark."""
    return isinstance(value, str) and 0 < len(value) <= LONGEST_ID and value.isascii() and value.isprintable()


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and value.strip() != "" and is_text(value)


@dataclass
class JudgementsFile:
    """The content of a database: judgements, topics, documents, and notices of refused acts.

    `rules` are those of the rule book by their ids, `decided` is how many disagreements were decided,
    `suggested` what models and rules suggested, by their names.
    """

    judgements: Judgements
    queries: dict[str, str]
    documents: dict[str, tuple[int, str]]
    notices: Notices
    rules: dict[str, RuleWritten] = field(default_factory=dict)
    decided: int = 0
    suggested: Judgements = field(default_factory=dict)

    @property
    def sources(self) -> list[str]:
        """The models and rules that suggested something."""
        return list(dict.fromkeys(name for said in self.suggested.values() for name in said))

    @property
    def assessors(self) -> list[str]:
        """The assessors, in the order in which they began."""
        return list(dict.fromkeys(name for said in self.judgements.values() for name in said))

    def decide(self, pair: tuple[str, str], decision: Mapping[str, Any] | None) -> None:
        """Give all whom a decision is for the same marks."""
        said = self.judgements.get(pair, {})
        for name in decision["people"] if decision else ():
            if name in said:
                said[name].settle(decision or {})


def read_judgements(source: Source, decisions: bool = True) -> JudgementsFile:
    """The present content of a database; invalid acts are refused with their place.

    Without `decisions`, judgements are what they were before disagreements were decided.
    """
    kept = JudgementsFile({}, {}, {}, Notices())
    with opened_database(source, kept.notices) as connection:
        kept.queries = dict(connection.execute("SELECT topic, query FROM topics"))
        kept.documents = {
            doc: (length, mark)
            for doc, length, mark in connection.execute("SELECT doc, length, fingerprint FROM documents")
        }
        for number, _, assessor, time, topic, doc, text in connection.execute(
            "SELECT * FROM acts ORDER BY number"
        ):
            names = (assessor, topic, doc)
            act, problem = _act(text, names, kept.documents.get(doc))
            if problem:
                kept.notices.add(
                    f"{source.name}: {{count}} {{act|acts}} refused",
                    f"{source.name}: act {number}: {problem}",
                )
                continue
            if "rule" in act:
                kept.rules[act["rule"]["id"]] = RuleWritten(act["rule"]["text"], assessor, time, topic, doc)
            elif "suggests" in act:
                proposed = kept.suggested.setdefault((topic, doc), {}).setdefault(assessor, Judgement())
                proposed.follow({"adds": act["suggests"], "done": True})
            elif "decides" in act:
                kept.decided += 1
                kept.decide((topic, doc), act["decides"] if decisions else None)
            else:
                said = kept.judgements.setdefault((topic, doc), {}).setdefault(assessor, Judgement())
                said.follow(act)
                said.time = str(time)
    kept.rules = {name: rule for name, rule in kept.rules.items() if rule.text.strip()}
    return kept


def _act(text: Any, names: Iterable[Any], document: tuple[Any, Any] | None) -> tuple[dict[str, Any], str]:
    """A stored act, and what is wrong with it."""
    if not all(_is_name(name) for name in names) or document is None or not isinstance(document[0], int):
        return {}, f"expected an assessor, a topic and a known document, found {quoted(tuple(names))}"
    try:
        act = json_value(text) if isinstance(text, str) else text
    except NotJson as problem:
        return {}, str(problem)
    return act, problem_of(act, document[0])


def judgements_in(data: Any) -> JudgementsFile | None:
    """The present content of a database of judgements; None for any other data."""
    if not isinstance(data, bytes) and not (isinstance(data, str | Path) and Path(data).is_file()):
        return None
    with Source(data) as source:
        return read_judgements(source) if sniff(source.head) else None


def undecided_of(data: Any) -> JudgementsFile | None:
    """A database as it was before any disagreement was decided; None if none was."""
    with Source(data) as source:
        kept = read_judgements(source, decisions=False)
    return kept if kept.decided else None


def sniff(head: bytes) -> bool:
    """The first bytes of every SQLite database."""
    return head.startswith(DATABASE)


def read(source: Source, options: Options) -> Assessments:
    """Read the marks of all assessors, merged into one truth."""
    kept = read_judgements(source)
    rule, people = options.merge, kept.assessors
    if len(people) > 1 and not rule:
        kept.notices.add(SEVERAL_ASSESSORS, *people[:3], count=len(people), harmless=True, lasting=True)
    if rule not in EACH:
        return merged_assessments(kept, rule or "union", source.name)
    lines: list[dict[str, Any]] = []
    for person in people:
        merged = merged_judgements(kept.judgements, person, people, source.name)
        own = {"assessor": person}
        lines += [line | (own if "start" in line else {}) for line in native_lines(kept, merged)]
    return collect_assessments(rows_of_dicts(lines, readable(source.name), kept.notices))


def merged_assessments(kept: JudgementsFile, rule: str, name: str) -> Assessments:
    """The judgements of a database as assessments, merged by a rule or those of one assessor, or source."""
    proposed = rule in kept.sources and rule not in kept.assessors
    judgements, people = (kept.suggested, kept.sources) if proposed else (kept.judgements, kept.assessors)
    lines = native_lines(kept, merged_judgements(judgements, rule, people, name))
    return collect_assessments(rows_of_dicts(list(lines), readable(name), kept.notices))


def native_lines(
    kept: JudgementsFile, judgements: Mapping[tuple[str, str], MergedTruth]
) -> Iterator[dict[str, Any]]:
    """Native lines of the merged judgements."""
    unfinished = []
    for topic in dict.fromkeys(topic for topic, _ in judgements):
        if kept.queries.get(topic):
            yield {"line": 0, "topic": topic, "query": kept.queries[topic]}
    for (topic, doc), (marks, beps, done) in judgements.items():
        length, mark = kept.documents[doc]
        pair = {"line": 0, "topic": topic, "doc": doc}
        yield pair | {"length": length} | ({"fingerprint": mark} if mark else {})
        for one in marks:
            needs = {"aspects": list(one.needs)} if one.needs else {}
            yield pair | {"start": one.start, "end": one.end, "rel": one.rel} | needs
        yield from (pair | {"bep": bep} for bep in beps)
        if not done:
            unfinished.append(f"{topic} {doc}")
    kept.notices.add_names(UNFINISHED, unfinished, harmless=True, lasting=True)


def _sample_database() -> bytes:
    with closing(sqlite3.connect(":memory:")) as connection:
        create_tables(connection)
        connection.execute("INSERT INTO documents VALUES ('d1', 100, '')")
        act = json.dumps({"adds": [{"id": "m1", "start": 10, "end": 40}], "done": True})
        row = ("a1", "ann", "2026-01-01T00:00:00Z", "t1", "d1", act)
        connection.execute(INSERT, row)
        seal(connection, others=True)
        connection.commit()
        return connection.serialize()


FORMAT = Format(
    name="judgements",
    kind="assessments",
    summary="marks made with doxeval judge: an SQLite database (--merge)",
    sniff=sniff,
    read=read,
    binary=True,
    merges=True,
    sample=_sample_database,
)
