"""From files to tables of documents: sources, parsers (one file each), and the index that stores them."""
