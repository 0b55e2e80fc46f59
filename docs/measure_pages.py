"""One page for each measure, document score and navigation model, made from the code and formulas.toml."""

from __future__ import annotations

import inspect
import json
import re
import tempfile
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from docs.gallery import picture
from docs.toy import RELEVANT, RESULTS, TEXTS, worked
from docs.typeset import cited, formula, formulas, inline

from doxeval.core.parameters import Parameter
from doxeval.core.table import shown
from doxeval.measurement.base import measures
from doxeval.measurement.describe import by_question, default_text, form, score_form
from doxeval.reader.effort.score import DOCUMENT_SCORES
from doxeval.reader.navigation.model import NAVIGATIONS

LIVE = ("iP@4", "iR@4", "F@4", "IoU@4", "ESRP@4", "T2I(n=30)@doc")
ALSO_LIVE = (
    "AiP",
    "CharAP",
    "ESRR@4",
    "tRBP@4",
    "aveChP@doc",
    "ChP(n=60)@doc",
    "T2Ir(n=30)@doc",
    "LE(screen=20)@doc",
)
SHORT = {"T2I": "n=30", "T2Ir": "n=30", "T2If": "n=30", "ChP": "n=60", "LE": "screen=20", "BEP": "n=50"}
FILES = {
    "matrix": ("nav.csv", "doc,from,to,p\nmanual,s0,s1,0.5\nfaq,s1,s0,0.25\n"),
    "links": ("links.csv", "from_doc,from,to_doc,to,p\nmanual,s0,faq,s0,0.4\nfaq,s1,faq,s0,0.25\n"),
    "routes": ("log.jsonl", '{"doc": "faq", "route": ["s1", "s0"]}\n{"doc": "faq", "route": ["s1", "r"]}\n'),
}


EXAMPLE = (
    "Two sentences answer the question how to reset a device (green); a system returned four chunks, "
    "numbered by rank: the second is beside the point, and the third repeats part of the first. The bars are "
    "what each result adds."
)
TRY = (
    "Move a chunk, or either of its edges: drag, or reach it with Tab and use the arrow keys (with Shift ten "
    "characters at a time). Every score is computed anew."
)
ALL = (
    "Every measure says whom it models. Each has a page with its formula, an example worked out, its "
    "parameters and papers, and a picture whose chunks you can move. Not sure where to begin? "
    "[Which measure should I use?](choose.md)"
)
SCORES = (
    "How reading one document went: inside a list score, as in `AgP(score=T2I)`, or alone, as in `T2I@doc`."
)
MODELS = "Where a reader goes from what was retrieved: `--nav`, or the parameter `nav` of a measure."


@dataclass(frozen=True)
class Entry:
    """What has a page: a measure, a document score or a navigation model."""

    kind: str
    name: str
    form: str
    reader: str
    doc: str
    paper: str
    example: str
    parameters: tuple[Parameter, ...]
    auto: dict[str, str] = field(default_factory=dict)
    facts: tuple[str, ...] = ()

    @property
    def told(self) -> dict[str, Any]:
        """What formulas.toml adds; an error that names what it lacks, there or in the class."""
        if self.name not in formulas()[self.kind]:
            raise LookupError(
                f"docs/site/formulas.toml has no [{self.kind}.{self.name}]; give it a formula, related names "
                "and papers"
            )
        told = formulas()[self.kind][self.name]
        if missing := [key for key in ("formula", "related", "papers") if key not in told]:
            raise LookupError(
                f"docs/site/formulas.toml: [{self.kind}.{self.name}] has no {' and no '.join(missing)}"
            )
        for part, said in (("doc", "docstring, which says what it computes"), ("example", "`example`")):
            if not getattr(self, part):
                raise LookupError(f"{self.name} has no {said}: its page shows it")
        return told

    @property
    def place(self) -> str:
        """The page in the site; names that differ only in case must not be one file anywhere."""
        names = {*formulas()[self.kind], self.name}
        twins = [other for other in names if other.lower() == self.name.lower()]
        return f"{self.kind}/{self.name}{'-' * sorted(twins).index(self.name)}.md"


