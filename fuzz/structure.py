"""One reader under changes of structure: ``python -m fuzz.structure READER SECONDS SEED``.

Prints how many files it was tried with. What passes through the gate, told with its place but not foreseen by
the reader, is a finding too.
"""

from __future__ import annotations

import random
import sys
import time
import warnings
from pathlib import Path

from tests.robustness.readers import seeds, survives
from tests.robustness.structures import changed, structured

FINDINGS = Path("fuzz-findings")


def main() -> None:
    """Change and read until the time is over."""
    reader, seconds, seed = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
    warnings.simplefilter("ignore")
    rng = random.Random(f"{reader} {seed}")
    files = structured(seeds(reader))
    end, executions = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        data = changed(rng.choice(files), rng)
        try:
            survives(reader, data)
        except BaseException:
            (FINDINGS / f"{reader}-structure-{seed}").write_bytes(data)
            print(executions)
            raise
        executions += 1
    print(executions)


if __name__ == "__main__":
    main()
