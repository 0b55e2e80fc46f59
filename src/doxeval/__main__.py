"""`doxeval` and `python -m doxeval` are the command line; its process is set up before other imports."""

import gc
import os

from doxeval.core.exit import exit_on_signals, exit_quickly

OBJECTS_BETWEEN_COLLECTIONS = 200_000
"""Commands make many objects and few cycles: looking for cycles less often saves a tenth of a short run."""


def own_the_process() -> None:
    """Settings of the whole process, which belongs to the command; nothing else in doxeval makes any."""
    exit_on_signals()
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    # OpenBLAS reads how many threads to start nowhere else.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


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
