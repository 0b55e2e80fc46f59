"""`doxeval` and `python -m doxeval` are the command line; its process is set up before other imports."""

import gc
import os
import sys
from contextlib import suppress

from doxeval.core.ending import end_at_signals

OBJECTS_BETWEEN_COLLECTIONS = 200_000
"""Commands make many objects and few cycles: looking for cycles less often saves a tenth of a short run."""
MALLOC = {-3: 32 << 20, -1: 128 << 20}
"""M_MMAP_THRESHOLD and M_TRIM_THRESHOLD of malloc.h, in bytes: memory that arrays leave is kept for the next
ones, those of the next run. Getting it anew from the system took a fifth of the time of scoring many runs."""


def own_the_process() -> None:
    """Settings of the whole process, which belongs to the command; nothing else in doxeval makes any."""
    end_at_signals()
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    # OpenBLAS reads how many threads to start nowhere else.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if sys.platform == "linux":
        with suppress(ImportError, AttributeError):  # Python without ctypes, another C library than glibc
            import ctypes

            for setting, value in MALLOC.items():
                ctypes.CDLL(None).mallopt(setting, value)


def main() -> None:
    """Run the command line."""
    own_the_process()
    from doxeval.cli import main as run

    try:
        run()
    finally:
        gc.freeze()  # what is left is freed with the process, not looked through for cycles first


if __name__ == "__main__":
    main()
