"""`doxeval` and `python -m doxeval` are the command line; its process is set up before other imports."""

import gc
import os
import sys

from doxeval.core.exit import exit_on_signals, exit_quickly

OBJECTS_BETWEEN_COLLECTIONS = 200_000
"""Commands make many objects and few cycles: looking for cycles less often saves a tenth of a short run."""

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, MADV_HUGEPAGE = -1, -3, 14
LARGEST_BLOCK, MOST_KEPT, AT_FIRST = 32 << 20, 1 << 30, 31 << 20
"""The largest block that glibc takes from what it keeps, the most it keeps, and how much it has at first."""


def own_the_process() -> None:
    """Settings of the whole process, which belongs to the command; nothing else in doxeval makes any."""
    # With the quick end in main(), they save 23% of the CPU time of `doxeval eval` on twenty runs: 0.84 s in
    # place of 1.08 s for doxeval.cli.main() alone, medians of seven, on what `doxeval synth --topic-count 50
    # --system-count 20 --results 1000` makes, by AiP, iP[0.01] and iR@10.
    exit_on_signals()
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    # OpenBLAS reads how many threads to start nowhere else.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if sys.platform == "linux":
        _keep_memory()


def _keep_memory() -> None:
    """Let glibc keep memory that was freed, and have large pages for the first of it.

    To read and score a run takes many arrays of a megabyte. Where each is new memory, the system clears it
    page by page, for a quarter of the time of many runs.
    """
    import ctypes

    libc = ctypes.CDLL(None)
    if not hasattr(libc, "mallopt"):
        return
    libc.mallopt(M_MMAP_THRESHOLD, LARGEST_BLOCK)
    libc.mallopt(M_TRIM_THRESHOLD, MOST_KEPT)
    libc.sbrk.restype = libc.malloc.restype = ctypes.c_void_p
    begin = libc.sbrk(0)
    libc.free(ctypes.c_void_p(libc.malloc(AT_FIRST)))
    libc.madvise(ctypes.c_void_p(begin), ctypes.c_size_t(libc.sbrk(0) - begin), MADV_HUGEPAGE)


def main() -> None:
    """Run the command line."""
    own_the_process()
    from doxeval.cli import main as run

    try:
        run()
    except SystemExit as end:
        exit_quickly(end.code)
        raise
    exit_quickly()


if __name__ == "__main__":
    main()
