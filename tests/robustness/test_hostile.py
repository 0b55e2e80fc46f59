"""Broken and hostile input, full disks, odd surroundings: the table of docs/robustness.md, row by row.

The command line is run as a user would run it; it must end by itself, without a traceback, with a status that
tells, and with a message that helps.
"""

from __future__ import annotations

import gzip
import json
import os
import resource
import signal
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path

import pytest

from tests.robustness.sweeps import PYTHON, limits_of_compiled, write_sweep

GOOD = b"1 Q0 d1 1 9.5 sys 10 30\n"


@pytest.fixture
def case(tmp_path):
    """A run of one good line, and assessments."""
    run, qrels = tmp_path / "run.fol", tmp_path / "qrels.txt"
    run.write_bytes(GOOD)
    qrels.write_bytes(b"1 Q0 d1 20 100 10 10:20\n")
    return run, qrels


def doxeval(*arguments, **options) -> subprocess.CompletedProcess:
    """Run the command line; nothing it does may be a traceback."""
    given = {"capture_output": True, "timeout": 120} | options
    done: subprocess.CompletedProcess = subprocess.run(
        [PYTHON, "-m", "doxeval", *map(str, arguments)], check=False, **given
    )
    assert b"Traceback" not in (done.stderr or b""), done.stderr.decode(errors="replace")
    return done


def scored(run, qrels, *options, **how) -> tuple[list[str], str]:
    """The CSV lines of an evaluation that must work, and what was told."""
    done = doxeval("eval", run, "-q", qrels, "-m", "iP@1", "-f", "csv", *options, **how)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode().splitlines()[1:], done.stderr.decode(errors="replace")


def refused(*arguments, status: int = 2, **how) -> str:
    """What was told of something that must not work."""
    done = doxeval(*arguments, **how)
    assert done.returncode == status, (done.returncode, done.stderr)
    return (done.stderr or b"").decode(errors="replace")


@pytest.mark.parametrize("pack", ["gzip", "zstd"])
def test_truncated_compressed_files(case, pack):
    import zstandard

    run, qrels = case
    data = GOOD * 200
    packed = gzip.compress(data) if pack == "gzip" else zstandard.ZstdCompressor().compress(data)
    run.write_bytes(packed[:-5])
    assert "damaged or truncated" in refused("eval", run, "-q", qrels, "-m", "AiP")
    run.write_bytes(packed)
    assert scored(run, qrels)[0] == ["run,all,iP@1,0.6666666666666666"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"1 Q0 d\xff 2 9 sys 0 5\n", "UTF-8 text"),
        (b"1 Q0 d\0 2 9 sys 0 5\n", "UTF-8 text"),
        (b"1 Q0 d2 2 9 sys 9223372036854775808 5\n", "an integer as field 7"),
        (b"1 Q0 d2 2 9 sys 0 -5\n", "at least 0"),
        (b"1 Q0 d2 2 nan sys 0 5\n", "a finite number as field 5"),
        (b"1 Q0 d2 2 -inf sys 0 5\n", "a finite number as field 5"),
        (b"1 Q0 d2 2 9 sys\n", "8 fields"),
    ],
)
def test_bad_lines_are_refused_with_their_place_and_the_rest_counts(case, line, told):
    run, qrels = case
    run.write_bytes(GOOD + line)
    values, warnings = scored(run, qrels)
    assert values == ["run,all,iP@1,0.6666666666666666"]
    assert "1 line refused" in warnings and told in warnings and "run.fol:2" in warnings
    refused("eval", run, "-q", qrels, "-m", "iP@1", "--strict", status=1)


def test_windows_line_ends_and_a_byte_order_mark(case):
    run, qrels = case
    run.write_bytes(b"\xef\xbb\xbf" + GOOD.replace(b"\n", b"\r\n"))
    qrels.write_bytes(b"\xef\xbb\xbf" + qrels.read_bytes().replace(b"\n", b"\r\n"))
    assert scored(run, qrels) == (["run,all,iP@1,0.6666666666666666"], "")


def test_utf16(case):
    run, qrels = case
    run.write_bytes(GOOD.decode().encode("utf-16"))
    values, warnings = scored(run, qrels)
    assert values == ["run,all,iP@1,0.6666666666666666"]
    assert "is not UTF-8; read as UTF-16" in warnings
    run.write_bytes(GOOD.decode().encode("utf-16")[:-1])
    assert "is not text in that encoding" in refused("eval", run, "-q", qrels, "-m", "AiP")


