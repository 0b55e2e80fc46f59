"""Files in and out: paths, bytes, frames or lists enter, :mod:`doxeval.tables` leave, and the reverse.

Read :mod:`~doxeval.io.read` first: each of its functions is one way in. `source` gives the bytes of anything,
decompressed and in UTF-8 (`inputs`, `encodings`, `limits`); `formats/` turns them into runs and assessments,
one file a format; `documents/` into trees, one file a parser; `placing/` finds quoted text in them; `write`
is the way out. A line that is invalid is refused with its place, the others are kept, and whatever a reader
raises becomes an error that names the file (:func:`doxeval.core.errors.guard`).
"""
