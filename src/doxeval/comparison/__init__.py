"""Which system is better, and which measure can tell: tests, intervals, correlations of rankings."""
