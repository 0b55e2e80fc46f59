"""The loops that must be fast, in Cython's pure-Python mode.

Each file here is ordinary Python and gives the same numbers uncompiled; built by setuptools it runs at C
speed. Arrays in, arrays out: nothing in this folder knows about files, topics' names or measures.
"""

from __future__ import annotations


def compiled() -> bool:
    """Whether the kernels in use are the compiled ones."""
    from doxeval.kernels import scan

    return scan.COMPILED
