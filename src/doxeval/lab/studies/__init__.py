"""Studies of measures: what they tell apart, how stable they are, and the papers' experiments repeated."""
