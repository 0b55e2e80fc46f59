"""Record what every line prints and writes, and show what has changed: ``python -m tests.approved``."""

from __future__ import annotations

import sys

from docs.examples import things_here

from tests.approved.outcomes import (
    SIGNATURES,
    lines,
    outcome,
    recorded,
    restored,
    signatures,
    workplace,
    write_record,
)
from tests.approved.test_approved import differences


def main() -> None:
    """Run every line; print where it differs from what was recorded, and record it anew."""
    known, found = recorded(), {}
    with workplace() as kept:
        before = things_here()
        for line in lines():
            found[line] = outcome(line)
            restored(kept, before)
            if line in known and known[line] != found[line]:
                print("\n".join([f"$ {line}", *differences(known[line], found[line])]))
    write_record(found)
    SIGNATURES.write_text(signatures(), encoding="utf-8")
    new, gone = len(found.keys() - known.keys()), len(known.keys() - found.keys())
    print(f"{len(found)} lines recorded, {new} of them new; {gone} are no more", file=sys.stderr)


if __name__ == "__main__":
    main()