def entries() -> dict[str, dict[str, Entry]]:
    """Everything that has a page, by kind and name."""
    return {
        "measures": {
            name: Entry(
                "measures",
                name,
                form(one),
                one.user,
                inspect.cleandoc(one.__doc__ or ""),
                one.paper,
                re.sub(r"@(\d+)$", "@4", one.example),
                one.parameters,
                one.auto(),
                (
                    "higher is better" if one.higher_is_better else "lower is better",
                    *(f"needs {need}" for need in sorted(one.needs)),
                    *(f"also called {alias}" for alias in one.aliases),
                ),
            )
            for name, one in measures().items()
        },
        "scores": {
            name: Entry(
                "scores",
                name,
                score_form(one),
                one.user,
                inspect.cleandoc(one.__doc__ or ""),
                one.paper,
                f"{name}({SHORT[name]})@doc" if name in SHORT else f"{name}@doc",
                one.parameters,
                {},
                ("lower is better" if one.effort else "higher is better", "a document score"),
            )
            for name, one in DOCUMENT_SCORES.all().items()
        },
        "models": {
            name: Entry(
                "models",
                name,
                one.example,
                one.reader,
                inspect.cleandoc(one.__doc__ or ""),
                one.paper,
                one.example,
                one.parameters,
                {},
                ("a navigation model",),
            )
            for name, one in NAVIGATIONS.all().items()
        },
    }


def pages() -> dict[str, str]:
    """Every page made here, by its place in the site."""
    made = {"measures.md": index()}
    for kind, of_kind in entries().items():
        for entry in of_kind.values():
            made[entry.place] = page(entry, of_kind, kind)
    return made


def page(entry: Entry, siblings: dict[str, Entry], kind: str) -> str:
    """The page of one measure, document score or navigation model."""
    facts = "".join(f"<li>{escape(fact)}</li>" for fact in entry.facts)
    lines = [f"# {entry.name}", "", f'<p class="reader">{escape(entry.reader)}</p>', ""]
    lines += [f'<ul class="facts">{facts}</ul>', "", f"Written `{entry.form}`", "", *_formula(entry)]
    lines += [prose(entry.doc), "", f"From: {entry.paper}.", ""]
    lines += _model_example(entry) if kind == "models" else [*_example(entry), *widget(entry.example)]
    lines += _parameters(entry)
    if entry.told["papers"]:
        lines += ["## Papers", "", *cited(entry.told["papers"])]
    lines += ["## Related", ""]
    lines += [
        f"- [{name}]({Path(siblings[name].place).name}): {siblings[name].reader}"
        for name in entry.told["related"]
    ]
    return "\n".join(lines) + "\n"


def _formula(entry: Entry) -> list[str]:
    told = entry.told
    symbols = formulas()["symbols"][told["symbols"]] if "symbols" in told else []
    items = "".join(f"<li>{inline(one)}</li>" for one in [*symbols, *told.get("where", [])])
    lines = ["## Formula", "", f'<div class="formula" tabindex="0">{formula(told["formula"])}</div>', ""]
    return lines + ([f'<ul class="symbols">{items}</ul>', ""] if items else [])


def _example(entry: Entry) -> list[str]:
    """What the measure says of the toy list, computed when the page is made."""
    found = worked(entry.example)
    lines = ["## Worked example", "", EXAMPLE, "", picture(found), ""]
    lines += [
        "| rank | chunk | characters | relevant, new | adds |",
        "|---|---|---|---|---|",
    ]
    seen: set[tuple[str, int]] = set()
    for rank, ((doc, start, end), added) in enumerate(zip(RESULTS, found.added, strict=True), 1):
        relevant = {(doc, at) for a, b in RELEVANT[doc] for at in range(max(a, start), min(b, end))}
        fresh = len(relevant - seen)
        seen |= relevant
        lines.append(f"| {rank} | {doc} {start}–{end} | {end - start} | {fresh} | {added:.4f} |")
    if found.rest:
        lines.append(f"| | what no result stands for | | | {found.rest:.4f} |")
    lines += [
        f"| | **{found.expression}** | | | **{shown(found.value)}** |",
        "",
        f"Each adds: {found.meaning}.",
        "",
    ]
    return lines


