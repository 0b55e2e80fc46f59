"""The tasks of INEX: what a run must look like, and how the official scorer takes it."""
