"""`doxeval` and `python -m doxeval` are the command line; signals are seen to before all else is imported."""

from doxeval.core.ending import end_at_signals


def main() -> None:
    """Run the command line."""
    end_at_signals()
    from doxeval.cli import main as run

    run()


if __name__ == "__main__":
    main()
