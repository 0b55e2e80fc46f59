"""Faults injected into every command, at random: `python -m tests.robustness.faults --tries 100`.

Whatever happens, a command ends in time, without a traceback, leaves nothing half written and no process
behind; where it says that all went well, it has printed and written what it does undisturbed, warnings too.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import psutil

from tests.robustness.serving_faults import SERVING, serve_disturbed

PYTHON = [sys.executable, "-m", "doxeval"]
SECONDS = 240
STARTING = 1000
ENDS = {STARTING: "while Python itself started"}
SCORED = "{in}/runs/short.jsonl {in}/runs/sections.jsonl {in}/runs/sentences.jsonl -q {in}/answers.jsonl"
COMMANDS = {
    "eval": SCORED + " -m 'AiP iR@5' -f csv -o out/scores.csv --jobs 2",
    "eval, a table": SCORED + " -m 'AiP iR@5' --per-topic",
    "eval, Parquet and a store": "{in}/sections.parquet {in}/runs/short.jsonl -q {in}/answers.parquet "
    "-m AiP --store out/s",
    "budget": SCORED + " --jobs 2 -o out/budget.txt",
    "ceiling": "{in}/chunks.jsonl -q {in}/answers.jsonl --runs {in}/runs/sections.jsonl -o out/c.txt",
    "diagnose": SCORED + " -m iR@5 --draws 100 --per-topic -o out/diagnosis.csv",
    "report": SCORED + " -d {in}/documents -m AiP -o out/report.html --jobs 2",
    "scores": "{in}/store --per-topic",
    "config": "eval",
    "explain": "--run {in}/runs/sections.jsonl -q {in}/answers.jsonl --topic q03",
    "compare": SCORED + " -m AiP -o out/compared.md --jobs 2",
    "effects": "{in}/sizes.csv -o out/effects.md",
    "gate": "{in}/runs/sections.jsonl --baseline {in}/runs/sections.jsonl -q {in}/answers.jsonl "
    "-m AiP --junit out/j.xml",
    "correlate": SCORED + " -m 'AiP iR@5' --jobs 2",
    "agree": "{in}/answers.jsonl {in}/answers.parquet -d {in}/documents -o out/agreement.csv",
    "plot": SCORED + " -o out/figure.png --jobs 2",
    "pool": "{in}/runs/short.jsonl {in}/runs/sections.jsonl -d {in}/documents -o out/pool.jsonl",
    "judge": "{in}/pool.jsonl -d {in}/documents -a ann --offline out/page.html",
    "perturb": "{in}/runs/sections.jsonl relevant-up out/better.parquet -q {in}/answers.jsonl",
    "study discrimination": SCORED + " -m AiP -o out/study --draws 100",
    "synth": "out/made --document-count 300 --topic-count 3 --system-count 2 --docs-format dox",
    "measures": "",
    "mcp": "{in}",
    "formats": "kilt",
    "navigations": "hierarchical",
    "navigate": "{in}/c.dox --nav hierarchical -f csv -o out/steps.csv",
    "summary": "{in}/c.dox -o out/summary.json",
    "simulate": "{in}/runs/sections.jsonl -q {in}/answers.jsonl -d {in}/c.dox --readers 20",
    "index": "{in}/many -o out/c.dox --jobs 2",
    "index, Parquet": "{in}/c.parquet -o out/c.parquet --jobs 1",
    "chunk": "{in}/documents --cut section -o out/chunks.jsonl",
    "cite": "{in}/cited.jsonl -r {in}/runs/short.jsonl -d {in}/documents -o out/cited.csv",
    "anchor": "{in}/answers.jsonl --docs {in}/documents -o out/anchored.jsonl",
    "convert": "{in}/runs/sections.jsonl out/run.parquet",
    "validate": "{in}/runs/short.jsonl {in}/sections.parquet {in}/c.dox {in}/answers.jsonl",
    "demo": "--no-open --report out/demo.html",
}
"""Every command, on inputs of which one (`short`) lacks topics, so that there is a warning to be told."""


@dataclass(frozen=True)
class Outcome:
    """What a command did: its status, what it printed, and what is in its folder now."""

    status: int
    printed: str
    told: str
    files: dict[str, bytes]
    seconds: float


@dataclass
class Case:
    """One command in a folder of its own; `words` are its arguments."""

    name: str
    words: list[str]
    folder: Path
    stdout: int | None = subprocess.PIPE
    prepare: Callable[[], None] | None = None
    during: Callable[[subprocess.Popen[bytes]], None] = field(default=lambda process: None)
    left: list[str] = field(default_factory=list)
    closed: tuple[int, ...] = ()
    written_over: tuple[Path, bytes] | None = None

    def run(self) -> Outcome:
        """Run it to its end, and wait for all it has started."""
        for name in ("out", "tmp"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        begin = time.perf_counter()
        mark = f"{os.getpid()}-{time.monotonic_ns()}"
        process = subprocess.Popen(
            [*PYTHON, *self.words], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=self.stdout,
            stderr=subprocess.PIPE, start_new_session=True, preexec_fn=self._begin,
            env=os.environ | {"TMPDIR": str(self.folder / "tmp"), "FAULTS_MARK": mark},
        )  # fmt: skip
        self.during(process)
        try:
            printed, told = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            self.left.append("it hangs")
            process.kill()
            printed, told = process.communicate()
        seconds = time.perf_counter() - begin
        self._wait_for_others(process.pid)
        return Outcome(
            process.returncode, (printed or b"").decode(), told.decode(), contents(self.folder), seconds
        )

    def _begin(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        for descriptor in self.closed:
            os.close(descriptor)
        if self.prepare is not None:
            self.prepare()

    def _wait_for_others(self, session: int) -> None:
        """No process of the command's session may outlive it by more than some seconds."""
        patience = time.monotonic() + 20
        while others := [pid for pid in psutil.pids() if _session(pid) == session]:
            if time.monotonic() > patience:
                self.left.append(f"processes are left: {others}")
                for pid in others:
                    os.kill(pid, signal.SIGKILL)
                return
            time.sleep(0.02)


