"""Score retrieval systems that return parts of documents.

>>> import doxeval as dx
>>> assessments = [{"topic": "t1", "doc": "d1", "start": 10, "end": 40}]
>>> results = [{"topic": "t1", "doc": "d1", "rank": 1, "start": 20, "end": 60}]
>>> dx.evaluate({"mine": results}, assessments, "iP@1 iR@1").mean["value"].to_list()
[0.5, 0.6666666666666666]

This module is for those who score; :mod:`doxeval.extend` for those who add measures, formats and models. The
names of both are stated once, in the stubs beside them.
"""

import sys

from doxeval.core.public import lazy_names

if not getattr(sys, "_is_gil_enabled", lambda: True)():
    raise ImportError(
        "doxeval does not run in a free-threaded Python without its lock: set PYTHON_GIL=1, "
        "or use the usual build"
    )

__getattr__, __dir__ = lazy_names(__name__, checked=True)
