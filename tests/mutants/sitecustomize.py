"""Records what a process that a test has started reaches; Python imports a module of this name first."""

from __future__ import annotations

import atexit
import os

if "DOXEVAL_REACHED_BY" in os.environ:
    import coverage

    tracer = coverage.Coverage(
        data_file=os.environ["DOXEVAL_REACH"] + "/lines",
        data_suffix=True,
        source=[os.environ["DOXEVAL_REACH_PACKAGE"]],
        context=os.environ["DOXEVAL_REACHED_BY"],
        config_file=False,
    )
    atexit.register(tracer.save)
    atexit.register(tracer.stop)
    tracer.start()
