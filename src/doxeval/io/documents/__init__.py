"""From files to tables of documents: bytes enter, trees of nodes with offsets into a text leave.

Read :mod:`~doxeval.io.documents.index` first, which does it all; then `sources` (files, folders, archives),
`parsing` (which parser reads an entry), `tree` (what a parser returns) and one of the parsers, such as
`markdown`. Blocks of trees are joined in a `spool` and stored by `dox`, whose files `index_checks` never
trusts unchecked, or by `collection_files`.
"""
