"""Who reads, what they consult, and what they have seen."""