def test_blanks_before_the_first_line_hide_nothing(case):
    run, qrels = case
    for blanks in (1000, 100_000):
        run.write_bytes(b"\n" * blanks + GOOD)
        assert scored(run, qrels, "--run-format", "inex-fol")[0] == ["run,all,iP@1,0.6666666666666666"]
    assert "begins with 64 KiB of white space" in refused("eval", run, "-q", qrels, "-m", "iP@1")
    assert b"begins with 64 KiB of white space" in doxeval("validate", run).stdout
    run.write_bytes(b"\n" * 1000)
    assert "is empty" in scored(run, qrels)[1]


def test_a_million_warnings_are_one_line(case):
    run, qrels = case
    run.write_bytes(GOOD + b"1 Q0 d1 x 9.5 sys 10 30\n" * 1_000_000)
    begin = time.perf_counter()
    values, warnings = scored(run, qrels)
    assert values == ["run,all,iP@1,0.6666666666666666"]
    assert "1,000,000 lines refused" in warnings and len(warnings) < 1000
    assert time.perf_counter() - begin < 60


def test_a_million_lines_in_another_encoding(case):
    run, qrels = case
    run.write_bytes(GOOD + b"1 Q0 d\xff 2 9.5 sys 10 30\n" * 200_000)
    _, warnings = scored(run, qrels)
    assert "200,000 lines refused" in warnings and len(warnings) < 1000


def test_a_file_that_grows_while_it_is_read(tmp_path):
    from doxeval import InputError
    from doxeval.io.source import Source

    path = tmp_path / "run.fol"
    path.write_bytes(GOOD * 10_000)
    source = Source(path)
    blocks = source.blocks(1 << 16)
    next(blocks)
    with path.open("ab") as stream:
        stream.write(GOOD)
    with pytest.raises(InputError, match="changed while it was being read"):
        list(blocks)


def test_a_file_that_is_cut_while_it_is_read(tmp_path):
    from doxeval import InputError
    from doxeval.io.source import Source

    path = tmp_path / "run.fol"
    path.write_bytes(GOOD * 10_000)
    source = Source(path)
    blocks = source.blocks(1 << 16)
    next(blocks)
    os.truncate(path, 100_000)
    with pytest.raises(InputError, match="changed while it was being read"):
        list(blocks)


