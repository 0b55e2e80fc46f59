"""Worked examples with their figures, and seeded random cases with exact answers (see README.md)."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "vectors"


def vectors(name: str) -> list[dict[str, Any]]:
    """The cases of one file of vectors, in its order."""
    return json.loads(lzma.decompress((FOLDER / f"{name}.json.xz").read_bytes()))
