"""The aligner: texts enter, and places in documents leave, however the texts were copied.

Read :mod:`~doxeval.io.placing.text_index` first, which searches one document at ever less certain levels, on
texts folded by `folding`; a `library` knows which documents may hold a text; `place_quotes` decides about
quotes of assessments, `place_chunks` about chunks of runs.
"""
