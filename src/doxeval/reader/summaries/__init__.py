"""Structural summaries: nodes in classes, the graph of the classes, and its steady state."""
