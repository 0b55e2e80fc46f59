"""`doxeval` and `python -m doxeval` are the command line; its process is set up before other imports."""

import gc
import os

from doxeval.core.ending import end_at_signals

OBJECTS_BETWEEN_COLLECTIONS = 200_000
"""Commands make many objects and few cycles: looking for cycles less often saves a tenth of a short run."""


def own_the_process() -> None:
    """Settings of the whole process, which belongs to the command; nothing else in doxeval makes any."""
    end_at_signals()
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    # OpenBLAS reads how many threads to start nowhere else.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


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