def widget(expression: str) -> list[str]:
    """The example as a picture whose chunks can be moved, with scores that follow."""
    live = [*LIVE, *([expression] if expression in ALSO_LIVE else [])]
    toy = {
        "texts": TEXTS,
        "relevant": RELEVANT,
        "results": [{"doc": doc, "start": start, "end": end} for doc, start, end in RESULTS],
        "measures": live,
        "own": expression,
    }
    inside = "<noscript>Moving chunks needs JavaScript.</noscript>"
    home = f'<div class="toy" data-toy="{escape(json.dumps(toy))}">{inside}</div>'
    return ["## Try it", "", TRY, "", home, ""]


def _model_example(entry: Entry) -> list[str]:
    """What the model changes on the toy list."""
    with tempfile.TemporaryDirectory() as folder:
        model = entry.example
        lines = ["## Worked example", ""]
        if entry.name in FILES:
            name, content = FILES[entry.name]
            (Path(folder) / name).write_text(content, encoding="utf-8")
            lines += [f"With this `{name}`:", "", "```text", content.rstrip(), "```", ""]
            model = re.sub(r"file=[\w.]+", f"file={Path(folder) / name}", model)
        lines += [
            "The list of every measure's page, read by one who goes nowhere and by one who navigates so:",
            "",
        ]
        lines += [f"| measure | `none` | `{entry.example}` |", "|---|---|---|"]
        for measure in ("Hits@4", "NearMisses@4", "Misses@4", "ESRR@4", "SRiP2@4"):
            plain, navigating = worked(measure, "none").value, worked(measure, model).value
            name = f"[{measure}](../measures/{measure.partition('@')[0]}.md)"
            lines.append(f"| {name} | {shown(plain)} | {shown(navigating)} |")
    return [
        *lines,
        "",
        f'On the command line: `--nav "{entry.example}"`, or in one measure: `ESRR(nav={entry.example})@10`.',
        "",
    ]


def _parameters(entry: Entry) -> list[str]:
    if not entry.parameters:
        return []
    lines = ["## Parameters", "", "| parameter | default | what it is | allowed |", "|---|---|---|---|"]
    for one in entry.parameters:
        auto = f"; auto: {entry.auto[one.name]}" if one.name in entry.auto else ""
        lines.append(f"| `{one.name}` | {default(one)} | {one.help}{auto} | {one.allowed} |")
    return [*lines, ""]


def default(parameter: Parameter) -> str:
    """A parameter's default as a table shows it."""
    text = default_text(parameter)
    return "not given" if text in ("...", "") else f"`{text}`"


def prose(text: str) -> str:
    """A docstring as Markdown: roles and double backquotes are code, underscores stay as they are."""
    text = re.sub(r"``(.+?)``", r"`\1`", re.sub(r":\w+:`~?(?:[\w.]*\.)?(\w+)`", r"`\1`", text))
    parts = re.split(r"(`[^`]*`)", text)
    parts[::2] = [re.sub(r"([_\[\]|]|(?<= )\*(?= ))", r"\\\1", part) for part in parts[::2]]
    return "".join(parts)


def index() -> str:
    """All measures by question, all document scores, all navigation models."""
    every = entries()
    lines = ["# Measures", "", ALL, ""]
    for question, asking in by_question().items():
        lines += [f"## {question}", "", *_rows(every["measures"][one.name] for one in asking)]
    lines += ["## Document scores", "", SCORES, "", *_rows(every["scores"].values())]
    lines += ["## Navigation models", "", MODELS, "", *_rows(every["models"].values())]
    return "\n".join(lines) + "\n"


def _rows(chosen: Any) -> list[str]:
    rows = [f"| [{one.name}]({one.place}) | {one.reader} |" for one in chosen]
    return ["| name | the reader |", "|---|---|", *rows, ""]
