"""Documents: parsers, sources, the index, nodes and ranges."""
