"""Record what every line prints and writes, and show what has changed: ``python -m tests.approved``."""

from __future__ import annotations

import sys

from docs.examples import things_here

from tests.approved.outcomes import (
    SIGNATURES,
    WORLDS,
    Record,
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
    before_all, found = recorded(), Record()
    for world in WORLDS:
        known = before_all.get(world, {})
        now = found[world] = {}
        with workplace(world) as kept:
            before = things_here()
            for line in lines(world):
                now[line] = outcome(line)
                restored(kept, before)
                if line in known and known[line] != now[line]:
                    print("\n".join([f"$ {line}", *differences(known[line], now[line])]))
        new, gone = len(now.keys() - known.keys()), len(known.keys() - now.keys())
        print(f"{world}: {len(now)} lines recorded, {new} of them new; {gone} are no more", file=sys.stderr)
    write_record(found)
    SIGNATURES.write_text(signatures(), encoding="utf-8")


if __name__ == "__main__":
    main()
