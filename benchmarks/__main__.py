"""Run the benchmarks that are named (all, if none is) and print their Markdown."""

import importlib
import os
import platform
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
BENCHES = sorted(path.stem.removeprefix("bench_") for path in FOLDER.glob("bench_*.py"))

if __name__ == "__main__":
    wanted = sys.argv[1:] or BENCHES
    if unknown := set(wanted) - set(BENCHES):
        sys.exit(f"no benchmark is called {', '.join(sorted(unknown))} (known: {', '.join(BENCHES)})")
    print(
        f"# Benchmarks\n\nPython {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores."
    )
    for name in wanted:
        print(f"\n{importlib.import_module(f'benchmarks.bench_{name}').report()}", flush=True)
