"""File formats, one per module, recognised by content."""
