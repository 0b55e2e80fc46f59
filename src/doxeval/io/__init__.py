"""Files in and out: sources, formats, documents."""
