"""The loops that must be fast, in Cython's pure-Python mode.

Each file here is ordinary Python and gives the same numbers uncompiled; built by setuptools it runs at C
speed. With `DOXEVAL_PLAIN_KERNELS` set the Python is used even if there are compiled modules. Arrays enter
and arrays leave: nothing in this folder knows about files, topics' names or measures. Kernels trust what they
are given; whoever calls them has checked it.

Read `interpolate` first, which is the shortest; each function has its formula or invariant and an example in
numbers, which a test runs both ways. Bytes to columns: `lines`, `names`, `scan`, `template`, `objects`,
`arrow`, with what only compiled ones share in `.pxd` files. Columns to numbers: `stretches` (text shown),
`nodes` (trees), `exposure`, `ideals_seen` and `tree_gains` (readers who navigate), `reading`, `draws`.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import SOURCE_SUFFIXES, ExtensionFileLoader, FileFinder, SourceFileLoader
from importlib.util import find_spec

if os.environ.get("DOXEVAL_PLAIN_KERNELS"):
    for _folder in __path__:
        sys.path_importer_cache[_folder] = FileFinder(_folder, (SourceFileLoader, SOURCE_SUFFIXES))


def compiled() -> bool:
    """Whether the kernels in use are the compiled ones; none is imported for it, nor numpy."""
    found = find_spec(f"{__name__}.scan")
    return found is not None and isinstance(found.loader, ExtensionFileLoader)