def _session(pid: int) -> int:
    try:
        return os.getsid(pid)
    except OSError:
        return -1


def contents(folder: Path) -> dict[str, bytes]:
    """Every file that a command has written or left, and every hidden folder."""
    paths = [path for name in ("out", "tmp") for path in (folder / name).rglob("*")]
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b""
        for path in paths
        if path.is_file() or path.name.startswith(".")
    }


def make_inputs(folder: Path) -> None:
    """What the commands read: the demo's files, as Parquet and as an index too, scores, many documents."""
    folder.rmdir() if folder.exists() else None
    call = partial(subprocess.run, check=True, capture_output=True)
    call([*PYTHON, "demo", "--copy", folder])
    run = (folder / "runs/sections.jsonl").read_text().splitlines(keepends=True)
    for name in ("cited.jsonl", "sizes.csv"):
        shutil.copy(Path(__file__).parent / name, folder)
    (folder / "runs/short.jsonl").write_text("".join(run[:40]))
    (folder / "many").mkdir()
    for at in range(1100):
        (folder / f"many/m{at}.html").write_text(f"<h1>{at}</h1><p>Some text of page {at}.</p>")
    call([*PYTHON, "convert", folder / "runs/sections.jsonl", folder / "sections.parquet"])
    call([*PYTHON, "convert", folder / "answers.jsonl", folder / "answers.parquet"])
    for suffix in ("dox", "parquet"):
        call([*PYTHON, "index", folder / "documents", "-o", folder / f"c.{suffix}"])
    call([*PYTHON, "chunk", folder / "documents", "--cut", "section", "-o", folder / "chunks.jsonl"])
    runs = [folder / "runs/short.jsonl", folder / "runs/sections.jsonl"]
    call([*PYTHON, "pool", *runs, "-d", folder / "documents", "-o", folder / "pool.jsonl"])
    words = shlex.split(SCORED.replace("{in}", str(folder)))
    call([*PYTHON, "eval", *words, "-m", "AiP", "--store", folder / "store"])