def small_files(size: int = 8192) -> None:
    """No file of this process may become larger than that, as if the disk were full."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def test_a_full_disk_leaves_no_half_written_output(tmp_path):
    paths, qrels = write_sweep(tmp_path, runs=40)
    output = tmp_path / "scores.csv"
    told = refused(
        "eval", *paths, "-q", qrels, "-m", "AiP iR@5", "--per-topic", "-o", output, preexec_fn=small_files
    )
    assert "scores.csv: cannot be written" in told
    assert not output.exists() and not list(tmp_path.glob(".scores*"))


def test_a_full_disk_leaves_a_readable_store(tmp_path):
    paths, qrels = write_sweep(tmp_path, runs=2)
    measures = " ".join(f"iP@{rank} iR@{rank}" for rank in range(1, 100))
    store = tmp_path / "store"
    told = refused(
        "eval", *paths, "-q", qrels, "-m", measures, "--store", store, preexec_fn=lambda: small_files(2048)
    )
    assert "cannot be written" in told and [path for path in store.rglob("*") if path.is_file()] == []
    assert doxeval("eval", *paths, "-q", qrels, "-m", measures, "--store", store).returncode == 0


def test_a_full_disk_leaves_no_half_written_index(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("text " * 10_000)
    told = refused("index", tmp_path / "docs", "-o", tmp_path / "docs.dox", preexec_fn=small_files)
    assert "File too large" in told
    assert sorted(path.name for path in tmp_path.iterdir()) == ["docs"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_behind_standard_output(case):
    run, qrels = case
    with Path("/dev/full").open("wb") as full:
        told = refused(
            "eval", run, "-q", qrels, "-m", "AiP", capture_output=False, stdout=full, stderr=subprocess.PIPE
        )
    assert "No space left on device" in told


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("nowhere/scores.csv", "cannot be written"),
        (".", "is a folder; name a file"),
        ("run.fol/scores.csv", "which is read (RUN)"),
        ("qrels.txt/scores.csv", "which is read (--qrels)"),
    ],
)
def test_an_output_that_cannot_be_written(case, tmp_path, output, said):
    run, qrels = case
    told = refused("eval", run, "-q", qrels, "-m", "AiP", "-o", output, cwd=tmp_path)
    assert said in told


@pytest.mark.parametrize("problem", ["missing", "folder", "wrong"])
def test_an_input_that_cannot_be_read(case, tmp_path, problem):
    _, qrels = case
    bad = {"missing": tmp_path / "rum.fol", "folder": tmp_path, "wrong": tmp_path / "wrong"}[problem]
    (tmp_path / "wrong").write_bytes(bytes(range(256)) * 10)
    told = refused("eval", bad, "-q", qrels, "-m", "AiP")
    assert {"missing": "did you mean", "folder": "is a folder", "wrong": "not recognised"}[problem] in told


WITHOUT = "import sys; sys.modules[{0!r}] = None\nfrom doxeval.cli import main; main()"


@pytest.mark.parametrize(
    ("package", "extra", "arguments"),
    [
        ("distributed", "dask", ["--executor", "dask://127.0.0.1:1", "-m", "AiP"]),
        ("ir_measures", "ir", ["-m", "ERR@10"]),
    ],
)
def test_a_missing_extra_is_named(case, package, extra, arguments):
    run, qrels = case
    command = [PYTHON, "-c", WITHOUT.format(package), "eval", str(run), "-q", str(qrels), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert f"doxeval[{extra}]" in done.stderr or "unknown measure" in done.stderr


def test_no_scheduler_answers(case):
    pytest.importorskip("distributed")
    run, qrels = case
    code = "import doxeval.core.workers as e; e.CONNECT_SECONDS = 1; from doxeval.cli import main; main()"
    command = [
        PYTHON,
        "-c",
        code,
        "eval",
        str(run),
        "-q",
        str(qrels),
        "-m",
        "AiP",
        "--executor",
        "dask://127.0.0.1:9",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (
        done.returncode == 2 and "no Dask scheduler answers" in done.stderr and "dask worker" in done.stderr
    )


@pytest.mark.parametrize(
    "how",
    [
        {"stdin": subprocess.DEVNULL},
        {"env": {"PATH": "", "TERM": "dumb"}},
        {"env": {"PATH": "", "COLUMNS": "1"}},
        {"start_new_session": True},
    ],
)
def test_no_terminal(case, how):
    run, qrels = case
    assert scored(run, qrels, **how) == (["run,all,iP@1,0.6666666666666666"], "")
    assert doxeval("eval", run, "-q", qrels, "-m", "iP@1", **how).stdout.count(b"\n") >= 2


@pytest.mark.parametrize(
    "locale",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "POSIX", "PYTHONUTF8": "0"},
        {"LC_ALL": "de_DE.UTF-8"},
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "tr_TR.ISO-8859-9", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
)
def test_another_locale(tmp_path, locale):
    run, qrels = tmp_path / "läufe.fol", tmp_path / "qrels.txt"
    run.write_text("thème Q0 dokument-ß 1 9.5 sys 10 30\nkaputt\n", encoding="utf-8")
    qrels.write_text("thème Q0 dokument-ß 20 100 10 10:20\n", encoding="utf-8")
    values, told = scored(run, qrels, "--per-topic", env={"PATH": "", **locale})
    assert values == ["läufe,thème,iP@1,0.6666666666666666", "läufe,all,iP@1,0.6666666666666666"]
    assert "1 line refused" in told


def test_a_reader_that_goes_away(case, tmp_path):
    run, qrels = case
    qrels.write_text("".join(f"{topic} Q0 d1 20 100 10 10:20\n" for topic in range(1, 20_000)))
    command = f"{sys.executable} -m doxeval eval {run} -q {qrels} -m iP@1 --per-topic -f csv | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "run,topic,measure,value\n" and "Traceback" not in done.stderr


def test_a_long_line_and_the_option_that_allows_it(case):
    run, qrels = case
    run.write_bytes(GOOD + b"1 Q0 " + b"d" * 3_000_000 + b" 2 9 sys 0 5\n")
    told = refused("--max-line", "1M", "eval", run, "-q", qrels, "-m", "iP@1")
    assert "longer than 1,048,576 bytes" in told and "--max-line SIZE" in told
    assert scored(run, qrels)[0] == ["run,all,iP@1,0.6666666666666666"]


@limits_of_compiled
def test_a_bomb_and_the_options_that_allow_it(case, tmp_path):
    run, qrels = case
    run = tmp_path / "run.fol.gz"
    run.write_bytes(gzip.compress(GOOD + b"\n" * (80 << 20)))
    told = refused("eval", run, "-q", qrels, "-m", "iP@1")
    assert "times its size" in told and "--max-ratio NUMBER" in told
    done = doxeval("--max-ratio", "2000", "eval", run, "-q", qrels, "-m", "iP@1", "-f", "csv")
    assert done.returncode == 0
    told = refused("--max-unpacked", "1M", "--max-ratio", "2000", "eval", run, "-q", qrels, "-m", "iP@1")
    assert "unpacks to more than 1,048,576 bytes" in told and "--max-unpacked SIZE" in told


@pytest.mark.parametrize("size", ["", "a lot", "-5", "0", "5X", "2000M"])
def test_a_limit_that_is_no_size(case, size):
    run, qrels = case
    told = refused("--max-line", size, "eval", run, "-q", qrels, "-m", "iP@1")
    assert "--max-line" in told


def hostile_documents(folder: Path, what: str) -> Path:
    """Documents that ask for too much, in the way that `what` says."""
    if what == "depth":
        (folder / "deep.xml").write_text("<a>" * 2000 + "</a>" * 2000)
    elif what == "document-size":
        (folder / "large.txt").write_text("x" * 200_000)
    elif what in ("archive-size", "archive-ratio"):
        with zipfile.ZipFile(folder / "many.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for number in range(3):
                archive.writestr(f"d{number}.txt", "x" * (3 << 20))
    return folder


@pytest.mark.parametrize(
    ("what", "limit", "enough"),
    [
        ("depth", 1000, 3000),
        ("document-size", 100_000, 300_000),
        ("archive-size", 5 << 20, 50 << 20),
        ("archive-ratio", 10, 5000),
    ],
)
def test_limits_of_documents_name_the_option_that_raises_them(tmp_path, what, limit, enough):
    (tmp_path / "docs").mkdir()
    docs = hostile_documents(tmp_path / "docs", what)
    (docs / "good.txt").write_text("good")
    others = ["--max-archive-ratio", 5000] if what == "archive-size" else []
    done = doxeval("index", docs, "-o", tmp_path / "o.dox", f"--max-{what}", limit, *others)
    assert done.returncode == 0 and f"--max-{what}" in done.stderr.decode(), done.stderr.decode()
    done = doxeval("index", docs, "-o", tmp_path / "o.dox", "--strict", f"--max-{what}", enough, *others)
    assert done.returncode == 0, done.stderr.decode()


ENTITIES = '<!DOCTYPE a [<!ENTITY x0 "lol">' + "".join(
    f'<!ENTITY x{n} "{f"&x{n - 1};" * 8}">' for n in range(1, 12)
) + "]>"  # fmt: skip


@pytest.mark.parametrize("kind", ["document", "run", "assessments"])
@pytest.mark.parametrize("attack", ["billion laughs", "local file"])
def test_entities_are_never_expanded_into_harm(tmp_path, kind, attack):
    secret = tmp_path / "secret"
    secret.write_text("SECRET")
    header = (
        ENTITIES if attack == "billion laughs" else f'<!DOCTYPE a [<!ENTITY x11 SYSTEM "{secret.as_uri()}">]>'
    )
    body = {
        "document": "<a>&x11;</a>",
        "run": '<inex-submission participant-id="1" run-id="r"><topic topic-id="1"><result><file>&x11;</file>'
        "<path>/a[1]</path><rank>1</rank></result></topic></inex-submission>",
        "assessments": '<assessments topic="1"><file file="d"><path path="/a[1]" exhaustiveness="2" '
        'specificity="3">&x11;</path></file></assessments>',
    }[kind]
    path = tmp_path / "in.xml"
    path.write_text(header + body)
    if kind == "document":
        done = doxeval("index", path, "-o", tmp_path / "o.jsonl")
        shown = (tmp_path / "o.jsonl").read_text() if (tmp_path / "o.jsonl").exists() else ""
    else:
        done = doxeval("convert", path, "-", "--kind", kind, "--format", f"native-{kind}")
        shown = done.stdout.decode()
    assert "SECRET" not in shown + done.stderr.decode() and len(shown) < 10_000


def test_archives_that_try_to_escape(tmp_path):
    with tarfile.open(tmp_path / "evil.tar", "w") as archive:
        for name in ("../up.txt", "/abs.txt", "good.txt"):
            member = tarfile.TarInfo(name)
            archive.addfile(member)
        link = tarfile.TarInfo("link.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    done = doxeval("index", tmp_path / "evil.tar", "-o", tmp_path / "o.jsonl")
    told = done.stderr.decode()
    assert "2 archive members refused: their paths lead outside" in told and "it is a link or device" in told
    rows = [json.loads(line) for line in (tmp_path / "o.jsonl").read_text().splitlines()]
    assert [row["doc"] for row in rows] == ["good"]


def test_too_little_memory_is_told(case):
    run, qrels = case
    code = (
        "import doxeval.scoring.evaluation as e\n"
        "def hungry(*given): raise MemoryError\n"
        "e.align = hungry\n"
        "from doxeval.cli import main; main()"
    )
    command = [PYTHON, "-c", code, "eval", str(run), "-q", str(qrels), "-m", "AiP"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2 and "memory" in done.stderr and "Traceback" not in done.stderr
