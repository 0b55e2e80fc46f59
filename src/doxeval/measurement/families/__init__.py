"""Code shared by several measures."""
