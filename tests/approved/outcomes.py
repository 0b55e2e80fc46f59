"""Run a command line among the files of the documentation's examples, and say all that came of it."""

from __future__ import annotations

import base64
import gzip
import hashlib
import inspect
import json
import random
import re
import shlex
import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import click
from docs import examples

import doxeval as dx
from doxeval import extend
from doxeval.cli.project_file import say_note
from doxeval.cli.scoring import SCORING_FLAGS
from doxeval.demo import FOLDER
from doxeval.io.formats.format import Format
from doxeval.measurement.families import phrases
from tests.approved.calls import called, calls
from tests.approved.drawn import write_collection
from tests.io.formats.format_samples import EVERY, sample_of
from tests.measurement.test_invariants import DOCUMENTS, SCORED

HOME = Path(__file__).parent
MORE = HOME / "lines.txt"
"""Command lines beside those of the documentation: what its examples do not reach, and what is refused."""
RECORD = HOME / "approved.json.gz"
SIGNATURES = HOME / "signatures.txt"
"""Every public name that can be called, with its arguments and their defaults."""
ONE_PAIR_IN = 4
"""Of so many pairs of options that an example could have, one is recorded."""
LARGEST = 6_000
"""Letters of a file, or of what a call returns, that are kept; of more a digest is."""
NUMBER = re.compile(r"(?<![\w.])-?\d+\.\d{9,}(?:e-?\d+)?(?![\w.])|(?<![\w.])-?\d+(?:\.\d+)?e-\d+(?![\w.])")
VARYING = (
    (re.compile(r"\x1b\[[0-9;]*m"), ""),
    (re.compile(r"\b\d+(?:\.\d+)? (?:seconds|s|ms|MB|kB)\b"), "N units"),
    (re.compile(r'("(?:seconds|written|made|created|date|time|version|python)": )"?[^",}]*"?'), r"\1X"),
    (re.compile(r"(?<![\w.])(?=\d*[a-f])[0-9a-f]{16,}\b"), "DIGEST"),
    (re.compile(rf"\b{re.escape(dx.__version__)}\b"), "VERSION"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?"), "TIME"),
)  # fmt: skip
"""What differs from one time or machine to the next."""
ADDRESS = re.compile(r" at 0x[0-9a-f]+")
DATA = re.compile(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', re.DOTALL)
OF_NODES = {phrases.NEAR_MISSES, phrases.NODES}
"""Questions whose measures tell parts of nodes from nodes."""
Things = dict[str, tuple[int, int] | None]
Record = dict[str, dict[str, dict[str, str]]]
"""By world and line, what was printed and written, by name."""
WORLDS = DEMO, DRAWN = ("demo", "drawn")
"""Collections among whose files the lines are run."""
NOT_READ = {".dox", ".parquet", ".db", ".zip", ".gz", ".lock"}
PICTURES = {".png", ".pdf"}
"""Files of pictures, of which figures are read: they are written as lists."""


def recorded() -> Record:
    """What came of every line of each world when it was last approved."""
    known: Record = json.loads(gzip.decompress(RECORD.read_bytes()))
    return known


def write_record(found: Record) -> None:
    """Record what came of every line; the same outcomes give the same bytes."""
    RECORD.write_bytes(gzip.compress(json.dumps(found, indent=0).encode(), mtime=0))


def lines(world: str) -> list[str]:
    """Every command line, or call, that is recorded in a world, each once.

    The examples of all options and the lines of the file are run among the files of the demo and drawn ones;
    pairs of options, drawn measures and samples of formats among the former, and calls among the latter.
    """
    found: dict[str, None] = {}
    for name, command in examples.commands().items():
        for option in (None, *examples.options(command).values()):
            if line := example_line(name, option):
                found[line] = None
        if world == DEMO:
            found |= dict.fromkeys(pairs(name, command))
    if world == DEMO:
        found |= dict.fromkeys(lines_of_samples())
    for line in MORE.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            found[f"doxeval {line}"] = None
    return [*found, *(calls() if world == DRAWN else ())]


def lines_of_samples() -> Iterator[str]:
    """Every measure on nodes and ranges that are drawn, and every format."""
    for kind, names in SCORED.items():
        for name, alike in by_measure(names).items():
            if kind == "ranges" or name not in by_measure(SCORED["ranges"]) or "nav" in str(alike):
                data = f"-q {kind}/qrels.jsonl -d {kind}/docs.jsonl"
                measures = shlex.quote(" ".join(alike))
                yield f"doxeval eval {kind}/run.jsonl {data} -m {measures} --per-topic -f json"
                yield f"doxeval explain --run {kind}/run.jsonl {data} --topic t1 -m {shlex.quote(alike[0])}"
    for variants in by_measure(SCORED["nodes"]).values():
        alike = [variant for variant in variants if "ideals=cover" not in variant]
        if dx.measure(alike[0]).question in OF_NODES:
            data = "-q nodes/qrels.jsonl -d nodes/docs.jsonl"
            measures = shlex.quote(" ".join(alike))
            yield f"doxeval eval nodes/parts.jsonl {data} -m {measures} --per-topic -f json"
    for path, format in samples():
        how = f"--input-format {format.name} --kind {format.kind}"
        yield f"doxeval convert {path} converted.jsonl {how}"


def by_measure(names: list[str]) -> dict[str, list[str]]:
    """Measures with different parameters, by the name that they share."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(dx.measure(name).name, []).append(name)
    return found


def samples() -> Iterator[tuple[Path, Format]]:
    """A sample of every format of text, and where it has lines that must be refused, one with them."""
    for format in EVERY:
        if format.name != "parquet":
            for name in ("whole", *(["broken"] if format.broken else [])):
                suffix = next(iter(format.suffixes), ".txt")
                yield Path("samples", f"{format.kind}-{format.name}-{name}{suffix}"), format


def write_samples() -> None:
    """Write the samples."""
    for path, format in samples():
        path.parent.mkdir(exist_ok=True)
        lines = [sample_of(format), *(format.broken if "broken" in path.stem else ())]
        path.write_bytes(b"\n".join(line.removesuffix(b"\n") for line in lines) + b"\n")


def write_drawn() -> None:
    """Judged ranges and nodes of documents with trees, and a run for each, drawn once and for all."""
    dice = random.Random(5)
    for kind in SCORED:
        qrels: list[dict[str, Any]] = []
        run: list[dict[str, Any]] = []
        parts: list[dict[str, Any]] = []
        for topic in ("t1", "t2", "t3"):
            for doc in DOCUMENTS:
                nodes, place = doc["nodes"], {"topic": topic, "doc": doc["doc"]}
                one, other = dice.sample(nodes, 2)
                if kind == "nodes":
                    qrels += [place | {"node": one["id"], "code": "E3S3"}]
                    qrels += [place | {"node": other["id"], "code": dice.choice(["E2S3", "E1S1", "E0S0"])}]
                else:
                    marked = {"start": one["start"], "end": one["end"], "aspects": [dice.choice("AB")]}
                    qrels.append(place | (marked if dice.random() < 0.7 or doc is DOCUMENTS[0] else {}))
            for rank in range(1, 9):
                doc = dice.choice(DOCUMENTS)
                node = dice.choice(doc["nodes"])
                place = {"topic": topic, "doc": doc["doc"], "rank": rank, "score": 10 - rank}
                ends = {"start": node["start"], "end": node["end"]}
                run.append(place | ({"node": node["id"]} if kind == "nodes" else ends))
                parts.append(place | ends | {"end": node["end"] - (node["end"] - node["start"]) // 3})
        Path(kind).mkdir()
        for name, rows in (("docs", DOCUMENTS), ("qrels", qrels), ("run", run), ("parts", parts)):
            text = "".join(json.dumps(row) + "\n" for row in rows)
            Path(kind, f"{name}.jsonl").write_text(text, encoding="utf-8")


def example_line(name: str, option: Any) -> str:
    """The example of an option, or of a command, if it is one that runs to its end.

    Options of scoring have their examples with `eval`; other commands are given the same words.
    """
    told = examples.told().get(name, {})
    key = "base" if option is None else str(option.name)
    shared = examples.told()["eval"].get(key, "") if key in SCORING_FLAGS and key not in told else ""
    given = told.get("base", "") if option is None else examples.words_for(name, option)
    if shared and told["base"] not in (given, "serve:"):
        given = "" if shared.startswith("= ") else f"{told['base']} {shared}"
    if not given or "serve:" in given or key in examples.told()["not-run"]:
        return ""
    return f"doxeval {name} {given}"


def signatures() -> str:
    """The public functions, and classes with a function that makes them, a line each."""
    found = []
    for module in (dx, extend):
        for name in module.__all__:
            thing = getattr(module, name)
            made = getattr(thing, "__init__", None) if inspect.isclass(thing) else thing
            if inspect.isfunction(made):
                found.append(f"{module.__name__}.{name}{inspect.signature(made)}\n")
    return ADDRESS.sub("", "".join(sorted(found)))


def pairs(name: str, command: click.Command) -> Iterator[str]:
    """Some of the lines that give a command two options; which ones does not depend on the others it has."""
    base = example_line(name, None)
    more = {
        line.removeprefix(base): None
        for option in examples.options(command).values()
        if base and (line := example_line(name, option)).startswith(f"{base} ")
    }
    for one, other in combinations(more, 2):
        line = f"{base}{one}{other}"
        if zlib.crc32(line.encode()) % ONE_PAIR_IN == 0:
            yield line


def plain(text: str) -> str:
    """A text without what varies; numbers of many digits are rounded to nine."""
    for varying, put in VARYING:
        text = varying.sub(put, text)
    return NUMBER.sub(rounded, text.replace(str(Path.cwd()), "FOLDER"))


def rounded(number: re.Match[str]) -> str:
    """A number at nine digits; what is nothing but rounding is nothing."""
    value = float(number[0])
    return "0.0" if abs(value) < 1e-12 else f"{value:.9g}"


def outcome(line: str) -> dict[str, str]:
    """The exit status, what is printed, which notices are more than notes, and what is in files written; of a
    call, what is returned.
    """
    if not line.startswith("doxeval "):
        with examples.tidied():
            return {"returned": clipped(plain(called(line)))}
    before = examples.things_here()
    name = line.split()[1]
    prior = examples.told().get(name, {}).get("prior", "")
    with alike_everywhere(), noticed() as notices, examples.tidied():
        if prior:
            examples.run_line(f"doxeval {name} {prior}")
            before = examples.things_here()
        found = examples.run_line(line)
        told = {"status": str(found.status), "printed": plain(found.printed)}
        for kind, texts in notices.items():
            if texts:
                told[kind] = plain("\n".join(texts))
        for name, state in sorted(examples.things_here().items()):
            path = Path(name)
            if state and before.get(name) != state and is_read(path):
                told[name] = clipped(content(path))
    return told


def clipped(text: str) -> str:
    """A text, or a digest of a long one."""
    digest = f"{len(text)} letters, {hashlib.sha256(text.encode()).hexdigest()[:16]}"
    return text if len(text) <= LARGEST else digest


def is_read(path: Path) -> bool:
    """Whether what is in a file is recorded."""
    return path.suffix not in NOT_READ and (path.suffix not in PICTURES or path.read_bytes()[:1] == b"[")


def content(path: Path) -> str:
    """The text of a file; of a page, the data that it shows."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".html":
        text = "\n".join(unpacked(json.loads(block)) for block in DATA.findall(text))
    return plain(text)


def unpacked(data: Any) -> str:
    """The data of a page, with what it holds deflated."""
    if isinstance(data, dict) and isinstance(data.get("packed"), str):
        data["packed"] = zlib.decompress(base64.b64decode(data["packed"]), -zlib.MAX_WBITS).decode()
    return json.dumps(data, sort_keys=True)


@contextmanager
def alike_everywhere() -> Iterator[None]:
    """Figures are written as a list of what is in them, since drawings differ between versions of matplotlib,
    and no progress is told, since it depends on the machine.
    """
    from matplotlib.figure import Figure

    def savefig(figure: Any, target: Any, **_: Any) -> None:
        text = json.dumps(figure_drawn(figure), indent=0).encode()
        Path(target).write_bytes(text) if isinstance(target, str | Path) else target.write(text)

    with patch.object(Figure, "savefig", savefig), patch("doxeval.core.progress.PATIENCE", 1e9):
        yield


@contextmanager
def noticed() -> Iterator[dict[str, list[str]]]:
    """The notices of a command that `--strict` fails on, and those that stay with its numbers everywhere."""
    found: dict[str, list[str]] = {"fails if strict": [], "stays": []}

    def noting(notices: dx.Notices, quiet: bool) -> None:
        found["fails if strict"].extend(map(str, notices.failures))
        found["stays"].extend(map(str, notices.lasting))
        say_note(notices, quiet)

    with patch("doxeval.cli.support.say_note", noting):
        yield found


def figure_drawn(figure: Any) -> list[Any]:
    """What is drawn in a figure, in the coordinates of its data."""
    from matplotlib.colors import to_hex

    told: list[Any] = [round(figure.get_figwidth(), 2), round(figure.get_figheight(), 2)]
    for axes in figure.axes:
        told += [axes.get_xlabel(), axes.get_ylabel(), axes.get_title()]
        told += [[round(float(end), 3) for end in (*axes.get_xlim(), *axes.get_ylim())]]
        for axis in (axes.xaxis, axes.yaxis):
            written = (axis.get_major_formatter(), axis.get_minor_formatter(), axis.get_major_locator())
            told += [[axis.get_scale(), *(type(one).__name__ for one in written)]]
            told += [[one.get_text(), one.get_rotation()] for one in axis.get_ticklabels() if one.get_text()]
        for one in axes.get_lines():
            places = [[float(f"{at:.5g}") for at in map(float, column)] for column in one.get_data()]
            style = [one.get_linestyle(), str(one.get_marker()), to_hex(one.get_color())]
            told.append([one.get_label(), *style, round(one.get_linewidth(), 2), *places])
        for one in axes.collections:
            paths = [
                [[float(f"{at:.4g}") for at in point] for point in path.vertices] for path in one.get_paths()
            ]
            told.append([one.get_label(), [to_hex(colour) for colour in one.get_facecolor()], paths[:40]])
        for one in axes.patches:
            corners = one.get_patch_transform().transform(one.get_path().vertices)
            drawn = [to_hex(one.get_facecolor()), round(one.get_linewidth(), 2)]
            told.append([*drawn, [[float(f"{at:.4g}") for at in point] for point in corners]])
        told += [[text.get_text(), to_hex(text.get_color())] for text in axes.texts]
    told += [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    return [*told, *(text.get_text() for text in figure.texts)]


@contextmanager
def workplace(world: str) -> Iterator[Path]:
    """The files that the lines name, in a folder of their own, which is the current one meanwhile."""
    with (
        TemporaryDirectory() as made,
        examples.workplace(FOLDER if world == DEMO else write_collection(Path(made, "collection"))) as folder,
    ):
        write_drawn()
        write_samples()
        kept = folder.parent / f"{folder.name}-kept"
        shutil.copytree(folder, kept)
        try:
            yield kept
        finally:
            shutil.rmtree(kept)


def restored(kept: Path, before: Things) -> None:
    """Put files that were changed or removed back."""
    now = examples.things_here()
    for name, was in before.items():
        if was and now.get(name) != was:
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(kept / name, name)
