"""Score retrieval systems that return parts of documents.

>>> import doxeval as dx
>>> assessments = [{"topic": "t1", "doc": "d1", "start": 10, "end": 40}]
>>> results = [{"topic": "t1", "doc": "d1", "rank": 1, "start": 20, "end": 60}]
>>> dx.evaluate({"mine": results}, assessments, "iP@1 iR@1").mean["value"].to_list()
[0.5, 0.6666666666666666]

This module is for those who score; :mod:`doxeval.extend` for those who add measures, formats and models. The
names of both are stated once, in the stubs beside them.
"""

from doxeval.core.public import lazy_names

__getattr__, __dir__ = lazy_names(__name__, checked=True)
