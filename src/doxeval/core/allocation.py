"""Memory that was freed is kept for the next array, in workers started with a setting that gives it back.

Dask starts its workers with `MALLOC_TRIM_THRESHOLD_=65536`. The C library then maps every array anew, and
unmaps it when it is freed: a run takes twice the time.
"""

from __future__ import annotations

import os

TRIM_THRESHOLD, MAP_THRESHOLD = -1, -3
"""The numbers of these parameters in malloc.h of the GNU C library."""
LARGEST_KEPT = 32 << 20
"""The bytes of an array up to which the library keeps memory if it is left alone."""


def keep_freed_memory() -> None:
    """Undo that setting, unless whoever started this process has set the other threshold too."""
    if "MALLOC_TRIM_THRESHOLD_" not in os.environ or "MALLOC_MMAP_THRESHOLD_" in os.environ:
        return
    import ctypes

    set_parameter = getattr(ctypes.CDLL(None), "mallopt", None)
    if set_parameter is not None:
        set_parameter(MAP_THRESHOLD, LARGEST_KEPT)
        set_parameter(TRIM_THRESHOLD, 2 * LARGEST_KEPT)
