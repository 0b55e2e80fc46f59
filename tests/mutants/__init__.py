"""Mutants: small changes of the package, each of which some test should notice (``make mutants``)."""
