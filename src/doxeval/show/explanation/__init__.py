"""Where a score comes from: rank by rank, adding up to it."""
