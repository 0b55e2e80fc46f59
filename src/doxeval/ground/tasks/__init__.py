"""The tasks of INEX: the rules for a run, and the conventions of the official scorer."""