class Faults:
    """All faults on all commands, one after the other; what went wrong is kept in `wrong`."""

    def __init__(self, folder: Path, seed: int = 0, names: Iterable[str] = COMMANDS) -> None:
        self.folder = folder
        self.inputs = folder / "inputs"
        self.dice = random.Random(seed)
        self.numbers = itertools.count()
        self.tried: Counter[str] = Counter()
        self.statuses: dict[str, Counter[int]] = {}
        self.wrong: list[str] = []
        make_inputs(self.inputs)
        self.undisturbed = {name: self.case(name).run() for name in names}
        for name, outcome in self.undisturbed.items():
            assert outcome.status == 0, (name, outcome)

    def _harm(self, case: Case, outcome: Outcome) -> Iterator[str]:
        """What an output that is an input has changed, or been allowed to."""
        if outcome.files:
            yield f"{set(outcome.files)} are written"
        if not any(word in outcome.told for word in ("would be written", "is a folder", "already exists")):
            yield f"refused for something else: {outcome.told}"
        if case.written_over is not None:
            path, before = case.written_over
            if path.read_bytes() != before:
                yield f"{path} is changed"

    def case(self, name: str) -> Case:
        words = [
            *name.partition(",")[0].split(),
            *shlex.split(COMMANDS[name].replace("{in}", str(self.inputs))),
        ]
        return Case(name, words, self.folder / f"try-{next(self.numbers)}")

    def inject(self, fault: str, tries: int) -> None:
        """Try a fault on one command after the other, in random order."""
        if fault in SERVING:
            self._inject_serving(fault, tries)
            return
        needed: dict[str, tuple[str, ...]] = {"killed worker": ("--jobs 2",), "unreadable input": ("{in}",)}
        needed["output is input"] = ("{in}", "out/")
        fit = [
            name for name in self.undisturbed if all(word in COMMANDS[name] for word in needed.get(fault, ()))
        ]
        for name in itertools.islice(self._shuffled(fit), tries):
            case = self.case(name)
            FAULTS[fault](self, case)
            outcome = case.run()
            self.tried[fault] += 1
            self.statuses.setdefault(fault, Counter())[outcome.status] += 1
            problems = [*case.left, *self.complaints(fault, case, outcome)]
            self.wrong += [f"{fault}: {shlex.join(case.words)}: {problem}" for problem in problems]
            for problem in problems:
                print(f"WRONG {fault}: {name}: {problem}", flush=True)
            shutil.rmtree(case.folder, ignore_errors=True)

    def _inject_serving(self, fault: str, tries: int) -> None:
        for _ in range(tries):
            folder = self.folder / f"try-{next(self.numbers)}"
            status, problems = serve_disturbed(fault, folder, self.dice)
            self.tried[fault] += 1
            self.statuses.setdefault(fault, Counter())[status] += 1
            self.wrong += [f"{fault}: {problem}" for problem in problems]
            for problem in problems:
                print(f"WRONG {fault}: {problem}", flush=True)
            shutil.rmtree(folder, ignore_errors=True)

    def _shuffled(self, names: list[str]) -> Iterator[str]:
        while True:
            yield from self.dice.sample(names, len(names))

    def complaints(self, fault: str, case: Case, outcome: Outcome) -> Iterator[str]:
        """Everything that must not be; Python itself may be interrupted before it comes to doxeval."""
        wanted = self.undisturbed[case.name]
        allowed = {
            "full disk": (0, 2), "closed pipe": (0, 141), "unreadable input": (0, 1, 2),
            "killed worker": (0,), "SIGTERM": (0, 143, -15), "SIGINT": (0, 130, -2), "SIGHUP": (0, 129, -1),
            "closed descriptors": (0,), "output is input": (2,),
        }[fault]  # fmt: skip
        starting = (
            fault == "SIGINT" and "KeyboardInterrupt" in outcome.told and "doxeval/cli" not in outcome.told
        )
        if starting:
            self.statuses[fault][STARTING] += 1
            self.statuses[fault][outcome.status] -= 1
            if outcome.files:
                yield f"{set(outcome.files)} were written before Python had started"
        elif outcome.status not in allowed:
            yield f"status {outcome.status}: {outcome.told}"
        for word in ("Traceback", "Exception ignored", "leaked", "panicked"):
            if word in outcome.told and not starting:
                yield outcome.told
        if fault == "output is input":
            yield from self._harm(case, outcome)
            return
        if outcome.status in (1, 2) and not (outcome.told + outcome.printed).strip():
            yield f"status {outcome.status} without a word"
        for name, content in outcome.files.items():
            if name.startswith("tmp/") or "/." in f"/{name}":
                yield f"{name} is left"
            elif fault == "unreadable input" and outcome.status != 2:
                continue
            elif content != wanted.files.get(name):
                yield f"{name} is half written: {len(content)} bytes"
        if outcome.status == 0 and fault not in ("closed pipe", "unreadable input"):
            if case.stdout == subprocess.PIPE and 1 not in case.closed and outcome.printed != wanted.printed:
                yield f"printed {outcome.printed!r}"
            if missing := set(wanted.files) - set(outcome.files):
                yield f"status 0 without {missing}"
            if 2 not in case.closed and warnings_in(outcome.told) != warnings_in(wanted.told):
                yield f"told {warnings_in(outcome.told)}, not {warnings_in(wanted.told)}"
        if (
            outcome.status == 0
            and fault == "unreadable input"
            and "unreadable" not in outcome.told + outcome.printed
        ):
            yield f"scored without a word of what could not be read: {outcome.told}"


def closed_descriptors(faults: Faults, case: Case) -> None:
    """Some of the three standard streams are closed, as by cron, by a daemon, or by `>&-`."""
    case.closed = faults.dice.choice([(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)])


