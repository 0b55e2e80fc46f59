"""For those who add to doxeval: measures, formats, parsers, navigation models, document scores, statistics.

Everything that such a thing is made of is here, and :func:`register` makes it known by its name in a session;
CONTRIBUTING.md has a chapter with an example for each. The names are stated once, in the stub beside this
file.

>>> import numpy as np
>>> from doxeval.extend import Correction
>>> double = Correction("double", "doubled", lambda p: np.minimum(1.0, 2 * p))
>>> double(np.array([0.02, 0.8])).tolist()
[0.04, 1.0]

After ``register(double)``, ``doxeval.compare(..., correction="double")`` uses it.
"""

from doxeval.core.public import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
