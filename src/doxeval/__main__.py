"""`python -m doxeval` is the command line."""

from doxeval.cli import main

main()