def output_is_input(faults: Faults, case: Case) -> None:
    """An output is one of the inputs: the same name, or a link to it."""
    case.folder.mkdir()
    place = faults.dice.choice([at for at, word in enumerate(case.words) if Path(word).exists()])
    target = faults.dice.choice([word for word in case.words if word.startswith("out/")])
    source = Path(case.words[place])
    own = case.folder / f"own-{source.name}"
    shutil.copytree(source, own) if source.is_dir() else shutil.copy(source, own)
    kept = next(path for path in sorted(own.rglob("*")) if path.is_file()) if source.is_dir() else own
    case.words[place] = str(own)
    name = case.folder / f"link{kept.suffix}"
    how = faults.dice.choice(["name", "symbolic", "hard"])
    if how == "symbolic":
        name.symlink_to(kept)
    elif how == "hard":
        name.hardlink_to(kept)
    case.words[case.words.index(target)] = str(kept if how == "name" else name)
    case.written_over = (kept, kept.read_bytes())


def warnings_in(told: str) -> set[str]:
    return {line for line in told.splitlines() if line.startswith(("warning", "note"))}


def full_disk(faults: Faults, case: Case) -> None:
    """A disk that takes some bytes and no more; or, for what is printed, none."""
    if faults.dice.random() < 0.3:
        case.stdout = os.open("/dev/full", os.O_WRONLY)
        return
    sizes = [len(content) for content in faults.undisturbed[case.name].files.values()]
    most = faults.dice.randrange(max([1, *sizes]))
    case.prepare = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


def closed_pipe(faults: Faults, case: Case) -> None:
    """A reader that goes away after some bytes."""
    read, write = os.pipe()
    case.stdout = write
    taken = faults.dice.choice([0, 0, 1, 100])

    def go_away(process: subprocess.Popen[bytes]) -> None:
        os.close(write)
        if taken:
            os.read(read, taken)
        os.close(read)

    case.during = go_away


def unreadable_input(faults: Faults, case: Case) -> None:
    """One of the inputs is missing, a folder, a link to nowhere, or gives an error when it is read."""
    at = [place for place, word in enumerate(case.words) if word.startswith(str(faults.inputs))]
    case.folder.mkdir()
    place = faults.dice.choice(at)
    path = case.folder / f"unreadable{Path(case.words[place]).suffix}"
    kind = faults.dice.choice(["missing", "folder", "nowhere", "error"])
    if kind == "folder":
        path.mkdir()
    elif kind == "nowhere":
        path.symlink_to("nothing-is-there")
    elif kind == "error":
        path.symlink_to("/proc/self/mem")
    case.words[place] = str(path)


def _moment(faults: Faults, case: Case) -> float:
    return faults.dice.uniform(0, 1.1 * faults.undisturbed[case.name].seconds)


def killed_worker(faults: Faults, case: Case) -> None:
    """One of the processes that the command has started is killed."""
    moment, which = _moment(faults, case), faults.dice.random()

    def kill(process: subprocess.Popen[bytes]) -> None:
        patience = time.monotonic() + moment
        while process.poll() is None:
            workers = [
                one
                for one in psutil.Process(process.pid).children()
                if "spawn_main" in " ".join(one.cmdline())
            ]
            if workers and time.monotonic() > patience:
                workers[int(which * len(workers))].kill()
                return
            time.sleep(0.005)

    def quietly(process: subprocess.Popen[bytes]) -> None:
        try:
            kill(process)
        except psutil.Error:
            return

    case.during = quietly


def _signalled(number: signal.Signals, faults: Faults, case: Case) -> None:
    moment = _moment(faults, case)

    def send(process: subprocess.Popen[bytes]) -> None:
        time.sleep(moment)
        if process.poll() is None:
            os.killpg(process.pid, number) if number == signal.SIGINT else process.send_signal(number)

    case.during = send


FAULTS: dict[str, Callable[[Faults, Case], None]] = {
    "full disk": full_disk,
    "closed pipe": closed_pipe,
    "unreadable input": unreadable_input,
    "killed worker": killed_worker,
    "SIGTERM": partial(_signalled, signal.SIGTERM),
    "SIGINT": partial(_signalled, signal.SIGINT),
    "SIGHUP": partial(_signalled, signal.SIGHUP),
    "closed descriptors": closed_descriptors,
    "output is input": output_is_input,
}


def main() -> None:
    """Try every fault so often, and print the table of docs/robustness.md."""
    options = argparse.ArgumentParser()
    options.add_argument("--tries", type=int, default=100)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("faults", nargs="*", default=[*FAULTS, *SERVING])
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        faults = Faults(Path(folder), given.seed)
        for fault in given.faults:
            faults.inject(fault, given.tries)
    print("| fault | tries | how the commands ended | wrong |\n| --- | ---: | --- | ---: |")
    for fault, tries in faults.tried.items():
        ends = ", ".join(
            f"{count} {ENDS.get(status, f'with status {status}')}"
            for status, count in sorted(faults.statuses[fault].items())
            if count
        )
        wrong = sum(problem.startswith(fault) for problem in faults.wrong)
        print(f"| {fault} | {tries} | {ends} | {wrong} |")
    sys.exit(bool(faults.wrong))


if __name__ == "__main__":
    main()
