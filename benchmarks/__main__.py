"""Run the benchmarks that are named (all, if none is) and print their Markdown.

With ``--write`` it is put into docs/performance.md as well, with the machine it was measured on.
"""

import importlib
import os
import platform
import re
import sys
from datetime import date
from pathlib import Path

FOLDER = Path(__file__).parent
PAGE = FOLDER.parent / "docs" / "performance.md"
BENCHES = sorted(path.stem.removeprefix("bench_") for path in FOLDER.glob("bench_*.py"))


def machine() -> str:
    """The machine and the date of the measurements."""
    cpus = Path("/proc/cpuinfo")
    named = re.search(r"model name\s*: (.*)", cpus.read_text()) if cpus.exists() else None
    load = f", {os.getloadavg()[0]:.1f} processes running at the start" if hasattr(os, "getloadavg") else ""
    return (
        f"{date.today():%d %B %Y}: Python {platform.python_version()}, "
        f"{named[1] if named else platform.machine()}, {os.cpu_count()} cores{load}."
    )


def write(name: str, text: str) -> None:
    """Put a part into the page, in place of what it was, or at the end."""
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    page = PAGE.read_text()
    part = f"{begin}\n{text.strip()}\n{end}"
    if begin in page:
        page = page[: page.index(begin)] + part + page[page.index(end) + len(end) :]
    else:
        page = f"{page.rstrip()}\n\n{part}\n"
    PAGE.write_text(page)


if __name__ == "__main__":
    wanted = [name for name in sys.argv[1:] if name != "--write"] or BENCHES
    if unknown := set(wanted) - set(BENCHES):
        sys.exit(f"no benchmark is called {', '.join(sorted(unknown))} (known: {', '.join(BENCHES)})")
    measured_on = machine()
    print(f"# Benchmarks\n\n{measured_on}")
    for name in wanted:
        text = importlib.import_module(f"benchmarks.bench_{name}").report()
        print(f"\n{text}", flush=True)
        if "--write" in sys.argv:
            write(name, f"{text}\n\nMeasured on {measured_on}")
