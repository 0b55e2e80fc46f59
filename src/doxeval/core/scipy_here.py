"""The parts of scipy, where it is installed (extra `stats`): 140 MB that most commands do without.

``from doxeval.core.scipy_here import special`` inside the function that needs it is the only way by which
scipy comes into this package.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from doxeval.core.errors import MissingExtra

PARTS = {
    "special": ("scipy.special", "this test, interval or measure"),
    "stats": ("scipy.stats", "this test or p-value"),
    "sparse": ("scipy.sparse", "a walk through so many places"),
    "solvers": ("scipy.sparse.linalg", "a walk through so many places"),
    "optimize": ("scipy.optimize", "fitting a parameter"),
}
"""The parts in use, and what needs each."""


def __getattr__(name: str) -> Any:
    if name not in PARTS:
        raise AttributeError(name)
    module, purpose = PARTS[name]
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtra("stats", purpose) from None
