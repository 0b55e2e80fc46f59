"""``make test-peers``: the pages of docs/coming-from beside their tools, each in an environment of its own.

tests/requirements-peers.txt says what is in each. trec_eval is no package: unless it is on the PATH, the
program is taken from the archive of a package that brings it along.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
HOME = ROOT / "build" / "peers"
WANTED = ROOT / "tests" / "requirements-peers.txt"
BESIDE = ("pytest>=8", "hypothesis>=6.100", "ir_measures>=0.3.7", "rapidfuzz>=3.9")
PIP = ("-m", "pip", "install", "-q", "--disable-pip-version-check")


def wanted() -> dict[str, list[str]]:
    """The packages of each environment, by the name of the page."""
    lines = [line for line in WANTED.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return {name: packages.split() for name, _, packages in (line.partition(": ") for line in lines)}


def environment(name: str, packages: list[str]) -> Path | None:
    """The Python of an environment with the packages and all that doxeval needs, or None."""
    python = HOME / name / "bin" / "python"
    ready = HOME / name / ".ready"
    if not ready.exists():
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        subprocess.run([sys.executable, "-m", "venv", "--clear", HOME / name], check=True)
        done = subprocess.run(
            [python, *PIP, *packages, *project["dependencies"], *BESIDE], capture_output=True, text=True
        )
        if done.returncode:
            return None
        ready.touch()
    return python


def trec_eval() -> Path | None:
    """The folder of the program trec_eval, or None; with it all pages can be run."""
    if found := shutil.which("trec_eval"):
        return Path(found).parent
    folder = HOME / "trec_eval"
    program = folder / "trec_eval"
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        download: list[str | Path] = ["-m", "pip", "download", "-q", "--no-deps", "-d", folder, "pyserini"]
        if subprocess.run([sys.executable, *download], capture_output=True).returncode:
            return None
        for archive in folder.glob("pyserini*"):
            shutil.unpack_archive(archive, folder, format="zip" if archive.suffix == ".whl" else "gztar")
        with zipfile.ZipFile(next(folder.rglob("anserini-*.jar"))) as packed:
            program.write_bytes(packed.read("trec_eval/trec_eval-linux-amd64"))
        program.chmod(0o755)
    return folder


def passes(python: Path, name: str, path: str = os.environ["PATH"]) -> bool:
    """Whether the page of a tool prints what it says, with the tool itself."""
    told = {"PYTHONPATH": str(ROOT / "src"), "DOXEVAL_PEER": name, "PATH": path}
    told["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # the tools bring plug-ins of their own
    words = [python, "-m", "pytest", "-p", "no:cacheprovider", "tests/integrations/test_pages.py", "-k", name]
    return subprocess.run(words, cwd=ROOT, env=os.environ | told).returncode == 0


def main() -> None:
    """Run every page; exit with 1 if one of them fails, and name those whose tool could not be installed."""
    failed = []
    for name, packages in wanted().items():
        if (python := environment(name, packages)) is None:
            print(f"not installed: {name}")
        elif not passes(python, name):
            failed.append(name)
    if (folder := trec_eval()) is None:
        print("not installed: trec_eval")
    elif not passes(Path(sys.executable), "trec_eval", f"{folder}{os.pathsep}{os.environ['PATH']}"):
        failed.append("trec_eval")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
