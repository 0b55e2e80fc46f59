"""From files to document tables: sources, parsers (one file each), and the index that keeps the result."""
