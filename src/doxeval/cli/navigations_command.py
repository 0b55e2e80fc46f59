"""`doxeval navigations`: list navigation models, explain one, compare and fit some on a log of readers."""

from __future__ import annotations

import click

import doxeval as dx
from doxeval.cli.support import option, refuse_idle, say, say_lines, warn_of_broken_plugins


@click.command(name="navigations")
@click.argument("names", nargs=-1, metavar="[MODEL]...")
@option("--log FILE", "Sessions of readers: JSON Lines with doc and route, or a trajectory.")
@option("--docs -d documents FILE", "Documents that the sessions are about.")
@option("--fit fits MODEL", "Also fit the parameters written as ?, as in readon(mean=?); may be repeated.",
        multiple=True)  # fmt: skip
@option("--candidates",
        "Nodes among which readers choose their next step: of the kinds that the log leads to, all, or those "
        "without others in them.", "logged", of=["logged", "all", "leaves"])  # fmt: skip
@option("--revisits",
        "Whether readers may choose a place they have visited in the session; by default if any does.",
        of=["yes", "no"])  # fmt: skip
@option("--folds", "Number of parts to split the log into.", 5, least=2)
@option("--seed", "Random seed for splitting the log.", 0)
@option("--format -f", "Output format.", "table", of=["table", "csv", "jsonl", "json"], show_default=False)
def command(
    names: tuple[str, ...], log: str | None, documents: str | None, fits: tuple[str, ...],
    candidates: str, revisits: str | None, folds: int, seed: int, format: str,
) -> None:  # fmt: skip
    """List the navigation models, or explain the one called MODEL.

    With --log and --docs, compare MODELs by how well they predict the log: the mean log-likelihood of a
    step that the model has not seen. A model that learns from the log itself is trained on the other parts,
    and parameters are fitted on these.

    \b
    doxeval navigations --log log.jsonl --docs docs.dox hierarchical "routes(file=log.jsonl,partition=tag)"
    doxeval navigations --log log.jsonl --docs docs.dox hierarchical --fit "readon(mean=?)"
    """
    if log is None:
        from doxeval.core.records import rendered
        from doxeval.extend import NAVIGATIONS
        from doxeval.reader.navigation.listing import list_models, model_entries

        refuse_idle(
            f"documents fits candidates revisits folds seed{'' if format == 'json' else ' format'}",
            "models are compared only on a log of readers (--log)",
        )
        if format == "json":
            say_lines(rendered(format, lambda: model_entries(names), list).decode().removesuffix("\n"))
        else:
            say("\n\n".join(list_models(name) for name in names) if names else list_models())
        if not names:
            warn_of_broken_plugins(NAVIGATIONS)
        return
    if documents is None or not (names or fits):
        raise click.UsageError("to compare models on a log, name the models and give --docs")
    from doxeval.cli.support import finish

    unknown = [name for name in fits if "?" not in name]
    if unknown:
        raise click.UsageError(f"{unknown[0]!r}: write the parameters to fit as ?, as in readon(mean=?)")
    found = dx.compare_navigations(
        log, documents, [*names, *fits], candidates=candidates,
        revisits=None if revisits is None else revisits == "yes", folds=folds, seed=seed,
    )  # fmt: skip
    found.write("-", format=format)
    finish(found.notices, strict=False)
