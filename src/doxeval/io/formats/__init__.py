"""File formats of runs, assessments and chunks, one per module, recognised by content.

A :class:`~doxeval.io.source.Source` enters, a table leaves. Read :mod:`~doxeval.io.formats.format` first,
which defines what a format is, and `inex_fol`, which is a short one. There are two ways to a table. Lines of
fields go through `field_lines`, at C speed. Everything else becomes rows of the native keys (`columns`), from
JSON, CSV (`csv_fields`), frames (`frames`) or files of other tools (`other_tools`); `build_tables` gives each
key its meaning (`row_places`: where a row points to). `rows_out` is the way back.
"""
