"""One reader for libFuzzer: ``python -m fuzz.target READER [libFuzzer's options and folders]``."""

from __future__ import annotations

import sys
import warnings

import atheris

with atheris.instrument_imports(include=["doxeval"]):
    from tests.robustness.readers import READERS, survives


def main() -> None:
    """Hand a reader to the fuzzer."""
    reader = sys.argv.pop(1)
    if reader not in READERS:
        sys.exit(f"no reader is called {reader}")
    warnings.simplefilter("error")

    def one_input(data: bytes) -> None:
        survives(reader, data)

    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
